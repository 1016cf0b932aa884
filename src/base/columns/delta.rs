//! [`DeltaColumn`]: times, encoded as distances from the first time of each group of 16.

use std::ops::Range;

use super::{BlockColumn, Overflow};

const SHIFT: usize = 4;
/// Number of times that share a reference. The first time of each group is stored in full.
pub const GROUP: usize = 1 << SHIFT;

/// Encodes numbers as distances from the first number of each group of 16 (its reference). Distances within ±10⁹ are encoded in
/// four bytes.
#[derive(Clone, Default, Debug)]
pub struct Near {
    bases: BlockColumn<i64>,
    apart: Overflow,
}

impl Near {
    /// Returns the code of `number`, which is the number at `index`. Must be called in the order of indexes.
    #[inline]
    pub fn code(&mut self, index: usize, number: i64) -> u32 {
        if index.is_multiple_of(GROUP) {
            self.bases.push(number);
        }
        let distance = number.wrapping_sub(self.bases.get(index >> SHIFT));
        // Zigzag encoding: small distances in either direction become small non-negative numbers.
        self.apart.code(distance << 1 ^ distance >> 63)
    }

    /// Decodes the number at `index`.
    #[inline]
    pub fn number(&self, index: usize, code: u32) -> i64 {
        unfolded(self.bases.get(index >> SHIFT), self.apart.number(code))
    }
}

#[inline]
fn unfolded(base: i64, folded: i64) -> i64 {
    let distance = (folded.cast_unsigned() >> 1).cast_signed() ^ -(folded & 1);
    base.wrapping_add(distance)
}

/// A column of times: 4.5 bytes per time if times are close together, 12.5 bytes otherwise.
#[derive(Clone, Default, Debug)]
pub struct DeltaColumn {
    codes: BlockColumn<u32>,
    near: Near,
}

impl DeltaColumn {
    /// Appends a time.
    #[inline]
    pub fn push(&mut self, time: i64) {
        let code = self.near.code(self.codes.len(), time);
        self.codes.push(code);
    }

    /// All times in order; faster than calling [`get`](Self::get) for each.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        let (mut bases, mut base) = (self.near.bases.iter(), 0);
        self.codes.iter().enumerate().map(move |(at, code)| {
            if at.is_multiple_of(GROUP) {
                base = bases.next().unwrap_or(base);
            }
            unfolded(base, self.near.apart.number(code))
        })
    }

    /// Releases unused memory.
    pub fn shrink(&mut self) {
        self.codes.shrink();
        self.near.bases.shrink();
        self.near.apart.shrink();
    }

    /// The time at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> i64 {
        if index.is_multiple_of(GROUP) {
            // The first time of a group is its own reference.
            return self.near.bases.get(index >> SHIFT);
        }
        self.near.number(index, self.codes.get(index))
    }

    /// Number of times.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The first index after `index` that is a multiple of [`GROUP`] and whose time is at or after `time`; `end` if there is
    /// no such index before `end`. The times must be ascending. Uses a galloping search, and reads only 1/16 of the values
    /// that a search for the exact index would read.
    pub fn group_behind(&self, index: usize, end: usize, time: i64) -> usize {
        let (first, groups) = (index / GROUP + 1, end.div_ceil(GROUP));
        let (mut low, mut stride) = (first, 1);
        while low + stride < groups && self.near.bases.get(low + stride) < time {
            low += stride;
            stride *= 2;
        }
        let high = (low + stride).min(groups).max(first);
        let group = self.near.bases.partition_point(low.min(high)..high, |base| base < time);
        (group * GROUP).min(end)
    }

    /// The first index in `range` whose time is at or after `time`, or the end of `range`. The times must be ascending.
    #[inline]
    pub fn partition_point(&self, range: Range<usize>, time: i64) -> usize {
        let Range { start, end } = range;
        // Searches the references of the groups first, because they are close together in memory.
        let groups = start.div_ceil(GROUP)..end.div_ceil(GROUP).max(start.div_ceil(GROUP));
        let group = self.near.bases.partition_point(groups.clone(), |base| base < time);
        let from = if group == groups.start { start } else { (group - 1) << SHIFT };
        let until = if group == groups.end { end } else { group << SHIFT };
        (from..until.max(from)).find(|&at| self.get(at) >= time).unwrap_or(until.max(from))
    }
}

impl FromIterator<i64> for DeltaColumn {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut times = Self::default();
        values.into_iter().for_each(|time| times.push(time));
        times
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_time() -> impl Strategy<Value = i64> {
        prop_oneof![
            0_i64..100,
            any::<i64>(),
            Just(i64::MIN),
            Just(i64::MAX),
            -3_000_000_000_i64..3_000_000_000
        ]
    }

    proptest! {
        #[test]
        fn times_stay_as_they_are(values in prop::collection::vec(any_time(), 0..80)) {
            let times: DeltaColumn = values.iter().copied().collect();
            prop_assert_eq!(times.len(), values.len());
            prop_assert!(values.iter().enumerate().all(|(at, &time)| times.get(at) == time));
            prop_assert!(times.iter().eq(values.iter().copied()));
        }

        #[test]
        fn a_time_is_found_where_bisection_finds_it(
            mut values in prop::collection::vec(any_time(), 0..80), time in any_time(), a in 0_usize..80, b in 0_usize..80,
        ) {
            values.sort_unstable();
            let times: DeltaColumn = values.iter().copied().collect();
            let (start, end) = (a.min(b).min(values.len()), a.max(b).min(values.len()));
            let expected = start + values[start..end].partition_point(|&value| value < time);
            prop_assert_eq!(times.partition_point(start..end, time), expected);
            let groups = (start + 1..end).filter(|at| at.is_multiple_of(GROUP));
            let group = groups.into_iter().find(|&at| values[at] >= time).unwrap_or(end);
            if start < end {
                prop_assert_eq!(times.group_behind(start, end, time), group);
            }
        }
    }
}
