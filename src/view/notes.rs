//! Summaries in the headers of runs, such as "400 queries · 346 ms · 3 failed · buffer 3.1 GB".

use crate::base::FxHashMap;
use crate::base::text;
use crate::trace::{EventId, Flags, Item, Kind, RunId, SpanId, Trace, key};

/// Header notes by run number; each is computed when it is first requested.
#[derive(Default)]
pub(super) struct ItemNotes {
    kept: FxHashMap<u32, String>,
}

impl ItemNotes {
    /// Returns the header note of a run.
    pub fn of_run(&mut self, trace: &Trace, run: RunId) -> &str {
        self.kept.entry(run.0).or_insert_with(|| note(trace, run))
    }
}

fn note(trace: &Trace, run: RunId) -> String {
    let run = &trace.runs[run.0 as usize];
    let all = trace.tracks.subtree_spans(run.track);
    let mut queries = 0_u64;
    let mut failed = 0;
    let mut unfinished = 0;
    let looks = all.clone().map(|id| trace.spans.kind_and_flags(SpanId(id)));
    for (_, marks) in looks.filter(|(kind, _)| *kind == Kind::Query) {
        queries += 1;
        failed += i64::from(marks.has(Flags::FAILED));
        unfinished += i64::from(marks.has(Flags::OPEN_END));
    }
    let mut parts = match queries {
        0 => vec![text::counted(all.len() as u64, "span", "spans")],
        n => vec![text::counted(n, "query", "queries")],
    };
    parts.push(text::duration(run.duration));
    for (count, name) in [(failed, "failed"), (unfinished, "unfinished")] {
        if count > 0 {
            parts.push(format!("{} {name}", text::count(count)));
        }
    }
    let events = trace.tracks.subtree_events(run.track).map(EventId);
    let buffer = events.filter(|id| trace.events.kind(*id) == Kind::Buffer);
    let bytes = buffer.filter_map(|id| trace.num(Item::Event(id), key::BYTES)).fold(0, i64::saturating_add);
    if bytes > 0 {
        parts.push(format!("buffer {}", text::bytes(bytes)));
    }
    parts.join(" · ")
}
