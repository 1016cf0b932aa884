//! [`Trace::cut_to`]: cuts a trace to a time range.

use super::{Shared, TraceBuilder};
use crate::base::{FxHashMap, FxHashSet};
use crate::trace::{
    Event, EventId, Events, Flags, Flows, Item, LockParty, LockWait, RecordId, Run, Span, SpanId, Spans,
    Trace, TrackId, Tracks, clipped, overlaps,
};

impl Trace {
    /// Returns the part of the trace that overlaps the half-open `range`, with times clipped to it. Numbers, texts, track names
    /// and side tables remain unchanged. The length and the record count of each run are reduced to the part in the range.
    #[inline(never)]
    pub fn cut_to(self, range: (i64, i64)) -> Trace {
        self.cut(range, None)
    }

    /// Reduces the trace to some of its spans and events: `kept` says for each span, then for each event, whether it
    /// stays. The nearest ancestor that stays becomes the parent of a span or event whose parent does not.
    pub fn keep_items(self, kept: Vec<bool>) -> Trace {
        self.cut((i64::MIN, i64::MAX), Some(kept))
    }

    fn cut(mut self, range: (i64, i64), kept: Option<Vec<bool>>) -> Trace {
        let cut = RangeCut::new(&self, range);
        let old = Old {
            spans: std::mem::take(&mut self.spans),
            events: std::mem::take(&mut self.events),
            tracks: std::mem::take(&mut self.tracks),
            cut,
            kept,
        };
        let flows = std::mem::take(&mut self.flows);
        let spans = old.span_ids();
        let events = old.event_ids();
        let runs = std::mem::take(&mut self.runs);
        let to = |id: SpanId| spans.get(id.0 as usize).copied().flatten();
        let to_item = |item: Item| match item {
            Item::Span(id) => to(id).map(Item::Span),
            Item::Event(id) => events.get(id.0 as usize).copied().flatten().map(Item::Event),
        };
        let written = self.written_in.iter();
        let written_in = written.filter_map(|(item, records)| Some((to_item(*item)?, *records))).collect();
        let mut builder = TraceBuilder {
            trace: Trace { self_times: None, written_in, ..self },
            open: Vec::new(),
            flows: Vec::new(),
            flows_of_instants: Vec::new(),
            last: None,
            ahead: Vec::new(),
            run_names: FxHashSet::default(),
        };
        builder.trace.runs = runs.iter().map(|run| old.run(run)).collect();
        for id in (0..old.tracks.len() as u32).map(TrackId) {
            builder.cut_track(&old, id, &to);
        }
        builder.cut_links(&flows, &to, &to_item);
        builder.finish()
    }
}

/// The part of a trace that overlaps a half-open time range, in nanoseconds.
pub struct RangeCut {
    range: (i64, i64),
    /// Duration inside the range of spans that were measured by their source and extend beyond the range.
    measured: FxHashMap<SpanId, i64>,
}

impl RangeCut {
    /// Prepares the cut of `trace` to a range.
    pub fn new(trace: &Trace, range: (i64, i64)) -> Self {
        let mut measured = FxHashMap::default();
        if trace.spans.has_marked(Flags::SERVER_TIMED) {
            let all = (0..trace.spans.len() as u32).map(SpanId);
            let reaches_beyond = |id: &SpanId| {
                let bounds = trace.spans.bounds(*id);
                overlaps(bounds.0, bounds.1, range) && clipped(bounds, range) != bounds
            };
            let timed = all.filter(|&id| trace.spans.flags(id).has(Flags::SERVER_TIMED));
            measured.extend(timed.filter(reaches_beyond).map(|id| (id, trace.duration_in(id, range))));
        }
        Self { range, measured }
    }

    /// The part of an interval inside the range; `None` if they do not overlap. An interval without length is returned
    /// if it is inside.
    pub fn inside(&self, start: i64, end: i64) -> Option<(i64, i64)> {
        overlaps(start, end, self.range).then(|| clipped((start, end), self.range))
    }

    /// A span with its time and its flags in the range; `None` if it is completely outside.
    pub fn span(&self, spans: &Spans, id: SpanId) -> Option<Span> {
        let mut span = spans.get(id);
        let (start, end) = self.inside(span.start, span.end_time())?;
        (span.start, span.duration) = (start, end.saturating_sub(start));
        if let Some(&inside) = self.measured.get(&id) {
            // The duration in the span's records covers the whole span, not only the part in the range.
            span.flags = Flags(span.flags.0 & !Flags::SERVER_TIMED.0);
            span.duration = inside;
        }
        Some(span)
    }

    /// Whether an event is inside the range.
    pub fn has_event(&self, events: &Events, id: EventId) -> bool {
        let time = events.time(id);
        self.inside(time, time).is_some()
    }

    /// Length of a run inside the range, in nanoseconds.
    pub fn length(&self, run: &Run) -> i64 {
        let (from, to) = self.inside(0, run.duration).unwrap_or_default();
        to.saturating_sub(from)
    }
}

/// Spans, events and tracks of the trace as they were before it was cut to a time range.
struct Old {
    spans: Spans,
    events: Events,
    tracks: Tracks,
    cut: RangeCut,
    /// By span, then by event: whether it is kept; `None` for all.
    kept: Option<Vec<bool>>,
}

impl Old {
    fn span(&self, id: SpanId) -> bool {
        let (start, end) = self.spans.bounds(id);
        self.keeps(id.0 as usize) && self.cut.inside(start, end).is_some()
    }

    fn keeps(&self, row: usize) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.get(row).is_some_and(|kept| *kept))
    }

    /// New id of the parent of an item. If only some items are kept, a removed parent is replaced by its nearest
    /// ancestor that is kept. `None` without a parent.
    fn parent(&self, parent: Option<SpanId>, to: &impl Fn(SpanId) -> Option<SpanId>) -> Option<SpanId> {
        let mut next = parent;
        while let Some(id) = next {
            if let Some(new) = to(id) {
                return Some(new);
            }
            next = self.spans.parent(id).filter(|&above| above < id && self.kept.is_some());
        }
        None
    }

    fn event(&self, id: EventId) -> bool {
        self.keeps(self.spans.len() + id.0 as usize) && self.cut.has_event(&self.events, id)
    }

    /// By span: its id after the cut; `None` if it is completely outside the range.
    fn span_ids(&self) -> Vec<Option<SpanId>> {
        let is_left = |id: u32| self.span(SpanId(id));
        renumbered(self.spans.len() as u32, is_left).map(|id| id.map(SpanId)).collect()
    }

    /// By event: its id after the cut; `None` if it is outside the range.
    fn event_ids(&self) -> Vec<Option<EventId>> {
        let is_left = |id: u32| self.event(EventId(id));
        renumbered(self.events.len() as u32, is_left).map(|id| id.map(EventId)).collect()
    }

    /// Returns the run with its length reduced to the range, and the number of records of the items that overlap the range.
    fn run(&self, run: &Run) -> Run {
        let mut records: FxHashSet<RecordId> = FxHashSet::default();
        for id in self.tracks.subtree_spans(run.track).map(SpanId).filter(|&id| self.span(id)) {
            let (begin, end) = self.spans.ends(id);
            records.extend([begin, end]);
        }
        let events = self.tracks.subtree_events(run.track).map(EventId);
        records.extend(events.filter(|&id| self.event(id)).map(|id| self.events.record(id)));
        records.remove(&RecordId::NONE);
        Run { duration: self.cut.length(run), records: records.len() as u64, ..*run }
    }
}

/// Renumbers `n` entries: the new number of each entry for which `is_left` holds, and `None` for each removed entry.
fn renumbered(n: u32, is_left: impl Fn(u32) -> bool) -> impl Iterator<Item = Option<u32>> {
    let mut next = 0;
    (0..n).map(move |id| {
        let new = is_left(id).then_some(next);
        next += u32::from(new.is_some());
        new
    })
}

impl TraceBuilder {
    /// Copies a track with the spans and events that overlap the range.
    fn cut_track(&mut self, old: &Old, id: TrackId, to: &impl Fn(SpanId) -> Option<SpanId>) {
        let track = old.tracks.get(id);
        match track.parent {
            Some(parent) => drop(self.track(parent, track.name, track.kind)),
            None => {
                self.open.clear();
                self.push_track(track.name, track.kind);
            }
        }
        for id in old.tracks.spans(id).map(SpanId) {
            let Some(span) = old.cut.span(&old.spans, id).filter(|_| old.span(id)) else { continue };
            let shared = Shared { shape: old.spans.shape(id), row: old.spans.args(id) };
            self.span_with(Span { parent: old.parent(span.parent, to), ..span }, shared);
        }
        for id in old.tracks.events(id).map(EventId).filter(|&id| old.event(id)) {
            let event = old.events.get(id);
            let event = Event { parent: old.parent(event.parent, to), ..event };
            self.trace.events.push(event, old.events.shape(id), old.events.args(id));
        }
    }

    /// Copies arrows whose ends both remain, and lock waits.
    fn cut_links(
        &mut self,
        flows: &Flows,
        to: &impl Fn(SpanId) -> Option<SpanId>,
        to_item: &impl Fn(Item) -> Option<Item>,
    ) {
        for flow in flows.iter() {
            if let (Some(from), Some(to)) = (to(flow.from), to(flow.to)) {
                self.flow(super::Flow { from, to, ..*flow });
            }
        }
        for flow in flows.of_instants() {
            if let (Some(from), Some(to)) = (to_item(flow.from), to_item(flow.to)) {
                self.item_flow(super::Flow { from, to, ..*flow });
            }
        }
        let party = |party: LockParty| LockParty {
            span: party.span.and_then(to),
            statement: party.statement.and_then(to),
            ..party
        };
        let waits = std::mem::take(&mut self.trace.lock_waits).into_iter();
        let cut =
            |wait: LockWait| LockWait { waiter: party(wait.waiter), holder: party(wait.holder), ..wait };
        self.trace.lock_waits = waits.map(cut).collect();
    }
}
