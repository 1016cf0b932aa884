//! Contents of rows: the bars and points of tracks, as [`Lane`]s.

use super::counter::CounterSamples;
use super::lane::{Lane, LaneEntry, ShownLane};
use super::metrics;
use crate::analysis::Hits;
use crate::base::FxHashMap;
use crate::base::sort;
use crate::protocol::CounterView;
use crate::stats;
use crate::trace::{EventId, Flags, Item, Kind, SpanId, Trace, TrackId, TrackKind, key};

/// Points of a row. Accesses to secondary storage have a lane of their own, so that merging never hides them.
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

/// Bars and points of one track.
pub(super) struct Content {
    /// Row, kind of the first span, and lane, in painting order: a row has separate lanes for idle time, work and
    /// pauses.
    pub bars: Vec<(u16, Kind, Lane)>,
    /// Row and points, for each row that has points.
    pub points: Vec<(u16, PointLane)>,
}

/// Contents of tracks: small tracks are built when they are drawn, large ones are cached.
#[derive(Default)]
pub(super) struct TrackContents {
    kept: FxHashMap<TrackId, Content>,
    activities: FxHashMap<TrackId, Lane>,
    /// Activities of the spans that the latest filter shows, and the text that identifies the filter.
    shown_activities: (String, FxHashMap<TrackId, Lane>),
    flags: FxHashMap<TrackId, Flags>,
    counters: FxHashMap<(TrackId, bool), CounterSamples>,
}

/// The content of a track is cached if the track has at least this many spans and events.
const LARGE: usize = 512;

impl TrackContents {
    /// Calls `draw` with the content of a track.
    pub fn with(&mut self, trace: &Trace, track: TrackId, draw: impl FnOnce(&Content)) {
        if trace.tracks.spans(track).len() + trace.tracks.events(track).len() < LARGE {
            return draw(&Content::of(trace, track));
        }
        draw(self.kept.entry(track).or_insert_with(|| Content::of(trace, track)));
    }

    /// Returns the union of the flags of all spans in a track and below it.
    pub fn flags(&mut self, trace: &Trace, track: TrackId) -> Flags {
        let spans = || trace.tracks.subtree_spans(track).map(|id| trace.spans.flags(SpanId(id)));
        let all = || spans().fold(Flags::default(), Flags::with);
        *self.flags.entry(track).or_insert_with(all)
    }

    /// Returns the samples of a counter track; with `is_rate`, their changes per second.
    pub fn counter(&mut self, trace: &Trace, track: TrackId, is_rate: bool) -> &CounterSamples {
        let samples = || CounterSamples::of(trace, track, is_rate);
        self.counters.entry((track, is_rate)).or_insert_with(samples)
    }

    /// Returns the samples of stacked counters (with `is_rate`, their changes per second), and the sum of their maxima.
    pub fn stack(&mut self, trace: &Trace, tracks: &[TrackId], is_rate: bool) -> (Vec<&CounterSamples>, i64) {
        for track in tracks {
            self.counter(trace, *track, is_rate);
        }
        let counters: Vec<_> =
            tracks.iter().filter_map(|track| self.counters.get(&(*track, is_rate))).collect();
        let high = counters.iter().fold(0_i64, |sum, counter| sum.saturating_add(counter.high));
        (counters, high)
    }

    /// Returns the value range of a counter's strip: with a common scale, that of all counters of its parent with its unit.
    pub fn counter_scale(&mut self, trace: &Trace, track: TrackId, view: CounterView) -> (i64, i64) {
        let own = self.counter(trace, track, view.rate);
        let (unit, mut scale) = (own.unit, (own.low, own.high));
        let parent = trace.tracks.get(track).parent.filter(|_| view.common_scale);
        for sibling in parent.into_iter().flat_map(|parent| trace.tracks.children(parent)) {
            if trace.tracks.kind(sibling) == TrackKind::Counter {
                let other = self.counter(trace, sibling, view.rate);
                if other.unit == unit {
                    scale = (scale.0.min(other.low), scale.1.max(other.high));
                }
            }
        }
        scale
    }

    /// Returns the times in which a run or process is active; with `shown`, the times of its spans in `shown`.
    pub fn activity(&mut self, trace: &Trace, track: TrackId, shown: Option<&Hits>) -> &Lane {
        if let Some(shown) = shown {
            if self.shown_activities.0 != shown.text() {
                self.shown_activities = (shown.text().to_owned(), FxHashMap::default());
            }
            let spans = trace.tracks.subtree_spans(track).map(SpanId);
            let spans = spans.filter(|id| shown.contains(Item::Span(*id)));
            let activity = || union_of(spans.map(|id| span_entry(trace, id)).collect());
            return self.shown_activities.1.entry(track).or_insert_with(activity);
        }
        self.activities.entry(track).or_insert_with(|| match trace.tracks.kind(track) {
            TrackKind::Process => union_of(thread_spans(trace, track)),
            _ => union_of(top_spans(trace, track)),
        })
    }
}

impl Content {
    /// Returns the end of the last item before an interval and the start of the first item after it, if the track has
    /// no item inside the interval; see [`gap_around`].
    pub fn gap_around(&self, shown: Option<&Hits>, start: i64, end: i64) -> (Option<i64>, Option<i64>) {
        let points = self.points.iter().flat_map(|(_, points)| [&points.plain, &points.storage]);
        gap_around(self.bars.iter().map(|(_, _, lane)| lane).chain(points), shown, start, end)
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
        // A request is drawn behind its query, whatever their rows are, and idle time is not part of columns of work.
        let is_behind = |kind: Kind| matches!(kind, Kind::Request | Kind::Idle);
        let (mut bars, front): (Vec<_>, Vec<_>) = bars.partition(|&(_, kind, _)| is_behind(kind));
        bars.extend(front);
        if trace.spans.has(Kind::Transaction) {
            bars.extend(pauses(trace, track));
        }
        Content { bars, points: points_of(trace, track) }
    }
}

/// Returns the events of a track, by row.
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

/// Returns the row of the span that contains an event on its own track; 0 if there is none.
pub(super) fn level_of(trace: &Trace, id: EventId) -> u16 {
    let own = trace.tracks.of_event(id);
    let parent = trace.parent(Item::Event(id)).filter(|parent| trace.tracks.of_span(*parent) == own);
    parent.map_or(0, |parent| trace.spans.depth(parent))
}

/// Returns the end of the last item before `start..=end` and the start of the first item after it, if no item of
/// `lanes` is inside; otherwise a pair of `None`. Counts only items in `shown`, if it is set.
pub(super) fn gap_around<'a>(
    lanes: impl IntoIterator<Item = &'a Lane>,
    shown: Option<&Hits>,
    start: i64,
    end: i64,
) -> (Option<i64>, Option<i64>) {
    let (mut before, mut after) = (None, None);
    for lane in lanes {
        let part = lane.part(shown);
        let (last, first) = ShownLane::or_all(part.as_ref(), lane).around(start);
        if first.is_some_and(|first| first <= end) {
            return (None, None);
        }
        before = before.max(last);
        after = [after, first].into_iter().flatten().min();
    }
    (before, after)
}

/// Returns the pauses of a track's transactions, drawn over their bars; each has the item code of its transaction.
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

/// Returns the bar of a pause of the transaction with this code.
pub(super) fn pause_entry(code: u32, gap: &stats::Gap) -> LaneEntry {
    LaneEntry {
        start: gap.start,
        weight: gap.end - gap.start,
        code,
        flags: Flags::default(),
        kind: Kind::Idle,
    }
}

/// Builder of a [`PointLane`] from events in time order.
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

/// Returns the point of an event.
pub(super) fn event_entry(trace: &Trace, id: EventId) -> LaneEntry {
    let (start, item) = (trace.events.time(id), Item::Event(id));
    let weight = trace.num(item, key::BYTES).unwrap_or(0).max(0);
    let (kind, flags) = trace.events.kind_and_flags(id);
    LaneEntry { start, weight, code: item.code(), flags, kind }
}

/// Returns the bar of a span.
pub(super) fn span_entry(trace: &Trace, id: SpanId) -> LaneEntry {
    let ((start, weight), (kind, flags)) = (trace.spans.time(id), trace.spans.kind_and_flags(id));
    LaneEntry { start, weight, code: id.0, flags, kind }
}

/// Merges overlapping spans into bars; each bar has the item code of its longest span.
#[inline(never)]
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

/// Returns the outermost spans of a process's threads, or of all its tracks if no thread has spans. A span that never
/// ended, such as a thread's main loop, is replaced by its children.
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

/// Returns the queries of a subtree; if there are none, the work spans without a parent.
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
