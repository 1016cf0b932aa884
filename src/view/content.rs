//! What rows hold: the bars and points of tracks, as [`Lane`]s.

use super::counter::CounterSamples;
use super::lane::{Lane, LaneEntry};
use super::metrics;
use crate::base::FxHashMap;
use crate::base::sort;
use crate::stats;
use crate::trace::{EventId, Flags, Item, Kind, SpanId, Trace, TrackId, TrackKind, key};

/// Points of a row: those that reached secondary storage stand apart, so that merging never hides them.
#[derive(Default)]
pub(super) struct PointLane {
    pub plain: Lane,
    pub storage: Lane,
}

impl PointLane {
    pub fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.storage.is_empty()
    }
}

/// What one track holds.
pub(super) struct Content {
    /// Lanes with their row and the kind of their first span: a row has separate lanes for idle time, work and pauses. In the
    /// order of painting.
    pub bars: Vec<(u16, Kind, Lane)>,
    /// The points of each row that has any.
    pub points: Vec<(u16, PointLane)>,
}

/// The contents of tracks. Those of small tracks are made when they are drawn, those of large ones are kept.
#[derive(Default)]
pub(super) struct TrackContents {
    kept: FxHashMap<TrackId, Content>,
    activities: FxHashMap<TrackId, Lane>,
    flags: FxHashMap<TrackId, Flags>,
    counters: FxHashMap<TrackId, CounterSamples>,
}

/// Tracks from this size on are kept: together they are no larger than the trace.
const LARGE: usize = 512;

impl TrackContents {
    /// Hands the content of a track to `draw`.
    pub fn with(&mut self, trace: &Trace, track: TrackId, draw: impl FnOnce(&Content)) {
        if trace.tracks.spans(track).len() + trace.tracks.events(track).len() < LARGE {
            return draw(&Content::of(trace, track));
        }
        draw(self.kept.entry(track).or_insert_with(|| Content::of(trace, track)));
    }

    /// The marks of all spans in a track and below it.
    pub fn flags(&mut self, trace: &Trace, track: TrackId) -> Flags {
        let spans = || trace.tracks.subtree_spans(track).map(|id| trace.spans.flags(SpanId(id)));
        let all = || spans().fold(Flags::default(), Flags::with);
        *self.flags.entry(track).or_insert_with(all)
    }

    /// The samples of a counter.
    pub fn counter(&mut self, trace: &Trace, track: TrackId) -> &CounterSamples {
        self.counters.entry(track).or_insert_with(|| CounterSamples::of(trace, track))
    }

    /// When something of a run or process is going on.
    pub fn activity(&mut self, trace: &Trace, track: TrackId) -> &Lane {
        self.activities.entry(track).or_insert_with(|| match trace.tracks.kind(track) {
            TrackKind::Process => union_of(thread_spans(trace, track)),
            _ => union_of(top_spans(trace, track)),
        })
    }
}

impl Content {
    /// See [`beyond`].
    pub fn gap_around(&self, start: i64, end: i64) -> (Option<i64>, Option<i64>) {
        let points = self.points.iter().flat_map(|(_, points)| [&points.plain, &points.storage]);
        gap_around(self.bars.iter().map(|(_, _, lane)| lane).chain(points), start, end)
    }

    fn of(trace: &Trace, track: TrackId) -> Content {
        let n_rows = usize::from(trace.tracks.get(track).lanes);
        let (mut rows, mut idle) = (vec![Lane::default(); n_rows], vec![Lane::default(); n_rows]);
        for id in trace.tracks.spans(track).map(SpanId) {
            let entry = span_entry(trace, id);
            let rows = if entry.kind == Kind::Idle { &mut idle } else { &mut rows };
            rows[usize::from(trace.spans.depth(id))].push(entry);
        }
        let kind = |lane: &Lane| (!lane.is_empty()).then(|| lane.entry(0).kind);
        let bars = (0..).zip(idle).chain((0..).zip(rows));
        let bars = bars.filter_map(|(row, lane)| Some((row, kind(&lane)?, lane.finish())));
        // A request lies behind its query, whatever their rows are, and idle time counts in no column of work.
        let is_behind = |kind: Kind| matches!(kind, Kind::Request | Kind::Idle);
        let (mut bars, front): (Vec<_>, Vec<_>) = bars.partition(|&(_, kind, _)| is_behind(kind));
        bars.extend(front);
        if trace.spans.has(Kind::Transaction) {
            bars.extend(pauses(trace, track));
        }
        Content { bars, points: points_of(trace, track) }
    }
}

/// The events of a track, by row.
fn points_of(trace: &Trace, track: TrackId) -> Vec<(u16, PointLane)> {
    let is_nested = metrics::is_nested(trace.tracks.kind(track));
    let mut rows: Vec<PointsBuilder> = Vec::new();
    for id in trace.tracks.events(track).map(EventId) {
        let row = if is_nested { usize::from(level_of(trace, id)) } else { 0 };
        rows.resize_with(rows.len().max(row + 1), PointsBuilder::default);
        rows[row].push(event_entry(trace, id));
    }
    let rows = (0..).zip(rows).map(|(row, points)| (row, points.finish()));
    rows.filter(|(_, points)| !points.is_empty()).collect()
}

/// The row of what an event lies in on its own track; the first where it lies in nothing.
pub(super) fn level_of(trace: &Trace, id: EventId) -> u16 {
    let own = trace.tracks.of_event(id);
    let parent = trace.parent(Item::Event(id)).filter(|parent| trace.tracks.of_span(*parent) == own);
    parent.map_or(0, |parent| trace.spans.depth(parent))
}

/// Where nothing of `lanes` lies inside `start..=end`: when the last thing before it ends, and when the first one after it
/// starts. Else nothing.
pub(super) fn gap_around<'a>(
    lanes: impl IntoIterator<Item = &'a Lane>,
    start: i64,
    end: i64,
) -> (Option<i64>, Option<i64>) {
    let (mut before, mut after) = (None, None);
    for lane in lanes {
        let (last, first) = lane.around(start);
        if first.is_some_and(|first| first <= end) {
            return (None, None);
        }
        before = before.max(last);
        after = [after, first].into_iter().flatten().min();
    }
    (before, after)
}

/// The pauses of a track's transactions, over their bars: what is drawn of one stands for the transaction.
fn pauses(trace: &Trace, track: TrackId) -> Vec<(u16, Kind, Lane)> {
    let mut rows: Vec<Lane> = Vec::new();
    for paused in stats::pauses(trace, track).iter().filter(|paused| !paused.gaps.is_empty()) {
        let (row, code) = (usize::from(trace.spans.depth(paused.span)), Item::Span(paused.span).code());
        rows.resize_with(rows.len().max(row + 1), Lane::default);
        paused.gaps.iter().for_each(|gap| rows[row].push(pause_entry(code, gap)));
    }
    let lanes = (0..).zip(rows).filter(|(_, lane)| !lane.is_empty());
    lanes.map(|(row, lane)| (row, Kind::Idle, lane.finish())).collect()
}

/// The bar of a pause of the transaction with this code.
pub(super) fn pause_entry(code: u32, gap: &stats::Gap) -> LaneEntry {
    LaneEntry {
        start: gap.start,
        weight: gap.end - gap.start,
        code,
        flags: Flags::default(),
        kind: Kind::Idle,
    }
}

/// Points in the making: events by time.
#[derive(Default)]
pub(super) struct PointsBuilder {
    plain: Lane,
    storage: Lane,
}

impl PointsBuilder {
    pub fn push(&mut self, entry: LaneEntry) {
        let storage = entry.flags.has(Flags::STORAGE);
        if storage { &mut self.storage } else { &mut self.plain }.push(entry);
    }

    pub fn finish(self) -> PointLane {
        PointLane { plain: self.plain.finish_points(), storage: self.storage.finish_points() }
    }
}

/// An event as a point.
pub(super) fn event_entry(trace: &Trace, id: EventId) -> LaneEntry {
    let (start, item) = (trace.events.time(id), Item::Event(id));
    let weight = trace.num(item, key::BYTES).unwrap_or(0).max(0);
    let (kind, flags) = trace.events.kind_and_flags(id);
    LaneEntry { start, weight, code: item.code(), flags, kind }
}

/// A span as a bar.
pub(super) fn span_entry(trace: &Trace, id: SpanId) -> LaneEntry {
    let ((start, weight), (kind, flags)) = (trace.spans.time(id), trace.spans.kind_and_flags(id));
    LaneEntry { start, weight, code: id.0, flags, kind }
}

/// Spans, those that overlap as one bar, which stands for the longest of them.
fn union_of(mut spans: Vec<LaneEntry>) -> Lane {
    sort::by_key(&mut spans, |entry| (entry.start, u64::from(entry.code)));
    let mut bars: Vec<LaneEntry> = Vec::new();
    let mut longest = 0;
    for span in spans {
        let end = span.start.saturating_add(span.weight);
        match bars.last_mut() {
            Some(bar) if span.start < bar.start.saturating_add(bar.weight) => {
                bar.weight = bar.weight.max(end.saturating_sub(bar.start));
                bar.flags = bar.flags.with(span.flags);
                if span.weight > longest {
                    (bar.code, longest) = (span.code, span.weight);
                }
            }
            _ => {
                bars.push(span);
                longest = span.weight;
            }
        }
    }
    Lane::bars(bars)
}

/// The outermost spans of a process's threads, or of all its tracks where it has no threads with spans. What never ended,
/// such as the loop that a thread runs in, stands for what is directly inside.
fn thread_spans(trace: &Trace, process: TrackId) -> Vec<LaneEntry> {
    let is_open = |id: SpanId| trace.spans.flags(id).has(Flags::OPEN_END);
    let is_work = |id: SpanId| !is_open(id) && trace.spans.kind(id) != Kind::Idle;
    let is_outer = |id: &SpanId| is_work(*id) && trace.spans.parent(*id).is_none_or(is_open);
    let of_tracks = |wanted: &dyn Fn(TrackKind) -> bool| -> Vec<LaneEntry> {
        let tracks = trace.tracks.subtree(process).map(TrackId).filter(|id| wanted(trace.tracks.kind(*id)));
        let spans = tracks.flat_map(|track| trace.tracks.spans(track).map(SpanId)).filter(is_outer);
        spans.map(|id| span_entry(trace, id)).collect()
    };
    let threads = of_tracks(&|kind| kind == TrackKind::Thread);
    if threads.is_empty() { of_tracks(&|_| true) } else { threads }
}

/// The queries of a subtree; where there are none, the work that has no parent.
pub(super) fn top_spans(trace: &Trace, root: TrackId) -> Vec<LaneEntry> {
    let ids = || trace.tracks.subtree_spans(root).map(SpanId);
    let is_query = |id: &SpanId| trace.spans.kind(*id) == Kind::Query;
    let queries: Vec<LaneEntry> = ids().filter(is_query).map(|id| span_entry(trace, id)).collect();
    if !queries.is_empty() {
        return queries;
    }
    let is_outer = |id: &SpanId| trace.spans.parent(*id).is_none() && trace.spans.kind(*id) != Kind::Idle;
    ids().filter(is_outer).map(|id| span_entry(trace, id)).collect()
}
