//! Answers about a large trace: time from a click until the page shows the answer.

use std::path::Path;

use anyhow::{Context, Result};
use queryscope_e2e::Browser;
use serde_json::json;

use super::load::{draw, open};
use super::{Trace, median};

/// Measurement of one answer.
pub struct Answer {
    /// Description of the answer.
    pub what: &'static str,
    /// Time from the click until the frame in which the first row of the answer is drawn.
    pub ms: f64,
}

/// One click, and the answers that it leads to.
struct Step {
    /// Keys that are pressed in the timeline before the click.
    before: &'static str,
    /// The click, as a call in [`ACT`].
    act: &'static str,
    /// Descriptions of the answers, and selectors of what they show. None of it is shown before the click.
    shown: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step {
        before: "",
        act: "tab('overview')",
        shown: &[
            ("what is worth a look", ".worth li"),
            ("where the time went, by statement", "[aria-labelledby=time] .grid-rows .grid-row"),
        ],
    },
    Step {
        before: "wwr",
        act: "tab('overview')",
        shown: &[("what is worth a look, in a time range", ".worth li")],
    },
    Step {
        before: "\u{e00c}",
        act: "tab('statements')",
        shown: &[("statements", ".shapes .grid-rows .grid-row")],
    },
    Step {
        before: "",
        act: "click('.shapes .grid-rows .grid-row button')",
        shown: &[
            ("the durations of one statement", ".histogram"),
            ("its executions", "[aria-labelledby=executions] .grid-rows .grid-row"),
        ],
    },
    Step {
        before: "",
        act: "tab('sources')",
        shown: &[
            ("sources", "[aria-labelledby=sources] .grid-rows .grid-row"),
            ("buffer bytes", "[aria-labelledby=buffers] figure"),
        ],
    },
    Step {
        before: "",
        act: "tab('compare')",
        shown: &[("two executions of a statement, step by step", ".compare .grid-rows .grid-row")],
    },
    Step {
        before: "\u{e00c}",
        act: "click('#queries .grid-rows .grid-row')",
        shown: &[("how a query differs from others of its statement", ".siblings")],
    },
];

/// Script that clicks and returns the time until each of the selectors finds something.
const ACT: &str = r"
    const [code, selectors] = arguments;
    const tab = name => [...document.querySelectorAll('[role=tab]')]
        .find(tab => tab.textContent.trim().toLowerCase() === name).click();
    const click = selector => document.querySelector(selector).click();
    const shown = selectors.filter(selector => document.querySelector(selector));
    if (shown.length) throw new Error(`${shown} before the click`);
    const act = new Function('tab', 'click', code);
    const times = await new Promise((resolve, reject) => {
        const begun = performance.now();
        const times = selectors.map(() => null);
        new MutationObserver((_, observer) => {
            selectors.forEach((selector, at) => {
                if (times[at] !== null || !document.querySelector(selector)) return;
                times[at] = 0;
                requestAnimationFrame(() => {
                    times[at] = performance.now() - begun;
                    if (times.every(time => time > 0)) { observer.disconnect(); resolve(times); }
                });
            });
        }).observe(document.querySelector('#app'), { childList: true, subtree: true });
        setTimeout(() => reject(new Error(`no ${selectors.filter((_, at) => times[at] === null)}`)), 30000);
        act(tab, click);
    });
    await new Promise(resolve => setTimeout(resolve, 400));
    return times;";

/// Script that switches to the timeline.
const LEAVE: &str = r"
    [...document.querySelectorAll('[role=tab]')].find(tab => tab.textContent.trim().toLowerCase() === 'gantt').click();
    await new Promise(resolve => setTimeout(resolve, 600));
    return 0;";

/// Script that waits as long as a user looks at the new timeline.
const LOOK: &str = "await new Promise(resolve => setTimeout(resolve, 1500)); return 0;";

/// Measures the answers about a trace; each time is the median over `runs` pages.
pub fn measure(dist: &Path, trace: &Trace, runs: usize) -> Result<Vec<Answer>> {
    let mut pages = Vec::new();
    for _ in 0..runs {
        let (browser, _server) = open(dist)?;
        draw(&browser, trace, trace.events)?;
        pages.push(of_page(&browser)?);
    }
    let answer = |at: usize, answer: &Answer| {
        let times = pages.iter().map(|page| page[at].ms).collect();
        Answer { what: answer.what, ms: median(times) }
    };
    Ok(pages[0].iter().enumerate().map(|(at, first)| answer(at, first)).collect())
}

/// Time of each answer in a page that shows a trace with queries.
pub fn of_page(browser: &Browser) -> Result<Vec<Answer>> {
    browser.run_async(LOOK, json!([]))?;
    let mut answers = Vec::new();
    for step in STEPS {
        if !step.before.is_empty() {
            browser.run_async(LEAVE, json!([]))?;
            browser.keys(step.before)?;
            browser.run_async(LOOK, json!([]))?;
        }
        let selectors: Vec<_> = step.shown.iter().map(|(_, selector)| selector).collect();
        let times = browser.run_async(ACT, json!([step.act, selectors])).with_context(|| step.act)?;
        for (at, (what, _)) in step.shown.iter().enumerate() {
            answers.push(Answer { what, ms: times[at].as_f64().context("a time")? });
        }
    }
    Ok(answers)
}
