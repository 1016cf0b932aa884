//! [`RecordTable`]: the values that records report, in columns that are filled while files are read. Every trace built from
//! the records shares these columns, so that spans need no copies of the numbers and texts of their records.

use super::NOT_REPORTED;
use super::attributes::{AttributeType, ColumnData};
use super::columns::Columns;
use super::keys::Key;
use super::span::RecordId;
use super::written::WrittenValues;
use crate::base::chunked;
use crate::base::columns::{BlockColumn, MinWidthColumn};
use crate::base::interner::StrId;

/// Id of a record type: the number of its table in [`RecordTable`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordTypeId(pub u16);

/// Reference to a record's row in the table of its type.
#[derive(Clone, Copy, Debug)]
pub struct RowRef {
    /// Type of the record.
    pub record_type: RecordTypeId,
    row: u32,
}

/// Value of `type_of` for a record without a row in any table.
const NO_TABLE: u32 = 0;
/// Number of consecutive records in a stretch. Row numbers take two bytes, relative to its first row.
const STRETCH: usize = 1 << 15;

/// Columns of the records of one type.
struct RecordColumns {
    table: Columns,
    /// By stretch of records: number of rows before it.
    before: Vec<u32>,
    nums: Vec<Option<NumKey>>,
    texts: Vec<Option<Key>>,
}

/// Key and factor of a numeric column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumKey {
    /// Key of the column.
    pub key: Key,
    /// Factor by which values are multiplied: 1,000,000 for whole numbers under a key in millionths, otherwise 1.
    pub factor: i64,
}

/// Reference to the column in which records of one type report a number.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRef {
    column: usize,
    factor: i64,
}

impl RecordColumns {
    fn place(&self, key: Key) -> Option<ColumnRef> {
        let is_it = |(column, num): (usize, &Option<NumKey>)| {
            let NumKey { factor, .. } = num.filter(|num| num.key == key)?;
            Some(ColumnRef { column, factor })
        };
        self.nums.iter().enumerate().find_map(is_it)
    }

    fn num_keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.nums.iter().flatten().map(|num| num.key)
    }
}

/// The fields of all records, in one table per record type.
#[derive(Default)]
pub struct RecordTable {
    types: Vec<RecordColumns>,
    /// By key: whether records of any type may report a value.
    known: Vec<bool>,
    /// Whether records of any type may report texts.
    has_texts: bool,
    /// By record: number of its type plus one, or [`NO_TABLE`].
    type_of: MinWidthColumn,
    /// By record: its row in the table of its type, relative to the first row of its stretch.
    row_of: BlockColumn<u16>,
    written: Option<WrittenValues>,
}

impl RecordTable {
    /// Adds a record type with the keys of its numbers and texts; `None` for a field that is not an attribute of a span or
    /// event. Types are numbered consecutively; there can be at most 65,536, and a format has at most 4,096.
    pub fn add_type(&mut self, nums: Vec<Option<Key>>, texts: Vec<Option<Key>>) -> RecordTypeId {
        debug_assert!(self.types.len() <= usize::from(u16::MAX), "too many record types");
        let table = Columns::new(nums.len(), texts.len());
        let named = |key: Option<Key>| key.map(|key| NumKey { key, factor: 1 });
        let nums = nums.into_iter().map(named).collect();
        let record_type = RecordColumns { table, before: Vec::new(), nums, texts };
        self.types.push(record_type);
        let id = RecordTypeId((self.types.len() - 1) as u16);
        self.mark(id);
        id
    }

    /// Starts keeping the attributes of all further records as written in the file.
    pub fn keep_written(&mut self) {
        self.written.get_or_insert_default();
    }

    /// The attributes as written in the file; `None` if they are not kept.
    pub fn written(&self) -> Option<&WrittenValues> {
        self.written.as_ref()
    }

    /// The attributes as written in the file, to add to; `None` if they are not kept.
    pub fn written_mut(&mut self) -> Option<&mut WrittenValues> {
        self.written.as_mut()
    }

    /// Sets the keys of a type's columns, for formats that know them only when the trace is built.
    pub(super) fn name(&mut self, id: RecordTypeId, nums: Vec<Option<NumKey>>, texts: Vec<Option<Key>>) {
        if let Some(record_type) = self.types.get_mut(usize::from(id.0)) {
            (record_type.nums, record_type.texts) = (nums, texts);
        }
        self.mark(id);
    }

    /// Registers the keys under which records of a type may report a value.
    fn mark(&mut self, id: RecordTypeId) {
        let Some(record_type) = self.types.get(usize::from(id.0)) else { return };
        for Key(key) in record_type.num_keys().chain(record_type.texts.iter().copied().flatten()) {
            let len = self.known.len().max(usize::from(key) + 1);
            self.known.resize(len, false);
            self.known[usize::from(key)] = true;
        }
        self.has_texts |= !record_type.texts.is_empty();
    }

    /// Adds the values of a record. Records must be added in the order of their ids; skipped records report nothing.
    #[inline]
    pub fn add(
        &mut self,
        record: RecordId,
        record_type: RecordTypeId,
        nums: impl IntoIterator<Item = i64>,
        texts: impl IntoIterator<Item = StrId>,
    ) {
        while self.type_of.len() < record.0 as usize {
            self.push(NO_TABLE, 0);
        }
        let Some(RecordColumns { table, before, .. }) = self.types.get_mut(usize::from(record_type.0)) else {
            return;
        };
        let row = table.push(nums, texts);
        let stretch = self.type_of.len() / STRETCH;
        while before.len() <= stretch {
            before.push(row);
        }
        let offset = row - before[stretch];
        self.push(u32::from(record_type.0) + 1, offset as u16);
    }

    #[inline]
    fn push(&mut self, record_type: u32, row: u16) {
        self.type_of.push(record_type);
        self.row_of.push(row);
    }

    #[inline]
    fn place(&self, record: RecordId) -> Option<(u16, u32)> {
        let at = record.0 as usize;
        if at >= self.type_of.len() {
            return None;
        }
        let number = self.type_of.get(at).checked_sub(1)?;
        let row = self.types.get(number as usize)?.before.get(at / STRETCH)? + u32::from(self.row_of.get(at));
        Some((number as u16, row))
    }

    /// Finds the row of a record, for reading several fields; `None` if the record reports nothing.
    #[inline]
    pub fn find(&self, record: RecordId) -> Option<RowRef> {
        self.place(record).map(|(record_type, row)| RowRef { record_type: RecordTypeId(record_type), row })
    }

    /// The number in a column, without its factor; `None` if it was not reported.
    #[inline]
    pub fn num_at(&self, found: RowRef, column: usize) -> Option<i64> {
        let table = &self.types[usize::from(found.record_type.0)].table;
        Some(table.num(found.row, column)).filter(|&num| num != NOT_REPORTED)
    }

    /// Copies the numbers (without their factors) and texts of a record into the slices, as far as they fit, and returns its
    /// type. Missing values are [`NOT_REPORTED`] or [`StrId::NONE`].
    #[inline]
    pub fn read(&self, record: RecordId, nums: &mut [i64], texts: &mut [StrId]) -> Option<RecordTypeId> {
        let (record_type, row) = self.place(record)?;
        self.types[usize::from(record_type)].table.read(row, nums, texts);
        Some(RecordTypeId(record_type))
    }

    /// Whether any record may report a value under `key`. If not, no record needs to be read.
    #[inline]
    pub fn may_have(&self, key: Key) -> bool {
        self.known.get(usize::from(key.0)).copied().unwrap_or(false)
    }

    /// Whether any record may report texts.
    #[inline]
    pub fn may_have_texts(&self) -> bool {
        self.has_texts
    }

    /// The number that a record reports under `key`; `None` if there is none.
    pub fn num(&self, record: RecordId, key: Key) -> Option<i64> {
        let found = self.find(record)?;
        self.num_in(found, self.types[usize::from(found.record_type.0)].place(key)?)
    }

    /// The number that a record reports in a column of its type, multiplied by the column's factor; `None` if it is not
    /// reported or out of range.
    #[inline]
    pub fn num_in(
        &self,
        RowRef { record_type, row }: RowRef,
        ColumnRef { column, factor }: ColumnRef,
    ) -> Option<i64> {
        let num = self.types[usize::from(record_type.0)].table.num(row, column);
        // Most numbers have the factor 1, and a checked multiplication is slow in a browser.
        let num = if factor == 1 { Some(num) } else { num.checked_mul(factor) };
        num.filter(|&num| num != NOT_REPORTED)
    }

    /// By record type: the columns that hold the numbers under `keys`.
    pub fn num_columns<const N: usize>(&self, keys: [Key; N]) -> Vec<[Option<ColumnRef>; N]> {
        self.types.iter().map(|record_type| keys.map(|key| record_type.place(key))).collect()
    }

    /// The numbers under `key` of all records.
    #[inline(never)]
    pub fn num_column(&self, key: Key) -> ColumnData<i64> {
        let columns = self.num_columns([key]);
        self.column(key, |row| self.num_in(row, columns[usize::from(row.record_type.0)][0]?))
    }

    /// The texts under `key` of all records.
    #[inline(never)]
    pub fn text_column(&self, key: Key) -> ColumnData<StrId> {
        let column =
            |record_type: &RecordColumns| record_type.texts.iter().position(|&known| known == Some(key));
        let columns: Vec<Option<usize>> = self.types.iter().map(column).collect();
        self.column(key, |RowRef { record_type, row }| {
            let record_type = usize::from(record_type.0);
            Some(self.types[record_type].table.text(row, columns[record_type]?))
        })
    }

    fn column<T: AttributeType>(&self, key: Key, value: impl Fn(RowRef) -> Option<T>) -> ColumnData<T> {
        if !self.may_have(key) {
            return ColumnData::for_records(0);
        }
        let mut column = ColumnData::for_records(self.type_of.len());
        self.each(|record, row| column.push(record, row.and_then(&value).unwrap_or(T::NONE)));
        column
    }

    /// By record: whether it reports a text that passes `test`. Empty if no record does.
    #[inline(never)]
    pub fn passing(&self, test: impl Fn(StrId) -> bool) -> Vec<bool> {
        let passing = |record_type: &RecordColumns| -> Vec<usize> {
            let named = record_type.texts.iter().enumerate().filter(|(_, key)| key.is_some());
            named.map(|(at, _)| at).filter(|&at| record_type.table.may_pass(at, &test)).collect()
        };
        let columns: Vec<Vec<usize>> = self.types.iter().map(passing).collect();
        if columns.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let passes = |RowRef { record_type, row }: RowRef| {
            let table = &self.types[usize::from(record_type.0)].table;
            columns[usize::from(record_type.0)]
                .iter()
                .any(|&at| table.text(row, at).some().is_some_and(&test))
        };
        let mut passing = Vec::with_capacity(self.type_of.len());
        self.each(|_, found| passing.push(found.is_some_and(passes)));
        passing
    }

    /// Calls `take` with every record and its row, in the order of records (which is also the order of the rows of each table).
    fn each(&self, mut take: impl FnMut(u32, Option<RowRef>)) {
        let mut next = vec![0; self.types.len()];
        chunked::for_each(0..self.type_of.len() as u32, |record| {
            let record_type = self.type_of.get(record as usize).checked_sub(1);
            let found = record_type.and_then(|record_type| {
                let next = next.get_mut(record_type as usize)?;
                *next += 1;
                Some(RowRef { record_type: RecordTypeId(record_type as u16), row: *next - 1 })
            });
            take(record, found);
        });
    }

    /// The text that a record reports under `key`; `None` if there is none.
    pub fn text(&self, record: RecordId, key: Key) -> Option<StrId> {
        let (record_type, row) = self.place(record)?;
        let RecordColumns { table, texts, .. } = &self.types[usize::from(record_type)];
        let column = texts.iter().position(|&known| known == Some(key))?;
        table.text(row, column).some()
    }

    /// The keys that records of any type may report, with duplicates.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.types
            .iter()
            .flat_map(|record_type| record_type.num_keys().chain(record_type.texts.iter().copied().flatten()))
    }

    /// The keys under which at least one record reports a value, with duplicates.
    pub fn keys_in_use(&self) -> impl Iterator<Item = Key> + '_ {
        self.types.iter().flat_map(|RecordColumns { table, nums, texts, .. }| {
            let nums = nums.iter().enumerate().filter_map(|(at, num)| Some((at, num.as_ref()?.key)));
            let texts = texts.iter().enumerate().filter_map(|(at, key)| Some((at, *key.as_ref()?)));
            let nums = nums.filter(|(at, _)| table.has_num(*at));
            nums.chain(texts.filter(|(at, _)| table.has_text(*at))).map(|(_, key)| key)
        })
    }

    /// The texts that a record reports, with their keys.
    #[inline]
    pub fn texts(&self, record: RecordId) -> impl Iterator<Item = (Key, StrId)> + '_ {
        let found = self.place(record).map(|(record_type, row)| (&self.types[usize::from(record_type)], row));
        found.into_iter().flat_map(|(record_type, row)| {
            let columns = record_type.texts.iter().enumerate();
            columns
                .filter_map(move |(at, key)| Some((*key.as_ref()?, record_type.table.text(row, at).some()?)))
        })
    }

    /// The keys of the numbers that records of the type of `record` may report.
    pub fn num_keys(&self, record: RecordId) -> impl Iterator<Item = Key> + '_ {
        let record_type = self.place(record).map(|(record_type, _)| &self.types[usize::from(record_type)]);
        record_type.into_iter().flat_map(RecordColumns::num_keys)
    }

    /// The keys of the texts that records of the type of `record` may report.
    pub fn text_keys(&self, record: RecordId) -> impl Iterator<Item = Key> + '_ {
        let record_type = self.place(record).map(|(record_type, _)| &self.types[usize::from(record_type)]);
        record_type.into_iter().flat_map(|record_type| record_type.texts.iter().copied().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::key;

    #[test]
    fn records_keep_what_they_report_across_stretches() {
        let mut reported = RecordTable::default();
        let bare = reported.add_type(Vec::new(), vec![None]);
        let full = reported.add_type(vec![Some(key::BYTES), None], vec![Some(key::SQL)]);
        let text = |at: u32| StrId(at % 999);
        for at in (0..3 * STRETCH as u32).filter(|at| at % 5 != 4) {
            match at % 3 {
                0 => reported.add(RecordId(at), bare, [], [text(at)]),
                _ => reported.add(RecordId(at), full, [i64::from(at), -1], [text(at)]),
            }
        }
        for at in 0..3 * STRETCH as u32 - 1 {
            let (record, there) = (RecordId(at), at % 5 != 4);
            let of_full = there && at % 3 != 0;
            assert_eq!(reported.num(record, key::BYTES), of_full.then_some(i64::from(at)), "{at}");
            assert_eq!(reported.text(record, key::SQL), of_full.then(|| text(at)), "{at}");
            let (mut nums, mut texts) = ([NOT_REPORTED; 2], [StrId::NONE]);
            assert_eq!(reported.read(record, &mut nums, &mut texts).is_some(), there, "{at}");
            assert_eq!(texts[0].some(), there.then(|| text(at)), "{at}");
            assert_eq!(nums[0], if of_full { i64::from(at) } else { NOT_REPORTED }, "{at}");
            assert_eq!(reported.find(record).is_some(), there, "{at}");
            assert_eq!(reported.num_keys(record).count(), usize::from(of_full), "{at}");
            assert!(reported.texts(record).eq(of_full.then(|| (key::SQL, text(at)))), "{at}");
        }
        assert_eq!(reported.num(RecordId(u32::MAX), key::BYTES), None);
        let may_have = [key::BYTES, key::SQL, key::ERROR].map(|key| reported.may_have(key));
        assert_eq!(may_have, [true, true, false]);
        let mut keys: Vec<_> = reported.keys_in_use().collect();
        keys.sort_unstable();
        let mut expected = [key::BYTES, key::SQL];
        expected.sort_unstable();
        assert_eq!(keys, expected);
    }
}
