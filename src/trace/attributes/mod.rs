//! Attributes of spans and events: numbers and texts, by key. An item has attributes of its own, in columns by [`Shape`], and
//! those of the records that began and ended it. Of several values under one key the item's own counts, then that of the
//! record that began it.
//!
//! | to read | of |
//! |---|---|
//! | [`Trace::num`], [`Trace::text`] | one item |
//! | [`AttributeReader`] | many items: several numbers of each |
//! | [`AttributeColumn`] | every item |
//! | [`TextPredicate`] | every item: whether one of its texts passes a test |

mod column;
mod column_data;
mod predicate;
mod reader;

pub use column::AttributeColumn;
pub use column_data::ColumnData;
pub use predicate::TextPredicate;
pub use reader::AttributeReader;

use super::columns::Columns;
use super::{Item, Key, NOT_REPORTED, RecordId, RecordTable, Shape, ShapeId, Trace};
use crate::base::interner::StrId;

/// A type of attribute values: numbers and texts.
pub trait AttributeType: Copy + PartialEq + Sized {
    /// Stands for "not reported".
    const NONE: Self;
    /// The keys under which items of a shape carry values of this type.
    fn own_keys(shape: &Shape) -> &[Key];
    /// Whether any row has a value in a column.
    fn has_any(columns: &Columns, column: usize) -> bool;
    /// The value of a row in a column.
    fn own(columns: &Columns, row: u32, column: usize) -> Self;
    /// The value that a record reports under `key`.
    fn of_record(records: &RecordTable, record: RecordId, key: Key) -> Option<Self>;
    /// The keys under which records of the type of `record` may report values of this type.
    fn record_keys(records: &RecordTable, record: RecordId) -> impl Iterator<Item = Key>;
    /// The value under `key` of every record.
    fn of_all_records(records: &RecordTable, key: Key) -> ColumnData<Self>;
}

impl AttributeType for i64 {
    const NONE: Self = NOT_REPORTED;

    fn own_keys(shape: &Shape) -> &[Key] {
        &shape.nums
    }

    fn has_any(columns: &Columns, column: usize) -> bool {
        columns.has_num(column)
    }

    #[inline]
    fn own(columns: &Columns, row: u32, column: usize) -> Self {
        columns.num(row, column)
    }

    #[inline]
    fn of_record(records: &RecordTable, record: RecordId, key: Key) -> Option<Self> {
        records.num(record, key)
    }

    fn record_keys(records: &RecordTable, record: RecordId) -> impl Iterator<Item = Key> {
        records.num_keys(record)
    }

    fn of_all_records(records: &RecordTable, key: Key) -> ColumnData<Self> {
        records.num_column(key)
    }
}

impl AttributeType for StrId {
    const NONE: Self = StrId::NONE;

    fn own_keys(shape: &Shape) -> &[Key] {
        &shape.texts
    }

    fn has_any(columns: &Columns, column: usize) -> bool {
        columns.has_text(column)
    }

    #[inline]
    fn own(columns: &Columns, row: u32, column: usize) -> Self {
        columns.text(row, column)
    }

    #[inline]
    fn of_record(records: &RecordTable, record: RecordId, key: Key) -> Option<Self> {
        records.text(record, key)
    }

    fn record_keys(records: &RecordTable, record: RecordId) -> impl Iterator<Item = Key> {
        records.text_keys(record)
    }

    fn of_all_records(records: &RecordTable, key: Key) -> ColumnData<Self> {
        records.text_column(key)
    }
}

/// By shape: the column in which items carry one attribute themselves. Empty if no item does.
struct OwnColumns(Vec<Option<usize>>);

impl OwnColumns {
    fn new<T: AttributeType>(trace: &Trace, key: Key) -> Self {
        let column = |(shape, columns): (&Shape, &Columns)| {
            let column = T::own_keys(shape).iter().position(|&known| known == key);
            column.filter(|&at| T::has_any(columns, at))
        };
        let mut columns: Vec<Option<usize>> = trace.shapes.iter().zip(&trace.args).map(column).collect();
        if columns.iter().all(Option::is_none) {
            columns.clear();
        }
        Self(columns)
    }

    #[inline]
    fn value<T: AttributeType>(&self, trace: &Trace, item: Item) -> T {
        if self.0.is_empty() {
            return T::NONE;
        }
        let shape = usize::from(trace.shape(item).0);
        let own = |column| T::own(&trace.args[shape], trace.args(item), column);
        self.0.get(shape).copied().flatten().map_or(T::NONE, own)
    }
}

impl Trace {
    /// The number that `item` carries under `key`; `None` if none was reported.
    #[inline]
    pub fn num(&self, item: Item, key: Key) -> Option<i64> {
        self.attribute(item, key)
    }

    /// The text that `item` carries under `key`; `None` if none was reported.
    #[inline]
    pub fn text(&self, item: Item, key: Key) -> Option<StrId> {
        self.attribute(item, key)
    }

    /// The numbers that `item` carries: its own in the order of its shape, then those of its records.
    pub fn nums(&self, item: Item) -> impl Iterator<Item = (Key, i64)> + '_ {
        self.attributes(item)
    }

    /// The texts that `item` carries: its own in the order of its shape, then those of its records.
    pub fn texts(&self, item: Item) -> impl Iterator<Item = (Key, StrId)> + '_ {
        self.attributes(item)
    }

    #[inline]
    fn attribute<T: AttributeType>(&self, item: Item, key: Key) -> Option<T> {
        let shape = self.shape(item);
        let column = T::own_keys(self.shapes.get(shape)).iter().position(|&known| known == key);
        let own = column.map(|at| T::own(&self.args[usize::from(shape.0)], self.args(item), at));
        let of_records = || {
            let records = self.reported.may_have(key).then(|| self.records(item));
            records.into_iter().flatten().find_map(|record| T::of_record(&self.reported, record, key))
        };
        own.filter(|&value| value != T::NONE).or_else(of_records)
    }

    fn attributes<T: AttributeType>(&self, item: Item) -> impl Iterator<Item = (Key, T)> + '_ {
        let own = T::own_keys(self.shapes.get(self.shape(item))).iter().copied();
        let of_records = self.records(item).flat_map(|record| T::record_keys(&self.reported, record));
        let mut keys: Vec<Key> = Vec::new();
        for key in own.chain(of_records) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys.into_iter().filter_map(move |key| Some((key, self.attribute(item, key)?)))
    }

    /// Whether one of the [texts](Self::texts) of `item` passes a test, without a list of all of them.
    pub fn has_text(&self, item: Item, test: impl Fn(StrId) -> bool) -> bool {
        let (shape, row) = (self.shape(item), self.args(item));
        let table = &self.args[usize::from(shape.0)];
        let own = (0..self.shapes.get(shape).texts.len()).filter_map(|at| table.text(row, at).some());
        let records = self.reported.may_have_texts().then(|| self.records(item)).into_iter().flatten();
        let mut reported = records.flat_map(|record| self.reported.texts(record));
        // Of several texts under one key only the first counts.
        let counts = |key, text| self.text(item, key) == Some(text);
        own.into_iter().any(&test) || reported.any(|(key, text)| test(text) && counts(key, text))
    }

    /// Whether `item` may carry texts in addition to those of its records.
    #[inline]
    fn has_own_texts(&self, item: Item) -> bool {
        !self.shapes.get(self.shape(item)).texts.is_empty()
    }

    /// The keys under which some span, event or record reports a value, in their order.
    pub fn keys_in_use(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = self.reported.keys_in_use().collect();
        for (columns, shape) in self.args.iter().zip((0..).map(|id| self.shapes.get(ShapeId(id)))) {
            let nums = shape.nums.iter().enumerate().filter(|(at, _)| columns.has_num(*at));
            let texts = shape.texts.iter().enumerate().filter(|(at, _)| columns.has_text(*at));
            keys.extend(nums.chain(texts).map(|(_, key)| key));
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The text under `key` of `item`, or of the nearest ancestor that has one.
    pub fn inherited_text(&self, item: Item, key: Key) -> Option<StrId> {
        let mut at = Some(item);
        while let Some(item) = at {
            if let Some(text) = self.text(item, key) {
                return Some(text);
            }
            at = self.parent(item).map(Item::Span);
        }
        None
    }
}
