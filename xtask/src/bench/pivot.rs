//! Pivot tables of a large trace: time from a change until the page shows the new table.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::load::{draw, open};
use super::{Trace, median};

/// Measurement of one change of the table.
pub struct Answer {
    /// Description of the change.
    pub what: &'static str,
    /// Whether the change can be answered from the table's own groups, without reading points.
    pub is_roll_up: bool,
    /// Time from the change until the table shows the answer.
    pub ms: f64,
}

/// One action of a user in the pivot table.
pub struct Step {
    what: &'static str,
    /// The action, as a call in [`ACT`].
    act: &'static str,
    is_roll_up: bool,
    /// Keys that are pressed in the timeline before the action, not included in its time.
    before: &'static str,
}

const fn step(what: &'static str, act: &'static str) -> Step {
    Step { what, act, is_roll_up: false, before: "" }
}

const fn roll_up(what: &'static str, act: &'static str) -> Step {
    Step { what, act, is_roll_up: true, before: "" }
}

/// Actions for a run with queries. Each requires data that no earlier action required.
pub const QUERIES: &[Step] = &[
    step("first table: 2 dimensions, 6 measures including self time and a percentile", "tab('pivot')"),
    step("one more measure", "add('measure', 'sum(rows read)')"),
    step("a third dimension", "add('by', 'in connector')"),
    step("a fourth dimension", "add('by', 'status')"),
    roll_up("roll-up to 3 dimensions", "take('by', 1)"),
    roll_up("roll-up to 2 dimensions", "take('by', 0)"),
    step("a percentile of self time", "add('measure', 'p99(self time)')"),
    step("a filter of 1 condition", "filter('duration > 1ms')"),
    step(
        "a filter of 5 conditions",
        "filter('duration > 1ms kind != query rows_read >= 0 name:e status = ok')",
    ),
    step("a filter by a word", "filter('select')"),
    step(
        "one more dimension, with as many values as spans, in classes",
        "filter(''); add('by', 'duration[log]')",
    ),
];

/// Actions for a trace of MySQL waits. Each requires data that no earlier action required.
pub const WAITS: &[Step] = &[
    step("first table: 2 dimensions, 6 measures including self time and a percentile", "tab('pivot')"),
    step("a percentile of the server's own durations", "add('measure', 'p99(timer wait)')"),
    step("a third dimension, the operation", "add('by', 'operation')"),
    step("a fourth dimension, the location in the server's source", "add('by', 'source')"),
    roll_up("roll-up to 3 dimensions", "take('by', 2)"),
    roll_up("roll-up to 2 dimensions", "take('by', 0)"),
    step("one more dimension, with a thousand values", "add('by', 'instance')"),
    step("one more dimension, the first 3 parts of the name", "add('by', 'name[/3]')"),
    step("one more dimension, the thread", "add('by', 'thread')"),
    step("a percentile of self time", "add('measure', 'p95(self time)')"),
    step("the sum of the rows of batches", "add('measure', 'sum(rows)')"),
    step("a filter of 1 condition", "filter('duration > 10us')"),
    step("a filter of 3 conditions", "filter('name:mutex duration > 20ns operation = lock')"),
    step("a filter by a word", "filter('innodb')"),
    Step { before: "wwr", ..step("a time range", "tab('pivot')") },
    step("one more dimension, in a time range", "add('by', 'table')"),
];

/// Script that performs an action and returns the time until the table's first change.
const ACT: &str = r"
    const tab = name => [...document.querySelectorAll('[role=tab]')]
        .find(tab => tab.textContent.trim().toLowerCase() === name).click();
    const tell = (element, value, event) => {
        element.value = value;
        if (element.value !== value) throw new Error(`there is no ${value}`);
        element.dispatchEvent(new Event(event, { bubbles: true }));
    };
    const add = (list, value) => tell(document.querySelector(`#${list}-add`), value, 'change');
    const take = (list, at) => document.querySelectorAll(`[aria-labelledby=${list}-label] .chip-button`)[at].click();
    const filter = text => tell(document.querySelector('#pivot-filter'), text, 'input');
    const element = node => node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const shown = changes => document.querySelector('.pivot .grid-row.group')
        && changes.some(change => element(change.target)?.matches('.pivot, .pivot .grid, .pivot .grid *, .pivot-sum'));
    const act = new Function('tab', 'add', 'take', 'filter', arguments[0]);
    const took = await new Promise((resolve, reject) => {
        let begun = 0;
        new MutationObserver((changes, observer) => {
            if (shown(changes)) { observer.disconnect(); resolve(performance.now() - begun); }
        }).observe(document.querySelector('#app'), { childList: true, characterData: true, subtree: true });
        setTimeout(() => reject(new Error('no answer')), 20000);
        // The choices are requested, too. A user waits until they are there.
        const attempt = left => {
            begun = performance.now();
            try { act(tab, add, take, filter); }
            catch (error) { if (left > 0) setTimeout(attempt, 50, left - 1); else reject(error); }
        };
        attempt(100);
    });
    // Requests and drawing that are still in progress must not count for the next answer.
    await new Promise(resolve => setTimeout(resolve, 400));
    return took;";

/// Script that switches to the timeline.
const LEAVE: &str = r"
    [...document.querySelectorAll('[role=tab]')].find(tab => tab.textContent.trim().toLowerCase() === 'gantt').click();
    await new Promise(resolve => setTimeout(resolve, 400));
    return 0;";

/// Script that waits before the first table, as a user would.
const LOOK: &str = "await new Promise(resolve => setTimeout(resolve, 1500)); return 0;";

const REST: &str = "await new Promise(resolve => setTimeout(resolve, 600)); return 0;";

/// Measures the actions; each time is the median over `runs` pages.
pub fn measure(dist: &Path, trace: &Trace, steps: &[Step], runs: usize) -> Result<Vec<Answer>> {
    let mut times = vec![Vec::new(); steps.len()];
    for _ in 0..runs {
        let (browser, _server) = open(dist)?;
        draw(&browser, trace, trace.events)?;
        browser.run_async(LOOK, json!([]))?;
        for (step, times) in steps.iter().zip(&mut times) {
            if !step.before.is_empty() {
                browser.run_async(LEAVE, json!([]))?;
                browser.keys(step.before)?;
                browser.run_async(REST, json!([]))?;
            }
            let took = browser.run_async(ACT, json!([step.act])).with_context(|| step.what)?;
            times.push(took.as_f64().context("a time")?);
        }
    }
    let answers = steps.iter().zip(times);
    Ok(answers
        .map(|(step, times)| Answer { what: step.what, is_roll_up: step.is_roll_up, ms: median(times) })
        .collect())
}
