//! The item next to another one: how the keyboard's focus moves.

use serde::{Deserialize, Serialize};

use super::packed;
use crate::sort;
use crate::trace::{EventId, Item, Kind, SpanId, Trace, TrackId, TrackKind};

/// A direction for the keyboard's focus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// The sibling before.
    Previous,
    /// The sibling behind.
    Next,
    /// The parent.
    Parent,
    /// The first child.
    Child,
}

/// The item next to `item`; the first query of the trace where there is none to begin with.
/// `None` at an end, and for an item that does not exist.
#[inline(never)]
pub fn neighbour(trace: &Trace, item: Option<Item>, step: Step) -> Option<Item> {
    let Some(item) = item else { return first(trace) };
    if !trace.contains(item) {
        return None;
    }
    match (step, item) {
        (Step::Parent, _) => trace.parent(item).map(Item::Span),
        (Step::Child, Item::Span(id)) => children(trace, id).into_iter().next(),
        (Step::Child, Item::Event(_)) => None,
        (Step::Previous | Step::Next, _) => beside(trace, item, step == Step::Next),
    }
}

fn first(trace: &Trace) -> Option<Item> {
    let mut spans = (0..trace.spans.len() as u32).map(SpanId);
    let query = spans.find(|id| trace.spans.kind(*id) == Kind::Query);
    let any = (!trace.spans.is_empty()).then_some(SpanId(0));
    let event = (!trace.events.is_empty()).then_some(Item::Event(EventId(0)));
    query.or(any).map(Item::Span).or(event)
}

/// Spans and events right below a span, by start.
fn children(trace: &Trace, parent: SpanId) -> Vec<Item> {
    // Buffer events have a track of their own below the query, whatever their parent is.
    let track = trace.tracks.of_span(parent);
    let unit = packed::unit_of(trace, track).unwrap_or(track);
    let below = items(trace, unit).filter(|item| trace.parent(*item) == Some(parent));
    let mut children: Vec<Item> = below.collect();
    sort::by_key(&mut children, |&item| (trace.interval(item).0, u64::from(item.code())));
    children
}

/// All items of a subtree.
fn items(trace: &Trace, track: TrackId) -> impl Iterator<Item = Item> {
    let spans = trace.tracks.subtree_spans(track).map(|id| Item::Span(SpanId(id)));
    spans.chain(trace.tracks.subtree_events(track).map(|id| Item::Event(EventId(id))))
}

/// The sibling before or behind; queries and their requests go on with those of the next query.
fn beside(trace: &Trace, item: Item, forward: bool) -> Option<Item> {
    let siblings = siblings(trace, item);
    let at = siblings.iter().position(|&other| other == item)?;
    let next = if forward { at.checked_add(1) } else { at.checked_sub(1) };
    match next.and_then(|at| siblings.get(at)) {
        Some(&sibling) => Some(sibling),
        None => in_next_query(trace, item, forward),
    }
}

/// All items of the same kind below the same parent (in the same track where there is no parent), by start.
fn siblings(trace: &Trace, item: Item) -> Vec<Item> {
    let alike = |other: &Item| trace.kind(*other) == trace.kind(item);
    match trace.parent(item) {
        Some(parent) => children(trace, parent).into_iter().filter(alike).collect(),
        None => {
            let track = trace.track_of(item);
            let spans = trace.tracks.spans(track).map(|id| Item::Span(SpanId(id)));
            let own = spans.chain(trace.tracks.events(track).map(|id| Item::Event(EventId(id))));
            let orphans = own.filter(|other| trace.parent(*other).is_none() && alike(other));
            let mut orphans: Vec<Item> = orphans.collect();
            sort::by_key(&mut orphans, |&item| (trace.interval(item).0, u64::from(item.code())));
            orphans
        }
    }
}

/// The first (last) item of the same kind in the nearest query track behind (before) that has one.
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
