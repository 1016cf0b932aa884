//! Pivot tables of a large trace: from a change to the table that answers it, as the page shows it.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::load::{drop_and_wait, open};
use super::{Trace, median};

/// One change of the table.
pub struct Answer {
    /// What is asked.
    pub what: &'static str,
    /// Whether it can be answered from what the table shows, without reading points.
    pub is_roll_up: bool,
    /// From the change until the table shows the answer.
    pub ms: f64,
}

struct Step {
    what: &'static str,
    /// What the user does: a call in [`ACT`].
    act: &'static str,
    is_roll_up: bool,
}

const fn step(what: &'static str, act: &'static str) -> Step {
    Step { what, act, is_roll_up: false }
}

/// Each asks for something that was not asked for before.
const STEPS: &[Step] = &[
    step("first table: 2 dimensions, 6 measures with self time and a percentile", "tab('pivot')"),
    step("one more number", "add('measure', 'sum(rows read)')"),
    step("3 dimensions", "add('by', 'in connector')"),
    step("4 dimensions", "add('by', 'status')"),
    Step { what: "rolled up to 3", act: "take('by', 1)", is_roll_up: true },
    Step { what: "rolled up to 2", act: "take('by', 0)", is_roll_up: true },
    step("a percentile of self times", "add('measure', 'p99(self time)')"),
    step("a filter of one condition", "filter('duration > 1ms')"),
    step("of five conditions", "filter('duration > 1ms kind != query rows_read >= 0 name:e status = ok')"),
    step("a word", "filter('select')"),
    step("1 dimension of as many values as spans, in classes", "filter(''); add('by', 'duration[log]')"),
];

/// Does something, and tells how long it took until the table's first change behind it.
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
        const begun = performance.now();
        new MutationObserver((changes, observer) => {
            if (shown(changes)) { observer.disconnect(); resolve(performance.now() - begun); }
        }).observe(document.querySelector('#app'), { childList: true, characterData: true, subtree: true });
        setTimeout(() => reject(new Error('no answer')), 20000);
        act(tab, add, take, filter);
    });
    // What is being asked and drawn still is not part of the next answer.
    await new Promise(resolve => setTimeout(resolve, 400));
    return took;";

/// The answers, each the median of so many pages.
pub fn measure(dist: &Path, trace: &Trace, runs: usize) -> Result<Vec<Answer>> {
    let mut times = vec![Vec::new(); STEPS.len()];
    for _ in 0..runs {
        let (browser, _server) = open(dist)?;
        drop_and_wait(&browser, trace)?;
        for (step, times) in STEPS.iter().zip(&mut times) {
            let took = browser.run_async(ACT, json!([step.act])).with_context(|| step.what)?;
            times.push(took.as_f64().context("a time")?);
        }
    }
    let answers = STEPS.iter().zip(times);
    Ok(answers
        .map(|(step, times)| Answer { what: step.what, is_roll_up: step.is_roll_up, ms: median(times) })
        .collect())
}
