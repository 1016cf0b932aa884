//! Every shared file against what is known of it.

use std::fs;
use std::path::PathBuf;

use queryscope::session::Session;
use queryscope::trace::{EventId, SpanId};

use super::{dump, open};

/// The folder of shared traces.
fn shared() -> Option<PathBuf> {
    crate::support::shared("public/chrome")
}

/// What is known of a shared file: records, those in the picture, spans, events.
type Known = (&'static str, u64, u64, usize, usize);

/// Records and spans were counted by a program of another language: a span for every X, B, b, S, N, for every end of
/// something asynchronous that has no start, and for every call that a profile saw.
const FILES: [Known; 20] = [
    ("own/chrome/chromium156_playwright_default.json.gz", 66_706, 66_482, 57_172, 6_849),
    ("own/chrome/clang16_ftime_trace.json.gz", 23_624, 23_624, 23_622, 0),
    ("own/chrome/cmake325_profile.json.gz", 16_198, 16_198, 8_099, 0),
    ("own/chrome/node20_trace_events.json.gz", 88_136, 88_136, 45_959, 12),
    ("own/chrome/onnxruntime_profile.json.gz", 1_042, 1_042, 1_042, 0),
    ("own/chrome/pyspy_chrometrace.json.gz", 2_352, 2_352, 1_176, 0),
    ("own/chrome/ray_timeline.json", 519, 519, 519, 0),
    ("own/chrome/rust_tracing_chrome_async.json.gz", 2_468, 2_468, 989, 486),
    ("own/chrome/rust_tracing_chrome_threaded.json.gz", 2_468, 2_468, 989, 486),
    ("own/chrome/rust_tracing_chrome_truncated.json", 1_068, 1_067, 432, 211),
    ("own/chrome/typescript7_generateTrace.json.gz", 1_922, 1_922, 1_027, 0),
    ("public/chrome/speedscope/Chrome_116_Trace-20230603T221323.json.gz", 3_108, 3_108, 2_845, 112),
    ("public/chrome/speedscope/Chrome_141_no-arg-data.json", 63, 63, 76, 0),
    ("public/chrome/speedscope/Chrome_65_simple-timeline.json.gz", 3_551, 3_547, 2_756, 263),
    ("public/chrome/speedscope/Chrome_69_simple.json.gz", 1_364, 1_364, 1_298, 65),
    ("public/chrome/speedscope/Chrome_70_worker.json.gz", 2_613, 2_613, 2_476, 102),
    ("public/chrome/speedscope/trace-event_simple-partial-trailing-comma.json", 6, 6, 4, 0),
    ("public/chrome/speedscope/trace-event_too-many-end-events.json", 6, 4, 2, 0),
    ("public/chrome/perfetto/test_json_incomplete.json", 1, 1, 1, 0),
    ("public/chrome/perfetto/test_trailing_empty_event.json", 1, 1, 1, 0),
];

#[test]
fn every_shared_file_is_read_whole() {
    let Some(folder) = shared() else { return };
    for (name, records, used, spans, events) in FILES {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        let file = &session.report()[0];
        let trace = session.trace();
        let found = (name, file.records, file.used, trace.spans.len(), trace.events.len());
        assert_eq!(found, (name, records, used, spans, events));
    }
}

/// Where the picture is not Perfetto's, and why.
const OTHERWISE: [(&str, &str); 1] = [(
    "test_args_ordered",
    "the file has commas behind last members, which is not JSON: both events are reported",
)];

/// What Perfetto's own tests expect of a file: rows of a table, by column.
fn rows(csv: &str) -> Vec<Vec<(String, String)>> {
    let cells = |line: &str| -> Vec<String> {
        line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect()
    };
    let mut lines = csv.lines().map(cells);
    let head = lines.next().unwrap_or_default();
    lines.map(|line| head.iter().cloned().zip(line).collect()).collect()
}

/// Name, start on the file's clock, and duration of everything that is shown.
fn shown(session: &Session) -> Vec<(String, i64, i64)> {
    let trace = session.trace();
    let origin = trace.runs.first().map_or(0, |run| run.origin);
    let spans = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
    let spans = spans.map(|span| (trace.str(span.name).to_owned(), origin + span.start, span.duration));
    let events = (0..trace.events.len() as u32).map(|id| trace.events.get(EventId(id)));
    spans.chain(events.map(|event| (trace.str(event.name).to_owned(), origin + event.time, 0))).collect()
}

/// Whether everything that a test of Perfetto's expects is shown. -1 stands for an end that is not known.
fn shows_all(session: &Session, expected: &[Vec<(String, String)>]) -> bool {
    let shown = shown(session);
    expected.iter().all(|row| {
        let cell = |name: &str| row.iter().find(|(known, _)| known == name).map(|(_, cell)| cell.as_str());
        let number = |name: &str| cell(name).and_then(|cell| cell.parse::<i64>().ok());
        shown.iter().any(|(name, start, duration)| {
            cell("name").or(cell("state")).is_none_or(|expected| expected == name)
                && number("ts").is_none_or(|expected| expected == *start)
                && number("dur").is_none_or(|expected| expected == -1 || expected == *duration)
        })
    })
}

#[test]
fn what_perfetto_shows_is_shown() {
    let Some(folder) = shared() else { return };
    let folder = folder.join("public/chrome/perfetto");
    let oracle = fs::read_to_string(folder.join("EXPECTED.json")).expect("the oracle");
    let oracle: Vec<serde_json::Value> = serde_json::from_str(&oracle).expect("a list");
    let mut compared = 0;
    for test in &oracle {
        let text = |name: &str| test[name].as_str().unwrap_or_default();
        let (name, expected) = (text("test"), rows(text("expected_csv")));
        let of_slices = text("query").contains("FROM slice")
            || text("query").contains("slice AS slice")
            || text("query").contains("thread_state");
        let table = expected
            .first()
            .is_some_and(|row| row.iter().any(|(column, _)| column == "ts" || column == "name"));
        if !of_slices || !table || text("expected_csv").contains("tokenizer") {
            continue;
        }
        compared += 1;
        let session = open(name, &fs::read(folder.join(format!("{name}.json"))).expect("a shared file"));
        let otherwise = OTHERWISE.iter().any(|(known, _)| *known == name);
        assert_eq!(shows_all(&session, &expected), !otherwise, "{name}: {:#?}", dump(&session));
    }
    assert!(compared >= 14, "{compared}");
}

#[test]
fn counters_are_those_of_perfetto() {
    let Some(folder) = shared() else { return };
    let name = "test_json_counter_args.json";
    let session =
        open(name, &fs::read(folder.join("public/chrome/perfetto").join(name)).expect("a shared file"));
    let samples: Vec<String> = dump(&session).into_iter().filter(|line| line.starts_with('*')).collect();
    let expected = [
        ("leading_dot", 750_000),
        ("leading_zero_float", 1_230_000),
        ("leading_zero_int_str", 50),
        ("plus_val", 10_500_000),
        ("trailing_dot", 246),
    ];
    for (series, value) in expected {
        let ending = format!("{series}={value}");
        assert!(samples.iter().any(|line| line.ends_with(&ending)), "{ending}: {samples:#?}");
    }
    assert_eq!(samples.len(), expected.len());
}

#[test]
fn every_shared_file_may_be_cut() {
    let Some(folder) = shared() else { return };
    for (name, ..) in FILES {
        let bytes = fs::read(folder.join(name)).expect("a shared file");
        // A damaged archive is one more thing that must not hurt.
        for part in 1..8 {
            open(name, &bytes[..bytes.len() * part / 8]);
        }
    }
}
