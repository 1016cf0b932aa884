//! [`Tally`]: what is known of one quantity, by group.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::aggregate::Need;
use super::amounts::{Amounts, FEW};
use super::attribute::Quantity;
use super::cell::Cell;
use super::group::{Lists, Points};
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

/// The values of every group, one group behind the other: what percentiles are found in.
struct Values {
    groups: Lists,
    all: Rc<Vec<i64>>,
}

impl Tally {
    /// Of points, by their groups.
    pub fn of(need: Need, points: &Points, amounts: &Amounts) -> Self {
        match amounts {
            Amounts::Many(values) => {
                Self::read(need, points, |row| values.get(row as usize).copied().unwrap_or(NOT_REPORTED))
            }
            // Rows behind the last are those of events: no server sums them up.
            Amounts::Few(which, numbers) => Self::read(need, points, |row| {
                numbers[usize::from(which.get(row as usize).copied().unwrap_or(0)) % FEW]
            }),
        }
    }

    fn read(need: Need, points: &Points, value: impl Fn(u32) -> i64) -> Self {
        let mut sums = Sums::default();
        let mut kept = need.values.then(|| (Lists::none(), Vec::with_capacity(points.rows.len())));
        for group in 0..points.groups.len() {
            let mut sum = Sum::NOTHING;
            parts::slices(points.of(group)).for_each(|rows| match &mut kept {
                Some((_, values)) => keep(rows, &value, values),
                None => sums.add(&mut sum, rows, &value),
            });
            if let Some((groups, values)) = &mut kept {
                let of_group = &values[groups.end() as usize..];
                parts::slices(of_group).for_each(|part| sums.add(&mut sum, part, &|value| value));
                groups.push(values.len() as u32);
            }
            sums.sums.push(sum);
        }
        let values = kept.map(|(groups, mut all)| {
            all.shrink_to_fit();
            Values { groups, all: Rc::new(all) }
        });
        Self::new(need.quantity, sums, values)
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

    /// The same of some of the groups.
    pub fn of_groups(&self, which: &[u32]) -> Self {
        let one = Points { rows: which.to_vec(), groups: Lists::of_ones(which.len()) };
        self.roll_up(&one)
    }

    /// The same of other, coarser groups, each made of some of these.
    pub fn roll_up(&self, coarser: &Points) -> Self {
        let sums = self.sums.merged(&coarser.groups, |at| coarser.rows[at as usize]);
        let values = self.values.as_ref().map(|values| values.roll_up(coarser));
        Self::new(self.quantity, sums, values)
    }

    /// The same of the groups without the last dimension, each made of some of these.
    pub fn without_last(&self, above: &Lists) -> Rc<Self> {
        let make = || {
            let values = self.values.as_ref();
            let values = values
                .map(|Values { groups, all }| Values { groups: groups.joined(above), all: all.clone() });
            Rc::new(Self::new(self.quantity, self.sums.merged(above, |group| group), values))
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
        let of =
            |group| percentile(values.groups.slice(group, &values.all), &self.cell(group), percent, &mut few);
        (0..values.groups.len()).map(of).collect()
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
#[derive(Default)]
struct Sums {
    sums: Vec<Sum>,
    /// What the sums of some groups have besides, beyond 64 bits.
    more: FxHashMap<u32, i128>,
}

impl Sums {
    /// Adds what is reported among the values of some rows to the sum of the group that will be the next one.
    #[inline(never)]
    fn add<T: Copy>(&mut self, sum: &mut Sum, rows: &[T], value: &impl Fn(T) -> i64) {
        for value in rows.iter().map(|&row| value(row)).filter(|&value| value != NOT_REPORTED) {
            self.join(sum, Sum::of(value));
        }
    }

    /// Adds what is known of others to the sum of the group that will be the next one.
    #[inline]
    fn join(&mut self, sum: &mut Sum, other: Sum) {
        if let Some(before) = sum.add(other) {
            self.add_more(before.into());
        }
    }

    #[cold]
    fn add_more(&mut self, sum: i128) {
        *self.more.entry(self.sums.len() as u32).or_default() += sum;
    }

    /// Those of coarser groups, made of the groups that `which` tells in these lists.
    #[inline(never)]
    fn merged(&self, coarser: &Lists, which: impl Fn(u32) -> u32) -> Self {
        let mut merged = Self::default();
        for list in coarser.iter() {
            let mut sum = Sum::NOTHING;
            for group in list.map(&which) {
                merged.join(&mut sum, self.sums[group as usize]);
                if let Some(&more) = self.more.get(&group).filter(|_| !self.more.is_empty()) {
                    merged.add_more(more);
                }
            }
            merged.sums.push(sum);
        }
        merged
    }

    fn cell(&self, group: usize) -> Cell {
        let Sum { sum, min, max, count } = self.sums[group];
        let more = self.more.get(&(group as u32)).copied().unwrap_or(0);
        Cell { count: count.into(), sum: i128::from(sum) + more, min, max }
    }
}

/// Appends what is reported among the values of some rows.
#[inline(never)]
fn keep(rows: &[u32], value: &impl Fn(u32) -> i64, values: &mut Vec<i64>) {
    values.extend(rows.iter().map(|&row| value(row)).filter(|&value| value != NOT_REPORTED));
}

impl Values {
    fn roll_up(&self, coarser: &Points) -> Self {
        let (mut groups, mut all) = (Lists::none(), Vec::new());
        for group in 0..coarser.groups.len() {
            for &finer in coarser.of(group) {
                all.extend_from_slice(self.groups.slice(finer as usize, &self.all));
            }
            groups.push(all.len() as u32);
        }
        Self { groups, all: Rc::new(all) }
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
            let chosen = |group: u32| (0..values.len() as u32).filter(move |row| row * 7 % (groups + 1) == group);
            let (mut rows, mut lists) = (Vec::new(), Lists::none());
            for group in 0..groups {
                rows.extend(chosen(group));
                lists.push(rows.len() as u32);
            }
            let points = Points { rows, groups: lists };
            let reported = |group: u32| {
                let values = chosen(group).map(|row| values[row as usize]);
                values.filter(|&value| value != NOT_REPORTED).collect::<Vec<i64>>()
            };
            let cell = |values: &[i64]| {
                let mut cell = Cell::default();
                values.iter().for_each(|&value| cell.add(value));
                cell
            };
            let mut all: Vec<i64> = (0..groups).flat_map(reported).collect();
            all.sort_unstable();
            let mut above = Lists::none();
            above.push(groups);
            let backwards = Points { rows: (0..groups).rev().collect(), groups: above.clone() };
            for keeps in [false, true] {
                let need = Need { quantity: Quantity::Duration, values: keeps };
                let tally = Tally::of(need, &points, &Amounts::Many(values.clone()));
                for (at, values) in (0..groups).map(reported).enumerate() {
                    prop_assert_eq!(tally.cell(at), cell(&values));
                    prop_assert_eq!(tally.percentile(at, 100), values.iter().max().copied().filter(|_| keeps));
                    let alone = tally.of_groups(&[at as u32]);
                    prop_assert_eq!((alone.cell(0), alone.percentile(0, 0)), (tally.cell(at), tally.percentile(at, 0)));
                }
                let middle = all.get(all.len().div_ceil(2).saturating_sub(1)).copied().filter(|_| keeps);
                for coarser in [tally.without_last(&above), Rc::new(tally.roll_up(&backwards))] {
                    prop_assert_eq!((coarser.cell(0), coarser.percentile(0, 50)), (cell(&all), middle));
                }
            }
        }
    }
}
