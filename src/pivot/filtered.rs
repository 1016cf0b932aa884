//! The items that the filter of the whole page selects, and completions of its text.

use std::ops::Range;
use std::rc::Rc;

use super::Pivot;
use super::complete;
use super::filter::PointFilter;
use super::hint::hint;
use super::parse::PivotError;
use crate::analysis::{Bits, FilteredItems, Queries};
use crate::base::filter_text;
use crate::protocol::{FilterCompletions, FilterReply, FilterValue};
use crate::trace::{Kind, SpanId, Trace};

/// The items that the filter of the whole page selects.
pub(crate) struct Filtered {
    /// Text of the filter.
    pub text: String,
    filter: PointFilter,
    /// Number of spans and events that match, without round trips.
    pub count: u32,
    /// The spans and events that match: spans by their ids, then events.
    pub points: Rc<Bits>,
    /// The spans that lists of executions show.
    pub executions: Rc<Bits>,
    /// The spans and events whose call stack matches; `None` until requested.
    stacks: Option<Rc<Bits>>,
}

impl Filtered {
    /// What the filter selects, in numbers, and why it selects nothing.
    #[inline(never)]
    pub fn reply(&self, trace: &Trace, pivot: &mut Pivot) -> FilterReply {
        let Self { text, filter, count, executions, .. } = self;
        let is_query = |id: &u32| trace.spans.kind(SpanId(*id)) == Kind::Query;
        let listed = match trace.spans.has(Kind::Query) {
            true => executions.iter().filter(is_query).count() as u32,
            false => executions.len(),
        };
        let is_empty = *count == 0 && listed == 0;
        FilterReply {
            text: text.clone(),
            error: None,
            hint: is_empty.then(|| hint(trace, text, filter, pivot.cube.columns())).flatten(),
            matched: *count,
            listed,
            conditions: filter.conditions.clone(),
        }
    }

    /// The spans and events that all other views show.
    pub fn items(&mut self, trace: &Trace, pivot: &mut Pivot) -> FilteredItems {
        let Self { filter, executions, stacks, .. } = self;
        let found = || Rc::new(pivot.cube.columns().apply(|columns| filter.stacks(trace, columns)));
        FilteredItems::new(trace, executions.clone(), stacks.get_or_insert_with(found).clone())
    }
}

impl Pivot {
    /// Selects the items that a filter matches.
    ///
    /// # Errors
    /// If the filter does not parse, with the place of the wrong condition, in bytes.
    #[inline(never)]
    pub(crate) fn filtered(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        text: &str,
    ) -> Result<Filtered, (PivotError, Range<usize>)> {
        let filter = PointFilter::parse_at(trace, text)?;
        Ok(self.cube.columns().apply(|columns| Filtered {
            text: text.to_owned(),
            count: filter.chosen(trace, None, columns).len(),
            points: Rc::new(filter.points(trace, columns)),
            executions: Rc::new(filter.executions(trace, queries, columns)),
            filter,
            stacks: None,
        }))
    }

    /// Completions of a filter at a byte offset of its text.
    #[inline(never)]
    pub(crate) fn completions(&mut self, trace: &Trace, text: &str, caret: usize) -> FilterCompletions {
        complete::completions(trace, text, caret, self.cube.columns())
    }
}

/// Keeps the values for which a condition can be written in a filter, without very long values.
#[inline(never)]
pub(crate) fn named_by_filter(trace: &Trace, mut values: Vec<FilterValue>) -> Vec<FilterValue> {
    values.retain(|of| {
        let is_short = of.value.len() <= FilterValue::LONGEST;
        is_short && of.attribute.len() <= FilterValue::LONGEST && {
            let condition = filter_text::condition(&of.attribute, Some(&of.value), false);
            PointFilter::parse(trace, &condition).is_ok()
        }
    });
    values
}
