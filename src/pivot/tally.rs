//! [`GroupTally`]: sums, extremes and optionally values of one quantity, by group.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::aggregate::Need;
use super::amounts::{Amounts, FEW};
use super::attribute::Quantity;
use super::cell::MeasureCell;
use super::group::NumberedLists;
use crate::analysis::percentile::percentile;
use crate::base::FxHashMap;
use crate::base::chunked;
use crate::trace::NOT_REPORTED;

/// Sums, extremes and optionally values of one quantity, by group of an aggregate.
pub(super) struct GroupTally {
    pub quantity: Quantity,
    sums: GroupSums,
    values: Option<GroupValues>,
    /// Tally of the groups without the last dimension; filled lazily.
    above: OnceCell<Rc<GroupTally>>,
    /// Computed percentiles by percentage, each with the values of all groups.
    percentiles: RefCell<Vec<(u8, Percentiles)>>,
}

/// By group: a percentile; `None` if no point of the group reports a value.
type Percentiles = Rc<[Option<i64>]>;

/// The values of every group, consecutive by group, for percentiles.
struct GroupValues {
    groups: NumberedLists,
    all: Rc<Vec<i64>>,
}

impl GroupTally {
    /// The tally of points, given the group of each point and the number of points of each group.
    pub fn of(need: Need, groups: &[u32], counts: &[u64], amounts: &Amounts) -> Self {
        if need.values {
            let values = GroupValues::of(groups, counts, amounts);
            return Self::new(need.quantity, values.sums(), Some(values));
        }
        let sums = match amounts {
            Amounts::Many(values) => GroupSums::of_many(groups, counts.len(), values),
            Amounts::Few(which, numbers) => GroupSums::of_few(groups, counts.len(), which, numbers),
        };
        Self::new(need.quantity, sums, None)
    }

    fn new(quantity: Quantity, sums: GroupSums, values: Option<GroupValues>) -> Self {
        Self { quantity, sums, values, above: OnceCell::new(), percentiles: RefCell::default() }
    }

    /// The summary of a group.
    pub fn cell(&self, group: usize) -> MeasureCell {
        self.sums.cell(group)
    }

    /// Whether single values are kept, for percentiles.
    pub fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// The tally of only the groups in `which`, in this order.
    pub fn of_groups(&self, which: &[u32]) -> Self {
        let values = self.values.as_ref().map(|values| values.of_groups(which));
        Self::new(self.quantity, self.sums.of_groups(which), values)
    }

    /// Rolls up into `len` coarser groups; `group_of[i]` is the coarser group of group i.
    pub fn roll_up(&self, group_of: &[u32], len: usize) -> Self {
        let sums = self.sums.merged(group_of.iter().copied(), len);
        let values = self.values.as_ref().map(|values| values.roll_up(&sums, group_of));
        Self::new(self.quantity, sums, values)
    }

    /// Tally of the groups without the last dimension; `above` lists the groups that each coarser group consists of.
    pub fn without_last(&self, above: &NumberedLists) -> Rc<Self> {
        let make = || {
            let group_of = (0..).zip(above.iter()).flat_map(|(group, list)| list.map(move |_| group));
            let sums = self.sums.merged(group_of, above.len());
            let values = self.values.as_ref().map(|values| values.joined(above));
            Rc::new(Self::new(self.quantity, sums, values))
        };
        self.above.get_or_init(make).clone()
    }

    /// A percentile of a group; `None` if no point of the group reports a value, or if no values are kept. The first
    /// call for `percent` computes the percentiles of all groups, because a table also needs their maximum.
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
        let of = |group| {
            let MeasureCell { min, max, .. } = self.cell(group);
            percentile(values.groups.slice(group, &values.all), (min, max), percent, &mut few)
        };
        (0..values.groups.len()).map(of).collect()
    }
}

/// Compact form of [`MeasureCell`]: half a cache line, because there may be as many groups as points.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct TallySum {
    sum: i64,
    min: i64,
    max: i64,
    count: u32,
}

impl TallySum {
    const NOTHING: Self = Self { sum: 0, min: i64::MAX, max: i64::MIN, count: 0 };

    /// Adds a sum of other points. If the 64-bit sum overflows, returns the previous sum and restarts from `other`;
    /// otherwise returns `None`.
    #[inline]
    fn add(&mut self, other: TallySum) -> Option<i64> {
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

/// The sums of every group.
struct GroupSums {
    sums: Vec<TallySum>,
    /// By group: part of the sum that did not fit in 64 bits, to be added to the entry in `sums`.
    more: FxHashMap<u32, i128>,
}

impl GroupSums {
    fn nothing(groups: usize) -> Self {
        Self { sums: vec![TallySum::NOTHING; groups], more: FxHashMap::default() }
    }

    /// Adds a sum to a group. A number that is not a group is ignored: the row belongs to no group.
    #[inline]
    fn add(&mut self, group: u32, sum: TallySum) {
        if let Some(before) = self.sums.get_mut(group as usize).and_then(|known| known.add(sum)) {
            self.add_more(group, before.into());
        }
    }

    #[cold]
    fn add_more(&mut self, group: u32, sum: i128) {
        *self.more.entry(group).or_default() += sum;
    }

    /// The sums of the values of all rows, by group.
    fn of_many(of_row: &[u32], groups: usize, values: &[i64]) -> Self {
        let mut sums = Self::nothing(groups);
        chunked::for_each_pair(of_row, values, |group, value| {
            if value != NOT_REPORTED {
                sums.add(group, TallySum::of(value));
            }
        });
        sums
    }

    /// The sums of a quantity with only a few distinct values, computed by counting each value.
    fn of_few(of_row: &[u32], groups: usize, which: &[u8], numbers: &[i64; FEW]) -> Self {
        let mut counts = vec![[0_u32; FEW]; groups];
        chunked::for_each_pair(of_row, which, |group, which| {
            if let Some(counts) = counts.get_mut(group as usize) {
                counts[usize::from(which) % FEW] += 1;
            }
        });
        let mut sums = Self::nothing(groups);
        for (group, counts) in (0..).zip(counts) {
            let counted = numbers.iter().zip(counts);
            for (&number, count) in counted.filter(|(number, count)| **number != NOT_REPORTED && *count > 0) {
                match number.checked_mul(count.into()) {
                    Some(sum) => sums.add(group, TallySum { sum, count, ..TallySum::of(number) }),
                    None => (0..count).for_each(|_| sums.add(group, TallySum::of(number))),
                }
            }
        }
        sums
    }

    fn of_groups(&self, which: &[u32]) -> Self {
        let mut sums = Self::nothing(which.len());
        for (at, &group) in (0..).zip(which) {
            sums.sums[at as usize] = self.sums[group as usize];
            if let Some(&more) = self.more.get(&group) {
                sums.add_more(at, more);
            }
        }
        sums
    }

    /// Rolls up into `len` coarser groups; `group_of` yields the coarser group of each group.
    #[inline(never)]
    fn merged(&self, group_of: impl Iterator<Item = u32>, len: usize) -> Self {
        let mut sums = Self::nothing(len);
        for (at, (group, sum)) in (0..).zip(group_of.zip(&self.sums)) {
            sums.add(group, *sum);
            if let Some(&more) = self.more.get(&at).filter(|_| !self.more.is_empty()) {
                sums.add_more(group, more);
            }
        }
        sums
    }

    fn cell(&self, group: usize) -> MeasureCell {
        let TallySum { sum, min, max, count } = self.sums[group];
        let more = self.more.get(&(group as u32)).copied().unwrap_or(0);
        MeasureCell { count: count.into(), sum: i128::from(sum) + more, min, max }
    }
}

impl GroupValues {
    fn of(of_row: &[u32], counts: &[u64], amounts: &Amounts) -> Self {
        let mut room = Room::new(counts.iter().map(|&count| count as u32));
        match amounts {
            Amounts::Many(values) => {
                chunked::for_each_pair(of_row, values, |group, value| room.add(group, value))
            }
            Amounts::Few(which, numbers) => {
                chunked::for_each_pair(of_row, which, |group, which| {
                    room.add(group, numbers[usize::from(which) % FEW])
                });
            }
        }
        room.filled()
    }

    /// The sums of all groups. The values of a group are consecutive, which is faster than adding row by row.
    #[inline(never)]
    fn sums(&self) -> GroupSums {
        let mut sums = GroupSums::nothing(self.groups.len());
        for group in 0..self.groups.len() {
            let mut sum = TallySum::NOTHING;
            chunked::chunks(self.groups.slice(group, &self.all)).for_each(|part| {
                for &value in part {
                    if let Some(before) = sum.add(TallySum::of(value)) {
                        sums.add_more(group as u32, before.into());
                    }
                }
            });
            sums.sums[group] = sum;
        }
        sums
    }

    fn of_groups(&self, which: &[u32]) -> Self {
        let of = |&group: &u32| self.groups.slice(group as usize, &self.all);
        let groups = NumberedLists::of_lengths(which.iter().map(|group| of(group).len() as u32));
        let mut all = Vec::with_capacity(groups.end() as usize);
        which.iter().for_each(|group| all.extend_from_slice(of(group)));
        Self { groups, all: Rc::new(all) }
    }

    fn roll_up(&self, sums: &GroupSums, group_of: &[u32]) -> Self {
        let mut room = Room::new(sums.sums.iter().map(|sum| sum.count));
        for (group, &coarser) in group_of.iter().enumerate() {
            room.add_all(coarser, self.groups.slice(group, &self.all));
        }
        room.filled()
    }

    /// The values by groups without the last dimension: the same values in longer ranges.
    fn joined(&self, above: &NumberedLists) -> Self {
        Self { groups: self.groups.joined(above), all: self.all.clone() }
    }
}

/// Collects the values of each group in a preallocated range.
struct Room {
    groups: NumberedLists,
    /// By group: index for its next value.
    next: Vec<u32>,
    values: Vec<i64>,
}

impl Room {
    fn new(counts: impl Iterator<Item = u32>) -> Self {
        let groups = NumberedLists::of_lengths(counts);
        let next = groups.iter().map(|list| list.start).collect();
        Self { next, values: vec![0; groups.end() as usize], groups }
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

    /// The values without the gaps left by points that do not report the number.
    fn filled(mut self) -> GroupValues {
        let mut groups = NumberedLists::none();
        for (list, next) in self.groups.iter().zip(self.next) {
            let end = groups.end();
            if list.start != end {
                self.values.copy_within(list.start as usize..next as usize, end as usize);
            }
            groups.push(end + (next - list.start));
        }
        self.values.truncate(groups.end() as usize);
        self.values.shrink_to_fit();
        GroupValues { groups, all: Rc::new(self.values) }
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
            let mut counts = vec![0; groups as usize];
            for &group in of_row.iter().filter(|group| **group < groups) {
                counts[group as usize] += 1;
            }
            let reported = |group: u32| {
                let of_group = of_row.iter().zip(&values).filter(move |(of, _)| **of == group);
                of_group.map(|(_, value)| *value).filter(|&value| value != NOT_REPORTED).collect::<Vec<i64>>()
            };
            let cell = |values: &[i64]| {
                let mut cell = MeasureCell::default();
                values.iter().for_each(|&value| cell.add(value));
                cell
            };
            let mut all: Vec<i64> = (0..groups).flat_map(reported).collect();
            all.sort_unstable();
            for keeps in [false, true] {
                let need = Need { quantity: Quantity::Duration, values: keeps };
                let tally = GroupTally::of(need, &of_row, &counts, &Amounts::Many(values.clone()));
                for (at, values) in (0..groups).map(reported).enumerate() {
                    prop_assert_eq!(tally.cell(at), cell(&values));
                    prop_assert_eq!(tally.percentile(at, 100), values.iter().max().copied().filter(|_| keeps));
                    let alone = tally.of_groups(&[at as u32]);
                    prop_assert_eq!((alone.cell(0), alone.percentile(0, 0)), (tally.cell(at), tally.percentile(at, 0)));
                }
                let middle = all.get(all.len().div_ceil(2).saturating_sub(1)).copied().filter(|_| keeps);
                let all_above = tally.without_last(&NumberedLists::of_lengths([groups]));
                for coarser in [all_above, Rc::new(tally.roll_up(&vec![0; groups as usize], 1))] {
                    prop_assert_eq!((coarser.cell(0), coarser.percentile(0, 50)), (cell(&all), middle));
                }
            }
        }
    }
}
