//! Attributes of spans and events: numbers and texts, by key. An item has attributes of its own, in columns by [`Shape`],
//! and the attributes of the records that began and ended it. If there are several values under one key, the item's own value
//! has precedence, then the value of the record that began the item.
//!
//! | type or method | reads |
//! |---|---|
//! | [`Trace::num`], [`Trace::text`] | one attribute of one item |
//! | [`AttributeReader`] | several numbers of each of many items |
//! | [`AttributeColumn`] | one attribute of every item |
//! | [`TextPredicate`] | whether a text of an item passes a test, for every item |

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

/// Type of attribute values: numbers (`i64`) or texts (`StrId`).
pub trait AttributeType: Copy + PartialEq + Sized {
    /// Value that represents "not reported".
    const NONE: Self;
    /// The keys under which items of a shape have values of this type.
    fn own_keys(shape: &Shape) -> &[Key];
    /// Whether any row has a value of this type in a column.
    fn has_any(columns: &Columns, column: usize) -> bool;
    /// The value at a row and column.
    fn own(columns: &Columns, row: u32, column: usize) -> Self;
    /// The value that a record reports under `key`; `None` if there is none.
    fn of_record(records: &RecordTable, record: RecordId, key: Key) -> Option<Self>;
    /// The keys under which records of the type of `record` may report values of this type.
    fn record_keys(records: &RecordTable, record: RecordId) -> impl Iterator<Item = Key>;
    /// The values under `key` of all records.
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

/// By shape: the column with the items' own values of one attribute. Empty if no item has such a value.
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
    /// The number of `item` under `key`; `None` if none was reported.
    #[inline]
    pub fn num(&self, item: Item, key: Key) -> Option<i64> {
        self.attribute(item, key)
    }

    /// The text of `item` under `key`; `None` if none was reported.
    #[inline]
    pub fn text(&self, item: Item, key: Key) -> Option<StrId> {
        self.attribute(item, key)
    }

    /// The numbers of `item` with their keys: its own in the order of its shape, then those of its records.
    pub fn nums(&self, item: Item) -> impl Iterator<Item = (Key, i64)> + '_ {
        self.attributes(item)
    }

    /// The texts of `item` with their keys: its own in the order of its shape, then those of its records.
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

    /// Whether any of the [texts](Self::texts) of `item` passes a test. Does not collect the texts.
    pub fn has_text(&self, item: Item, test: impl Fn(StrId) -> bool) -> bool {
        let (shape, row) = (self.shape(item), self.args(item));
        let table = &self.args[usize::from(shape.0)];
        let own = (0..self.shapes.get(shape).texts.len()).filter_map(|at| table.text(row, at).some());
        let records = self.reported.may_have_texts().then(|| self.records(item)).into_iter().flatten();
        let mut reported = records.flat_map(|record| self.reported.texts(record));
        // If several records have a text under the same key, only the first text counts.
        let counts = |key, text| self.text(item, key) == Some(text);
        own.into_iter().any(&test) || reported.any(|(key, text)| test(text) && counts(key, text))
    }

    /// Whether `item` may have texts in addition to the texts of its records.
    #[inline]
    fn has_own_texts(&self, item: Item) -> bool {
        !self.shapes.get(self.shape(item)).texts.is_empty()
    }

    /// The keys under which at least one span, event or record has a value, in ascending order.
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

    /// The text under `key` of `item`, or of its nearest ancestor that has such a text; `None` if there is none.
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
