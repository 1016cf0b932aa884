//! Assigns every event to a track and to a row of the track.

use super::event::TopoExecRole;
use super::fold::{FoldedEvents, FoldedSpan};
use super::names::phase;
use super::store::TopoExecRow;
use super::tree::EnclosingSpans;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;

/// Kind of track, in display order: a track that holds parents comes before the tracks that hold their children.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TopoExecTrackKind {
    Errors,
    Scheduler,
    Loop,
    Lane,
    Channel,
    Config,
    Health,
    Lifecycle,
    Runtime,
}

/// A track with its spans and points.
#[derive(Clone, Debug)]
pub struct TopoExecTrack {
    pub of: TopoExecTrackKind,
    /// Name of the loop, lane or channel.
    pub name: Option<StrId>,
    pub worker: Option<StrId>,
    /// Indices of spans, sorted by start, each with its row.
    pub spans: Vec<(u32, u16)>,
    /// Indices of spans in a lower row than their depth requires, because they overlap another span.
    pub overlapping: Vec<u32>,
    /// Positions in the list of points.
    pub points: Vec<u32>,
}

/// Returns all tracks in display order.
pub fn places(
    folded: &FoldedEvents,
    tree: &EnclosingSpans,
    rows: &[TopoExecRow],
    strings: &Interner,
) -> Vec<TopoExecTrack> {
    let mut places = TopoExecTracks { list: Vec::new(), known: FxHashMap::default() };
    for (number, span) in (0..).zip(&folded.spans) {
        let at = places.of(&rows[span.row as usize], strings);
        places.list[at].spans.push((number, 0));
    }
    for (at, &row) in (0..).zip(&folded.points) {
        let place = places.of(&rows[row as usize], strings);
        places.list[place].points.push(at);
    }
    let mut list = places.in_order(strings);
    list.iter_mut().for_each(|place| give_rows(place, &folded.spans, tree));
    list
}

type TopoExecTrackKey = (TopoExecTrackKind, Option<StrId>, Option<StrId>);

struct TopoExecTracks {
    list: Vec<TopoExecTrack>,
    known: FxHashMap<TopoExecTrackKey, usize>,
}

impl TopoExecTracks {
    fn of(&mut self, row: &TopoExecRow, strings: &Interner) -> usize {
        let key = key(row, strings);
        if let (of, name, Some(_)) = key {
            // A lane is listed before its workers.
            self.place((of, name, None));
        }
        self.place(key)
    }

    fn place(&mut self, key: TopoExecTrackKey) -> usize {
        let (of, name, worker) = key;
        *self.known.entry(key).or_insert_with(|| {
            let spans = Vec::new();
            let overlapping = Vec::new();
            let points = Vec::new();
            self.list.push(TopoExecTrack { of, name, worker, spans, overlapping, points });
            self.list.len() - 1
        })
    }

    /// Sorts tracks by kind; loops, lanes and channels by first appearance, workers by number.
    fn in_order(mut self, strings: &Interner) -> Vec<TopoExecTrack> {
        let known = self.known;
        let first = |place: &TopoExecTrack| known.get(&(place.of, place.name, None)).copied();
        let worker = |place: &TopoExecTrack| place.worker.map(|id| (strings.get(id).len(), strings.get(id)));
        sort::by(&mut self.list, |a, b| (a.of, first(a), worker(a)).cmp(&(b.of, first(b), worker(b))));
        self.list
    }
}

/// Key of the track of an event.
fn key(row: &TopoExecRow, strings: &Interner) -> TopoExecTrackKey {
    let name = strings.get(row.name);
    let (lane, worker) = (row.role(TopoExecRole::Lane), row.role(TopoExecRole::Worker));
    match (phase(name), name) {
        (_, "component_error" | "runtime_error") => (TopoExecTrackKind::Errors, None, None),
        ("scheduler", "thread_pool_batch") | ("component", _) if lane.is_some() => {
            (TopoExecTrackKind::Lane, lane, worker)
        }
        ("scheduler", _) => (TopoExecTrackKind::Scheduler, None, None),
        ("loop", _) => (TopoExecTrackKind::Loop, row.role(TopoExecRole::Loop), None),
        ("channel", _) => (TopoExecTrackKind::Channel, row.role(TopoExecRole::Channel), None),
        ("config", _) => (TopoExecTrackKind::Config, None, None),
        ("health", _) => (TopoExecTrackKind::Health, None, None),
        ("component", _) => (TopoExecTrackKind::Lifecycle, None, None),
        _ => (TopoExecTrackKind::Runtime, None, None),
    }
}

/// Assigns rows by nesting depth. Each depth has as many rows as the maximum number of its spans that overlap.
fn give_rows(place: &mut TopoExecTrack, spans: &[FoldedSpan], tree: &EnclosingSpans) {
    let mut depths: FxHashMap<u32, usize> = FxHashMap::default();
    let mut levels: Vec<(LaneAllocator, u16)> = Vec::new();
    let mut found = Vec::with_capacity(place.spans.len());
    for &(number, _) in &place.spans {
        let above = tree.of_spans[number as usize].and_then(|parent| depths.get(&parent).copied());
        let depth = above.map_or(0, |above| above + 1);
        depths.insert(number, depth);
        levels.resize_with(levels.len().max(depth + 1), Default::default);
        let FoldedSpan { start, end, .. } = spans[number as usize];
        let (lanes, height) = &mut levels[depth];
        let lane = lanes.row(start, end);
        *height = (*height).max(lane.saturating_add(1));
        found.push((depth, lane));
    }
    let tops: Vec<u16> = levels
        .iter()
        .scan(0_u16, |top, (_, height)| Some(std::mem::replace(top, top.saturating_add(*height))))
        .collect();
    for ((number, row), (depth, lane)) in place.spans.iter_mut().zip(found) {
        *row = tops[depth].saturating_add(lane);
        if lane > 0 {
            place.overlapping.push(*number);
        }
    }
}
