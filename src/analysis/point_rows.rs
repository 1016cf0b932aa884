//! [`PointRows`]: one numbering of all spans and events of a trace, for columns and sets of both.

use crate::base::chunked;
use crate::trace::{EventId, Item, SpanId, Trace};

/// Row numbers of points (spans and events): the spans of a trace, then its events, from 0.
#[derive(Clone, Copy)]
pub struct PointRows {
    spans: u32,
    events: u32,
}

impl PointRows {
    pub fn of(trace: &Trace) -> Self {
        Self { spans: trace.spans.len() as u32, events: trace.events.len() as u32 }
    }

    pub fn len(self) -> usize {
        self.spans as usize + self.events as usize
    }

    /// The span or event of a row.
    #[inline]
    pub fn item(self, row: u32) -> Item {
        match row.checked_sub(self.spans) {
            None => Item::Span(SpanId(row)),
            Some(event) => Item::Event(EventId(event)),
        }
    }

    /// The row of a span or event.
    #[inline]
    pub fn row(self, item: Item) -> u32 {
        match item {
            Item::Span(id) => id.0,
            Item::Event(id) => self.spans.saturating_add(id.0),
        }
    }

    /// Applies `make` to every item, in the order of rows.
    pub fn all<T>(self, mut make: impl FnMut(Item) -> T) -> Vec<T> {
        let mut made = chunked::map(0..self.spans, |id| make(Item::Span(SpanId(id))));
        made.extend(chunked::map(0..self.events, |id| make(Item::Event(EventId(id)))));
        made
    }

    /// The row of a span's parent, if it precedes `row`. A cycle of parents always has a link for which this is `None`.
    pub fn above(self, trace: &Trace, row: usize, item: Item) -> Option<usize> {
        let parent = trace.parent(item)?.0 as usize;
        (parent < row && parent < self.spans as usize).then_some(parent)
    }
}
