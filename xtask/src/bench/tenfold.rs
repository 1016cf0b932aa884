//! A trace with ten times the events: whether loading time stays linear and the page responsive.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::Browser;
use serde_json::{Value, json};

use super::load::open;
use super::{Trace, answers, frames, memory, name};

pub struct Tenfold {
    pub events: u64,
    pub bytes: u64,
    /// Time from the drop until all events are read and correlated.
    pub ready_ms: f64,
    /// Time from the drop until the page shows something.
    pub first_ms: f64,
    /// Longest task of the main thread while loading.
    pub block_ms: f64,
    /// Time from the click on "Cancel" until the page shows that reading has stopped.
    pub cancel_ms: f64,
    pub memory: Option<memory::Memory>,
    pub empty: Option<memory::Memory>,
    pub answers: Vec<answers::Answer>,
    pub frames: frames::Frames,
}

/// Script that records when the first events and all events are loaded, and the longest task of the main thread.
const WATCH: &str = r"
    const app = document.querySelector('#app');
    const all = arguments[0];
    const times = (window.times = { block: 0 });
    addEventListener('drop', () => { times.drop = performance.now(); }, { capture: true, once: true });
    new PerformanceObserver(list => {
        for (const task of list.getEntries()) times.block = Math.max(times.block, task.duration);
    }).observe({ type: 'longtask' });
    new MutationObserver(() => {
        if (app.dataset.phase === 'error') times.error = app.innerText.slice(0, 300);
        if (app.dataset.phase !== 'ready') return;
        times.first ??= performance.now();
        if (app.dataset.events === all) times.ready ??= performance.now();
    }).observe(app, { attributes: true });";

const CANCEL: &str = r"
    const app = document.querySelector('#app');
    while (!(Number(app.dataset.events) > 0)) await new Promise(r => setTimeout(r, 10));
    const begun = performance.now();
    document.querySelector('#cancel-button').click();
    while (document.querySelector('#cancel-button')) await new Promise(r => setTimeout(r, 1));
    return performance.now() - begun;";

pub fn measure(dist: &Path, trace: &Trace) -> Result<Tenfold> {
    let (browser, server) = open(dist)?;
    let empty = memory::of_page(&browser);
    let times = load(&browser, trace)?;
    let used = memory::of_page(&browser);
    let since = |name: &str| Some(times[name].as_f64()? - times["drop"].as_f64()?);
    let frames = frames::of_page(&browser, trace)?;
    let answers = answers::of_page(&browser)?;
    drop((browser, server));
    let (browser, _server) = open(dist)?;
    trace.warm()?;
    browser.drop(&[&trace.path])?;
    let cancelled = browser.run_async(CANCEL, json!([]))?;
    Ok(Tenfold {
        events: trace.events,
        bytes: trace.bytes,
        ready_ms: since("ready").context("no time of the end of loading")?,
        first_ms: since("first").context("no time of the first picture")?,
        block_ms: times["block"].as_f64().context("no time of a block")?,
        cancel_ms: cancelled.as_f64().context("no time of the end of reading")?,
        memory: used,
        empty,
        answers,
        frames,
    })
}

fn load(browser: &Browser, trace: &Trace) -> Result<Value> {
    browser.run(WATCH, json!([trace.events.to_string()]))?;
    trace.warm()?;
    browser.drop(&[&trace.path])?;
    let wait = "while (!window.times.ready && !window.times.error) await new Promise(r => setTimeout(r, 50)); \
                await new Promise(r => setTimeout(r, 1000)); return window.times";
    let times = browser.run_async(wait, json!([]))?;
    ensure!(times.get("error").is_none(), "{} did not open: {}", name(&trace.path), times["error"]);
    Ok(times)
}
