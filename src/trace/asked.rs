//! [`Asked`]: numbers that many items are asked for.

use super::record_table::ColumnRef;
use super::{Item, Key, NOT_REPORTED, Trace};

/// Numbers that many items are asked for, one after the other: where they stand is looked up once.
pub struct Asked<'a, const N: usize> {
    trace: &'a Trace,
    /// By shape: the columns of what items carry themselves.
    own: Vec<[Option<usize>; N]>,
    /// By sort: the columns of what their records report.
    reported: Vec<[Option<ColumnRef>; N]>,
    /// Whether records may report any.
    may_report: [bool; N],
}

impl<'a, const N: usize> Asked<'a, N> {
    /// To be asked for the numbers under `keys`.
    pub fn new(trace: &'a Trace, keys: [Key; N]) -> Self {
        let own = |nums: &[Key]| keys.map(|key| nums.iter().position(|&known| known == key));
        Self {
            trace,
            own: trace.shapes.iter().map(|shape| own(&shape.nums)).collect(),
            reported: trace.reported.places(keys),
            may_report: keys.map(|key| trace.reported.may_have(key)),
        }
    }

    /// The numbers of `item`; `None` for what was not reported.
    #[inline]
    pub fn of(&self, item: Item) -> [Option<i64>; N] {
        let trace = self.trace;
        let shape = usize::from(trace.shape(item).0);
        let mut nums = self.own[shape].map(|column| {
            column.map(|at| trace.args[shape].num(trace.args(item), at)).filter(|&num| num != NOT_REPORTED)
        });
        let is_missing = |nums: &[Option<i64>; N]| {
            nums.iter().zip(&self.may_report).any(|(num, &may_report)| num.is_none() && may_report)
        };
        if !is_missing(&nums) {
            return nums;
        }
        for found in trace.records(item).filter_map(|record| trace.reported.find(record)) {
            let places = &self.reported[usize::from(found.sort.0)];
            for (num, place) in nums.iter_mut().zip(places) {
                *num = num.or_else(|| trace.reported.num_in(found, (*place)?));
            }
            if !is_missing(&nums) {
                break;
            }
        }
        nums
    }
}
