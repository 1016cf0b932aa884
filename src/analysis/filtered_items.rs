//! The spans and events that pass the filter of all views.

use std::rc::Rc;

use super::Bits;
use crate::trace::{Item, Kind, Trace};

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
    pub fn new(trace: &Trace, executions: Rc<Bits>, stacks: Rc<Bits>) -> Self {
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

    /// Whether the item or a span around it matches.
    #[inline]
    pub fn has_stack(&self, item: Item) -> bool {
        self.stacks.contains(match item {
            Item::Span(id) => id.0,
            Item::Event(id) => self.spans.saturating_add(id.0),
        })
    }
}

/// Whether an item passes a filter; all items pass without one.
#[inline]
pub fn passes(filter: Option<&FilteredItems>, trace: &Trace, item: Item) -> bool {
    filter.is_none_or(|filter| filter.contains(trace, item))
}
