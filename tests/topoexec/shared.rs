//! Every shared file against what is known of it.

use std::fs;
use std::path::{Path, PathBuf};

use queryscope::session::Session;

use super::{dump, open};

/// The folder of shared traces.
fn shared() -> Option<PathBuf> {
    crate::support::shared("own/topoexec")
}

/// The runs of which there are several files.
const RUNS: [&str; 9] = [
    "async_reject_error",
    "composite_loop_budget_discard",
    "composite_loop_cancelled",
    "composite_loop_max_iterations",
    "config_transaction_rollback",
    "minimal_error_steps5",
    "minimal_steps1",
    "thread_pool_2workers",
    "invalid_graph_no_trace",
];

/// The file of a run, packed or not.
fn file(folder: &Path, run: &str, what: &str) -> Option<Vec<u8>> {
    let path = folder.join("own/topoexec").join(format!("{run}.{what}.json"));
    fs::read(&path).or_else(|_| fs::read(path.with_extension("json.gz"))).ok()
}

/// What the Chrome export leaves out: errors, and who failed.
pub fn without_errors(lines: Vec<String>) -> Vec<String> {
    let mut lines = lines.into_iter().peekable();
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        if line == "Thread Errors" {
            while lines.next_if(|line| line.starts_with('*')).is_some() {}
            continue;
        }
        let line = line.split(", error=").next().unwrap_or_default().to_owned();
        kept.push(if line.starts_with('-') { line.replace(", failed", "") } else { line });
    }
    kept
}

#[test]
fn every_file_of_a_run_gives_the_same_picture() {
    let Some(folder) = shared() else { return };
    let mut compared = 0;
    for run in RUNS {
        let Some(trace) = file(&folder, run, "trace") else { panic!("no trace of {run}") };
        let whole = dump(&open(run, &trace));
        for what in ["trace.dialectB", "metrics", "chrome", "chrome.dialectB"] {
            let Some(other) = file(&folder, run, what) else { continue };
            compared += 1;
            let other = without_errors(dump(&open(what, &other)));
            assert_eq!(other, without_errors(whole.clone()), "{run} {what}");
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// What is known of a shared file: records, spans, events, arrows.
type Known = (&'static str, u64, usize, usize, usize);

/// Every file of the folders. Counted by a program of another language: a span for every whole and for every beginning without one, an arrow for
/// every execution that names a cause, an event for all others and for every error and residual.
const FILES: [Known; 36] = [
    ("own/topoexec/async_reject_error.chrome.json.gz", 107, 22, 43, 13),
    ("own/topoexec/async_reject_error.metrics.json.gz", 148, 22, 44, 13),
    ("own/topoexec/async_reject_error.trace.json.gz", 108, 22, 44, 13),
    ("own/topoexec/composite_loop_budget_discard.chrome.json.gz", 166, 35, 70, 20),
    ("own/topoexec/composite_loop_budget_discard.metrics.json.gz", 186, 35, 70, 20),
    ("own/topoexec/composite_loop_budget_discard.trace.json.gz", 166, 35, 70, 20),
    ("own/topoexec/composite_loop_cancelled.chrome.json.gz", 141, 29, 56, 17),
    ("own/topoexec/composite_loop_cancelled.metrics.json.gz", 161, 29, 56, 17),
    ("own/topoexec/composite_loop_cancelled.trace.json.gz", 141, 29, 56, 17),
    ("own/topoexec/composite_loop_max_iterations.chrome.json.gz", 238, 50, 88, 30),
    ("own/topoexec/composite_loop_max_iterations.metrics.json.gz", 262, 50, 88, 30),
    ("own/topoexec/composite_loop_max_iterations.trace.json.gz", 238, 50, 88, 30),
    ("own/topoexec/config_transaction_rollback.chrome.json", 54, 13, 17, 6),
    ("own/topoexec/config_transaction_rollback.metrics.json", 73, 13, 18, 6),
    ("own/topoexec/config_transaction_rollback.trace.json", 55, 13, 18, 6),
    ("own/topoexec/invalid_graph_no_trace.trace.json", 1, 0, 1, 0),
    ("own/topoexec/minimal_error_steps5.chrome.dialectB.json", 41, 11, 10, 5),
    ("own/topoexec/minimal_error_steps5.chrome.json", 41, 11, 10, 5),
    ("own/topoexec/minimal_error_steps5.metrics.json", 60, 11, 11, 5),
    ("own/topoexec/minimal_error_steps5.trace.dialectB.json", 42, 11, 11, 5),
    ("own/topoexec/minimal_error_steps5.trace.json", 42, 11, 11, 5),
    ("own/topoexec/minimal_steps1.chrome.dialectB.json", 16, 4, 4, 2),
    ("own/topoexec/minimal_steps1.chrome.json", 16, 4, 4, 2),
    ("own/topoexec/minimal_steps1.metrics.json", 34, 4, 4, 2),
    ("own/topoexec/minimal_steps1.record/trace.chrome.json", 16, 4, 4, 2),
    ("own/topoexec/minimal_steps1.record/trace.final.json", 16, 4, 4, 2),
    ("own/topoexec/minimal_steps1.trace.dialectB.json", 16, 4, 4, 2),
    ("own/topoexec/minimal_steps1.trace.json", 16, 4, 4, 2),
    ("own/topoexec/thread_pool_2workers.chrome.dialectB.json.gz", 342, 78, 120, 36),
    ("own/topoexec/thread_pool_2workers.chrome.json.gz", 342, 78, 120, 36),
    ("own/topoexec/thread_pool_2workers.metrics.json.gz", 360, 78, 120, 36),
    ("own/topoexec/thread_pool_2workers.trace.dialectB.json.gz", 342, 78, 120, 36),
    ("own/topoexec/thread_pool_2workers.trace.json.gz", 342, 78, 120, 36),
    ("public/topoexec/golden/trace_minimal.1ef4e5a3.json", 16, 4, 4, 2),
    ("public/topoexec/golden/trace_minimal.5d5b64ee.json", 16, 4, 4, 2),
    ("public/topoexec/golden/trace_minimal_chrome.1ef4e5a3.json", 16, 4, 4, 2),
];

#[test]
fn every_shared_file_is_read_whole() {
    let Some(folder) = shared() else { return };
    let names = FILES.map(|(name, ..)| name);
    crate::support::assert_all_known(
        &folder,
        &["own/topoexec", "public/topoexec"],
        &names,
        &["trace_summary."],
    );
    for (name, records, spans, events, arrows) in FILES {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        let (file, trace) = (&session.report()[0], session.trace());
        assert!(file.format.starts_with("TopoExec"), "{name}: {}", file.format);
        assert_eq!((file.records, file.reported), (records, 0), "{name}");
        let found = (name, trace.spans.len(), trace.events.len(), trace.flows.len());
        assert_eq!(found, (name, spans, events, arrows));
    }
}

/// A summary of a trace is none, and is called what it is.
#[test]
fn what_is_no_trace_is_named() {
    let Some(folder) = shared() else { return };
    let name = "public/topoexec/golden/trace_summary.sensor-fusion-mini.47f680f8.json";
    let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
    let file = &session.report()[0];
    assert!(!file.recognised && file.format.contains("a summary of a trace of TopoExec"), "{}", file.format);
}

#[test]
fn every_shared_file_may_be_cut() {
    let Some(folder) = shared() else { return };
    for (name, ..) in FILES.iter().filter(|(name, ..)| name.ends_with(".json")) {
        let bytes = fs::read(folder.join(name)).expect("a shared file");
        for end in (0..bytes.len()).step_by(997) {
            open(name, &bytes[..end]);
        }
    }
}

/// What else a recorded folder holds, as the runtime writes it.
const BESIDE: [(&str, &str); 6] = [
    ("graph.yaml", "schema_version: 1\ngraph:\n  name: minimal\ncomponents:\n  - id: source\nedges: []\n"),
    (
        "graph.normalized.json",
        r#"{"components":[],"edges":[],"graph_name":"minimal","graph_schema_version":1}"#,
    ),
    ("plan.json", r#"{"compiled_regions":[],"component_region":{},"graph":"minimal","schema_version":1}"#),
    ("render.mmd", "flowchart TD\n  %% graph: minimal\n  source[\"source\"]\n"),
    ("assertions.yaml", "assertion_schema_version: \"1\"\nassertions: []\n"),
    ("dashboard.html", "<!doctype html><meta charset=\"utf-8\"><title>TopoExec Live Artifact</title>\n"),
];

#[test]
fn what_holds_no_events_is_no_alarm() {
    let mut session = Session::default();
    for (name, text) in BESIDE {
        session.open(name);
        session.push(text.as_bytes());
        session.close(None);
    }
    session.build();
    for file in session.report() {
        assert!(file.recognised && file.format.starts_with("TopoExec, "), "{}: {}", file.name, file.format);
        assert!(file.problems.is_empty() && file.records == 0, "{}", file.name);
    }
}

/// `observe --record` writes one run several times.
#[test]
fn a_recorded_folder_is_one_run() {
    let Some(folder) = shared() else { return };
    let record = folder.join("own/topoexec/minimal_steps1.record");
    for order in [["trace.final.json", "trace.chrome.json"], ["trace.chrome.json", "trace.final.json"]] {
        let mut session = Session::default();
        for name in order {
            session.open(&format!("minimal_steps1.record/{name}"));
            session.push(&fs::read(record.join(name)).expect("a shared file"));
            session.close(None);
        }
        session.build();
        let trace = session.trace();
        assert_eq!((trace.runs.len(), trace.spans.len(), trace.flows.len()), (1, 4, 2), "{order:?}");
        assert_eq!(trace.str(trace.runs[0].name), "minimal_steps1.record");
        for file in session.report() {
            let again = if file.name.ends_with("chrome.json") { 16 } else { 0 };
            assert_eq!((file.records, file.used, file.reported), (16, 16 - again, again), "{}", file.name);
        }
    }
}
