//! Measures the ways to share a trace: an embedded element, a single HTML file, and a visit without a network.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use queryscope_e2e::{Browser, Mount, Options, Server, root};
use serde_json::json;

use super::{Trace, median};
use crate::{run, single_file};

/// Results of the measurements of sharing.
pub struct Sharing {
    /// Time from when an element approaches the viewport until its trace is painted, in milliseconds.
    pub element_ms: f64,
    /// Size of the element's trace, in bytes.
    pub element_bytes: u64,
    /// Time from the navigation to an HTML file with a trace until the trace is complete, in milliseconds.
    pub single_ms: f64,
    /// Size of the trace in the HTML file, in bytes.
    pub single_bytes: u64,
    /// Size of the HTML file without a trace, in bytes.
    pub single_overhead: u64,
    /// Time from the start of a second visit, without a network, until the page can be used, in milliseconds.
    pub offline_ms: f64,
}

/// Number of events of traces of about 1 MB and 10 MB.
const EMBEDDED: u64 = 5_000;
const SAVED: u64 = 45_000;

/// A page that measures the time from scrolling to an element until the element's trace is painted.
const HOST: &str = r#"<!DOCTYPE html><title>host</title><script type="module" src="/element/queryscope-viewer.js"></script>
<div style="height: 9000px"></div><queryscope-viewer src="/trace.json"></queryscope-viewer>
<script>
const viewer = document.querySelector("queryscope-viewer");
viewer.addEventListener("qs-load", () => requestAnimationFrame(() => requestAnimationFrame(() => {
  window.took = performance.now() - window.begun;
})));
window.look = () => { window.begun = performance.now(); viewer.scrollIntoView(); };
</script>"#;

/// Script that records the time at which the page has painted a phase.
fn watch(phase: &str) -> String {
    format!(
        "const look = () => {{
            if (window.reached || document.querySelector('#app')?.dataset.phase !== '{phase}') return;
            window.reached = 1;
            requestAnimationFrame(() => requestAnimationFrame(() => {{ window.took = performance.now(); }}));
        }};
        new MutationObserver(look).observe(document, {{ subtree: true, childList: true, attributes: true }});"
    )
}

/// Waits until the site is stored for visits without a network.
const STORED: &str = "
    const worker = await navigator.serviceWorker.ready;
    while (worker.active?.state !== 'activated') await new Promise(r => setTimeout(r, 50));
    return 0;";

/// Measures all ways of sharing. `trace` generates a trace with a number of events; `program` is the path of the
/// command line program.
pub fn measure(dist: &Path, trace: fn(u64) -> Result<Trace>, program: &Path, runs: usize) -> Result<Sharing> {
    let (embedded, saved) = (trace(EMBEDDED)?, trace(SAVED)?);
    let html = root().join("target/bench/saved.html");
    let viewer = dist.join(single_file::NAME);
    if html.exists() {
        fs::remove_file(&html)?;
    }
    run::run(
        run::command(program)
            .args(["html", "--viewer"])
            .arg(&viewer)
            .arg("--output")
            .arg(&html)
            .arg(&saved.path),
    )?;
    let host = root().join("target/bench/host.html");
    fs::write(&host, HOST)?;
    let mut element = Vec::new();
    let mut single = Vec::new();
    let mut offline = Vec::new();
    for _ in 0..runs {
        element.push(of_element(dist, &host, &embedded)?);
        let browser = watched("ready")?;
        browser.open(&format!("file://{}", html.display()))?;
        single.push(took(&browser)?);
        offline.push(without_network(dist)?);
    }
    Ok(Sharing {
        element_ms: median(element),
        element_bytes: embedded.bytes,
        single_ms: median(single),
        single_bytes: saved.bytes,
        single_overhead: fs::metadata(viewer)?.len(),
        offline_ms: median(offline),
    })
}

fn of_element(dist: &Path, host: &Path, trace: &Trace) -> Result<f64> {
    let mounts = vec![
        Mount::new("/", dist),
        Mount::new("/host.html", host),
        Mount::new("/trace.json", trace.path.clone()),
    ];
    let server = Server::start(mounts)?;
    let browser = Browser::start(Options::default())?;
    browser.open(&format!("{}host.html", server.url()))?;
    browser.wait("the element", "customElements.get('queryscope-viewer') && true")?;
    std::thread::sleep(std::time::Duration::from_secs(1));
    browser.run("window.look()", json!([]))?;
    took(&browser)
}

fn without_network(dist: &Path) -> Result<f64> {
    let server = Server::start(vec![Mount::new("/", dist)])?;
    let browser = watched("landing")?;
    browser.open(server.url())?;
    took(&browser)?;
    browser.run_async(STORED, json!([]))?;
    // The first visit stores; from the second on the page comes from there.
    browser.open(server.url())?;
    took(&browser)?;
    server.stop();
    browser.open("about:blank")?;
    browser.open(server.url())?;
    took(&browser)
}

fn watched(phase: &str) -> Result<Browser> {
    let browser = Browser::start(Options::default())?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": watch(phase) }))?;
    Ok(browser)
}

fn took(browser: &Browser) -> Result<f64> {
    browser.wait("the end of what is measured", "window.took")?.as_f64().context("a time")
}
