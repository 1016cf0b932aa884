//! Percentiles by nearest rank: the smallest value such that at least the given percentage of all values is at or below it.

use crate::base::chunked;

/// Maximum number of values from which a percentile is selected directly, without counting.
const FEW: u64 = 4_096;
/// Number of ranges into which values are counted.
const RANGES: usize = 1 << RANGE_BITS;
const RANGE_BITS: u32 = 11;

/// Percentile of values between `low` and `high`, found by counting, so that only a few values are copied. `None` if
/// there are no values or `percent` is above 100. `few` is scratch space.
pub(crate) fn percentile(
    values: &[i64],
    (low, high): (i64, i64),
    percent: u8,
    few: &mut Vec<i64>,
) -> Option<i64> {
    let count = values.len() as u64;
    let rank = rank(count, percent);
    if rank > count {
        return None;
    }
    let mut sought = Sought { low, high, count, rank };
    while sought.count > FEW && sought.low < sought.high {
        sought = sought.narrowed(values);
    }
    sought.value(values, few)
}

/// Percentile of values in ascending order; `None` if there are no values or `percent` is above 100.
pub(crate) fn percentile_of_sorted(sorted: &[i64], percent: u8) -> Option<i64> {
    sorted.get(rank(sorted.len() as u64, percent) as usize - 1).copied()
}

/// Rank of a percentile among `count` values, starting at 1.
fn rank(count: u64, percent: u8) -> u64 {
    (u128::from(count) * u128::from(percent)).div_ceil(100).max(1) as u64
}

/// Search for the value of a rank, narrowed down to a range.
#[derive(Clone, Copy)]
struct Sought {
    low: i64,
    high: i64,
    /// Number of values in the range.
    count: u64,
    /// Rank of the value within the range, starting at 1.
    rank: u64,
}

impl Sought {
    fn is_in(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Narrows the range down to at most 2^-11 of its size.
    #[inline(never)]
    fn narrowed(self, values: &[i64]) -> Self {
        let Self { low, high, mut rank, .. } = self;
        let shift = (u64::BITS - low.abs_diff(high).leading_zeros()).saturating_sub(RANGE_BITS);
        let mut counts = [0_u32; RANGES];
        chunked::chunks(values).for_each(|part| count(part, self, shift, &mut counts));
        let mut range = 0;
        while range + 1 < RANGES && rank > u64::from(counts[range]) {
            rank -= u64::from(counts[range]);
            range += 1;
        }
        let from = low.wrapping_add_unsigned((range as u64) << shift);
        let to = from.saturating_add_unsigned((1 << shift) - 1).min(high);
        Self { low: from, high: to, count: u64::from(counts[range]), rank }
    }

    /// Value of the rank; must be called once the range has few values or a single one. `None` if there is no value of
    /// this rank. `few` is scratch space.
    fn value(self, values: &[i64], few: &mut Vec<i64>) -> Option<i64> {
        if self.low == self.high {
            return Some(self.low);
        }
        few.clear();
        if values.len() as u64 == self.count {
            few.extend_from_slice(values);
        } else {
            chunked::chunks(values)
                .for_each(|part| few.extend(part.iter().filter(|value| self.is_in(**value))));
        }
        let at = self.rank as usize - 1;
        (at < few.len()).then(|| *few.select_nth_unstable(at).1)
    }
}

/// Counts the values inside the range by their distance from `low`, shifted right by `shift` bits.
#[inline(never)]
fn count(values: &[i64], range: Sought, shift: u32, counts: &mut [u32; RANGES]) {
    for &value in values {
        if range.is_in(value) {
            counts[(value.abs_diff(range.low) >> shift) as usize & (RANGES - 1)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(values: &[i64], percent: u8) -> Option<i64> {
        let bounds = values.iter().min().copied().zip(values.iter().max().copied());
        percentile(values, bounds.unwrap_or_default(), percent, &mut vec![5, 6, 7])
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let hundred: Vec<i64> = (1..=100).rev().collect();
        for (values, percent, expected) in [
            (&hundred[..], 50, Some(50)),
            (&hundred, 99, Some(99)),
            (&hundred, 100, Some(100)),
            (&hundred, 0, Some(1)),
            (&[7], 50, Some(7)),
            (&[1, 2], 50, Some(1)),
            (&[1, 2], 51, Some(2)),
            (&[], 50, None),
            (&[1], 255, None),
        ] {
            assert_eq!(found(values, percent), expected, "{percent}");
        }
    }

    /// Generates runs of equal or evenly spaced values, some of them at the limits of `i64`.
    fn values() -> impl Strategy<Value = Vec<i64>> {
        let value = prop_oneof![
            Just(7_i64),
            0..9_i64,
            1_000..9_000_000_i64,
            any::<i64>(),
            Just(i64::MIN),
            Just(i64::MAX)
        ];
        let stretch = (value, 0..2_000_usize, 0..3_i64);
        prop::collection::vec(stretch, 0..12).prop_map(|stretches| {
            let values = |(value, len, step): (i64, usize, i64)| {
                (0..len as i64).map(move |at| value.saturating_add(at * step))
            };
            stretches.into_iter().flat_map(values).collect()
        })
    }

    proptest! {
        #[test]
        fn counting_finds_what_sorting_finds(values in values(), percent in 0..=100_u8) {
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let rank = (sorted.len() * usize::from(percent)).div_ceil(100).max(1);
            prop_assert_eq!(found(&values, percent), sorted.get(rank - 1).copied());
            prop_assert_eq!(percentile_of_sorted(&sorted, percent), sorted.get(rank - 1).copied());
        }
    }
}
