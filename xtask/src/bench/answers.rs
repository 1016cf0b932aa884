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
    /// Code that prepares the page before the click, with the calls in [`CALLS`]; empty for none.
    prepare: &'static str,
    /// The click, as a call in [`CALLS`].
    act: &'static str,
    /// Descriptions of the answers, and selectors of what they show. None of it is shown before the click, except canvases, whose answer is
    /// their last change.
    shown: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step {
        before: "",
        prepare: "",
        act: "tab('overview')",
        shown: &[
            ("the first finding", ".worth li"),
            ("what is worth investigating", "[aria-labelledby=worth]:not([aria-busy]) .worth li"),
            ("where the time went, by statement", "[aria-labelledby=time] .grid-rows .grid-row"),
        ],
    },
    Step {
        before: "wwr",
        prepare: "",
        act: "tab('overview')",
        shown: &[(
            "what is worth investigating, in a time range",
            "[aria-labelledby=worth]:not([aria-busy]) .worth li",
        )],
    },
    Step {
        before: "\u{e00c}",
        prepare: "",
        act: "tab('statements')",
        shown: &[("statements", ".shapes .grid-rows .grid-row")],
    },
    Step {
        before: "",
        prepare: "",
        act: "click('.shapes .grid-rows .grid-row button')",
        shown: &[
            ("the durations of one statement", ".histogram"),
            ("its executions", "[aria-labelledby=executions] .grid-rows .grid-row"),
        ],
    },
    Step {
        before: "",
        prepare: "",
        act: "tab('sources')",
        shown: &[
            ("sources", "[aria-labelledby=sources] .grid-rows .grid-row"),
            ("buffer bytes", "[aria-labelledby=buffers] figure"),
        ],
    },
    Step {
        before: "",
        prepare: "",
        act: "tab('compare')",
        shown: &[("two executions of a statement, step by step", ".compare .grid-rows .grid-row")],
    },
    Step {
        before: "\u{e00c}",
        prepare: "",
        act: "click('#queries .grid-rows .grid-row')",
        shown: &[("how a query differs from others of its statement", ".siblings")],
    },
    Step {
        before: "\u{e00c}",
        prepare: "",
        act: "key('l')",
        shown: &[("the critical path of the longest query", "#details .critical")],
    },
    // Escape clears the time range, then the selection, then the zoom.
    Step {
        before: "\u{e00c}\u{e00c}\u{e00c}",
        prepare: "press('By query'); await rest()",
        act: "area()",
        shown: &[("an area of several tracks, by name", "#area .grid-rows .grid-row")],
    },
    Step {
        before: "",
        prepare: "press('Clear area'); press('Packed'); await rest()",
        act: "type('#filter', 'kind = query duration > 5ms')",
        shown: &[
            ("how many spans and events match a filter", ".filter-bar .count"),
            ("the timeline with the filter", "canvas#gantt"),
        ],
    },
    Step {
        before: "",
        prepare: "type('#filter', ''); tab('flame'); await until(() => button('Merged')); press('Merged');
            await until(() => choices('Add dimension')); choose('Add dimension', 'calls');
            await until(() => button('Callers (inverted)'))",
        act: "press('Callers (inverted)')",
        shown: &[("the inverted merged flame graph", "canvas#flame")],
    },
];

/// Calls that scripts make.
const CALLS: &str = r"
    const all = selector => [...document.querySelectorAll(selector)];
    const tab = name => all('[role=tab]').find(tab => tab.textContent.trim().toLowerCase() === name).click();
    const click = selector => document.querySelector(selector).click();
    const button = name => all('button').find(button => button.textContent.trim() === name);
    const press = name => button(name).click();
    const key = key => document.querySelector('.picture')
        .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
    const type = (selector, text) => {
        const field = document.querySelector(selector);
        field.value = text;
        field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    };
    const choices = label => document.querySelector(`select[aria-label='${label}']`);
    const choose = (label, choice) => {
        const list = choices(label);
        list.selectedIndex = [...list.options].findIndex(option => option.text === choice);
        list.dispatchEvent(new Event('change', { bubbles: true }));
    };
    const area = () => {
        const canvas = document.querySelector('#gantt'), box = canvas.getBoundingClientRect();
        const drag = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { clientX: box.x + box.width * x, clientY: box.y + box.height * y,
            buttons: 1, shiftKey: true, pointerId: 1, pointerType: 'mouse', isPrimary: true, bubbles: true, composed: true, cancelable: true }));
        drag('pointerdown', 0.02, 0.1);
        drag('pointermove', 0.4, 0.5);
        drag('pointermove', 0.9, 0.9);
        drag('pointerup', 0.9, 0.9);
    };
    const rest = () => new Promise(resolve => setTimeout(resolve, 1500));
    const until = async isThere => {
        while (!isThere()) await new Promise(resolve => setTimeout(resolve, 50));
        await rest();
    };";

/// Script that prepares the page.
const PREPARE: &str = "PREPARATION; return 0;";

/// Script that clicks and returns the time until each of the selectors finds something, or until the last change of a canvas.
const ACT: &str = r"
    const selectors = arguments[0];
    const isCanvas = selector => selector.startsWith('canvas');
    const shown = selectors.filter(selector => !isCanvas(selector) && document.querySelector(selector));
    if (shown.length) throw new Error(`${shown} before the click`);
    const context = new OffscreenCanvas(320, 240).getContext('2d', { willReadFrequently: true });
    const picture = selector => {
        // A small copy, because reading all pixels would slow down the measured page.
        context.drawImage(document.querySelector(selector), 0, 0, 320, 240);
        const pixels = new Uint32Array(context.getImageData(0, 0, 320, 240).data.buffer);
        return pixels.reduce((hash, pixel) => (Math.imul(hash, 31) + pixel) | 0, 0);
    };
    const change = async (selector, begun) => {
        let last = picture(selector), changed = null;
        while (changed === null || performance.now() - changed < 400) {
            const now = await new Promise(requestAnimationFrame);
            if (now - begun > 30000) throw new Error(`no change of ${selector}`);
            const next = picture(selector);
            if (next !== last) { last = next; changed = performance.now(); }
        }
        return changed - begun;
    };
    const appearance = (selector, begun) => new Promise((resolve, reject) => {
        new MutationObserver((_, observer) => {
            if (!document.querySelector(selector)) return;
            observer.disconnect();
            requestAnimationFrame(() => resolve(performance.now() - begun));
        }).observe(document.querySelector('#app'), { childList: true, subtree: true });
        setTimeout(() => reject(new Error(`no ${selector}`)), 30000);
    });
    const begun = performance.now();
    const times = selectors.map(selector => (isCanvas(selector) ? change : appearance)(selector, begun));
    CLICK;
    const found = await Promise.all(times);
    await new Promise(resolve => setTimeout(resolve, 400));
    return found;";

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
        if !step.prepare.is_empty() {
            let script = format!("{CALLS}{}", PREPARE.replace("PREPARATION", step.prepare));
            browser.run_async(&script, json!([])).with_context(|| step.prepare)?;
        }
        let selectors: Vec<_> = step.shown.iter().map(|(_, selector)| selector).collect();
        let script = format!("{CALLS}{}", ACT.replace("CLICK", step.act));
        let times = browser.run_async(&script, json!([selectors])).with_context(|| step.act)?;
        for (at, (what, _)) in step.shown.iter().enumerate() {
            answers.push(Answer { what, ms: times[at].as_f64().context("a time")? });
        }
    }
    Ok(answers)
}
