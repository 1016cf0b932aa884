//! What every item of a trace is asked for. Its records are read first, in their own order, as they lie in memory: items of
//! one thread have records all over the files.

use super::columns::Columns;
use super::keys::Shape;
use super::record_table::RecordTable;
use super::told::Told;
use super::{Item, Key, NOT_REPORTED, RecordId, Trace};
use crate::base::interner::StrId;

/// What items report: numbers and texts.
pub trait ReportedColumn: Copy + PartialEq + Sized {
    /// Nothing.
    const NONE: Self;
    /// The keys of the columns in which items of a shape carry them themselves.
    fn keys(shape: &Shape) -> &[Key];
    /// Whether anything stands in a column.
    fn has(table: &Columns, column: usize) -> bool;
    /// What stands in a column.
    fn own(table: &Columns, row: u32, column: usize) -> Self;
    /// What every record reports.
    fn told(reported: &RecordTable, key: Key) -> Told<Self>;
}

impl ReportedColumn for i64 {
    const NONE: Self = NOT_REPORTED;

    fn keys(shape: &Shape) -> &[Key] {
        &shape.nums
    }

    fn has(table: &Columns, column: usize) -> bool {
        table.has_num(column)
    }

    #[inline]
    fn own(table: &Columns, row: u32, column: usize) -> Self {
        table.num(row, column)
    }

    fn told(reported: &RecordTable, key: Key) -> Told<Self> {
        reported.every_num(key)
    }
}

impl ReportedColumn for StrId {
    const NONE: Self = StrId::NONE;

    fn keys(shape: &Shape) -> &[Key] {
        &shape.texts
    }

    fn has(table: &Columns, column: usize) -> bool {
        table.has_text(column)
    }

    #[inline]
    fn own(table: &Columns, row: u32, column: usize) -> Self {
        table.text(row, column)
    }

    fn told(reported: &RecordTable, key: Key) -> Told<Self> {
        reported.every_text(key)
    }
}

/// A field that every item is asked for: [`Asked`](super::Asked) is for some of them. Up to four or eight bytes for every record.
pub struct Every<'a, T> {
    trace: &'a Trace,
    /// By shape: the column of what items carry themselves; empty if none does.
    own: Vec<Option<usize>>,
    told: Told<T>,
}

impl<'a, T: ReportedColumn> Every<'a, T> {
    /// To ask for what is reported under `key`.
    pub fn new(trace: &'a Trace, key: Key) -> Self {
        let column = |(shape, table): (&Shape, &Columns)| {
            T::keys(shape).iter().position(|&known| known == key).filter(|&at| T::has(table, at))
        };
        let mut own: Vec<Option<usize>> = trace.shapes.iter().zip(&trace.args).map(column).collect();
        if own.iter().all(Option::is_none) {
            own.clear();
        }
        Self { trace, own, told: T::told(&trace.reported, key) }
    }

    /// What `item` reports; [`NOT_REPORTED`] or [`StrId::NONE`] for nothing.
    #[inline]
    pub fn of(&self, item: Item) -> T {
        self.of_records(item, self.trace.ends(item))
    }

    /// Reads the value of an item whose records are known already, as when several fields of it are read.
    #[inline]
    pub fn of_records(&self, item: Item, (first, last): (RecordId, RecordId)) -> T {
        let own = self.own(item);
        if own != T::NONE {
            return own;
        }
        let begun = self.told.get(first);
        if begun == T::NONE && last != first { self.told.get(last) } else { begun }
    }

    #[inline]
    fn own(&self, item: Item) -> T {
        if self.own.is_empty() {
            return T::NONE;
        }
        let shape = usize::from(self.trace.shape(item).0);
        let own = |at| T::own(&self.trace.args[shape], self.trace.args(item), at);
        self.own.get(shape).copied().flatten().map_or(T::NONE, own)
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
        let has_own =
            |(shape, table): (&Shape, &Columns)| (0..shape.texts.len()).any(|at| table.has_text(at));
        Self { trace, test, any_own: trace.shapes.iter().zip(&trace.args).any(has_own), told }
    }

    /// Whether one of the texts that `item` itself carries passes.
    #[inline]
    pub fn of(&self, item: Item) -> bool {
        let trace = self.trace;
        let told = |record: RecordId| self.told.get(record.0 as usize).is_some_and(|&passes| passes);
        let (first, last) = trace.ends(item);
        let may_pass =
            told(first) || last != first && told(last) || self.any_own && trace.has_own_texts(item);
        may_pass && trace.has_text(item, &self.test)
    }
}
