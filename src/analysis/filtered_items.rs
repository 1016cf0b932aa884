//! The spans and events that pass the filter of all views.

use std::rc::Rc;

use super::Bits;
#[cfg(feature = "export")]
use super::PointRows;
#[cfg(feature = "export")]
use crate::trace::overlaps;
use crate::trace::{Item, Kind, SpanId, Trace};

/// The spans and events that pass a filter.
#[derive(Clone)]
pub struct FilteredItems {
    executions: Rc<Bits>,
    stacks: Rc<Bits>,
    spans: u32,
}

impl FilteredItems {
    /// Creates the filter's result from two sets: `executions` are the spans of `trace` that lists of executions show,
    /// `stacks` are the rows of the spans and events whose call stack matches.
    pub(crate) fn new(trace: &Trace, executions: Rc<Bits>, stacks: Rc<Bits>) -> Self {
        Self { executions, stacks, spans: trace.spans.len() as u32 }
    }

    /// Whether an item passes: a query like in the query list, any other item if its call stack matches.
    #[inline]
    pub fn contains(&self, trace: &Trace, item: Item) -> bool {
        match item {
            Item::Span(id) if trace.spans.kind(id) == Kind::Query => self.executions.contains(id.0),
            item => self.has_stack(item),
        }
    }

    /// Whether lists of executions show a span: a query in the query list, any other span in the list of slices.
    #[inline]
    pub fn lists(&self, id: SpanId) -> bool {
        self.executions.contains(id.0)
    }

    /// Whether the item or a span around it matches.
    #[inline]
    pub fn has_stack(&self, item: Item) -> bool {
        self.stacks.contains(match item {
            Item::Span(id) => id.0,
            Item::Event(id) => self.spans.saturating_add(id.0),
        })
    }

    /// The filter's result for the part of `trace` that overlaps a half-open range, in nanoseconds: see [`Trace::cut_to`]. The filter
    /// has tested the spans and events as a whole.
    #[cfg(feature = "export")]
    pub(crate) fn cut_to(&self, trace: &Trace, range: (i64, i64)) -> Self {
        let rows = PointRows::of(trace);
        let is_inside = |row: &u32| {
            let (start, end) = trace.interval(rows.item(*row));
            overlaps(start, end, range)
        };
        let left: Vec<u32> = (0..rows.len() as u32).filter(is_inside).collect();
        let spans = left.partition_point(|&row| row < self.spans);
        Self {
            executions: Rc::new(Bits::of(spans, |at| self.executions.contains(left[at as usize]))),
            stacks: Rc::new(Bits::of(left.len(), |at| self.stacks.contains(left[at as usize]))),
            spans: spans as u32,
        }
    }
}

/// Whether an item passes a filter; all items pass without one.
#[inline]
pub fn passes(filter: Option<&FilteredItems>, trace: &Trace, item: Item) -> bool {
    filter.is_none_or(|filter| filter.contains(trace, item))
}
