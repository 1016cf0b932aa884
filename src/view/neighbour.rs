//! Neighbours of an item, for moving the keyboard focus.

use super::packed;
use crate::base::sort;
use crate::protocol::FocusMove;
use crate::trace::{EventId, Item, Kind, SpanId, Trace, TrackId, TrackKind};

/// Returns the neighbour of `item` in the direction `step`; without an `item`, the first query of the trace. `None` if
/// there is no neighbour in this direction, or if `item` does not exist.
#[inline(never)]
pub fn neighbour(trace: &Trace, item: Option<Item>, step: FocusMove) -> Option<Item> {
    let Some(item) = item else { return first(trace) };
    if !trace.contains(item) {
        return None;
    }
    match (step, item) {
        (FocusMove::Parent, _) => {
            trace.parent(item).map(Item::Span).or_else(|| nearest_on_other_track(trace, item, false))
        }
        (FocusMove::Child, Item::Span(id)) => {
            children(trace, id).into_iter().next().or_else(|| nearest_on_other_track(trace, item, true))
        }
        (FocusMove::Child, Item::Event(_)) => nearest_on_other_track(trace, item, true),
        (FocusMove::Previous | FocusMove::Next, _) => adjacent(trace, item, step == FocusMove::Next),
        (FocusMove::Beneath, _) => trace.stacked_items(item).and_then(|stacked_items| stacked_items.next),
    }
}

/// Returns the item nearest in time, on the next track below (or above) that has items; `None` if there is no such
/// track.
fn nearest_on_other_track(trace: &Trace, item: Item, down: bool) -> Option<Item> {
    let at = trace.track_of(item).0;
    let nearest = |track: u32| nearest(trace, TrackId(track), trace.interval(item), down);
    if down { (at + 1..trace.tracks.len() as u32).find_map(nearest) } else { (0..at).rev().find_map(nearest) }
}

/// Returns the item of a track that is nearest in time; `None` if the track has no items. Of equally near items, it
/// returns the one in the topmost row when moving `down`, or in the bottom row when moving up.
fn nearest(trace: &Trace, track: TrackId, (from, to): (i64, i64), down: bool) -> Option<Item> {
    let distance = |item: &Item| {
        let (start, end) = trace.interval(*item);
        let gap = start.saturating_sub(to).max(from.saturating_sub(end)).max(0);
        let row = trace.row_of(*item).unwrap_or(u16::MAX);
        (gap, if down { row } else { u16::MAX - row }, start.abs_diff(from))
    };
    own(trace, track).into_iter().min_by_key(distance)
}

fn first(trace: &Trace) -> Option<Item> {
    let mut spans = (0..trace.spans.len() as u32).map(SpanId);
    let query = spans.find(|id| trace.spans.kind(*id) == Kind::Query);
    let any = (!trace.spans.is_empty()).then_some(SpanId(0));
    let event = (!trace.events.is_empty()).then_some(Item::Event(EventId(0)));
    query.or(any).map(Item::Span).or(event)
}

/// Returns the spans and events directly below a span, by start.
fn children(trace: &Trace, parent: SpanId) -> Vec<Item> {
    // Buffer events have a track of their own below the query, regardless of their parent.
    let track = trace.tracks.of_span(parent);
    let unit = packed::unit_of(trace, track).unwrap_or(track);
    let below = items(trace, unit).filter(|item| trace.parent(*item) == Some(parent));
    let mut children: Vec<Item> = below.collect();
    sort::by_key(&mut children, |&item| (trace.interval(item).0, u64::from(item.code())));
    children
}

/// Returns all items of a subtree.
fn items(trace: &Trace, track: TrackId) -> impl Iterator<Item = Item> {
    let spans = trace.tracks.subtree_spans(track).map(|id| Item::Span(SpanId(id)));
    spans.chain(trace.tracks.subtree_events(track).map(|id| Item::Event(EventId(id))))
}

/// Returns all items of the track itself.
#[inline(never)]
fn own(trace: &Trace, track: TrackId) -> Vec<Item> {
    let mut own: Vec<Item> = trace.tracks.spans(track).map(|id| Item::Span(SpanId(id))).collect();
    own.extend(trace.tracks.events(track).map(|id| Item::Event(EventId(id))));
    own
}

/// Returns the previous or next sibling. If there is none, returns the neighbour in the previous or next query for
/// queries and requests, and otherwise the neighbour in the item's row.
fn adjacent(trace: &Trace, item: Item, forward: bool) -> Option<Item> {
    let sibling = next_in(&siblings(trace, item), item, forward);
    let next = sibling.or_else(|| in_next_query(trace, item, forward));
    next.or_else(|| next_in(&row(trace, item), item, forward))
}

/// Returns the item after (or before) `item` in `all`; `None` if there is none, or if `all` does not contain `item`.
#[inline(never)]
fn next_in(all: &[Item], item: Item, forward: bool) -> Option<Item> {
    let at = all.iter().position(|&other| other == item)?;
    let next = if forward { at.checked_add(1) } else { at.checked_sub(1) };
    next.and_then(|at| all.get(at)).copied()
}

/// Returns the items in the same row of the track as `item`, regardless of parent: first the spans, then the events.
fn row(trace: &Trace, item: Item) -> Vec<Item> {
    let mut row = own(trace, trace.track_of(item));
    row.retain(|other| trace.row_of(*other).is_none_or(|row| Some(row) == trace.row_of(item)));
    row
}

/// Returns all items of the same kind with the same parent (without a parent, on the same track), by start; on a
/// thread, items of any kind.
fn siblings(trace: &Trace, item: Item) -> Vec<Item> {
    let track = trace.track_of(item);
    let of_thread = matches!(trace.tracks.kind(track), TrackKind::Thread | TrackKind::Async);
    let alike =
        |other: &Item| trace.kind(*other) == trace.kind(item) || of_thread && trace.track_of(*other) == track;
    match trace.parent(item) {
        Some(parent) => children(trace, parent).into_iter().filter(alike).collect(),
        None => {
            let mut orphans = own(trace, track);
            orphans.retain(|other| trace.parent(*other).is_none() && alike(other));
            sort::by_key(&mut orphans, |&item| (trace.interval(item).0, u64::from(item.code())));
            orphans
        }
    }
}

/// For a query or request, returns the first (or last) item of the same kind in the nearest query track after (or
/// before) this one that has such an item; `None` if there is none, and for items of other kinds.
fn in_next_query(trace: &Trace, item: Item, forward: bool) -> Option<Item> {
    let wanted = trace.kind(item);
    if !matches!(wanted, Kind::Query | Kind::Request) {
        return None;
    }
    let at = trace.track_of(item).0;
    let in_track = |track: u32| {
        let query = trace.tracks.kind(TrackId(track)) == TrackKind::Query;
        let mut spans = trace.tracks.spans(TrackId(track)).map(|id| Item::Span(SpanId(id)));
        let alike = |other: &Item| trace.kind(*other) == wanted;
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
