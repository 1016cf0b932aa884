//! Perfetto UI.

use std::path::Path;

use anyhow::Result;
use queryscope_e2e::{Browser, Mount, Options, Server};
use serde_json::json;

use super::{Opened, Trace, opened};

/// Script that detects the end of drawing: no loading, no pending query or redraw, for 400 ms.
const PERFETTO: &str = r"
    window.times = {};
    addEventListener('drop', () => { times.drop = performance.now(); }, { capture: true, once: true });
    const large = () => [...document.querySelectorAll('canvas')].some(canvas => canvas.height > 300);
    const busy = () => !app.trace || app.isLoadingTrace || (app.trace.engine.numRequestsPending ?? 0) > 0
        || raf.hasPendingRedraws || !large();
    let since = null;
    const frame = () => {
        const now = performance.now();
        if (busy()) since = null; else since ??= now;
        if (since !== null && now - since > 400) { times.drawn = since; return; }
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);";

/// Opens the trace in Perfetto UI and measures the time from the drop.
pub fn open(folder: &Path, trace: &Trace) -> Result<Opened> {
    let server = Server::start(vec![Mount::new("/", folder)])?;
    let browser = Browser::start(Options::default())?;
    browser.open(&format!("{}?testing=1", server.url()))?;
    browser.wait("Perfetto UI", "window.app && window.raf && document.querySelector('input.trace_file')")?;
    // A user needs a moment, in which the engine is compiled.
    browser.run_async("await new Promise(r => setTimeout(r, 3000)); return 0", json!([]))?;
    browser.run(PERFETTO, json!([]))?;
    trace.warm()?;
    browser.drop(&[&trace.path])?;
    let wait = "while (!window.times.drawn) await new Promise(r => setTimeout(r, 50)); return window.times";
    let times = browser.run_async(wait, json!([]))?;
    opened(&browser, &times)
}
