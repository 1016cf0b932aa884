//! What the header of a run says about it: "400 queries · 346 ms · 3 failed · buffer 3.1 GB".

use rustc_hash::FxHashMap;

use crate::text;
use crate::trace::{EventId, Flags, Item, Kind, RunId, SpanId, Trace, key};

/// The notes that were asked for.
#[derive(Default)]
pub(super) struct Notes {
    kept: FxHashMap<u32, String>,
}

impl Notes {
    /// The note of a run.
    pub fn of_run(&mut self, trace: &Trace, run: RunId) -> &str {
        self.kept.entry(run.0).or_insert_with(|| note(trace, run))
    }
}

fn note(trace: &Trace, run: RunId) -> String {
    let run = &trace.runs[run.0 as usize];
    let spans = || trace.tracks.subtree_spans(run.track).map(|id| trace.spans.get(SpanId(id)));
    let queries =
        |flags: Flags| spans().filter(|s| s.kind == Kind::Query && s.flags.has(flags)).count() as u64;
    let mut parts = match queries(Flags::default()) {
        0 => vec![text::counted(spans().count() as u64, "span", "spans")],
        n => vec![text::counted(n, "query", "queries")],
    };
    parts.push(text::duration(run.duration));
    for (flag, name) in [(Flags::FAILED, "failed"), (Flags::OPEN_END, "unfinished")] {
        match queries(flag) {
            0 => {}
            n => parts.push(format!("{} {name}", text::count(n as i64))),
        }
    }
    let events = trace.tracks.subtree_events(run.track).map(EventId);
    let buffer = events.filter(|id| trace.events.get(*id).kind == Kind::Buffer);
    let bytes = buffer.filter_map(|id| trace.num(Item::Event(id), key::BYTES)).fold(0, i64::saturating_add);
    if bytes > 0 {
        parts.push(format!("buffer {}", text::bytes(bytes)));
    }
    parts.join(" · ")
}
