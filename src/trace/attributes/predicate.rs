//! [`TextPredicate`]: whether the texts of items pass a test.

use crate::base::interner::StrId;
use crate::trace::columns::Columns;
use crate::trace::{Item, RecordId, Shape, Trace};

/// Tests whether any text of an item passes, for every item. All records are tested once, in memory order. Takes one byte per
/// record.
pub struct TextPredicate<'a, F> {
    trace: &'a Trace,
    test: F,
    /// Whether any item has texts in addition to the texts of its records.
    any_own: bool,
    /// By record: whether any of its texts passes. Empty if no record passes.
    passing: Vec<bool>,
}

impl<'a, F: Fn(StrId) -> bool> TextPredicate<'a, F> {
    /// Creates the predicate and tests all records of a trace.
    pub fn new(trace: &'a Trace, test: F) -> Self {
        let passing = trace.reported.passing(&test);
        let has_texts =
            |(shape, columns): (&Shape, &Columns)| (0..shape.texts.len()).any(|at| columns.has_text(at));
        Self { trace, test, any_own: trace.shapes.iter().zip(&trace.args).any(has_texts), passing }
    }

    /// Whether any text of `item` passes.
    #[inline]
    pub fn of(&self, item: Item) -> bool {
        let trace = self.trace;
        let passes = |record: RecordId| self.passing.get(record.0 as usize).copied().unwrap_or(false);
        let (first, last) = trace.ends(item);
        let may_pass =
            passes(first) || last != first && passes(last) || self.any_own && trace.has_own_texts(item);
        may_pass && trace.has_text(item, &self.test)
    }
}
