//! speedscope.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server};
use serde_json::json;

use super::{Opened, Trace, opened};

/// Maximum time to open a trace. A million events on eight threads take more than four minutes.
const PATIENCE: Duration = Duration::from_secs(400);

/// Script that detects the end of drawing: the title names a profile, the canvases exist, and two frames have passed.
const WATCH: &str = r"
    window.times = {};
    addEventListener('change', () => { times.drop = performance.now(); }, { capture: true, once: true });
    const isThere = () => times.drop && document.title.endsWith('- speedscope') && !document.querySelector('input[type=file]')
        && document.querySelectorAll('canvas').length > 1;
    const frame = () => {
        if (!isThere()) { requestAnimationFrame(frame); return; }
        requestAnimationFrame(() => requestAnimationFrame(() => { times.drawn = performance.now(); }));
    };
    requestAnimationFrame(frame);";

/// Opens the trace in speedscope and measures the time from the choice of the file.
pub fn open(folder: &Path, trace: &Trace) -> Result<Opened> {
    let server = Server::start(vec![Mount::new("/", folder)])?;
    let browser = Browser::start(Options { webgl: true, ..Options::default() })?;
    browser.open(server.url())?;
    browser.wait("speedscope", "document.querySelector('input[type=file]')")?;
    browser.run(WATCH, json!([]))?;
    trace.warm()?;
    browser.pick("input[type=file]", &[&trace.path])?;
    let begun = Instant::now();
    loop {
        // speedscope does not respond while it imports.
        let times = browser.run("return window.times", json!([]));
        if let Ok(times) = times.as_ref().map(|times| times.clone())
            && times.get("drawn").is_some()
        {
            return opened(&browser, &times);
        }
        ensure!(begun.elapsed() < PATIENCE, "speedscope was not ready after {} s", PATIENCE.as_secs());
        sleep(Duration::from_millis(500));
    }
}
