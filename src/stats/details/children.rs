//! Direct children of an item: spans by their duration, and buffer events combined in one line.

use super::{MAX_CHILDREN, link};
use crate::base::sort;
use crate::protocol::{BufferEvents, Link};
use crate::trace::{EventId, Item, Kind, SpanId, Trace, TrackKind, key};

/// Direct children of an item.
pub(super) struct Children {
    /// First children: spans by descending duration, then events by time.
    pub links: Vec<Link>,
    /// Total number of children, without buffer events.
    pub count: u32,
    pub buffers: Option<BufferEvents>,
}

impl Children {
    pub fn of(trace: &Trace, item: Item) -> Self {
        let is_buffer =
            |child: &Item| matches!(child, Item::Event(id) if trace.events.kind(*id) == Kind::Buffer);
        let (buffers, others): (Vec<Item>, Vec<Item>) = below(trace, item).into_iter().partition(is_buffer);
        let count = others.len() as u32;
        let links = first_by(trace, others, |child| match child {
            Item::Span(id) => !trace.duration(id).max(0),
            Item::Event(_) => 0,
        });
        Self { links, count, buffers: folded(trace, buffers) }
    }
}

/// All children of an item: spans, then events.
pub(super) fn below(trace: &Trace, item: Item) -> Vec<Item> {
    let Item::Span(parent) = item else { return Vec::new() };
    // A buffer event may belong to an execution but be on another track of the query. Without a query or process
    // track above, children may be on any track of the run.
    let own = trace.track_of(item);
    let above = |kind| trace.tracks.ancestor(own, kind);
    let alone = above(TrackKind::Process).is_none().then(|| above(TrackKind::Run)).flatten();
    let track = above(TrackKind::Query).or(alone).unwrap_or(own);
    let spans = trace.tracks.subtree_spans(track).map(|id| Item::Span(SpanId(id)));
    let events = trace.tracks.subtree_events(track).map(|id| Item::Event(EventId(id)));
    let is_child = |child: &Item| trace.parent(*child) == Some(parent) && *child != item;
    spans.chain(events).filter(is_child).collect()
}

/// First [`MAX_CHILDREN`] of `items`, sorted by `key`, then by start.
fn first_by(trace: &Trace, mut items: Vec<Item>, key: impl Fn(Item) -> i64) -> Vec<Link> {
    sort::by_key(&mut items, |item| (trace.interval(*item).0, u64::from(item.code())));
    sort::by_key(&mut items, |item| (key(*item), 0));
    items.iter().take(MAX_CHILDREN).map(|&item| link(trace, item)).collect()
}

/// Summary of buffer events in one line; `None` if there are none.
fn folded(trace: &Trace, events: Vec<Item>) -> Option<BufferEvents> {
    let color = trace.kind(*events.first()?).slot();
    let bytes = events.iter().filter_map(|&event| trace.num(event, key::BYTES)).reduce(i64::saturating_add);
    let count = events.len() as u32;
    Some(BufferEvents { count, bytes, color, links: first_by(trace, events, |_| 0) })
}
