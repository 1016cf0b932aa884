//! [`Selection`]: the part of a trace that is written, and the numbers of its items in the file.

use std::ops::Range;

use crate::base::FxHashSet;
use crate::protocol::ExportSpec;
use crate::trace::{EventId, Item, RangeCut, RecordId, Run, RunId, Span, SpanId, Trace, TrackId, TrackKind};

/// The number of an item that is not written.
const LEFT_OUT: u32 = u32::MAX;

/// Numbers in the file of runs, tracks, spans or events; `None` if all are written, in their order.
#[derive(Default)]
struct Numbers(Option<Vec<u32>>);

impl Numbers {
    fn of(n: u32, is_kept: impl Fn(u32) -> bool) -> Self {
        let mut next = 0;
        let number = |id: u32| {
            let is_kept = is_kept(id);
            let number = if is_kept { next } else { LEFT_OUT };
            next += u32::from(is_kept);
            number
        };
        Self(Some((0..n).map(number).collect()))
    }

    fn get(&self, id: u32) -> Option<u32> {
        match &self.0 {
            None => Some(id),
            Some(numbers) => numbers.get(id as usize).copied().filter(|&number| number != LEFT_OUT),
        }
    }

    fn count(&self, n: usize) -> u64 {
        let kept = |numbers: &Vec<u32>| numbers.iter().filter(|&&number| number != LEFT_OUT).count();
        self.0.as_ref().map_or(n, kept) as u64
    }
}

/// The part of a trace that is written.
#[derive(Default)]
pub struct Selection {
    cut: Option<RangeCut>,
    runs: Numbers,
    tracks: Numbers,
    spans: Numbers,
    events: Numbers,
    /// Whether only a query is written, without data of whole runs, such as side tables.
    pub is_query: bool,
}

impl Selection {
    /// The part of `trace` that `spec` selects. A run or query that does not exist selects nothing.
    pub fn new(trace: &Trace, spec: &ExportSpec) -> Self {
        if spec.range.is_none() && spec.run.is_none() && spec.query.is_none() {
            return Self::default();
        }
        let cut = spec.range.map(|range| RangeCut::new(trace, range));
        let of_run = spec.run.map(|run| run_tracks(trace, run));
        let of_query = spec.query.map(|code| QueryItems::new(trace, Item::from_code(code)));
        let in_run = |track: TrackId| of_run.as_ref().is_none_or(|tracks| tracks.contains(&track.0));
        let is_kept = |item: Item| {
            let in_time = cut.as_ref().is_none_or(|cut| {
                let (start, end) = trace.interval(item);
                cut.inside(start, end).is_some()
            });
            in_time
                && of_query.as_ref().is_none_or(|query| query.contains(trace, item))
                && in_run(trace.track_of(item))
        };
        let spans = Numbers::of(trace.spans.len() as u32, |id| is_kept(Item::Span(SpanId(id))));
        let events = Numbers::of(trace.events.len() as u32, |id| is_kept(Item::Event(EventId(id))));
        let has_items = |id: u32| {
            let track = TrackId(id);
            trace.tracks.subtree_spans(track).any(|span| spans.get(span).is_some())
                || trace.tracks.subtree_events(track).any(|event| events.get(event).is_some())
        };
        let tracks = Numbers::of(trace.tracks.len() as u32, |id| {
            in_run(TrackId(id)) && (of_query.is_none() || has_items(id))
        });
        let runs = Numbers::of(trace.runs.len() as u32, |run| {
            tracks.get(trace.runs[run as usize].track.0).is_some()
        });
        Self { cut, runs, tracks, spans, events, is_query: spec.query.is_some() }
    }

    /// Number of a run in the file; `None` if it is not written.
    pub fn run(&self, id: RunId) -> Option<u32> {
        self.runs.get(id.0)
    }

    /// Number of a track in the file; `None` if it is not written.
    pub fn track(&self, id: TrackId) -> Option<u32> {
        self.tracks.get(id.0)
    }

    /// Number of a span in the file; `None` if it is not written.
    pub fn span_number(&self, id: SpanId) -> Option<u32> {
        self.spans.get(id.0)
    }

    /// Number of an event in the file; `None` if it is not written.
    pub fn event_number(&self, id: EventId) -> Option<u32> {
        self.events.get(id.0)
    }

    /// Number of spans, and number of events, that are written.
    pub fn counts(&self, trace: &Trace) -> (u64, u64) {
        (self.spans.count(trace.spans.len()), self.events.count(trace.events.len()))
    }

    /// Number of runs that are written.
    pub fn n_runs(&self, trace: &Trace) -> u64 {
        self.runs.count(trace.runs.len())
    }

    /// A span with its time in the selected range; `None` if it is not written.
    pub fn span(&self, trace: &Trace, id: SpanId) -> Option<Span> {
        self.span_number(id)?;
        match &self.cut {
            Some(cut) => cut.span(&trace.spans, id),
            None => Some(trace.spans.get(id)),
        }
    }

    /// Start and end of an item in the selected range; `None` if it is not written.
    pub fn interval(&self, trace: &Trace, item: Item) -> Option<(i64, i64)> {
        match item {
            Item::Span(id) => self.span_number(id)?,
            Item::Event(id) => self.event_number(id)?,
        };
        let (start, end) = trace.interval(item);
        self.cut.as_ref().map_or(Some((start, end)), |cut| cut.inside(start, end))
    }

    /// Length of a run inside the selected range, in nanoseconds, and the number of records of its items that are
    /// written.
    pub fn length_and_records(&self, trace: &Trace, run: &Run) -> (i64, u64) {
        if self.spans.0.is_none() {
            return (run.duration, run.records);
        }
        let mut records: FxHashSet<RecordId> = FxHashSet::default();
        for id in trace.tracks.subtree_spans(run.track).map(SpanId) {
            if self.span_number(id).is_some() {
                let (begin, end) = trace.ends(Item::Span(id));
                records.extend([begin, end]);
            }
        }
        let events = trace.tracks.subtree_events(run.track).map(EventId);
        records
            .extend(events.filter(|&id| self.event_number(id).is_some()).map(|id| trace.events.record(id)));
        records.remove(&RecordId::NONE);
        let length = self.cut.as_ref().map_or(run.duration, |cut| cut.length(run));
        (length, records.len() as u64)
    }
}

/// The tracks of a run; empty if there is no such run.
fn run_tracks(trace: &Trace, run: u32) -> Range<u32> {
    trace.runs.get(run as usize).map_or(0..0, |run| trace.tracks.subtree(run.track))
}

/// The items of one query: those in its track, if it has a track of its own, and the query with everything below it.
struct QueryItems {
    tracks: Range<u32>,
    query: Option<SpanId>,
}

impl QueryItems {
    fn new(trace: &Trace, item: Item) -> Self {
        let query = match item {
            Item::Span(id) if trace.contains(item) => Some(id),
            _ => None,
        };
        let track =
            query.and_then(|query| trace.tracks.ancestor(trace.tracks.of_span(query), TrackKind::Query));
        Self { tracks: track.map_or(0..0, |track| trace.tracks.subtree(track)), query }
    }

    fn contains(&self, trace: &Trace, item: Item) -> bool {
        if self.tracks.contains(&trace.track_of(item).0) {
            return true;
        }
        let own = match item {
            Item::Span(id) => Some(id),
            Item::Event(_) => trace.parent(item),
        };
        let above = std::iter::successors(own, |&id| trace.spans.parent(id));
        self.query.is_some() && above.take(MAX_DEPTH).any(|id| Some(id) == self.query)
    }
}

/// Maximum number of ancestors that are searched for the query.
const MAX_DEPTH: usize = 4096;
