//! Trace Event JSON: a walk of the events, and our own reader, find the spans, events, samples and arrows of the trace.

use std::collections::BTreeMap;

use queryscope::export::ForeignFormat;
use queryscope::internal::testing::items;
use queryscope::trace::{Item, Kind, Trace};
use serde_json::Value;

use super::{count_of, intervals, n_events, n_flows, name_of, sessions, spans, tracks, written};
use crate::support;

/// Decimal microseconds as nanoseconds.
fn nanoseconds(value: &Value) -> i128 {
    let text = value.to_string();
    let (whole, decimals) = text.split_once('.').expect("three decimals");
    assert_eq!(decimals.len(), 3, "{text}");
    format!("{whole}{decimals}").parse().expect("a number")
}

fn text(event: &Value, key: &str) -> String {
    event[key].as_str().unwrap_or_default().to_owned()
}

fn whole(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap_or_else(|| panic!("{key} of {event}"))
}

/// A thread: process and number.
type Thread = (u64, u64);

/// Number of a thread, name, start and end.
type ThreadSpan = (u64, String, i128, i128);

/// Number of a thread, name and time.
type ThreadInstant = (u64, String, i128);

/// What is in a file.
#[derive(Default)]
struct Walk {
    /// Thread, name, start and end of complete and asynchronous events.
    spans: Vec<(Thread, String, i128, i128)>,
    complete: BTreeMap<Thread, Vec<(i128, i128)>>,
    instants: Vec<(Thread, String, i128)>,
    samples: usize,
    arrows: BTreeMap<u64, Vec<(String, i128)>>,
    threads: BTreeMap<Thread, String>,
}

fn walk(file: &Value) -> Walk {
    let mut walk = Walk::default();
    // By process, category and id of asynchronous events: open events.
    let mut open: BTreeMap<(u64, String, String), Vec<(String, i128)>> = BTreeMap::new();
    for event in file["traceEvents"].as_array().expect("events") {
        let thread = (whole(event, "pid"), whole(event, "tid"));
        let name = text(event, "name");
        let time = || nanoseconds(&event["ts"]);
        let id = || (thread.0, String::new(), text(event, "id"));
        match event["ph"].as_str() {
            Some("X") => {
                let end = time() + nanoseconds(&event["dur"]);
                walk.complete.entry(thread).or_default().push((time(), end));
                walk.spans.push((thread, name, time(), end));
            }
            Some("b") => open.entry(id()).or_default().push((name, time())),
            Some("e") => {
                let (begun, start) = open.get_mut(&id()).and_then(Vec::pop).expect("an open event");
                assert!(begun == name && start <= time(), "{event}");
                walk.spans.push((thread, name, start, time()));
            }
            Some("i") => walk.instants.push((thread, name, time())),
            Some("C") => {
                assert!(event["args"].as_object().is_some_and(|args| args.values().all(Value::is_number)));
                walk.samples += 1;
            }
            Some("s" | "f") => {
                walk.arrows.entry(whole(event, "id")).or_default().push((text(event, "ph"), time()))
            }
            Some("M") if name == "thread_name" => {
                walk.threads.insert(thread, text(&event["args"], "name"));
            }
            Some("M") => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "every asynchronous event ends");
    walk
}

/// Whether intervals nest: each is inside or outside of each other one.
fn nest(intervals: &[(i128, i128)]) -> bool {
    let mut sorted = intervals.to_vec();
    sorted.sort_by_key(|&(start, end)| (start, -end));
    let mut open: Vec<i128> = Vec::new();
    sorted.into_iter().all(|(start, end)| {
        open.retain(|&open| open > start);
        let fits = open.last().is_none_or(|&outer| end <= outer);
        open.push(end);
        fits
    })
}

/// Spans and instants of a trace as they are expected in the file, by number of the track.
fn expected(trace: &Trace) -> (Vec<ThreadSpan>, Vec<ThreadInstant>) {
    let thread = |item: Item| u64::from(trace.track_of(item).0) + 1;
    let mut all: Vec<_> = spans(trace)
        .map(|id| {
            let (start, end) = trace.spans.bounds(id);
            let item = Item::Span(id);
            (thread(item), name_of(trace, item), i128::from(start), i128::from(end))
        })
        .collect();
    let events =
        items(trace).filter(|&item| matches!(item, Item::Event(_)) && trace.kind(item) != Kind::Sample);
    let mut instants: Vec<_> =
        events.map(|item| (thread(item), name_of(trace, item), i128::from(trace.interval(item).0))).collect();
    all.sort();
    instants.sort();
    (all, instants)
}

#[test]
fn a_walk_of_the_events_finds_everything() {
    for (name, session) in sessions() {
        let trace = session.trace();
        let (json, summary) = written(&session, ForeignFormat::Chrome);
        let file: Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut walk = walk(&file);
        let (spans, instants) = expected(trace);
        let mut found: Vec<_> =
            walk.spans.drain(..).map(|(of, name, start, end)| (of.1, name, start, end)).collect();
        found.sort();
        assert_eq!(found, spans, "{name}");
        let mut found: Vec<_> = walk.instants.drain(..).map(|(of, name, time)| (of.1, name, time)).collect();
        found.sort();
        assert_eq!(found, instants, "{name}");
        assert!(walk.complete.values().all(|thread| nest(thread)), "{name}");
        assert!(walk.complete.keys().all(|thread| walk.threads.contains_key(thread)), "{name}");
        let lost = count_of(
            &summary.not_written,
            ["counter sample without a value", "counter samples without a value"],
        );
        assert_eq!(walk.samples + lost, n_events(trace).0, "{name}");
        let lost = count_of(
            &summary.not_written,
            ["arrow of an overlapping or covered span", "arrows of overlapping or covered spans"],
        );
        assert_eq!(walk.arrows.len() + lost, n_flows(trace), "{name}");
        for ends in walk.arrows.values() {
            assert!(
                ends.len() == 2 && ends[0].0 == "s" && ends[1].0 == "f" && ends[0].1 <= ends[1].1,
                "{name}: {ends:?}"
            );
        }
    }
}

/// The arrows of a trace by the names and durations of their ends.
fn arrows(trace: &Trace) -> Vec<[(String, i64); 2]> {
    let end = |item: Item| {
        let (start, end) = trace.interval(item);
        (name_of(trace, item), end - start)
    };
    let flows = trace.flows.iter().map(|flow| flow.of_items()).chain(trace.flows.of_instants().copied());
    let mut arrows: Vec<_> = flows.map(|flow| [end(flow.from), end(flow.to)]).collect();
    arrows.sort();
    arrows
}

#[test]
fn our_reader_opens_every_file() {
    // Our reader takes times up to a quarter of the range.
    let is_readable = |trace: &Trace| items(trace).all(|item| trace.interval(item).1 < i64::MAX / 4);
    for (name, session) in sessions().into_iter().filter(|(_, session)| is_readable(session.trace())) {
        let trace = session.trace();
        let (json, summary) = written(&session, ForeignFormat::Chrome);
        let again = support::open([("again.json", json.as_bytes())]);
        let problems = again.report().into_iter().flat_map(|file| file.problems);
        // Our reader shortens long arguments.
        let problems: Vec<_> = problems.filter(|problem| problem.name != "long argument").collect();
        let is_empty = trace.spans.is_empty() && trace.events.is_empty();
        assert!(problems.is_empty() || is_empty, "{name}: {problems:#?}");
        // The clock of the new trace begins with its first event, wherever that was.
        let shifted = |trace: &Trace| {
            let intervals = intervals(trace);
            let first = intervals.iter().map(|(_, start, _)| *start).min().unwrap_or_default();
            intervals
                .into_iter()
                .map(|(name, start, end)| (name, start - first, end - first))
                .collect::<Vec<_>>()
        };
        assert_eq!(shifted(again.trace()), shifted(trace), "{name}");
        let lost = count_of(
            &summary.not_written,
            ["counter sample without a value", "counter samples without a value"],
        );
        let (samples, events) = n_events(trace);
        assert_eq!(n_events(again.trace()), (samples - lost, events), "{name}");
        let written = arrows(again.trace());
        let mut known = arrows(trace);
        // Each arrow that was written joins the same items.
        for arrow in &written {
            let at = known.iter().position(|known| known == arrow);
            known.remove(at.unwrap_or_else(|| panic!("{name}: {arrow:?} is no arrow of the trace")));
        }
        let lost = count_of(
            &summary.not_written,
            ["arrow of an overlapping or covered span", "arrows of overlapping or covered spans"],
        );
        assert_eq!(known.len(), lost, "{name}");
    }
}

#[test]
fn attributes_stand_under_their_names() {
    let (json, _) = written(&super::limit(super::LIMITS[3].1), ForeignFormat::Chrome);
    let file: Value = serde_json::from_str(&json).expect("JSON");
    let events = file["traceEvents"].as_array().expect("events");
    let args = |name: &str| {
        let event = events.iter().find(|event| event["name"] == name).expect("the event");
        event["args"].to_string()
    };
    assert_eq!(args("q"), r#"{"SQL":"SELECT 1","error":"no\nrows","flags":"failed, no end in trace"}"#);
    assert_eq!(args("s"), r#"{"rows":-7,"share":0.25}"#);
    assert_eq!(args("e"), r#"{"n":1}"#);
    let (json, _) = written(&super::limit(super::LIMITS[4].1), ForeignFormat::Chrome);
    assert!(json.contains(r#""flags":"own""#) && json.contains(r#""flags 2":"failed""#), "{json}");
}

#[test]
fn tracks_are_threads_with_their_paths() {
    let (json, _) = written(&support::open([("small.ndjson", small())]), ForeignFormat::Chrome);
    let file: Value = serde_json::from_str(&json).expect("JSON");
    let threads: Vec<String> = walk(&file).threads.into_values().collect();
    assert_eq!(threads, ["worker 1", "worker 1 / inner"]);
    assert!(tracks(support::open([("small.ndjson", small())]).trace()).count() == 3);
}

fn small() -> String {
    let lines = [
        r#"{"queryscope":"trace","version":1}"#,
        r#"{"run":"r"}"#,
        r#"{"track":"worker 1","kind":"thread"}"#,
        r#"{"span":"a","start":0,"duration":5}"#,
        r#"{"track":"inner","kind":"thread","parent":1}"#,
        r#"{"span":"b","start":1,"duration":2,"parent":0}"#,
    ];
    lines.join("\n")
}
