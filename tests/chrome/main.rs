//! Chrome's Trace Event Format: small traces with one rule each, and every shared file against what is known of it.

mod damage;
mod joined;
mod rules;
mod shared;

use queryscope::session::Session;
use queryscope::trace::{EventId, Item, SpanId, Trace, TrackId, TrackKind};

/// Opens one file. What holds for every file is asserted: records read = used + reported.
fn open(name: &str, bytes: &[u8]) -> Session {
    let mut session = Session::default();
    session.open(name);
    session.push(bytes);
    session.close(None);
    session.build();
    for file in session.report() {
        assert_eq!(file.records, file.used + file.reported, "{name}: {file:?}");
    }
    session
}

/// The trace as text: tracks with their spans and events, arrows, and what was told of the file.
fn dump(session: &Session) -> Vec<String> {
    let trace = session.trace();
    let mut lines = Vec::new();
    for id in (0..trace.tracks.len() as u32).map(TrackId) {
        let track = trace.tracks.get(id);
        if track.kind != TrackKind::Run {
            lines.push(format!("{:?} {}", track.kind, trace.str(track.name)));
        }
        lines.extend(trace.tracks.spans(id).map(|span| span_line(trace, SpanId(span))));
        lines.extend(trace.tracks.events(id).map(|event| event_line(trace, EventId(event))));
    }
    for flow in trace.flows.iter() {
        let name = |id: SpanId| trace.str(trace.spans.get(id).name);
        lines.push(format!("{} -> {} {}..{}", name(flow.from), name(flow.to), flow.leaves, flow.arrives));
    }
    for problem in session.report().iter().flat_map(|file| &file.problems) {
        lines.push(format!("{} x {}", problem.count, problem.name));
    }
    lines
}

/// "- name start..end, marks, arguments": one dash for each row from the top.
fn span_line(trace: &Trace, id: SpanId) -> String {
    let span = trace.spans.get(id);
    let dashes = "-".repeat(usize::from(span.depth) + 1);
    let mut line = format!("{dashes} {} {}..{}", trace.str(span.name), span.start, span.end_time());
    span.flags.names().for_each(|flag| line += &format!(", {flag}"));
    let key = |key| trace.str(trace.keys.get(key).name).to_owned();
    trace.nums(Item::Span(id)).for_each(|(k, n)| line += &format!(", {}={n}", key(k)));
    trace.texts(id).for_each(|(k, text)| line += &format!(", {}={:?}", key(k), trace.str(text)));
    line
}

fn event_line(trace: &Trace, id: EventId) -> String {
    let event = trace.events.get(id);
    let mut line = format!("* {} {}", trace.str(event.name), event.time);
    if let Some(parent) = event.parent {
        line += &format!(" in {}", trace.str(trace.spans.get(parent).name));
    }
    let key = |key| trace.str(trace.keys.get(key).name).to_owned();
    trace.nums(Item::Event(id)).for_each(|(k, n)| line += &format!(", {}={n}", key(k)));
    line
}

/// A trace of these events, in an array, and the lines of its dump.
fn check(events: &str, expected: &[&str]) {
    let text = format!("[{events}]");
    assert_eq!(dump(&open("trace.json", text.as_bytes())), expected, "{events}");
}

/// The same for events of one thread, which are given without pid and tid.
fn check_thread(events: &str, expected: &[&str]) {
    let events =
        events.replace("{\"ph", "{\"pid\":1,\"tid\":1,\"ph").replace("{\"ts", "{\"pid\":1,\"tid\":1,\"ts");
    let lines: Vec<&str> =
        ["Process process 1", "Thread thread 1"].into_iter().chain(expected.iter().copied()).collect();
    check(&events, &lines);
}
