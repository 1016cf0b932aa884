//! What every item of a trace is asked for. Its records are read first, in their own order, as they lie in memory: items of
//! one thread have records all over the files.

use super::columns::Columns;
use super::keys::Shape;
use super::reported::Reported;
use super::{Item, Key, NOT_REPORTED, RecordId, Trace};
use crate::strings::StrId;

/// What items report: numbers and texts.
pub trait Field: Copy + PartialEq {
    /// Nothing.
    const NONE: Self;
    /// The keys of the columns in which items of a shape carry them themselves.
    fn keys(shape: &Shape) -> &[Key];
    /// What stands in a column.
    fn own(table: &Columns, row: u32, column: usize) -> Self;
    /// What every record reports; empty if none does.
    fn told(reported: &Reported, key: Key) -> Vec<Self>;
}

impl Field for i64 {
    const NONE: Self = NOT_REPORTED;

    fn keys(shape: &Shape) -> &[Key] {
        &shape.nums
    }

    #[inline]
    fn own(table: &Columns, row: u32, column: usize) -> Self {
        table.num(row, column)
    }

    fn told(reported: &Reported, key: Key) -> Vec<Self> {
        reported.every_num(key)
    }
}

impl Field for StrId {
    const NONE: Self = StrId::NONE;

    fn keys(shape: &Shape) -> &[Key] {
        &shape.texts
    }

    #[inline]
    fn own(table: &Columns, row: u32, column: usize) -> Self {
        table.text(row, column)
    }

    fn told(reported: &Reported, key: Key) -> Vec<Self> {
        reported.every_text(key)
    }
}

/// A field that every item is asked for: [`Asked`](super::Asked) is for some of them. Four or eight bytes for every record.
pub struct Every<'a, T> {
    trace: &'a Trace,
    /// By shape: the column of what items carry themselves; empty if none does.
    own: Vec<Option<usize>>,
    /// By record; empty if none reports it.
    told: Vec<T>,
}

impl<'a, T: Field> Every<'a, T> {
    /// To ask for what is reported under `key`.
    pub fn new(trace: &'a Trace, key: Key) -> Self {
        let column = |shape| T::keys(shape).iter().position(|&known| known == key);
        let mut own: Vec<Option<usize>> = trace.shapes.iter().map(column).collect();
        if own.iter().all(Option::is_none) {
            own.clear();
        }
        Self { trace, own, told: T::told(&trace.reported, key) }
    }

    /// What `item` reports; [`NOT_REPORTED`] or [`StrId::NONE`] for nothing.
    #[inline]
    pub fn of(&self, item: Item) -> T {
        let trace = self.trace;
        if !self.own.is_empty() {
            let shape = usize::from(trace.shape(item).0);
            let own = self.own[shape].map_or(T::NONE, |at| T::own(&trace.args[shape], trace.args(item), at));
            if own != T::NONE {
                return own;
            }
        }
        let told = |record: RecordId| self.told.get(record.0 as usize).copied().unwrap_or(T::NONE);
        let first = told(trace.first_record(item));
        if first == T::NONE { told(trace.last_record(item)) } else { first }
    }
}

/// Whether items have a text that passes a test, for whoever asks many. A byte for every record.
pub struct EveryText<'a, T> {
    trace: &'a Trace,
    test: T,
    /// Whether any item carries texts beside its records'.
    any_own: bool,
    /// By record: whether a text of it passes.
    told: Vec<bool>,
}

impl<'a, T: Fn(StrId) -> bool> EveryText<'a, T> {
    /// To ask whether texts pass `test`.
    pub fn new(trace: &'a Trace, test: T) -> Self {
        let told = trace.reported.every_passing(&test);
        Self { trace, test, any_own: trace.shapes.iter().any(|shape| !shape.texts.is_empty()), told }
    }

    /// Whether one of the texts that `item` itself carries passes.
    #[inline]
    pub fn of(&self, item: Item) -> bool {
        let trace = self.trace;
        let told = |record: RecordId| self.told.get(record.0 as usize).is_some_and(|&passes| passes);
        let may_pass = told(trace.first_record(item))
            || told(trace.last_record(item))
            || self.any_own && trace.has_own_texts(item);
        may_pass && trace.has_text(item, &self.test)
    }
}
