//! Time from the drop to the complete timeline, compared with only reading and parsing the file in the same browser.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server, root};
use serde_json::{Value, json};

use super::quiet::quietest;
use super::{Trace, median, memory};

pub struct Load {
    /// Time to read the file in slices without any processing.
    pub read_ms: f64,
    /// Time to read and decode the file and to call `JSON.parse` for every line, discarding the results.
    pub parse_ms: f64,
    /// Time from the drop until the page reports that all events are read and correlated.
    pub ready_ms: f64,
    /// Time from the drop until the complete timeline is drawn.
    pub drawn_ms: f64,
    /// Time from the drop until a first, incomplete timeline is drawn.
    pub first_picture_ms: f64,
    pub memory: Option<memory::Memory>,
    /// Memory of the empty page, for comparison.
    pub empty: Option<memory::Memory>,
}

/// Script that records the times of the drop, the first timeline, the end of loading, and the last change after it.
pub const WATCH: &str = r"
    const app = document.querySelector('#app');
    const context = new OffscreenCanvas(320, 240).getContext('2d', { willReadFrequently: true });
    const picture = () => {
        const canvas = document.querySelector('#gantt');
        if (!canvas?.width) return { colours: 0, hash: 0 };
        // A small copy, because reading all pixels would slow down the measured page.
        context.drawImage(canvas, 0, 0, 320, 240);
        const pixels = new Uint32Array(context.getImageData(0, 0, 320, 240).data.buffer);
        const colours = new Set();
        let hash = 0;
        for (let i = 0; i < pixels.length; i++) { colours.add(pixels[i]); hash = (Math.imul(hash, 31) + pixels[i]) | 0; }
        return { colours: colours.size, hash };
    };
    const times = (window.times = {});
    addEventListener('drop', () => { times.drop = performance.now(); }, { capture: true, once: true });
    let looked = 0, last = 0, changed = 0;
    const all = arguments[0];
    const frame = () => {
        const now = performance.now();
        if (times.drop) {
            if (!times.first && now - looked > 100) {
                looked = now;
                if (picture().colours > 3) times.first = now;
            }
            // Intermediate timelines have fewer events.
            if (!times.ready && app.dataset.phase === 'ready' && app.dataset.events === all) times.ready = now;
            if (app.dataset.phase === 'error') { times.error = app.innerText.slice(0, 300); return; }
            if (times.ready) {
                const { colours, hash } = picture();
                if (hash !== last) { last = hash; changed = now; }
                if (colours > 3 && now - changed > 400) { times.drawn = Math.max(changed, times.ready); return; }
            }
        }
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);";

pub fn measure(dist: &Path, trace: &Trace, runs: usize) -> Result<Load> {
    let (mut reads, mut parses) = (Vec::new(), Vec::new());
    let mut ready = Vec::new();
    let mut drawn = Vec::new();
    let mut first = Vec::new();
    let (mut used, mut empty) = (None, None);
    for _ in 0..runs {
        // Taken in turns, so that other load on the machine affects both measurements.
        let (read, parse) = quietest(|| baseline(trace))?;
        reads.push(read);
        parses.push(parse);
        let times = quietest(|| {
            let (browser, _server) = open(dist)?;
            empty = memory::of_page(&browser);
            let times = drop_and_wait(&browser, trace)?;
            used = memory::most(used, memory::of_page(&browser));
            Ok(times)
        })?;
        let since = |name: &str| Some(times[name].as_f64()? - times["drop"].as_f64()?);
        ready.push(since("ready").context("no time of the end of loading")?);
        drawn.push(since("drawn").context("no time of the picture")?);
        first.extend(since("first"));
    }
    Ok(Load {
        read_ms: median(reads),
        parse_ms: median(parses),
        ready_ms: median(ready),
        drawn_ms: median(drawn),
        first_picture_ms: median(first),
        memory: used,
        empty,
    })
}

/// Time between the landing page and the drop: a user needs some time to find the trace to open.
const REST: Duration = Duration::from_secs(2);

/// Opens the site in a new browser and waits as long as a user needs to find a trace.
pub fn open(dist: &Path) -> Result<(Browser, Server)> {
    let server = Server::start(vec![Mount::new("/", dist)])?;
    let browser = Browser::start(Options::default())?;
    browser.open(server.url())?;
    browser.wait("the landing page", "document.querySelector('#app')?.dataset.phase === 'landing'")?;
    std::thread::sleep(REST);
    Ok((browser, server))
}

/// Drops a trace with this number of records and waits for the complete timeline.
pub fn draw(browser: &Browser, trace: &Trace, records: u64) -> Result<Value> {
    browser.run(WATCH, json!([records.to_string()]))?;
    trace.warm()?;
    browser.drop(&[&trace.path])?;
    let wait = "while (!window.times.drawn && !window.times.error) await new Promise(r => setTimeout(r, 50)); \
                return { ...window.times, queries: Number(document.querySelector('#app').dataset.queries) }";
    let times = browser.run_async(wait, json!([]))?;
    ensure!(times.get("error").is_none(), "{} did not open: {}", super::name(&trace.path), times["error"]);
    Ok(times)
}

/// Drops a trace of a run with queries and waits for the complete timeline.
pub fn drop_and_wait(browser: &Browser, trace: &Trace) -> Result<Value> {
    let times = draw(browser, trace, trace.events)?;
    ensure!(
        times["queries"].as_u64() >= Some(trace.events / 15),
        "only {} queries are there",
        times["queries"]
    );
    Ok(times)
}

/// Time in ms in which the browser reads the file, and in which it reads, decodes and parses the file.
fn baseline(trace: &Trace) -> Result<(f64, f64)> {
    let server = Server::start(vec![Mount::new("/", root().join("tests/e2e/bench"))])?;
    let browser = Browser::start(Options::default())?;
    browser.open(&format!("{}baseline.html", server.url()))?;
    browser.pick("#file", &[&trace.path])?;
    let pass = |parse: bool| {
        let done = browser.run_async("return await window.run(arguments[0])", json!([parse]))?;
        ensure!(done["bytes"].as_u64() == Some(trace.bytes), "the baseline did not read the file: {done}");
        ensure!(
            !parse || done["lines"].as_u64() == Some(trace.events),
            "the baseline did not parse it: {done}"
        );
        done["ms"].as_f64().context("a time")
    };
    // The first pass over a file is not timed, because it would measure the disk.
    pass(false)?;
    Ok((pass(false)?, pass(true)?))
}
