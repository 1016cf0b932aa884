//! The first visit: how much is transferred, and when the page can be used.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use queryscope_e2e::{Browser, Mount, Options, Server};
use serde_json::json;

use super::median;

pub struct First {
    /// Everything that the page asked for, each file compressed as a static host does it.
    pub gzip_bytes: u64,
    pub raw_bytes: u64,
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
    let mut sizes = (0, 0);
    for _ in 0..runs {
        // A new browser has an empty cache.
        let server = Server::start(vec![Mount::new("/", dist)])?;
        let browser = Browser::start(Options::default())?;
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH }))?;
        browser.open(server.url())?;
        let landed = browser.wait("the landing page", "window.landed")?;
        times.push(landed.as_f64().context("a time")?);
        sizes = transferred(dist, &server)?;
    }
    Ok(First { raw_bytes: sizes.0, gzip_bytes: sizes.1, interactive_ms: median(times) })
}

/// Bytes of all files that were asked for, as they are and compressed.
fn transferred(dist: &Path, server: &Server) -> Result<(u64, u64)> {
    let mut paths: Vec<String> = server.visits().into_iter().map(|v| v.path).collect();
    paths.sort();
    // A preload and its use are one transfer.
    paths.dedup();
    let mut sizes = (0, 0);
    for path in paths {
        let path = path.trim_start_matches('/');
        let file = dist.join(if path.is_empty() { "index.html" } else { path });
        let Ok(bytes) = fs::read(&file) else { continue };
        let mut zip = GzEncoder::new(Vec::new(), Compression::best());
        zip.write_all(&bytes)?;
        sizes.0 += bytes.len() as u64;
        sizes.1 += zip.finish()?.len() as u64;
    }
    Ok(sizes)
}
