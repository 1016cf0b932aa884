//! MonetDB's profiler: small traces with one rule each, and every shared file against what is known of it.

use crate::support;

mod clients;
mod damage;
mod front;
mod golden;
mod learned;
mod lists;
mod measured;
mod parallel;
mod rules;
mod shared;
mod streams;
mod torn;

use crate::support::assert_accounted;
use proptest::prelude::*;
use queryscope::session::Session;
use queryscope::trace::{EventId, Item, SpanId, Trace, TrackId, TrackKind};

/// Opens one file.
fn open(name: &str, bytes: &[u8]) -> Session {
    support::open([(name, bytes)])
}

/// The trace as text: tracks with their spans and events, arrows, and what was told of the file.
fn dump(session: &Session) -> Vec<String> {
    let trace = session.trace();
    let mut lines = Vec::new();
    for id in (0..trace.tracks.len() as u32).map(TrackId) {
        let track = trace.tracks.get(id);
        if !matches!(track.kind, TrackKind::Run | TrackKind::Process) {
            lines.push(format!("{:?} {}", track.kind, trace.str(track.name)));
        }
        lines.extend(trace.tracks.spans(id).map(|span| span_line(trace, SpanId(span))));
        lines.extend(trace.tracks.events(id).map(|event| event_line(trace, EventId(event))));
    }
    for flow in trace.flows.iter() {
        let name = |id: SpanId| trace.str(trace.spans.get(id).name);
        lines.push(format!("{} -> {}: {}", name(flow.from), name(flow.to), trace.str(flow.name)));
    }
    for problem in session.report().iter().flat_map(|file| &file.problems) {
        lines.push(format!("{} x {}", problem.count, problem.name));
    }
    lines
}

/// "- name start..end us, marks": one dash for each row from the top. What a span carries is left out where it is the
/// name once more.
fn span_line(trace: &Trace, id: SpanId) -> String {
    let span = trace.spans.get(id);
    let dashes = "-".repeat(usize::from(span.depth) + 1);
    let (start, end) = (span.start / 1000, span.end_time() / 1000);
    let mut line = format!("{dashes} {} {start}..{end}", trace.str(span.name));
    span.flags.names().for_each(|flag| line += &format!(", {flag}"));
    let key = |key| trace.str(trace.keys.get(key).name).to_owned();
    for (k, number) in trace.nums(Item::Span(id)) {
        line += &format!(", {}={number}", key(k));
    }
    for (_, text) in trace
        .texts(Item::Span(id))
        .filter(|(k, _)| !matches!(&*key(*k), "category" | "query id" | "step" | "program"))
    {
        line += &format!(", {:?}", trace.str(text)).replace("\\\"", "'");
    }
    line
}

fn event_line(trace: &Trace, id: EventId) -> String {
    let event = trace.events.get(id);
    let mut line = format!("* {} {}", trace.str(event.name), event.time / 1000);
    if let Some(parent) = event.parent {
        line += &format!(" in {}", trace.str(trace.spans.get(parent).name));
    }
    trace.nums(Item::Event(id)).for_each(|(_, n)| line += &format!(" = {n}"));
    line
}

/// A file with this text, and the lines of its dump.
fn check(text: &str, expected: &[&str]) {
    assert_eq!(dump(&open("trace", text.as_bytes())), expected, "{text}");
}

/// All small files, with what is made of them.
fn cases() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    streams::CASES.iter().chain(rules::CASES).copied()
}

/// The text of one of them, whatever the number is.
fn case(number: prop::sample::Index) -> &'static str {
    let texts: Vec<&str> = cases().map(|case| case.0).collect();
    texts[number.index(texts.len())]
}

#[test]
fn every_rule_has_its_picture() {
    for (text, expected) in cases() {
        check(text, expected);
    }
}

/// A problem quotes what it is about: an instruction without a text by its name, a control character by its picture.
#[test]
fn no_problem_quotes_nothing() {
    let start = r#"{"clk":1795239519291809,"mclk":28973851,"thread":1,"program":"user.main","pc":11,"tag":762,"operator":":=","state":"start","usec":1}"#;
    let odd = start.replace("\"operator\":\":=\"", "\"stmt\":\"a\u{1}b\"").replace("762", "763");
    let report = open("trace", format!("{start}\n{odd}\n").as_bytes()).report();
    let quoted = |name| {
        let found = report[0].problems.iter().find(|problem| problem.name == name);
        found.map_or(vec![], |found| found.places.iter().map(|place| place.text.as_str()).collect())
    };
    assert_eq!(quoted("no end"), [":=", "a b"]);
    assert!(quoted("control characters")[0].starts_with("\u{2401}b\""), "{:?}", quoted("control characters"));
}
