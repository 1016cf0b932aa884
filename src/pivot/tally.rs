//! [`Tally`]: what is known of one quantity, by group.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::amounts::{Amounts, FEW};
use super::attribute::Quantity;
use super::cell::Cell;
use super::percentile::percentile;
use crate::parts;
use crate::trace::NOT_REPORTED;

/// What is known of one quantity, by group of one aggregate.
pub(super) struct Tally {
    pub quantity: Quantity,
    sums: Sums,
    values: Option<Values>,
    /// The same of the groups without the last dimension, once it was asked for.
    above: OnceCell<Rc<Tally>>,
    /// Percentiles of all groups, each once it was asked for.
    percentiles: RefCell<Vec<(u8, Percentiles)>>,
}

/// A percentile of every group; `None` where nothing was reported.
type Percentiles = Rc<[Option<i64>]>;

/// The values of every group: what percentiles are found in. Groups of which a coarser one is made stand side by side, so
/// that the coarser one's stand in one piece.
struct Values {
    /// By group: where its values begin and end.
    ranges: Vec<[u32; 2]>,
    all: Rc<Vec<i64>>,
}

impl Tally {
    /// Of rows, by their groups, of which `counts` tells how many rows they have. With `order`, which has all groups as their
    /// values are to stand, values are kept.
    pub fn of(
        quantity: Quantity,
        of_row: &[u32],
        counts: &[u64],
        order: Option<&[u32]>,
        amounts: &Amounts,
    ) -> Self {
        if let Some(order) = order {
            let values = Values::of(counts, order, of_row, amounts);
            return Self::new(quantity, values.sums(), Some(values));
        }
        let sums = match amounts {
            Amounts::Many(values) => Sums::of_many(of_row, counts.len(), values),
            Amounts::Few(which, numbers) => Sums::of_few(of_row, counts.len(), which, numbers),
        };
        Self::new(quantity, sums, None)
    }

    fn new(quantity: Quantity, sums: Sums, values: Option<Values>) -> Self {
        Self { quantity, sums, values, above: OnceCell::new(), percentiles: RefCell::default() }
    }

    /// What is known of a group.
    pub fn cell(&self, group: usize) -> Cell {
        self.sums.cell(group)
    }

    /// Whether values are kept.
    pub fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// The same of other, coarser groups, of which `group_of` tells those of this one's; their values are to stand in
    /// `order`.
    pub fn roll_up(&self, group_of: &[u32], order: &[u32]) -> Self {
        let sums = self.sums.merged(group_of, order.len());
        let values = self.values.as_ref().map(|values| values.roll_up(&sums, group_of, order));
        Self::new(self.quantity, sums, values)
    }

    /// The same of the groups without the last dimension.
    pub fn without_last(&self, above: &[u32], len: usize) -> Rc<Self> {
        let make = || {
            let values = self.values.as_ref().map(|values| values.joined(above, len));
            Rc::new(Self::new(self.quantity, self.sums.merged(above, len), values))
        };
        self.above.get_or_init(make).clone()
    }

    /// A percentile of a group; `None` where nothing was reported, or no values are kept. That of all other groups is found
    /// with it: whoever shows one wants to know which is the greatest.
    pub fn percentile(&self, group: usize, percent: u8) -> Option<i64> {
        let known =
            self.percentiles.borrow().iter().find(|(of, _)| *of == percent).map(|known| known.1.clone());
        let all = known.unwrap_or_else(|| {
            let all = self.percentiles_of_all(percent);
            self.percentiles.borrow_mut().push((percent, all.clone()));
            all
        });
        all.get(group).copied().flatten()
    }

    #[inline(never)]
    fn percentiles_of_all(&self, percent: u8) -> Percentiles {
        let (Some(values), mut few) = (&self.values, Vec::new()) else { return Rc::default() };
        let of = |(group, &[begin, end]): (usize, &[u32; 2])| {
            percentile(&values.all[begin as usize..end as usize], &self.cell(group), percent, &mut few)
        };
        values.ranges.iter().enumerate().map(of).collect()
    }
}

/// What a [`Cell`] knows, in half a line of the processor's memory: there may be as many groups as points.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Sum {
    sum: i64,
    min: i64,
    max: i64,
    count: u32,
}

impl Sum {
    const NOTHING: Self = Self { sum: 0, min: i64::MAX, max: i64::MIN, count: 0 };

    /// Adds what is disjoint; what the sum was before where that is too much for 64 bits: it begins anew then.
    #[inline]
    fn add(&mut self, other: Sum) -> Option<i64> {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        let (sum, is_too_much) = self.sum.overflowing_add(other.sum);
        let before = is_too_much.then_some(self.sum);
        self.sum = if is_too_much { other.sum } else { sum };
        before
    }

    fn of(value: i64) -> Self {
        Self { sum: value, min: value, max: value, count: 1 }
    }
}

/// What is known of every group.
struct Sums {
    sums: Vec<Sum>,
    /// What the sums of some groups have besides, beyond 64 bits.
    more: FxHashMap<u32, i128>,
}

impl Sums {
    fn nothing(groups: usize) -> Self {
        Self { sums: vec![Sum::NOTHING; groups], more: FxHashMap::default() }
    }

    /// Adds to a group; nothing happens behind the last, where rows are that are in none.
    #[inline]
    fn add(&mut self, group: u32, sum: Sum) {
        if let Some(before) = self.sums.get_mut(group as usize).and_then(|known| known.add(sum)) {
            self.add_more(group, before.into());
        }
    }

    #[cold]
    fn add_more(&mut self, group: u32, sum: i128) {
        *self.more.entry(group).or_default() += sum;
    }

    /// Those of the values of all rows, by their groups.
    fn of_many(of_row: &[u32], groups: usize, values: &[i64]) -> Self {
        let mut sums = Self::nothing(groups);
        parts::pairs(of_row, values, |group, value| {
            if value != NOT_REPORTED {
                sums.add(group, Sum::of(value));
            }
        });
        sums
    }

    /// The same of a few numbers: how often each comes is all there is to know.
    fn of_few(of_row: &[u32], groups: usize, which: &[u8], numbers: &[i64; FEW]) -> Self {
        let mut counts = vec![[0_u32; FEW]; groups];
        parts::pairs(of_row, which, |group, which| {
            if let Some(counts) = counts.get_mut(group as usize) {
                counts[usize::from(which) % FEW] += 1;
            }
        });
        let mut sums = Self::nothing(groups);
        for (group, counts) in (0..).zip(counts) {
            let counted = numbers.iter().zip(counts);
            for (&number, count) in counted.filter(|(number, count)| **number != NOT_REPORTED && *count > 0) {
                match number.checked_mul(count.into()) {
                    Some(sum) => sums.add(group, Sum { sum, count, ..Sum::of(number) }),
                    None => (0..count).for_each(|_| sums.add(group, Sum::of(number))),
                }
            }
        }
        sums
    }

    /// Those of so many coarser groups, of which `group_of` tells those of these.
    #[inline(never)]
    fn merged(&self, group_of: &[u32], len: usize) -> Self {
        let mut sums = Self::nothing(len);
        self.sums.iter().zip(group_of).for_each(|(sum, &group)| sums.add(group, *sum));
        for (&group, &sum) in &self.more {
            sums.add_more(group_of[group as usize], sum);
        }
        sums
    }

    fn cell(&self, group: usize) -> Cell {
        let Sum { sum, min, max, count } = self.sums[group];
        let more = self.more.get(&(group as u32)).copied().unwrap_or(0);
        Cell { count: count.into(), sum: i128::from(sum) + more, min, max }
    }
}

impl Values {
    fn of(counts: &[u64], order: &[u32], of_row: &[u32], amounts: &Amounts) -> Self {
        let mut room = Room::new(order, |group| counts[group as usize] as u32);
        match amounts {
            Amounts::Many(values) => parts::pairs(of_row, values, |group, value| room.add(group, value)),
            Amounts::Few(which, numbers) => {
                parts::pairs(of_row, which, |group, which| {
                    room.add(group, numbers[usize::from(which) % FEW])
                });
            }
        }
        room.filled(order)
    }

    /// What they add up to: a group's stand in one piece, which takes less than to add each row's to its group's.
    #[inline(never)]
    fn sums(&self) -> Sums {
        let mut sums = Sums::nothing(self.ranges.len());
        for (group, &[begin, end]) in (0..).zip(&self.ranges) {
            let mut sum = Sum::NOTHING;
            parts::slices(&self.all[begin as usize..end as usize]).for_each(|part| {
                for &value in part {
                    if let Some(before) = sum.add(Sum::of(value)) {
                        sums.add_more(group, before.into());
                    }
                }
            });
            sums.sums[group as usize] = sum;
        }
        sums
    }

    fn roll_up(&self, sums: &Sums, group_of: &[u32], order: &[u32]) -> Self {
        let mut room = Room::new(order, |group| sums.sums[group as usize].count);
        for (&[begin, end], &group) in self.ranges.iter().zip(group_of) {
            room.add_all(group, &self.all[begin as usize..end as usize]);
        }
        room.filled(order)
    }

    /// Those of the groups without the last dimension: the same values in longer pieces.
    fn joined(&self, above: &[u32], len: usize) -> Self {
        let mut ranges = vec![[u32::MAX, 0]; len];
        for (&[begin, end], &group) in self.ranges.iter().zip(above) {
            let [first, last] = &mut ranges[group as usize];
            (*first, *last) = ((*first).min(begin), (*last).max(end));
        }
        Self { ranges, all: self.all.clone() }
    }
}

/// Room for as many values as each group can have.
struct Room {
    ranges: Vec<[u32; 2]>,
    /// By group: where its next value goes.
    next: Vec<u32>,
    values: Vec<i64>,
}

impl Room {
    fn new(order: &[u32], count: impl Fn(u32) -> u32) -> Self {
        let (mut ranges, mut end) = (vec![[0; 2]; order.len()], 0_u32);
        for &group in order {
            let begin = end;
            end += count(group);
            ranges[group as usize] = [begin, end];
        }
        let next = ranges.iter().map(|range| range[0]).collect();
        Self { ranges, next, values: vec![0; end as usize] }
    }

    #[inline]
    fn add(&mut self, group: u32, value: i64) {
        if let Some(next) = self.next.get_mut(group as usize)
            && value != NOT_REPORTED
        {
            self.values[*next as usize] = value;
            *next += 1;
        }
    }

    fn add_all(&mut self, group: u32, values: &[i64]) {
        let next = &mut self.next[group as usize];
        self.values[*next as usize..][..values.len()].copy_from_slice(values);
        *next += values.len() as u32;
    }

    /// The values, those of all groups without gaps: what does not report a number leaves one.
    fn filled(mut self, order: &[u32]) -> Values {
        let mut behind = 0;
        for &group in order {
            let ([begin, end], next) = (&mut self.ranges[group as usize], self.next[group as usize]);
            if *begin != behind {
                self.values.copy_within(*begin as usize..next as usize, behind as usize);
            }
            (*begin, *end) = (behind, behind + (next - *begin));
            behind = *end;
        }
        self.values.truncate(behind as usize);
        self.values.shrink_to_fit();
        Values { ranges: self.ranges, all: Rc::new(self.values) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_exact_whatever_their_size(
            values in prop::collection::vec(prop_oneof![any::<i64>(), Just(i64::MAX), Just(i64::MIN), 0..9_i64], 0..99),
            groups in 1..4_u32,
        ) {
            let of_row: Vec<u32> = (0..values.len() as u32).map(|row| row * 7 % (groups + 1)).collect();
            let mut expected = vec![Cell::default(); groups as usize];
            let mut of_all = Cell::default();
            for (&group, &value) in of_row.iter().zip(&values).filter(|(_, value)| **value != NOT_REPORTED) {
                if let Some(cell) = expected.get_mut(group as usize) {
                    cell.add(value);
                    of_all.add(value);
                }
            }
            let sums = Sums::of_many(&of_row, groups as usize, &values);
            let found: Vec<Cell> = (0..groups as usize).map(|group| sums.cell(group)).collect();
            prop_assert_eq!(&found, &expected);
            let all_above = vec![0; groups as usize];
            prop_assert_eq!(sums.merged(&all_above, 1).cell(0), of_all);

            // The same where values are kept, whose groups stand in any order.
            let mut counts = vec![0; groups as usize];
            for &group in of_row.iter().filter(|group| **group < groups) {
                counts[group as usize] += 1;
            }
            let (order, amounts): (Vec<u32>, _) = ((0..groups).rev().collect(), Amounts::Many(values.clone()));
            let tally = Tally::of(Quantity::Duration, &of_row, &counts, Some(&order), &amounts);
            let greatest = |cell: &Cell| (cell.count > 0).then_some(cell.max);
            for (group, cell) in expected.iter().enumerate() {
                prop_assert_eq!(&tally.cell(group), cell);
                prop_assert_eq!(tally.percentile(group, 100), greatest(cell));
            }
            let above = tally.without_last(&all_above, 1);
            let reported = of_row.iter().zip(&values).filter(|(group, value)| **group < groups && **value != NOT_REPORTED);
            let mut sorted: Vec<i64> = reported.map(|(_, value)| *value).collect();
            sorted.sort_unstable();
            prop_assert_eq!(above.percentile(0, 50), sorted.get(sorted.len().div_ceil(2).saturating_sub(1)).copied());
            prop_assert_eq!(above.cell(0), of_all);
        }
    }
}
