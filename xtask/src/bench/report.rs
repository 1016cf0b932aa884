//! The measurements as a table for people and as numbers for programs.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use queryscope_e2e::root;
use serde_json::json;

use super::load::Load;
use super::memory::Memory;
use super::pivot::Answer;
use super::rivals::{Opened, Rivals};
use super::tenfold::Tenfold;
use super::{Other, Results, Trace};
use crate::weight::{BAR, Weight};

/// The README quotes the table between these lines.
const BEGIN: &str = "<!-- bench: written by `cargo xtask bench` -->";
const END: &str = "<!-- /bench -->";

/// Prints the table; writes `target/bench.json`, and unless `dry` docs/bench.md and the README's quotation.
pub fn write(results: &Results, dry: bool) -> Result<()> {
    let table = table(results);
    println!("\n{table}");
    fs::create_dir_all(root().join("target"))?;
    fs::write(root().join("target/bench.json"), serde_json::to_string_pretty(&numbers(results))? + "\n")?;
    if dry {
        return Ok(());
    }
    fs::create_dir_all(root().join("docs"))?;
    fs::write(root().join("docs/bench.md"), page(&table, results))?;
    let readme = root().join("README.md");
    let text = fs::read_to_string(&readme).context("no README.md")?;
    let quoted = quote(&text, &table).context("README.md has no place for the table")?;
    Ok(fs::write(readme, quoted)?)
}

fn table(r: &Results) -> String {
    let mut rows = Rows(String::from("| what | measured | bound |\n|---|---|---|\n"));
    if let Some(share) = r.stolen {
        rows.add(
            "of the time that all of this wanted, other guests of the machine took",
            &format!("{:.0} %", share * 100.0),
            "",
        );
    }
    rows.load(&r.load, &r.trace);
    for f in r.frames.iter().chain(r.tenfold.as_ref().map(|tenfold| &tenfold.frames)) {
        let what = format!("frame while panning and zooming, {} events: median, p95", thousands(f.events));
        rows.add(&what, &format!("{}, {}", ms1(f.median_ms), ms1(f.p95_ms)), "16.7 ms, < 33.3 ms");
        let all = f.process_ms.map_or(String::new(), |v| format!(", {}", ms1(v)));
        rows.add("work per frame: main thread, all threads", &format!("{}{all}", ms1(f.main_ms)), "");
    }
    if let Some(tenfold) = &r.tenfold {
        if let Some(least) = r.frames.first() {
            let what = "the main thread's work for the last of these against the first";
            let times = tenfold.frames.main_ms / least.main_ms;
            rows.add(what, &format!("{times:.2} ×"), "≤ 1.3 ×");
        }
        rows.tenfold(tenfold, r.load.ready_ms);
    }
    rows.pivot(&r.pivot, &format!("{} events", thousands(r.trace.events)), slowness(r));
    let Weight { gzip, brotli, .. } = r.first.weight;
    let compressed = format!("{} ({})", kb(brotli), kb(gzip));
    rows.add("first load, by brotli (by gzip)", &compressed, &format!("< {}", kb(BAR)));
    let Weight { gzip, brotli, .. } = r.first.engine;
    rows.add("the engine, fetched right behind it", &format!("{} ({})", kb(brotli), kb(gzip)), "");
    rows.add("first load, until it can be used", &ms(r.first.interactive_ms), "< 1 s");
    let rate = r.trace.bytes as f64 / 1e6 / (r.native_ms / 1e3);
    let native = format!("{} = {rate:.0} MB/s", ms(r.native_ms));
    rows.add("`queryscope report` of the file of the first row", &native, "≥ 400 MB/s");
    rows.rivals(&r.rivals);
    r.others.iter().for_each(|other| rows.other(other));
    let waits = format!("{} waits of MySQL", thousands(r.trace.events));
    if let Some(bytes) = r.wait_bytes {
        let what = format!("memory of the page's process for each of {waits} (beyond a tenth of them)");
        rows.add(&what, &format!("{bytes:.0} bytes"), "≤ 64 bytes");
    }
    rows.pivot(&r.waits_pivot, &waits, slowness(r));
    rows.0
}

/// What Perfetto UI took for the Chrome trace on the machine on which the bounds in ms were set.
const PERFETTO_MS: f64 = 7_200.0;

/// How many times slower than that this machine was, if it was.
fn slowness(r: &Results) -> Option<f64> {
    let times = r.rivals.perfetto.as_ref().ok()?.drawn_ms / PERFETTO_MS;
    (times > 1.1).then_some(times)
}

struct Rows(String);

impl Rows {
    fn add(&mut self, what: &str, measured: &str, bound: &str) {
        // Writing into memory cannot fail.
        writeln!(self.0, "| {what} | {measured} | {bound} |").ok();
    }
}

impl Rows {
    fn load(&mut self, load: &Load, trace: &Trace) {
        let size = trace.bytes as f64;
        let opened =
            format!("{} events, {}: from drop to complete picture", thousands(trace.events), mb(trace.bytes));
        self.add(&opened, &ms(load.drawn_ms), "");
        self.add("the same file read, decoded and `JSON.parse`d, nothing kept", &ms(load.parse_ms), "");
        self.add("ratio of the two", &format!("{:.2}", load.drawn_ms / load.parse_ms), "≤ 0.5");
        self.add("the same file read in slices, nothing else", &ms(load.read_ms), "");
        self.add("ratio of the picture to that", &format!("{:.2}", load.drawn_ms / load.read_ms), "≤ 2");
        if load.first_picture_ms.is_finite() {
            self.add("from drop to the first picture", &ms(load.first_picture_ms), "");
        }
        if let Some(memory) = load.memory {
            let peak = format!("{} = {:.2} × the file", mb(memory.peak), memory.peak as f64 / size);
            self.add("most memory of the page's process (resident)", &peak, "< 2 ×");
        }
        if let Some(empty) = load.empty {
            self.add("of which the empty page", &mb(empty.resident), "");
        }
    }

    fn pivot(&mut self, answers: &[Answer], points: &str, slowness: Option<f64>) {
        for answer in answers {
            let bound = if answer.is_roll_up { "≤ 50 ms" } else { "≤ 200 ms" };
            let there = slowness.map_or(String::new(), |times| format!(" [{}]", ms(answer.ms / times)));
            let measured = format!("{}{there}", ms(answer.ms));
            self.add(&format!("pivot table of {points}: {}", answer.what), &measured, bound);
        }
    }

    fn rivals(&mut self, r: &Rivals) {
        let peak = |opened: &Opened| opened.peak.map_or(String::new(), |peak| format!(", {}", mb(peak)));
        let value = |opened: &Opened| format!("{}{}", ms(opened.drawn_ms), peak(opened));
        let what = format!("Chrome trace of {} events, {}", thousands(r.events), mb(r.bytes));
        self.add(&format!("{what}: from drop to picture, most memory"), &value(&r.ours), "");
        match &r.perfetto {
            Ok(perfetto) => {
                let times = perfetto.drawn_ms / r.ours.drawn_ms;
                let measured = format!("{} = {times:.1} × ours", value(perfetto));
                self.add("the same in Perfetto UI 52", &measured, "≥ 10 ×, memory ≥ 3 ×");
            }
            Err(reason) => self.add("the same in Perfetto UI", &format!("not measured: {reason}"), ""),
        }
        let firefox = r.firefox.as_ref().map(|&import| (import, ms(import)));
        self.rival("the importer of Firefox Profiler alone, without a picture", firefox, r, "≥ 4 ×");
        let speedscope = r.speedscope.as_ref().map(|opened| (opened.drawn_ms, value(opened)));
        self.rival("the same in speedscope 1.25, one thread of it", speedscope, r, "");
    }

    /// Milliseconds and what to say of them, or why there are none.
    fn rival(&mut self, what: &str, measured: Result<(f64, String), &String>, r: &Rivals, bound: &str) {
        match measured {
            Ok((taken, value)) => {
                let times = taken / r.ours.drawn_ms;
                self.add(what, &format!("{value} = {times:.1} × ours"), bound);
            }
            Err(reason) => self.add(what, &format!("not measured: {reason}"), ""),
        }
    }

    fn other(&mut self, other: &Other) {
        let Other { what, trace, opened, chrome: (bytes, chrome_ms) } = other;
        let what = format!("{what}, {} events, {}", thousands(trace.events), mb(trace.bytes));
        let peak = opened.peak.map_or(String::new(), |peak| format!(", {}", mb(peak)));
        let times = opened.drawn_ms / trace.bytes as f64 / (chrome_ms / *bytes as f64);
        let beside = format!("a Chrome trace of {} per byte", mb(*bytes));
        let measured = format!("{}{peak} = {times:.2} × {beside}", ms(opened.drawn_ms));
        self.add(&format!("{what}: from drop to picture, most memory"), &measured, "≤ 1 ×");
    }

    fn tenfold(&mut self, t: &Tenfold, ready_ms: f64) {
        let opened =
            format!("{} events, {}: from drop until all is correlated", thousands(t.events), mb(t.bytes));
        let times = t.ready_ms / ready_ms;
        self.add(&opened, &format!("{} = {times:.1} × a tenth of it", ms(t.ready_ms)), "≤ 11 ×");
        self.add("from drop until something is shown", &ms(t.first_ms), "≤ 700 ms");
        self.add("longest block of the main thread meanwhile", &ms(t.block_ms), "≤ 50 ms");
        self.add("from “Cancel” until reading has stopped", &ms(t.cancel_ms), "≤ 100 ms");
        if let Some((memory, empty)) = t.memory.zip(t.empty) {
            let each = memory.resident.saturating_sub(empty.resident) as f64 / t.events as f64;
            let value = format!("{} = {each:.0} bytes an event over the empty page", mb(memory.resident));
            self.add("memory of the page's process then (resident)", &value, "≤ 80 bytes");
        }
    }
}

fn page(table: &str, r: &Results) -> String {
    format!(
        "# How fast it is\n\nWritten by `cargo xtask bench` on {}, in headless {} without a GPU. Each time is a median; the \
         page is the release build, served from this machine; the file is in the system's cache. The trace is what \
         `cargo xtask generate` writes. Raw numbers are in `target/bench.json`.\n\n{table}\n\
         A load during which other guests of the machine took more than 5 % of its time is repeated, up to twice. *Drop*: the page has stood for two seconds, in which the engine is fetched and practises on records of its own, and files are dragged over it for 300 ms. *Complete picture*: all events are read and correlated, and the canvas does not change any more. *Pivot table*: from the change until the table shows its answer; the picture stands for 1.5 s before the first; in brackets, where this machine was slower than the one on which the bounds were set (on that, Perfetto UI takes 7.2 s), by so much less. *Frame*: the \
         time from one animation frame to the next, during 270 frames with one wheel event each; the display's rate is \
         60 Hz. *Memory*: the most that the page's renderer process ever occupied, the browser's own code included.\n",
        machine(),
        r.chromium
    )
}

/// Processor and how many of it, where the system tells.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, m)| m.trim()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{cores} cores of {}", model.unwrap_or(std::env::consts::ARCH))
}

fn numbers(r: &Results) -> serde_json::Value {
    let memory = |m: Option<Memory>| m.map(|m| json!({ "resident": m.resident, "peak": m.peak }));
    let frames: Vec<_> = r
        .frames
        .iter()
        .chain(r.tenfold.as_ref().map(|tenfold| &tenfold.frames))
        .map(|f| {
            json!({
                "events": f.events, "frames": f.frames, "changed": f.changed, "median_ms": f.median_ms, "p95_ms": f.p95_ms,
                "max_ms": f.max_ms, "main_thread_ms": f.main_ms, "process_ms": f.process_ms,
            })
        })
        .collect();
    json!({
        "machine": machine(),
        "browser": r.chromium,
        "stolen": r.stolen,
        "trace": { "events": r.trace.events, "bytes": r.trace.bytes },
        "load": {
            "read_ms": r.load.read_ms, "parse_ms": r.load.parse_ms, "first_picture_ms": r.load.first_picture_ms,
            "ready_ms": r.load.ready_ms, "drawn_ms": r.load.drawn_ms,
            "memory": memory(r.load.memory), "empty_page": memory(r.load.empty),
        },
        "frames": frames,
        "first_load": {
            "brotli_bytes": r.first.weight.brotli, "gzip_bytes": r.first.weight.gzip, "raw_bytes": r.first.weight.raw,
            "engine_brotli_bytes": r.first.engine.brotli, "engine_gzip_bytes": r.first.engine.gzip,
            "interactive_ms": r.first.interactive_ms,
        },
        "pivot": answers(&r.pivot),
        "waits": { "pivot": answers(&r.waits_pivot), "bytes_each": r.wait_bytes },
        "native_ms": r.native_ms,
        "others": r.others.iter().map(|other| json!({
            "what": other.what, "events": other.trace.events, "bytes": other.trace.bytes,
            "queryscope": opened(&other.opened), "chrome": { "bytes": other.chrome.0, "drawn_ms": other.chrome.1 },
        })).collect::<Vec<_>>(),
        "rivals": {
            "events": r.rivals.events, "bytes": r.rivals.bytes, "queryscope": opened(&r.rivals.ours),
            "perfetto": r.rivals.perfetto.as_ref().map_or_else(|reason| json!(reason), opened),
            "firefox_profiler_import_ms": r.rivals.firefox.as_ref().map_or_else(|reason| json!(reason), |ms| json!(ms)),
            "speedscope": r.rivals.speedscope.as_ref().map_or_else(|reason| json!(reason), opened),
        },
        "tenfold": r.tenfold.as_ref().map(|t| json!({
            "events": t.events, "bytes": t.bytes, "ready_ms": t.ready_ms, "first_ms": t.first_ms, "block_ms": t.block_ms,
            "cancel_ms": t.cancel_ms, "memory": memory(t.memory), "empty_page": memory(t.empty),
        })),
    })
}

fn answers(answers: &[Answer]) -> Vec<serde_json::Value> {
    answers.iter().map(|answer| json!({ "what": answer.what, "ms": answer.ms })).collect()
}

fn opened(opened: &Opened) -> serde_json::Value {
    json!({ "drawn_ms": opened.drawn_ms, "peak_bytes": opened.peak, "resident_bytes": opened.resident })
}

/// The text with the table in its place.
fn quote(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_old, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

fn ms(value: f64) -> String {
    format!("{value:.0} ms")
}

fn ms1(value: f64) -> String {
    format!("{value:.1} ms")
}

fn mb(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn kb(bytes: u64) -> String {
    format!("{:.0} kB", bytes as f64 / 1e3)
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(n), text);
        }
    }

    #[test]
    fn the_table_goes_to_its_place() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(quote(&text, "new\n"), Some(format!("a\n{BEGIN}\nnew\n{END}\nb\n")));
        assert_eq!(quote("no place", "new"), None);
    }
}
