//! Statements of an embedded server, all of whose clients have thread 1, against what their own records say.

use std::collections::BTreeMap;
use std::fs;

use queryscope::session::Session;
use queryscope::trace::{Flags, Item, Kind, SpanId, TrackId, TrackKind};
use serde_json::Value;

use super::open;
use super::shared::{shared, unpacked};

/// A statement: when it began and how long it lasted in microseconds, and its text without blanks and quotes.
type Statement = (i64, i64, String);

/// Each tag with a `querylog.define` of its own is a statement, from the first to the last of its records.
fn expected(text: &str) -> Vec<Statement> {
    let mut known: BTreeMap<i64, (i64, i64, Option<String>)> = BTreeMap::new();
    let mut first = i64::MAX;
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(clock) = event["mclk"].as_i64() else { continue };
        first = first.min(clock);
        let of = known.entry(event["tag"].as_i64().expect("a tag")).or_insert((clock, clock, None));
        (of.0, of.1) = (of.0.min(clock), of.1.max(clock));
        if event["function"] == "define" {
            let args = event["args"].as_array().expect("arguments");
            let query = args.iter().find(|arg| arg["arg"] == 1).and_then(|arg| arg["value"].as_str());
            of.2 = query.map(plain);
        }
    }
    let own = known.into_values().filter_map(|(start, end, text)| Some((start - first, end - start, text?)));
    let mut own: Vec<Statement> = own.collect();
    own.sort();
    own
}

/// The beginning of a text, without what is escaped in some way.
fn plain(sql: &str) -> String {
    sql.chars().filter(char::is_ascii_alphanumeric).take(16).collect()
}

fn found(session: &Session) -> Vec<Statement> {
    let trace = session.trace();
    let spans = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
    let queries = spans.filter(|span| span.kind == Kind::Query);
    let mut all: Vec<Statement> = queries
        .map(|span| {
            assert_eq!(span.parent, None, "no statement is a part of another one");
            (span.start / 1000, span.duration / 1000, plain(trace.str(span.name)))
        })
        .collect();
    all.sort();
    all
}

/// What lies in what is of one statement, and nothing stands over anything else in its row.
fn assert_apart(session: &Session) {
    let trace = session.trace();
    let query_of = |mut at: SpanId| {
        while let Some(up) = trace.spans.parent(at) {
            at = up;
        }
        trace.spans.get(at)
    };
    for track in (0..trace.tracks.len() as u32).map(TrackId) {
        let mut ends: BTreeMap<u16, i64> = BTreeMap::new();
        for id in trace.tracks.spans(track).map(SpanId) {
            let span = trace.spans.get(id);
            let end = ends.entry(span.depth).or_insert(i64::MIN);
            assert!(*end <= span.start, "{} stands over another", trace.str(span.name));
            *end = span.end_time();
            if trace.tracks.get(track).kind == TrackKind::Thread && span.parent.is_some() {
                let query = query_of(id);
                let is_inside = query.start <= span.start && span.end_time() <= query.end_time();
                assert!(is_inside || query.kind != Kind::Query, "{}", trace.str(span.name));
            }
        }
    }
}

fn check(name: &str, text: &str, statements: usize) {
    let session = open(name, text.as_bytes());
    let expected = expected(text);
    assert_eq!((found(&session), expected.len()), (expected, statements), "{name}");
    assert_apart(&session);
}

#[test]
fn each_tag_with_a_text_is_a_statement() {
    check("small", include_str!("../traces/monetdb/embedded-clients.ndjson"), 5);
}

#[test]
fn statements_of_three_clients_stand_side_by_side() {
    let Some(folder) = shared() else { return };
    for (name, statements) in [
        ("own/monetdb/embedded_jul2021/raw_stream_concurrent3_hb25_11.41.14.json.gz", 18),
        ("own/monetdb/embedded_jul2021/raw_stream_hb25_11.41.14.json.gz", 12),
    ] {
        let stored = fs::read(folder.join(name)).expect("a shared file");
        let text = String::from_utf8(unpacked(name, &stored)).expect("text");
        check(name, &text, statements);
    }
}

/// A function that a statement calls is a part of it, on a thread that others have as well.
#[test]
fn calls_belong_to_the_statement_that_makes_them() {
    let session = open("small", include_bytes!("../traces/monetdb/embedded-clients.ndjson"));
    let trace = session.trace();
    let spans = || (0..trace.spans.len() as u32).map(SpanId);
    let called = spans().find(|id| trace.str(trace.spans.name(*id)) == "function sql.fib").expect("a call");
    let up: Vec<&str> = std::iter::successors(trace.spans.parent(called), |id| trace.spans.parent(*id))
        .map(|id| trace.str(trace.spans.name(id)))
        .collect();
    assert_eq!(up, ["sql.fib", "function user.main", "select fib(5)"]);
    // A constant of a statement that is being optimised is of no other one that runs.
    let constants = spans().filter(|id| trace.str(trace.spans.name(*id)) == "calc.+");
    let parents: Vec<_> = constants.map(|id| trace.spans.parent(id)).collect();
    assert_eq!(parents, [None; 2]);
    let program = trace.key("program").expect("functions");
    assert!(spans().all(
        |id| !trace.spans.flags(id).has(Flags::OVERLAPS) || trace.text(Item::Span(id), program).is_none()
    ));
}
