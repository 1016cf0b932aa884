//! [`AttributeReader`]: reads several numbers of each of many items.

use super::OwnColumns;
use crate::trace::record_table::ColumnRef;
use crate::trace::{Item, Key, NOT_REPORTED, Trace};

/// Reads `N` numbers of each of many items; the columns of the numbers are looked up only once. To read every item of a trace,
/// an [`AttributeColumn`](super::AttributeColumn) is faster.
pub struct AttributeReader<'a, const N: usize> {
    trace: &'a Trace,
    own: [OwnColumns; N],
    /// By record type: the columns in which records report the numbers.
    reported: Vec<[Option<ColumnRef>; N]>,
    /// For each number: whether any record may report it.
    may_report: [bool; N],
}

impl<'a, const N: usize> AttributeReader<'a, N> {
    /// Creates a reader of the numbers under `keys`.
    pub fn new(trace: &'a Trace, keys: [Key; N]) -> Self {
        Self {
            trace,
            own: keys.map(|key| OwnColumns::new::<i64>(trace, key)),
            reported: trace.reported.num_columns(keys),
            may_report: keys.map(|key| trace.reported.may_have(key)),
        }
    }

    /// The numbers of `item`; `None` for each number that was not reported.
    #[inline]
    pub fn of(&self, item: Item) -> [Option<i64>; N] {
        let records = &self.trace.reported;
        let mut nums = self.own.each_ref().map(|own| {
            let num: i64 = own.value(self.trace, item);
            (num != NOT_REPORTED).then_some(num)
        });
        let is_missing = |nums: &[Option<i64>; N]| {
            nums.iter().zip(&self.may_report).any(|(num, &may_report)| num.is_none() && may_report)
        };
        if !is_missing(&nums) {
            return nums;
        }
        for row in self.trace.records(item).filter_map(|record| records.find(record)) {
            let columns = &self.reported[usize::from(row.record_type.0)];
            for (num, column) in nums.iter_mut().zip(columns) {
                *num = num.or_else(|| records.num_in(row, (*column)?));
            }
            if !is_missing(&nums) {
                break;
            }
        }
        nums
    }
}
