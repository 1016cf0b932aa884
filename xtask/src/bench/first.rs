//! The first visit: how much is transferred, and when the page can be used.

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
    /// Everything that the page asked for to stand there.
    pub weight: Weight,
    /// What it asks for then.
    pub engine: Weight,
    /// From the start of the navigation until the landing page answers to input.
    pub interactive_ms: f64,
}

/// Notes the time at which the landing page is there.
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
            // What the page asks for a moment later belongs to the first load as well, but for the engine.
            std::thread::sleep(Duration::from_secs(1));
            weight = transferred(dist, &server)?;
        }
    }
    Ok(First { weight, engine: weight::engine(dist)?, interactive_ms: median(times) })
}

/// All files that were asked for, but for the engine's.
fn transferred(dist: &Path, server: &Server) -> Result<Weight> {
    let mut paths: Vec<String> = server.visits().into_iter().map(|v| v.path).collect();
    paths.sort();
    // A preload and its use are one transfer.
    paths.dedup();
    paths.retain(|path| !path.contains(ENGINE));
    let weight = |path: String| {
        let path = path.trim_start_matches('/');
        let file = dist.join(if path.is_empty() { "index.html" } else { path });
        // What is not there weighs nothing.
        fs::read(file).map_or(Ok(Weight::default()), |bytes| Weight::of(&bytes))
    };
    paths.into_iter().map(weight).sum()
}
