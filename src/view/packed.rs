//! Packed arrangement: queries are placed in as few lanes as their concurrency needs.
//!
//! ```text
//! lane 0   request  ▁▁▁▁▁▁▁▁▁▁▁▁    ▁▁▁▁▁▁▁       a unit (a query with all that is below it) is in one lane from
//!          query     ▇▇▇▇▇▇▇▇▇▇      ▇▇▇▇▇        its first to its last moment, so every row of a lane
//!          source    ▇▇▇▇  ▇▇▇        ▇▇          is again a row of bars that never overlap
//!          execution  ▇▇    ▇         ▇           (as many sub-lanes as its busiest unit needs)
//!          source      ▇▇▇▇
//!          execution    ▇▇
//!          events      • •  ◆         •
//! lane 1   …
//! ```
//! Spans of threads are placed in rows by depth instead, regardless of kind: children are below their parents.

use super::content::{PointLane, PointsBuilder, event_entry, level_of, pause_entry, span_entry};
use super::lane::{Lane, LaneEntry};
use super::metrics;
use crate::base::FxHashMap;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::stats;
use crate::trace::{EventId, Item, Kind, RunId, SpanId, Trace, TrackId, TrackKind};

/// Identifies a row of a lane; keys are ordered as on screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct RowKey {
    /// 0 for the query's own spans; 1, 2, … for sources that run at the same time.
    pub group: u32,
    /// Kind of the row's spans; [`Kind::Slice`] for rows of threads, which hold spans of several kinds.
    pub kind: Kind,
    /// Depth of a thread's spans; for other kinds, the number of the row among rows of overlapping spans of the kind.
    pub index: u32,
}

/// Whether spans of a kind are work of threads, which is placed in rows by depth.
pub(super) fn is_work(kind: Kind) -> bool {
    use Kind::{Idle, Slice, Stage, State, Statement, Transaction, Wait};
    matches!(kind, Slice | State | Transaction | Statement | Stage | Wait | Idle)
}

/// One lane: rows of bars, and a row of points.
pub(super) struct PackedLane {
    pub rows: Vec<(RowKey, Lane)>,
    /// Pauses of transactions, drawn over the rows of the transactions.
    pub pauses: Vec<(RowKey, Lane)>,
    /// Idle spans, drawn in the same rows as work, but never merged with work into one bar.
    pub idle: Vec<(RowKey, Lane)>,
    /// Instants of threads, in the rows of the spans that contain them.
    pub instants: Vec<(RowKey, PointLane)>,
    /// Buffer events.
    pub points: PointLane,
    /// All other events, such as further round trips of a request, drawn on the query.
    pub marks: PointLane,
    /// Per group: the track of its spans; `None` if they are from several tracks.
    pub tracks: Vec<Option<TrackId>>,
}

/// All lanes of a run.
pub(super) struct PackedRun {
    pub run: RunId,
    /// Whether all of the run is shown, not just one unit.
    pub whole: bool,
    pub lanes: Vec<PackedLane>,
}

/// A query or other top-level track with everything below it.
#[derive(Clone, Copy)]
struct QueryUnit {
    start: i64,
    end: i64,
    track: TrackId,
}

/// Packs all runs.
pub(super) fn all(trace: &Trace) -> Vec<PackedRun> {
    let run = |(id, root): (u32, TrackId)| {
        let units = trace.tracks.children(root).filter_map(|track| unit(trace, track));
        PackedRun { run: RunId(id), whole: true, lanes: pack(trace, units.collect()) }
    };
    (0..).zip(trace.runs.iter().map(|run| run.track)).map(run).collect()
}

/// Packs a single unit.
pub(super) fn one(trace: &Trace, track: TrackId) -> Vec<PackedRun> {
    let lanes = pack(trace, unit(trace, track).into_iter().collect());
    vec![PackedRun { run: trace.run_of(track), whole: false, lanes }]
}

/// Returns the unit of a track: its ancestor directly below the run. `None` for a run's own track.
pub(super) fn unit_of(trace: &Trace, track: TrackId) -> Option<TrackId> {
    let (mut at, mut parent) = (track, trace.tracks.get(track).parent?);
    while let Some(above) = trace.tracks.get(parent).parent {
        (at, parent) = (parent, above);
    }
    Some(at)
}

/// Returns the time range of a track's unit; `None` if the track and its descendants are empty.
fn unit(trace: &Trace, track: TrackId) -> Option<QueryUnit> {
    let spans = spans_of(trace, track);
    let (mut start, mut end) = spans.map_or((i64::MAX, i64::MIN), |unit| (unit.start, unit.end));
    for time in trace.tracks.subtree_events(track).map(|id| trace.events.time(EventId(id))) {
        (start, end) = (start.min(time), end.max(time));
    }
    (start <= end).then_some(QueryUnit { start, end, track })
}

fn pack(trace: &Trace, mut units: Vec<QueryUnit>) -> Vec<PackedLane> {
    sort::by_key(&mut units, |unit| (unit.start, u64::from(unit.track.0)));
    let mut fit = LaneAllocator::default();
    let mut lanes: Vec<LaneBuilder> = Vec::new();
    let mut scratch = UnitScratch::default();
    for unit in units {
        // The rows of a process are named after its threads, so that no other unit may share its lane. Units without
        // duration get a minimum length, so that they do not overlap either.
        let is_process = trace.tracks.kind(unit.track) == TrackKind::Process;
        let end = if is_process { i64::MAX } else { unit.end.max(unit.start.saturating_add(1)) };
        let lane = fit.place(unit.start, end);
        lanes.resize_with(fit.count(), LaneBuilder::default);
        lanes[lane].add(trace, unit.track, &mut scratch);
    }
    lanes.into_iter().map(LaneBuilder::finish).collect()
}

#[derive(Default)]
struct LaneBuilder {
    /// Lanes by group, kind and row index.
    rows: Vec<[Vec<Lane>; Kind::ALL.len()]>,
    /// Lanes of pauses, by the row of their transactions.
    pauses: Vec<Lane>,
    /// Lanes of idle spans, by group and row.
    idle: Vec<Vec<Lane>>,
    instants: Vec<Vec<PointsBuilder>>,
    points: PointsBuilder,
    marks: PointsBuilder,
    /// Per group, once it holds spans: its track; `Some(None)` if they are from several tracks.
    tracks: Vec<Option<Option<TrackId>>>,
}

/// Buffers that are reused from unit to unit.
#[derive(Default)]
struct UnitScratch {
    groups: LaneAllocator,
    children: Vec<QueryUnit>,
    spans: Vec<LaneEntry>,
    events: Vec<LaneEntry>,
    /// Item codes and rows of the transactions in the most recently placed group.
    transactions: Vec<(u32, u32)>,
    /// Item codes and rows of thread spans that are not in the row of their depth.
    moved: FxHashMap<u32, u32>,
    /// Child tracks of the unit and their groups.
    of_children: Vec<(TrackId, u32)>,
    /// Row allocators of the current group, by kind.
    rows: [LaneAllocator; Kind::ALL.len()],
}

impl LaneBuilder {
    fn add(&mut self, trace: &Trace, unit: TrackId, scratch: &mut UnitScratch) {
        scratch.spans.extend(trace.tracks.spans(unit).map(|id| span_entry(trace, SpanId(id))));
        self.is_of(0, unit);
        self.add_group(trace, (0, unit), scratch);
        self.add_pauses(trace, unit, scratch);
        self.add_children(trace, unit, scratch);
        self.add_instants(trace, unit, scratch);
        let is_shown = |id: &EventId| !is_in_row(trace, *id);
        let events = trace.tracks.subtree_events(unit).map(EventId).filter(is_shown);
        let events = events.map(|id| event_entry(trace, id));
        // Samples of a counter are drawn as a strip, on the counter's own track only.
        scratch.events.extend(events.filter(|event| event.kind != Kind::Sample));
        sort::by_key(&mut scratch.events, |event| (event.start, u64::from(event.code)));
        for event in scratch.events.drain(..) {
            let buffer = event.kind == Kind::Buffer;
            if buffer { &mut self.points } else { &mut self.marks }.push(event);
        }
        scratch.moved.clear();
        scratch.of_children.clear();
    }

    /// Adds the events of the unit's threads to the rows of the spans that contain them.
    #[inline(never)]
    fn add_instants(&mut self, trace: &Trace, unit: TrackId, scratch: &mut UnitScratch) {
        let own = trace.tracks.events(unit).map(|id| (EventId(id), 0));
        let of_child = |&(track, group): &(TrackId, u32)| {
            trace.tracks.subtree_events(track).map(move |id| (EventId(id), group))
        };
        let of_children = scratch.of_children.iter().flat_map(of_child);
        let mut found: Vec<(LaneEntry, u32, u32)> = Vec::new();
        for (id, group) in own.chain(of_children).filter(|(id, _)| is_in_row(trace, *id)) {
            let parent = trace.parent(Item::Event(id)).map(|parent| parent.0);
            let moved = parent.and_then(|parent| scratch.moved.get(&parent)).copied();
            let row = moved.unwrap_or_else(|| u32::from(level_of(trace, id)));
            found.push((event_entry(trace, id), group, row));
        }
        sort::by_key(&mut found, |(event, ..)| (event.start, u64::from(event.code)));
        for (event, group, row) in found {
            at(at(&mut self.instants, group), row).push(event);
            // A thread without spans gets a row, too.
            at(&mut at(&mut self.rows, group)[Kind::Slice as usize], row);
        }
    }

    /// Adds each child track with spans as a group of its own, such as a source with its executions.
    #[inline(never)]
    fn add_children(&mut self, trace: &Trace, unit: TrackId, scratch: &mut UnitScratch) {
        let mut children = std::mem::take(&mut scratch.children);
        let is_nested = |track| metrics::is_nested(trace.tracks.kind(track));
        let interval =
            |track| if is_nested(track) { self::unit(trace, track) } else { spans_of(trace, track) };
        children.extend(trace.tracks.children(unit).filter_map(interval));
        sort::by_key(&mut children, |child| (child.start, u64::from(child.track.0)));
        scratch.groups.clear();
        for child in children.drain(..) {
            // The rows of a thread are named after it, so that no other track may share them.
            let groups = &mut scratch.groups;
            let group = match trace.tracks.kind(child.track) {
                TrackKind::Thread => groups.place_below(groups.count(), child.start, i64::MAX),
                _ => groups.place(child.start, child.end),
            };
            let group = group as u32 + 1;
            scratch.of_children.push((child.track, group));
            let spans = trace.tracks.subtree_spans(child.track).map(|id| span_entry(trace, SpanId(id)));
            scratch.spans.extend(spans);
            self.is_of(group, child.track);
            self.add_group(trace, (group, child.track), scratch);
        }
        scratch.children = children;
    }

    /// Records that the spans of a group are those of a track, or of several tracks if it already has spans of others.
    fn is_of(&mut self, group: u32, track: TrackId) {
        let known = at(&mut self.tracks, group);
        *known = Some(known.map_or(Some(track), |_| None));
    }

    /// Places the spans in `scratch`: spans of threads by depth, all other spans in as few rows per kind as needed.
    #[inline(never)]
    fn add_group(&mut self, trace: &Trace, (group, track): (u32, TrackId), scratch: &mut UnitScratch) {
        let UnitScratch { spans, rows, transactions, moved, .. } = scratch;
        transactions.clear();
        let of_thread = matches!(trace.tracks.kind(track), TrackKind::Thread | TrackKind::Async);
        // Of spans with equal start, the longer one is first, so that parents precede their children.
        sort::by_key(spans, |span| (span.start, u64::MAX - span.weight.max(0) as u64));
        for &span in &*spans {
            let work = of_thread || is_work(span.kind);
            let depth = if work { trace.spans.depth(SpanId(span.code)) } else { 0 };
            let kind = if work { Kind::Slice } else { span.kind };
            let end = span.start.saturating_add(span.weight);
            let index = rows[kind as usize].place_below(usize::from(depth), span.start, end) as u32;
            let row = at(&mut at(&mut self.rows, group)[kind as usize], index);
            let idle = span.kind == Kind::Idle;
            if idle { at(at(&mut self.idle, group), index) } else { row }.push(span);
            if work && index != u32::from(depth) {
                moved.insert(span.code, index);
            }
            if span.kind == Kind::Transaction {
                transactions.push((span.code, index));
            }
        }
        rows.iter_mut().for_each(LaneAllocator::clear);
        spans.clear();
    }

    /// Adds the pauses of the transactions of a unit's own track, which must have just been placed.
    #[inline(never)]
    fn add_pauses(&mut self, trace: &Trace, unit: TrackId, scratch: &mut UnitScratch) {
        let known = &mut scratch.transactions;
        if known.is_empty() {
            return;
        }
        sort::by_key(known, |&(code, _)| (i64::from(code), 0));
        for paused in stats::pauses(trace, unit) {
            let code = Item::Span(paused.span).code();
            if let Ok(found) = known.binary_search_by_key(&code, |&(code, _)| code) {
                let lane = at(&mut self.pauses, known[found].1);
                paused.gaps.iter().for_each(|gap| lane.push(pause_entry(code, gap)));
            }
        }
    }

    #[inline(never)]
    fn finish(self) -> PackedLane {
        let of_group = |(group, lanes): (u32, Vec<Lane>)| {
            let lanes = (0..).zip(lanes).filter(|(_, lane)| !lane.is_empty());
            lanes.map(move |(index, lane)| (RowKey { group, kind: Kind::Slice, index }, lane.finish()))
        };
        let idle: Vec<(RowKey, Lane)> = (0..).zip(self.idle).flat_map(of_group).collect();
        let of_group = |(group, rows): (u32, Vec<PointsBuilder>)| {
            let rows = (0..)
                .zip(rows)
                .map(move |(index, points)| (RowKey { group, kind: Kind::Slice, index }, points.finish()));
            rows.filter(|(_, points)| !points.is_empty())
        };
        let instants: Vec<(RowKey, PointLane)> = (0..).zip(self.instants).flat_map(of_group).collect();
        let mut rows = Vec::new();
        for (group, kinds) in (0..).zip(self.rows) {
            for (kind, indexes) in Kind::ALL.into_iter().zip(kinds) {
                let key = |index| RowKey { group, kind, index };
                let others = idle.iter().map(|(key, _)| key).chain(instants.iter().map(|(key, _)| key));
                let has_more = |key: RowKey| others.clone().any(|other| *other == key);
                let lanes = (0..).zip(indexes).map(|(index, lane)| (key(index), lane));
                let lanes = lanes.filter(|(key, lane)| !lane.is_empty() || has_more(*key));
                rows.extend(lanes.map(|(key, lane)| (key, lane.finish())));
            }
        }
        let of_row = |index| RowKey { group: 0, kind: Kind::Slice, index };
        let pauses = (0..).zip(self.pauses).filter(|(_, lane)| !lane.is_empty());
        let pauses = pauses.map(|(index, lane)| (of_row(index), lane.finish())).collect();
        let tracks = self.tracks.into_iter().map(Option::flatten).collect();
        PackedLane {
            rows,
            pauses,
            idle,
            instants,
            points: self.points.finish(),
            marks: self.marks.finish(),
            tracks,
        }
    }
}

/// Returns the element at `index`, extending the list if necessary.
fn at<T: Default>(list: &mut Vec<T>, index: u32) -> &mut T {
    let index = index as usize;
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

/// Whether an event is drawn in the row of the span that contains it, as events of threads are.
pub(super) fn is_in_row(trace: &Trace, id: EventId) -> bool {
    let kind = trace.events.kind(id);
    !matches!(kind, Kind::Buffer | Kind::Sample)
        && metrics::is_nested(trace.tracks.kind(trace.tracks.of_event(id)))
}

/// Returns the time range of a subtree's spans; `None` if there are none.
fn spans_of(trace: &Trace, track: TrackId) -> Option<QueryUnit> {
    let (mut start, mut end) = (i64::MAX, i64::MIN);
    for (from, to) in trace.tracks.subtree_spans(track).map(|id| trace.spans.bounds(SpanId(id))) {
        (start, end) = (start.min(from), end.max(to));
    }
    (start <= end).then_some(QueryUnit { start, end, track })
}
