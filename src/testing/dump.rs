//! Text form of a trace, for comparison and for reading: its contents in display order.

use crate::trace::{EventId, Item, SpanId, Trace, TrackId, TrackKind};

/// Returns the lines of a trace: tracks with their spans and events, then arrows.
pub fn dump(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for id in (0..trace.tracks.len() as u32).map(TrackId) {
        let track = trace.tracks.get(id);
        if track.kind != TrackKind::Run {
            lines.push(format!("{:?} {}", track.kind, trace.str(track.name)));
        }
        lines.extend(trace.tracks.spans(id).map(|span| span_line(trace, id, SpanId(span))));
        lines.extend(trace.tracks.events(id).map(|event| event_line(trace, EventId(event))));
    }
    for flow in trace.flows.iter().map(|flow| flow.of_items()).chain(trace.flows.of_instants().copied()) {
        let name = |item: Item| trace.str(trace.name(item));
        lines.push(format!("{} -> {} {}..{}", name(flow.from), name(flow.to), flow.leaves, flow.arrives));
    }
    lines
}

/// Line of a span: "- name start..end in parent, flags, arguments". There is one dash per row from the top; the parent
/// is listed if it is on another track.
fn span_line(trace: &Trace, track: TrackId, id: SpanId) -> String {
    let span = trace.spans.get(id);
    let dashes = "-".repeat(usize::from(span.depth) + 1);
    let mut line = format!("{dashes} {} {}..{}", trace.str(span.name), span.start, span.end_time());
    if let Some(parent) = span.parent.filter(|&parent| trace.tracks.of_span(parent) != track) {
        line += &format!(" in {}", trace.str(trace.spans.name(parent)));
    }
    span.flags.names().for_each(|flag| line += &format!(", {flag}"));
    let key = |key| trace.str(trace.keys.get(key).name).to_owned();
    trace.nums(Item::Span(id)).for_each(|(k, n)| line += &format!(", {}={n}", key(k)));
    trace.texts(Item::Span(id)).for_each(|(k, text)| line += &format!(", {}={:?}", key(k), trace.str(text)));
    line
}

fn event_line(trace: &Trace, id: EventId) -> String {
    let event = trace.events.get(id);
    let mut line = format!("* {} {}", trace.str(event.name), event.time);
    if let Some(parent) = event.parent {
        line += &format!(" in {}", trace.str(trace.spans.name(parent)));
    }
    event.flags.names().for_each(|flag| line += &format!(", {flag}"));
    let key = |key| trace.str(trace.keys.get(key).name).to_owned();
    trace.nums(Item::Event(id)).for_each(|(k, n)| line += &format!(", {}={n}", key(k)));
    let texts = trace.texts(Item::Event(id));
    texts.for_each(|(k, text)| line += &format!(", {}={:?}", key(k), trace.str(text)));
    line
}
