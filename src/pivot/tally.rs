//! [`Tally`]: what is known of one quantity, by group.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::amounts::{Amounts, FEW};
use super::attribute::Quantity;
use super::cell::Cell;
use super::percentile::percentile;
use crate::parts;
use crate::trace::NOT_REPORTED;

/// What is known of one quantity, by group of one aggregate.
pub(super) struct Tally {
    pub quantity: Quantity,
    pub cells: Vec<Cell>,
    values: Option<Values>,
    /// The same of the groups without the last dimension, once it was asked for.
    above: OnceCell<Rc<Tally>>,
    /// Percentiles of all groups, each once it was asked for.
    percentiles: RefCell<Vec<(u8, Rc<[Option<i64>]>)>>,
}

/// The values of every group: what percentiles are found in. Groups of which a coarser one is made stand side by side, so
/// that the coarser one's stand in one piece.
struct Values {
    /// By group: where its values begin and end.
    ranges: Vec<[u32; 2]>,
    all: Rc<Vec<i64>>,
}

impl Tally {
    /// Of rows, by their groups. With `order`, which has all groups as their values are to stand, values are kept.
    pub fn of(
        quantity: Quantity,
        of_row: &[u32],
        groups: usize,
        order: Option<&[u32]>,
        amounts: &Amounts,
    ) -> Self {
        let cells = match amounts {
            Amounts::Many(values) => cells_of_many(of_row, groups, values),
            Amounts::Few(which, numbers) => cells_of_few(of_row, groups, which, numbers),
        };
        let values = order.map(|order| Values::of(&cells, order, of_row, amounts));
        Self::new(quantity, cells, values)
    }

    fn new(quantity: Quantity, cells: Vec<Cell>, values: Option<Values>) -> Self {
        Self { quantity, cells, values, above: OnceCell::new(), percentiles: RefCell::default() }
    }

    /// Whether values are kept.
    pub fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// The same of other, coarser groups, of which `group_of` tells those of this one's; their values are to stand in
    /// `order`.
    pub fn roll_up(&self, group_of: &[u32], order: &[u32]) -> Self {
        let cells = self.merged(group_of, order.len());
        let values = self.values.as_ref().map(|values| values.roll_up(&cells, group_of, order));
        Self::new(self.quantity, cells, values)
    }

    /// The same of the groups without the last dimension.
    pub fn without_last(&self, above: &[u32], len: usize) -> Rc<Self> {
        let make = || {
            let values = self.values.as_ref().map(|values| values.joined(above, len));
            Rc::new(Self::new(self.quantity, self.merged(above, len), values))
        };
        self.above.get_or_init(make).clone()
    }

    fn merged(&self, group_of: &[u32], len: usize) -> Vec<Cell> {
        let mut cells = vec![Cell::default(); len];
        self.cells.iter().zip(group_of).for_each(|(cell, &group)| cells[group as usize].merge(cell));
        cells
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
    fn percentiles_of_all(&self, percent: u8) -> Rc<[Option<i64>]> {
        let (Some(values), mut few) = (&self.values, Vec::new()) else { return Rc::default() };
        let of = |(&[begin, end], cell): (&[u32; 2], &Cell)| {
            percentile(&values.all[begin as usize..end as usize], cell, percent, &mut few)
        };
        values.ranges.iter().zip(&self.cells).map(of).collect()
    }
}

/// A [`Cell`] in the making: half a line of the processor's memory.
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

    /// Adds a value, or begins a new sum with it: the one before is returned.
    #[inline]
    fn add(&mut self, value: i64) -> Option<i64> {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let (sum, is_too_much) = self.sum.overflowing_add(value);
        let before = is_too_much.then_some(self.sum);
        self.sum = if is_too_much { value } else { sum };
        before
    }
}

/// What is known of the values of all rows that are in a group, by group.
fn cells_of_many(of_row: &[u32], groups: usize, values: &[i64]) -> Vec<Cell> {
    let (mut sums, mut more) = (vec![Sum::NOTHING; groups], Vec::new());
    parts::pairs(of_row, values, |group, value| {
        // Rows that are in none are behind all groups.
        if let Some(sum) = sums.get_mut(group as usize)
            && value != NOT_REPORTED
        {
            more.extend(sum.add(value).map(|sum| (group, sum)));
        }
    });
    let cell = |Sum { sum, min, max, count }: Sum| Cell { count: count.into(), sum: sum.into(), min, max };
    let mut cells: Vec<Cell> = sums.into_iter().map(cell).collect();
    more.into_iter().for_each(|(group, sum)| cells[group as usize].sum += i128::from(sum));
    cells
}

/// The same of a few numbers: how often each comes is all there is to know.
fn cells_of_few(of_row: &[u32], groups: usize, which: &[u8], numbers: &[i64; FEW]) -> Vec<Cell> {
    let mut counts = vec![[0_u32; FEW]; groups];
    parts::pairs(of_row, which, |group, which| {
        if let Some(counts) = counts.get_mut(group as usize) {
            counts[usize::from(which) % FEW] += 1;
        }
    });
    let cell = |counts: [u32; FEW]| {
        let mut cell = Cell::default();
        for (&number, count) in numbers.iter().zip(counts) {
            if number != NOT_REPORTED {
                cell.add_often(number, count);
            }
        }
        cell
    };
    counts.into_iter().map(cell).collect()
}

impl Values {
    fn of(cells: &[Cell], order: &[u32], of_row: &[u32], amounts: &Amounts) -> Self {
        let mut room = Room::new(cells, order);
        match amounts {
            Amounts::Many(values) => parts::pairs(of_row, values, |group, value| room.add(group, value)),
            Amounts::Few(which, numbers) => {
                parts::pairs(of_row, which, |group, which| {
                    room.add(group, numbers[usize::from(which) % FEW])
                });
            }
        }
        room.filled()
    }

    fn roll_up(&self, cells: &[Cell], group_of: &[u32], order: &[u32]) -> Self {
        let mut room = Room::new(cells, order);
        for (&[begin, end], &group) in self.ranges.iter().zip(group_of) {
            room.add_all(group, &self.all[begin as usize..end as usize]);
        }
        room.filled()
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

/// Room for as many values as each cell counts.
struct Room {
    ranges: Vec<[u32; 2]>,
    /// By group: where its next value goes.
    next: Vec<u32>,
    values: Vec<i64>,
}

impl Room {
    fn new(cells: &[Cell], order: &[u32]) -> Self {
        let (mut ranges, mut end) = (vec![[0; 2]; cells.len()], 0_u32);
        for &group in order {
            let begin = end;
            end += cells[group as usize].count as u32;
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

    fn filled(self) -> Values {
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
            for (&group, &value) in of_row.iter().zip(&values).filter(|(_, value)| **value != NOT_REPORTED) {
                if let Some(cell) = expected.get_mut(group as usize) {
                    cell.add(value);
                }
            }
            prop_assert_eq!(cells_of_many(&of_row, groups as usize, &values), expected);
        }
    }
}
