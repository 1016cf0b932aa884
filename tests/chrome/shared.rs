//! Every shared file against what is known of it.

use std::fs;
use std::path::PathBuf;

use queryscope::session::Session;
use queryscope::trace::{EventId, SpanId};

use super::known::FILES;
use super::{dump, open};

/// The folder of shared traces.
fn shared() -> Option<PathBuf> {
    crate::support::shared("public/chrome")
}

#[test]
fn every_shared_file_is_read_whole() {
    let Some(folder) = shared() else { return };
    let names = FILES.map(|(name, ..)| name);
    crate::support::assert_all_known(
        &folder,
        &["own/chrome", "public/chrome"],
        &names,
        // The last three have tests of their own: of samples, flows, open slices and values.
        &["EXPECTED.json", ".cpuprofile", "chrome/small/", "devtools_timeline", "webpack5_profilingplugin"],
    );
    for (name, records, used, spans, events) in FILES {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        let file = &session.report()[0];
        let trace = session.trace();
        let found = (name, file.records, file.used, trace.spans.len(), trace.events.len());
        assert_eq!(found, (name, records, used, spans, events));
    }
}

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
        assert!(shows_all(&session, &expected), "{name}: {:#?}", dump(&session));
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

/// What the oracle says of names, order, overlaps and the sections beside the events: tables that spans alone cannot answer.
#[test]
fn what_perfetto_says_of_the_rest() {
    let Some(folder) = shared() else { return };
    let session = |name: &str| {
        open(
            name,
            &fs::read(folder.join(format!("public/chrome/perfetto/{name}.json"))).expect("a shared file"),
        )
    };
    let lines = |name: &str, start: &str| -> Vec<String> {
        dump(&session(name)).into_iter().filter(|line| line.starts_with(start)).collect()
    };
    // By sort_index; the process 0 that Perfetto lists is none of the file's, and threads without events have no row.
    let order = ["Process process 40", "Process process 20", "Process process 10", "Process process 30"];
    assert_eq!(lines("test_json_sort_index_ordering", "Process"), order);
    assert_eq!(lines("test_string_pid_tid", "Process"), ["Process process foo"]);
    assert_eq!(lines("test_json_pid_tid_zero", "-").len(), 7);
    assert_eq!(lines("test_overlapping_complete_event_import_log", "1 x"), ["1 x partial overlap"]);
    assert_eq!(lines("test_json_thread_state", "-").len(), 5);
    let session = session("test_json_trace_metadata");
    let notes: Vec<&str> = session.trace().notes.iter().map(|note| note.text.as_str()).collect();
    let about = "source: DevTools · startTime: 2023-09-21T21:04:15.706Z · cpuThrottling: 1 · networkThrottling: No throttling · \
                 hardwareConcurrency: 12";
    assert_eq!(notes, [about]);
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
