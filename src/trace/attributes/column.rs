//! [`AttributeColumn`]: one attribute of every item.

use super::{AttributeType, ColumnData, OwnColumns};
use crate::trace::{Item, Key, RecordId, Trace};

/// One attribute of every item. The records of a trace are read once, in their own order, as they lie in memory: those of one
/// thread stand all over the files. Takes up to four (texts) or eight (numbers) bytes for every record.
pub struct AttributeColumn<'a, T> {
    trace: &'a Trace,
    own: OwnColumns,
    reported: ColumnData<T>,
}

impl<'a, T: AttributeType> AttributeColumn<'a, T> {
    /// The column of what is reported under `key`.
    pub fn new(trace: &'a Trace, key: Key) -> Self {
        Self {
            trace,
            own: OwnColumns::new::<T>(trace, key),
            reported: T::of_all_records(&trace.reported, key),
        }
    }

    /// The value of `item`; [`AttributeType::NONE`] if none was reported.
    #[inline]
    pub fn of(&self, item: Item) -> T {
        self.of_records(item, self.trace.ends(item))
    }

    /// The value of an item whose first and last record are known already, as when several columns are read.
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
