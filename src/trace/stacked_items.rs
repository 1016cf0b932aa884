//! Items that cover each other at every zoom level: items without length, at the same instant in the same row.

use super::{EventId, Item, SpanId, Trace};

/// Position of an item in a stack of items that cover each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackedItems {
    /// Position of the item in the stack, from 1 for the topmost.
    pub at: usize,
    /// Number of items in the stack.
    pub of: usize,
    /// The next item below in the stack; `None` for the lowest.
    pub next: Option<Item>,
}

impl Trace {
    /// Row of a span in its track; `None` for events, which are not in a row.
    pub fn row_of(&self, item: Item) -> Option<u16> {
        match item {
            Item::Span(id) => Some(self.spans.depth(id)),
            Item::Event(_) => None,
        }
    }

    /// Position of `item` in its stack; `None` if there is no other item in the stack.
    pub fn stacked_items(&self, item: Item) -> Option<StackedItems> {
        self.stacked_items_among(item, &|_| true)
    }

    /// The next item below `item` in its stack for which `is_shown` is true.
    pub fn next_stacked(&self, item: Item, is_shown: &dyn Fn(Item) -> bool) -> Option<Item> {
        self.stacked_items_among(item, is_shown)?.next
    }

    #[inline(never)]
    fn stacked_items_among(&self, item: Item, is_shown: &dyn Fn(Item) -> bool) -> Option<StackedItems> {
        let (start, end) = self.interval(item);
        let track = self.track_of(item);
        let (all, id) = match item {
            Item::Span(id) => (self.tracks.spans(track), id.0),
            Item::Event(id) => (self.tracks.events(track), id.0),
        };
        let other = |id: u32| match item {
            Item::Span(_) => Item::Span(SpanId(id)),
            Item::Event(_) => Item::Event(EventId(id)),
        };
        let begins_here = |id: &u32| self.interval(other(*id)).0 == start;
        let is_here = |id: &u32| {
            let other = other(*id);
            self.interval(other).1 == end && self.row_of(other) == self.row_of(item) && is_shown(other)
        };
        let above = (all.start..id).rev().take_while(begins_here).filter(is_here).count();
        let mut below = (id + 1..all.end).take_while(begins_here).filter(is_here);
        let next = below.next();
        let of = above + 1 + usize::from(next.is_some()) + below.count();
        (start == end && of > 1).then(|| StackedItems { at: above + 1, of, next: next.map(other) })
    }
}
