//! [`AttributeColumn`]: the values of one attribute for every item.

use super::{AttributeType, ColumnData, OwnColumns};
use crate::trace::{Item, Key, RecordId, Trace};

/// The values of one attribute for every item. Reads the records of the trace once and in memory order, which is faster than by
/// item because the records of a thread are spread over the files. Takes up to 4 (texts) or 8 (numbers) bytes per record.
pub struct AttributeColumn<'a, T> {
    trace: &'a Trace,
    own: OwnColumns,
    reported: ColumnData<T>,
}

impl<'a, T: AttributeType> AttributeColumn<'a, T> {
    /// Creates the column of the values under `key`.
    pub fn new(trace: &'a Trace, key: Key) -> Self {
        Self {
            trace,
            own: OwnColumns::new::<T>(trace, key),
            reported: T::of_all_records(&trace.reported, key),
        }
    }

    /// Value of `item`; [`AttributeType::NONE`] if none was reported.
    #[inline]
    pub fn of(&self, item: Item) -> T {
        self.of_records(item, self.trace.ends(item))
    }

    /// Value of an item whose first and last record are already known, which saves time when several columns are read.
    #[inline]
    pub fn of_records(&self, item: Item, (first, last): (RecordId, RecordId)) -> T {
        let own = self.own.value(self.trace, item);
        if own != T::NONE {
            return own;
        }
        let begun = self.reported.get(first);
        if begun == T::NONE && last != first { self.reported.get(last) } else { begun }
    }
}
