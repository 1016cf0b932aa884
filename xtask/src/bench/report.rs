//! Output of the measurements: as rows of the documents, and as raw numbers for programs.

use std::fs;

use anyhow::Result;
use queryscope_e2e::root;
use serde_json::json;

use super::memory::Memory;
use super::pivot::Answer;
use super::rivals::Opened;
use super::{Results, rows, table};

/// Prints the measurements; writes `target/bench.json`, and unless `dry` docs/bench.json and the documents made from it.
pub fn write(results: &Results, dry: bool) -> Result<()> {
    let mut table = rows::table(results, machine());
    if let Ok(stored) = table::Table::stored() {
        table.keep(&stored);
    }
    println!("\n{}", table::markdown(&table.sections));
    fs::create_dir_all(root().join("target"))?;
    fs::write(root().join("target/bench.json"), serde_json::to_string_pretty(&numbers(results))? + "\n")?;
    if dry {
        return Ok(());
    }
    table.store()?;
    table.publish()
}

/// Prints the measurements of a part, and unless `dry` replaces those of the documents.
pub fn write_part(sections: Vec<table::Section>, browser: &str, dry: bool) -> Result<()> {
    println!("\n{}", table::markdown(&sections));
    if dry {
        return Ok(());
    }
    let mut table = table::Table::stored()?;
    if (table.machine.as_str(), table.browser.as_str()) != (&machine(), browser) {
        println!("not written: the documents are of {}, {}", table.machine, table.browser);
        return Ok(());
    }
    table.replace(sections);
    table.store()?;
    table.publish()
}

/// Number of cores and model of the processor, if the system reports the model.
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
        "answers": r.answers.iter().map(answer).collect::<Vec<_>>(),
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
            "cancel_ms": t.cancel_ms, "answers": t.answers.iter().map(answer).collect::<Vec<_>>(), "memory": memory(t.memory), "empty_page": memory(t.empty),
        })),
    })
}

fn answer(answer: &super::answers::Answer) -> serde_json::Value {
    json!({ "what": answer.what, "ms": answer.ms })
}

fn answers(answers: &[Answer]) -> Vec<serde_json::Value> {
    answers.iter().map(|answer| json!({ "what": answer.what, "ms": answer.ms })).collect()
}

fn opened(opened: &Opened) -> serde_json::Value {
    json!({ "drawn_ms": opened.drawn_ms, "peak_bytes": opened.peak, "resident_bytes": opened.resident })
}
