//! Neighbours of an item, for moving the keyboard focus.

use super::packed;
use crate::analysis::Hits;
use crate::base::sort;
use crate::protocol::FocusMove;
use crate::trace::{EventId, Item, Kind, SpanId, Trace, TrackId, TrackKind};

/// Returns the neighbour of `item` in the direction `step`; without an `item`, the first query of the trace. `None` if
/// there is no neighbour in this direction, or if `item` does not exist. With `shown`, all other items are skipped: the
/// parent is then the nearest span around `item` that is shown.
#[inline(never)]
pub fn neighbour(trace: &Trace, item: Option<Item>, step: FocusMove, shown: Option<&Hits>) -> Option<Item> {
    let tree = ShownTree { trace, shown, start: item };
    let Some(item) = item else { return tree.first() };
    if !trace.contains(item) {
        return None;
    }
    match (step, item) {
        (FocusMove::Parent, _) => {
            tree.parent(item).map(Item::Span).or_else(|| tree.nearest_on_other_track(item, false))
        }
        (FocusMove::Child, Item::Span(id)) => {
            tree.children(id).into_iter().next().or_else(|| tree.nearest_on_other_track(item, true))
        }
        (FocusMove::Child, Item::Event(_)) => tree.nearest_on_other_track(item, true),
        (FocusMove::Previous | FocusMove::Next, _) => tree.adjacent(item, step == FocusMove::Next),
        (FocusMove::Beneath, _) => trace.next_stacked(item, &|other| tree.is_shown(other)),
    }
}

/// Returns the item after (or before) `item` in `all`; `None` if there is none, or if `all` does not contain `item`.
#[inline(never)]
fn next_in(all: &[Item], item: Item, forward: bool) -> Option<Item> {
    let at = all.iter().position(|&other| other == item)?;
    let next = if forward { at.checked_add(1) } else { at.checked_sub(1) };
    next.and_then(|at| all.get(at)).copied()
}

/// The nested items of a trace, without those that are not shown.
struct ShownTree<'a> {
    trace: &'a Trace,
    /// The items that are shown; `None` for all.
    shown: Option<&'a Hits>,
    /// The item where the move starts, which counts as shown.
    start: Option<Item>,
}

impl ShownTree<'_> {
    #[inline(never)]
    fn is_shown(&self, item: Item) -> bool {
        self.shown.is_none_or(|shown| shown.contains(item)) || self.start == Some(item)
    }

    /// Returns the nearest span around an item that is shown.
    #[inline(never)]
    fn parent(&self, item: Item) -> Option<SpanId> {
        let mut parents = std::iter::successors(self.trace.parent(item), |id| self.trace.spans.parent(*id));
        parents.find(|id| self.is_shown(Item::Span(*id)))
    }

    /// Returns the item nearest in time, on the next track below (or above) that has items; `None` if there is no such
    /// track.
    fn nearest_on_other_track(&self, item: Item, down: bool) -> Option<Item> {
        let at = self.trace.track_of(item).0;
        let nearest = |track: u32| self.nearest(TrackId(track), self.trace.interval(item), down);
        let mut below = at + 1..self.trace.tracks.len() as u32;
        if down { below.find_map(nearest) } else { (0..at).rev().find_map(nearest) }
    }

    /// Returns the item of a track that is nearest in time; `None` if the track has no items. Of equally near items, it
    /// returns the one in the topmost row when moving `down`, or in the bottom row when moving up.
    #[inline(never)]
    fn nearest(&self, track: TrackId, (from, to): (i64, i64), down: bool) -> Option<Item> {
        let distance = |item: &Item| {
            let (start, end) = self.trace.interval(*item);
            let gap = start.saturating_sub(to).max(from.saturating_sub(end)).max(0);
            let row = self.trace.row_of(*item).unwrap_or(u16::MAX);
            (gap, if down { row } else { u16::MAX - row }, start.abs_diff(from))
        };
        self.own(track).into_iter().min_by_key(distance)
    }

    fn first(&self) -> Option<Item> {
        let spans =
            || (0..self.trace.spans.len() as u32).map(SpanId).filter(|id| self.is_shown(Item::Span(*id)));
        let query = spans().find(|id| self.trace.spans.kind(*id) == Kind::Query);
        let any = || spans().next();
        let mut events = (0..self.trace.events.len() as u32).map(|id| Item::Event(EventId(id)));
        query.or_else(any).map(Item::Span).or_else(|| events.find(|event| self.is_shown(*event)))
    }

    /// Returns the spans and events directly below a span, by start.
    #[inline(never)]
    fn children(&self, parent: SpanId) -> Vec<Item> {
        // Buffer events have a track of their own below the query, regardless of their parent.
        let track = self.trace.tracks.of_span(parent);
        let unit = packed::unit_of(self.trace, track).unwrap_or(track);
        self.by_start(self.items(unit).filter(|item| self.parent(*item) == Some(parent)).collect())
    }

    #[inline(never)]
    fn by_start(&self, mut items: Vec<Item>) -> Vec<Item> {
        sort::by_key(&mut items, |&item| (self.trace.interval(item).0, u64::from(item.code())));
        items
    }

    /// Returns all items of a subtree.
    fn items(&self, track: TrackId) -> impl Iterator<Item = Item> {
        let spans = self.trace.tracks.subtree_spans(track).map(|id| Item::Span(SpanId(id)));
        let events = self.trace.tracks.subtree_events(track).map(|id| Item::Event(EventId(id)));
        spans.chain(events).filter(|item| self.is_shown(*item))
    }

    /// Returns all items of the track itself.
    #[inline(never)]
    fn own(&self, track: TrackId) -> Vec<Item> {
        let spans = self.trace.tracks.spans(track).map(|id| Item::Span(SpanId(id)));
        let events = self.trace.tracks.events(track).map(|id| Item::Event(EventId(id)));
        spans.chain(events).filter(|item| self.is_shown(*item)).collect()
    }

    /// Returns the previous or next sibling. If there is none, returns the neighbour in the previous or next query for
    /// queries and requests, and otherwise the neighbour in the item's row.
    fn adjacent(&self, item: Item, forward: bool) -> Option<Item> {
        let sibling = next_in(&self.siblings(item), item, forward);
        let next = sibling.or_else(|| self.in_next_query(item, forward));
        next.or_else(|| next_in(&self.row(item), item, forward))
    }

    /// Returns the items in the same row of the track as `item`, regardless of parent: first the spans, then the events.
    fn row(&self, item: Item) -> Vec<Item> {
        let mut row = self.own(self.trace.track_of(item));
        let row_of = |item: Item| self.trace.row_of(item);
        row.retain(|other| row_of(*other).is_none_or(|row| Some(row) == row_of(item)));
        row
    }

    /// Returns all items of the same kind with the same parent (without a parent, on the same track), by start; on a
    /// thread, items of any kind.
    fn siblings(&self, item: Item) -> Vec<Item> {
        let trace = self.trace;
        let track = trace.track_of(item);
        let of_thread = matches!(trace.tracks.kind(track), TrackKind::Thread | TrackKind::Async);
        let alike = |other: &Item| {
            trace.kind(*other) == trace.kind(item) || of_thread && trace.track_of(*other) == track
        };
        match self.parent(item) {
            Some(parent) => self.children(parent).into_iter().filter(alike).collect(),
            None => {
                let mut orphans = self.own(track);
                orphans.retain(|other| self.parent(*other).is_none() && alike(other));
                self.by_start(orphans)
            }
        }
    }

    /// For a query or request, returns the first (or last) item of the same kind in the nearest query track after (or
    /// before) this one that has such an item; `None` if there is none, and for items of other kinds.
    fn in_next_query(&self, item: Item, forward: bool) -> Option<Item> {
        let trace = self.trace;
        let wanted = trace.kind(item);
        if !matches!(wanted, Kind::Query | Kind::Request) {
            return None;
        }
        let at = trace.track_of(item).0;
        let in_track = |track: u32| {
            let query = trace.tracks.kind(TrackId(track)) == TrackKind::Query;
            let mut spans = trace.tracks.spans(TrackId(track)).map(|id| Item::Span(SpanId(id)));
            let alike = |other: &Item| trace.kind(*other) == wanted && self.is_shown(*other);
            if !query {
                None
            } else if forward {
                spans.find(alike)
            } else {
                spans.rfind(alike)
            }
        };
        if forward {
            (at + 1..trace.tracks.len() as u32).find_map(in_track)
        } else {
            (0..at).rev().find_map(in_track)
        }
    }
}
