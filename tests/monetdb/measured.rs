//! Durations as the server measured them, against the records.

use std::fs;

use queryscope::export::{SpanFormat, write_spans};
use queryscope::protocol::DetailsRequest;
use queryscope::session::Session;
use queryscope::trace::{Flags, Item, Kind, SpanId, TrackId, TrackKind, key};
use serde_json::Value;

use super::open;
use super::shared::{shared, unpacked};

/// Start, end and duration in microseconds of each pair of a start and an end, by the records: the last start of a session,
/// tag, place and thread first.
fn pairs(text: &str) -> Vec<(i64, i64, i64)> {
    let events: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let first = events.iter().filter_map(|event| event["clk"].as_i64()).min().unwrap_or(0);
    let mut open: std::collections::HashMap<String, Vec<i64>> = std::collections::HashMap::new();
    let mut found = Vec::new();
    for event in events.iter().filter(|event| event["pc"].is_i64()) {
        let number = |key: &str| event[key].as_i64().unwrap_or(-1);
        let key = format!("{} {} {} {}", event["session"], event["tag"], event["pc"], event["thread"]);
        match event["state"].as_str() {
            Some("start") => open.entry(key).or_default().push(number("clk")),
            _ => {
                let start = open.get_mut(&key).and_then(Vec::pop);
                found.extend(start.map(|start| (start - first, number("clk") - first, number("usec"))));
            }
        }
    }
    found.sort_unstable();
    found
}

/// The same of the spans of threads.
fn shown(session: &Session) -> Vec<(i64, i64, i64)> {
    let trace = session.trace();
    let tracks = (0..trace.tracks.len() as u32).map(TrackId);
    let threads = tracks.filter(|id| trace.tracks.get(*id).kind == TrackKind::Thread);
    let spans = threads.flat_map(|id| trace.tracks.spans(id)).map(SpanId);
    let open = |id: &SpanId| {
        let flags = trace.spans.flags(*id);
        flags.has(Flags::OPEN_END) || flags.has(Flags::OPEN_START) || flags.has(Flags::INFERRED)
    };
    let mut found: Vec<_> = spans
        .filter(|id| !open(id))
        .map(|id| {
            let (start, end) = trace.spans.bounds(id);
            (start / 1000, end / 1000, trace.duration(id) / 1000)
        })
        .collect();
    found.sort_unstable();
    found
}

fn check(name: &str, text: &str, differ: usize) {
    let expected = pairs(text);
    assert_eq!(expected.iter().filter(|of| of.2 != of.1 - of.0).count(), differ, "{name}");
    let mut session = open(name, text.as_bytes());
    assert_eq!(shown(&session), expected, "{name}");
    let trace = session.trace();
    let spans = || (0..trace.spans.len() as u32).map(SpanId);
    let marked = |id: &SpanId| trace.spans.flags(*id).has(Flags::DURATION_DIFFERS);
    // The statements that last as long as their functions as a whole are marked as those are.
    let own = spans().filter(marked).filter(|id| trace.spans.kind(*id) != Kind::Query);
    assert_eq!(own.count(), differ, "{name}");
    let reported = |id: SpanId| trace.num(Item::Span(id), key::REPORTED_DURATION);
    assert!(spans().all(|id| reported(id) == marked(&id).then(|| trace.duration(id))), "{name}");
    let problem =
        session.report().remove(0).problems.into_iter().find(|of| of.name == "reported duration differs");
    assert_eq!(problem.map_or(0, |of| of.count), differ as u64, "{name}");
    everywhere(&mut session);
}

/// Details and the table of spans show the same duration, and sums are of it.
fn everywhere(session: &mut Session) {
    let mut out = Vec::new();
    write_spans(session.trace(), SpanFormat::Csv, false, &mut out).expect("a vector takes everything");
    let mut rows = csv_rows(&String::from_utf8(out).expect("text"));
    let header = rows.remove(0);
    let at = header.iter().position(|name| name == "duration_ns").expect("a column");
    for (id, row) in (0..session.trace().spans.len() as u32).map(SpanId).zip(&rows) {
        assert_eq!(row[at], session.trace().duration(id).to_string());
    }
    for id in (0..session.trace().spans.len() as u32).map(SpanId) {
        if !session.trace().spans.flags(id).has(Flags::DURATION_DIFFERS) {
            continue;
        }
        let request = DetailsRequest { item: Item::Span(id).code() };
        let Some(details) = session.answer(&request) else { panic!("no details") };
        assert_eq!(details.duration, Some(session.trace().duration(id)));
        assert!(details.notes.iter().any(|note| note.lead == "Reported duration differs."), "{details:?}");
    }
}

fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    for c in text.chars() {
        let row = rows.last_mut().expect("a row");
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().expect("a cell").push(c),
        }
    }
    rows.pop();
    rows
}

#[test]
fn durations_are_those_that_the_server_measured() {
    check("small", include_str!("../traces/monetdb/apr2019-measured.ndjson"), 6);
}

#[test]
fn durations_of_shared_files_are_those_that_the_server_measured() {
    let Some(folder) = shared() else { return };
    for (name, differ) in [
        ("own/monetdb/apr2019/stethoscope_json_hb50.json.gz", 286),
        ("own/monetdb/apr2019/stethoscope_json_escapes.json.gz", 10),
        ("public/monetdb/marvin/jan2019_sf10_10threads_Q01.json.gz", 425),
    ] {
        let stored = fs::read(folder.join(name)).expect("a shared file");
        check(name, &String::from_utf8_lossy(&unpacked(name, &stored)), differ);
    }
}

/// The tuples of Apr2019: the duration is the sixth value of an end.
#[test]
fn durations_of_tuples_are_those_that_the_server_measured() {
    let Some(folder) = shared() else { return };
    let name = "own/monetdb/apr2019/stethoscope_tuple_stdout.txt.gz";
    let stored = fs::read(folder.join(name)).expect("a shared file");
    let text = String::from_utf8_lossy(&unpacked(name, &stored)).into_owned();
    let session = open(name, &stored);
    let trace = session.trace();
    let mut expected = std::collections::BTreeMap::<i64, i64>::new();
    for line in text.lines().filter(|line| line.contains(",\t\"done \",\t")) {
        let usec: i64 = line.split(",\t").nth(5).and_then(|usec| usec.parse().ok()).expect("a duration");
        *expected.entry(usec).or_default() += 1;
    }
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        let (kind, flags) = trace.spans.kind_and_flags(id);
        if kind != Kind::Query && !flags.has(Flags::OPEN_END) {
            *expected.entry(trace.duration(id) / 1000).or_default() -= 1;
        }
    }
    expected.retain(|_, count| *count != 0);
    assert_eq!(expected.len(), 0, "{expected:?}");
}
