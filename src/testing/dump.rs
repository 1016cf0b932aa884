//! Text form of a trace, for comparison and for reading: its contents in display order.

use super::items;
use crate::trace::{EventId, Item, Key, Run, SpanId, StrId, Trace, TrackId, TrackKind};

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

/// Returns what [`dump`] leaves out: runs, rows of tracks, texts of tracks, lock waits, side tables, notes, groups of names, units.
pub fn dump_rest(trace: &Trace) -> Vec<String> {
    let mut lines: Vec<String> = trace.runs.iter().map(|run| run_line(trace, run)).collect();
    let text = |text: StrId| text.some().map(|text| trace.str(text));
    let key = |key: Key| (trace.str(trace.keys.get(key).name), trace.keys.get(key).unit);
    for id in (0..trace.tracks.len() as u32).map(TrackId) {
        let track = trace.tracks.get(id);
        let texts: Vec<_> = trace.track_texts.of(id).map(|(k, value)| (key(k), trace.str(value))).collect();
        lines.push(format!("track {:?} depth {} lanes {} {texts:?}", track.parent, track.depth, track.lanes));
        let kinds = trace.tracks.spans(id).map(|span| trace.spans.kind_and_flags(SpanId(span)));
        lines.extend(kinds.map(|(kind, flags)| format!("{kind:?} {}", flags.0)));
        let kinds = trace.tracks.events(id).map(|event| trace.events.kind_and_flags(EventId(event)));
        lines.extend(kinds.map(|(kind, flags)| format!("{kind:?} {}", flags.0)));
    }
    for wait in &trace.lock_waits {
        let words = [wait.object, wait.wanted, wait.held, wait.since].map(text);
        let parties = [wait.waiter, wait.holder]
            .map(|party| (trace.str(party.thread), party.span, party.statement, text(party.running)));
        lines.push(format!("lock {:?} {words:?} {parties:?} {}", wait.run, wait.more));
    }
    for table in trace.tables.iter() {
        let columns: Vec<_> = table.columns().iter().map(|&column| trace.str(column)).collect();
        lines.push(format!("table {:?} {} {columns:?}", table.run, trace.str(table.name)));
        let cells = |row| (0..columns.len()).map(move |at| table.cell(row, at).map(|cell| trace.str(cell)));
        lines.extend((0..table.len()).map(|row| format!("row {:?}", cells(row).collect::<Vec<_>>())));
    }
    lines.extend(trace.notes.iter().map(|note| format!("note {:?} {}: {}", note.run, note.name, note.text)));
    let names = items(trace).map(|item| trace.name(item));
    let mut groups: Vec<_> =
        names.map(|name| [name, trace.name_group(name)].map(|name| trace.str(name))).collect();
    groups.sort_unstable();
    groups.dedup();
    lines.extend(groups.iter().map(|group| format!("group {group:?}")));
    lines.extend(trace.keys_in_use().into_iter().map(|used| format!("key {:?}", key(used))));
    lines
}

fn run_line(trace: &Trace, run: &Run) -> String {
    format!("run {} {} {} {}", trace.str(run.name), run.origin, run.duration, run.records)
}
