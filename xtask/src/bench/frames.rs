//! Frames while panning and zooming: their intervals, and their CPU time.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::Browser;
use serde_json::{Value, json};

use super::load::{drop_and_wait, open};
use super::{Trace, median, memory, percentile};

/// Measurements of one trace, over all frames of one gesture.
pub struct Frames {
    pub events: u64,
    /// Time from one frame to the next, in ms.
    pub median_ms: f64,
    pub p95_ms: f64,
    pub max_ms: f64,
    /// CPU time of the page's main thread per frame, in ms.
    pub main_ms: f64,
    /// CPU time of all threads of the page's process, including the worker, per frame, in ms.
    pub process_ms: Option<f64>,
    /// Number of frames whose content differs from the previous frame.
    pub changed: u64,
    pub frames: u64,
}

/// Script of the gesture: zooms in, pans right, zooms in and out, pans left, zooms out, with one wheel event per frame.
const GESTURE: &str = r"
    const canvas = document.querySelector('#gantt');
    const box = canvas.getBoundingClientRect();
    const wheel = (x, options) => canvas.dispatchEvent(new WheelEvent('wheel', {
        clientX: box.x + box.width * x, clientY: box.y + box.height * 0.4, bubbles: true, cancelable: true, ...options }));
    const steps = [
        // Zooms in a hundredfold and back, so that every frame shows bars, in traces of all sizes.
        [45, i => wheel(0.3 + i / 300, { deltaY: -60, ctrlKey: true })],
        [60, () => wheel(0.5, { deltaY: 60, shiftKey: true })],
        [60, i => wheel(0.5, { deltaY: i % 2 ? 50 : -50, ctrlKey: true })],
        [60, () => wheel(0.5, { deltaY: -60, shiftKey: true })],
        [45, i => wheel(0.45 - i / 300, { deltaY: 60, ctrlKey: true })],
    ];
    const frame = () => new Promise(requestAnimationFrame);
    // Compares some lines of pixels at full size: in a scaled copy, many bars merge to one colour, so their moves would not be seen.
    const lines = 16, sample = new OffscreenCanvas(canvas.width, lines).getContext('2d', { willReadFrequently: true });
    const glance = () => {
        const { width, height } = canvas;
        for (let i = 0; i < lines; i++) sample.drawImage(canvas, 0, Math.floor(height * i / lines), width, 1, 0, i, width, 1);
        const { data } = sample.getImageData(0, 0, width, lines);
        return new Uint32Array(data.buffer).reduce((h, p) => (Math.imul(h, 31) + p) | 0, 0);
    };
    const look = arguments[0];
    const deltas = [];
    let changed = 0, seen = 0;
    let last = await frame();
    for (const [count, act] of steps) {
        for (let i = 0; i < count; i++) {
            act(i);
            const now = await frame();
            deltas.push(now - last);
            last = now;
            if (look) { const next = glance(); changed += next !== seen; seen = next; }
        }
    }
    return { deltas, changed };";

pub fn measure(dist: &Path, trace: &Trace) -> Result<Frames> {
    let (browser, _server) = open(dist)?;
    drop_and_wait(&browser, trace)?;
    of_page(&browser, trace)
}

/// Measures a page in which the trace is already open.
pub fn of_page(browser: &Browser, trace: &Trace) -> Result<Frames> {
    browser.devtools("Performance.enable", json!({}))?;
    let gesture = |look: bool| browser.run_async(GESTURE, json!([look]));
    // The first gesture warms up and compares pixels, which costs time; only the second gesture is timed.
    let changed = gesture(true)?["changed"].as_u64().context("a count")?;
    let (main, process) = (main_thread_ms(browser)?, memory::cpu_ms(browser));
    let timed = gesture(false)?;
    let deltas: Vec<f64> =
        timed["deltas"].as_array().context("times")?.iter().filter_map(Value::as_f64).collect();
    let n = deltas.len();
    let main = main_thread_ms(browser)? - main;
    let process = memory::cpu_ms(browser).zip(process).map(|(after, before)| after - before);
    // Comparing pixels is so slow that on a busy machine every second update arrives one frame late.
    ensure!(
        changed * 4 > n as u64,
        "only {changed} of {n} frames showed another picture: the gesture does not move it"
    );
    Ok(Frames {
        events: trace.events,
        median_ms: median(deltas.clone()),
        p95_ms: percentile(deltas.clone(), 0.95),
        max_ms: percentile(deltas, 1.0),
        main_ms: main / n as f64,
        process_ms: process.map(|ms| ms / n as f64),
        changed,
        frames: n as u64,
    })
}

/// CPU time of the main thread so far, in ms.
fn main_thread_ms(browser: &Browser) -> Result<f64> {
    let metrics = browser.devtools("Performance.getMetrics", json!({}))?;
    let all = metrics["metrics"].as_array().context("metrics")?;
    let task = all.iter().find(|m| m["name"] == "TaskDuration").context("TaskDuration")?;
    Ok(task["value"].as_f64().context("a number")? * 1e3)
}
