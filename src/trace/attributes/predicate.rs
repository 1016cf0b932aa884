//! [`TextPredicate`]: a test of the texts of every item.

use crate::base::interner::StrId;
use crate::trace::columns::Columns;
use crate::trace::{Item, RecordId, Shape, Trace};

/// Whether any text of an item passes a test, for every item. Records are tested once, in their own order. Takes a byte for
/// every record.
pub struct TextPredicate<'a, F> {
    trace: &'a Trace,
    test: F,
    /// Whether any item has texts in addition to those of its records.
    any_own: bool,
    /// By record: whether one of its texts passes. Empty if none of any record does.
    passing: Vec<bool>,
}

impl<'a, F: Fn(StrId) -> bool> TextPredicate<'a, F> {
    /// Tests all records of a trace.
    pub fn new(trace: &'a Trace, test: F) -> Self {
        let passing = trace.reported.passing(&test);
        let has_texts =
            |(shape, columns): (&Shape, &Columns)| (0..shape.texts.len()).any(|at| columns.has_text(at));
        Self { trace, test, any_own: trace.shapes.iter().zip(&trace.args).any(has_texts), passing }
    }

    /// Whether one of the texts of `item` passes.
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
