//! The first visit: transferred bytes, and the time until the page can be used.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use queryscope_e2e::{Browser, Mount, Options, Server};
use serde_json::json;

use super::median;
use crate::site::ENGINE;
use crate::weight::{self, Weight};

pub struct First {
    /// Size of all files that the page requests on the first load, except the engine.
    pub weight: Weight,
    /// Size of the engine, which the page requests after its own files.
    pub engine: Weight,
    /// Time from the start of the navigation until the landing page responds to input, in ms.
    pub interactive_ms: f64,
}

/// Script that records the time at which the landing page appears.
const WATCH: &str = "
    const look = () => {
        if (window.landed || document.querySelector('#app')?.dataset.phase !== 'landing') return;
        window.landed = performance.now();
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });";

pub fn measure(dist: &Path, runs: usize) -> Result<First> {
    let mut times = Vec::new();
    let mut weight = Weight::default();
    for _ in 0..runs {
        // A new browser has an empty cache.
        let server = Server::start(vec![Mount::new("/", dist)])?;
        let browser = Browser::start(Options::default())?;
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH }))?;
        browser.open(server.url())?;
        let landed = browser.wait("the landing page", "window.landed")?;
        times.push(landed.as_f64().context("a time")?);
        if weight == Weight::default() {
            // Requests within the next second also belong to the first load, except those for the engine.
            std::thread::sleep(Duration::from_secs(1));
            weight = transferred(dist, &server)?;
        }
    }
    Ok(First { weight, engine: weight::engine(dist)?, interactive_ms: median(times) })
}

/// Size of all requested files, except those of the engine.
fn transferred(dist: &Path, server: &Server) -> Result<Weight> {
    let mut paths: Vec<String> = server.visits().into_iter().map(|v| v.path).collect();
    paths.sort();
    // A preload and its use are one transfer.
    paths.dedup();
    paths.retain(|path| !path.contains(ENGINE));
    let weight = |path: String| {
        let path = path.trim_start_matches('/');
        let file = dist.join(if path.is_empty() { "index.html" } else { path });
        // Missing files count as empty.
        fs::read(file).map_or(Ok(Weight::default()), |bytes| Weight::of(&bytes))
    };
    paths.into_iter().map(weight).sum()
}
