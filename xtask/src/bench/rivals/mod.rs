//! The same Chrome trace in queryscope and in other viewers, one after the other in the same browser on the same machine.
//!
//! Each comes with a package that `pip` or `npm` fetches; where they cannot, the comparison says so.

mod firefox;
mod perfetto;
mod speedscope;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use queryscope_e2e::{Browser, root};
use serde_json::Value;

use super::quiet::quietest;
use super::{Trace, load, median, memory};

/// Two traces that are compared with one another are opened at least so often each: a single load differs from the next
/// by half.
const TURNS: usize = 7;

pub struct Rivals {
    pub events: u64,
    pub bytes: u64,
    pub ours: Opened,
    pub perfetto: Result<Opened, String>,
    /// What the importer of Firefox Profiler takes, in ms.
    pub firefox: Result<f64, String>,
    /// One thread of the trace, which is all that it draws at a time.
    pub speedscope: Result<Opened, String>,
}

/// One viewer with the trace open.
pub struct Opened {
    /// From the drop until the picture stands.
    pub drawn_ms: f64,
    pub peak: Option<u64>,
    /// Memory of the page's process then.
    pub resident: Option<u64>,
}

/// `few` is the same kind of trace with hardly anything in it.
pub fn measure(dist: &Path, trace: &Trace, few: &Trace, runs: usize) -> Result<Rivals> {
    let (perfetto, importer) = (perfetto::bundle(), firefox::fetch());
    let mut ours = Vec::new();
    let mut perfettos = Vec::new();
    let mut imports = Vec::new();
    for _ in 0..runs {
        // The metadata is an event, too.
        ours.push(quietest(|| queryscope(dist, trace, trace.events + 1))?);
        if let Ok(folder) = &perfetto {
            perfettos.push(quietest(|| perfetto::open(folder, trace)));
        }
        if let Ok(program) = &importer {
            imports.push(quietest(|| firefox::import(program, trace, few)));
        }
    }
    // It takes a minute where a thread has many events.
    let speedscope = speedscope::bundle().and_then(|folder| speedscope::open(&folder, trace));
    Ok(Rivals {
        events: trace.events,
        bytes: trace.bytes,
        ours: middle(ours),
        perfetto: measured(perfetto, perfettos).map(middle),
        firefox: measured(importer, imports).map(median),
        speedscope: speedscope.map_err(reason),
    })
}

/// What was measured, or why nothing was.
fn measured<T>(fetched: Result<PathBuf>, all: Vec<Result<T>>) -> Result<Vec<T>, String> {
    fetched.and_then(|_| all.into_iter().collect()).map_err(reason)
}

fn reason(error: anyhow::Error) -> String {
    format!("{error:#}")
}

/// The folder of a package that `npm` fetches, once.
fn npm(package: &str, version: &str) -> Result<PathBuf> {
    let prefix = root().join("target/rivals").join(package.replace(['@', '/'], "_"));
    crate::npm::package(&prefix, package, version)
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

fn opened(browser: &Browser, times: &Value) -> Result<Opened> {
    let (drop, drawn) = (times["drop"].as_f64(), times["drawn"].as_f64());
    let drawn_ms = drawn.context("no time of the picture")? - drop.context("no time of the drop")?;
    let memory = memory::of_page(browser);
    Ok(Opened { drawn_ms, peak: memory.map(|m| m.peak), resident: memory.map(|m| m.resident) })
}
