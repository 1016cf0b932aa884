//! [`Aggregate`]: groups and what is known of each; [`Aggregate::roll_up`]: a coarser one of a finer one.

use std::rc::Rc;

use super::attribute::{Quantity, Rows};
use super::cell::{Amount, Cell, Function, Measure};
use super::column::Column;
use super::group::{Codes, Groups, NOWHERE};
use super::projection::{Dimension, Projection, Value, project};
use crate::trace::{Item, Trace, Unit};

/// Points, grouped by dimensions.
pub struct Aggregate {
    /// What it is grouped by.
    pub dimensions: Vec<Dimension>,
    /// By dimension: the values that the codes stand for.
    values: Vec<Rc<[Value]>>,
    /// By dimension, then by group.
    codes: Vec<Vec<u32>>,
    /// By group: how many points.
    counts: Vec<u64>,
    tallies: Vec<Tally>,
}

/// What is known of one quantity, by group.
struct Tally {
    quantity: Quantity,
    cells: Vec<Cell>,
    runs: Option<Runs>,
}

/// The values of every group, one group behind the other: what percentiles are found in.
struct Runs {
    /// Where each group begins; one more at the end.
    starts: Vec<u32>,
    values: Vec<i64>,
}

/// What an aggregate is to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Need {
    pub quantity: Quantity,
    /// Whether values are kept, for percentiles.
    pub values: bool,
}

impl Need {
    /// What measures need, each quantity once.
    pub fn of(measures: &[Measure]) -> Vec<Need> {
        let mut needs: Vec<Need> = Vec::new();
        for measure in measures.iter().filter(|measure| !measure.counts_points()) {
            let values = matches!(measure.function, Function::Percentile(_));
            match needs.iter_mut().find(|need| need.quantity == measure.quantity) {
                Some(need) => need.values |= values,
                None => needs.push(Need { quantity: measure.quantity, values }),
            }
        }
        needs
    }
}

/// The points to aggregate, and their coordinates.
pub(super) struct Points {
    /// By row: 0, or [`NOWHERE`] for those that are left out.
    pub chosen: Vec<u32>,
    /// By dimension.
    pub columns: Vec<(Dimension, Rc<Column>)>,
}

impl Aggregate {
    /// Reads every point once. `self_times` has the exclusive time of every span, if that is needed.
    #[inline(never)]
    pub(super) fn of(trace: &Trace, points: Points, needs: &[Need], self_times: &[i64]) -> Self {
        let mut groups = Groups::whole(points.chosen);
        let (mut dimensions, mut values) = (Vec::new(), Vec::new());
        for (dimension, column) in points.columns {
            let (images, made) = project(trace, &column.values, &dimension.chain);
            groups.split(&Codes { rows: &column.codes, images: &images, limit: made.len() });
            dimensions.push(dimension);
            values.push(made);
        }
        let mut counts = vec![0; groups.len];
        groups
            .of_row
            .iter()
            .filter(|&&group| group != NOWHERE)
            .for_each(|&group| counts[group as usize] += 1);
        let tally = |need: &Need| Tally::of(trace, need, &groups, self_times);
        let tallies = needs.iter().map(tally).collect();
        Self { dimensions, values, codes: groups.codes, counts, tallies }
    }

    /// How many groups there are; a group's number is below this.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many points a group has.
    pub fn count(&self, group: usize) -> u64 {
        self.counts[group]
    }

    /// The value that all points of a group have in a dimension.
    pub fn value(&self, group: usize, dimension: usize) -> &Value {
        &self.values[dimension][self.codes[dimension][group] as usize]
    }

    pub(super) fn code(&self, group: usize, dimension: usize) -> u32 {
        self.codes[dimension][group]
    }

    /// What a measure is of a group, but for percentiles; nothing is known of what was not asked for when the aggregate
    /// was made.
    pub fn amount(&self, trace: &Trace, group: usize, measure: Measure) -> Amount {
        let unit = measure.quantity.attribute().unit(trace);
        match (measure.function, self.tally(measure.quantity)) {
            (Function::Count, _) => {
                Amount { number: Some(i128::from(self.counts[group])), unit: Unit::Count }
            }
            (_, None) => Amount { number: None, unit },
            (function, Some(tally)) => tally.cells[group].amount(function, unit),
        }
    }

    /// The values that a group has of a quantity, if they were kept.
    pub(super) fn values(&self, group: usize, quantity: Quantity) -> &[i64] {
        let runs = self.tally(quantity).and_then(|tally| tally.runs.as_ref());
        runs.map_or(&[], |runs| runs.of_group(group))
    }

    fn tally(&self, quantity: Quantity) -> Option<&Tally> {
        self.tallies.iter().find(|tally| tally.quantity == quantity)
    }

    /// Whether an aggregate by `dimensions` that knows `needs` can be made of this one.
    pub(super) fn covers(&self, dimensions: &[Dimension], needs: &[Need]) -> bool {
        let knows =
            |need: &Need| self.tally(need.quantity).is_some_and(|tally| !need.values || tally.runs.is_some());
        dimensions.iter().all(|dimension| self.finer(dimension).is_some()) && needs.iter().all(knows)
    }

    fn finer(&self, dimension: &Dimension) -> Option<(usize, Vec<Projection>)> {
        let mut known = self.dimensions.iter().enumerate();
        known.find_map(|(at, finer)| Some((at, dimension.beyond(finer)?.to_vec())))
    }

    /// The aggregate by coarser dimensions, made of this one's groups: no point is read again. Also the group of the
    /// result in which each of this one's groups is. Dimensions that this one does not cover are left out. With
    /// `values`, it has those of which percentiles are made, too.
    #[inline(never)]
    pub fn roll_up(&self, trace: &Trace, dimensions: &[Dimension], values: bool) -> (Self, Vec<u32>) {
        let mut groups = Groups::whole(vec![0; self.len()]);
        let (mut kept, mut images_of) = (Vec::new(), Vec::new());
        for dimension in dimensions {
            let Some((at, rest)) = self.finer(dimension) else { continue };
            let (images, made) = project(trace, &self.values[at], &rest);
            groups.split(&Codes { rows: &self.codes[at], images: &images, limit: made.len() });
            kept.push(dimension.clone());
            images_of.push(made);
        }
        let mut counts = vec![0; groups.len];
        self.counts.iter().zip(&groups.of_row).for_each(|(count, &group)| counts[group as usize] += count);
        let tallies = self.tallies.iter().map(|tally| tally.roll_up(&groups, values)).collect();
        (Self { dimensions: kept, values: images_of, codes: groups.codes, counts, tallies }, groups.of_row)
    }
}

impl Tally {
    fn of(trace: &Trace, need: &Need, groups: &Groups, self_times: &[i64]) -> Self {
        match need.quantity {
            Quantity::Duration => Self::by(trace, need, groups, |_, item| match item {
                Item::Span(id) => Some(trace.spans.get(id).duration),
                Item::Event(_) => None,
            }),
            Quantity::SelfTime => Self::by(trace, need, groups, |row, _| self_times.get(row).copied()),
            Quantity::Number(key) => Self::by(trace, need, groups, |_, item| trace.num(item, key)),
        }
    }

    fn by(trace: &Trace, need: &Need, groups: &Groups, value: impl Fn(usize, Item) -> Option<i64>) -> Self {
        let mut cells = vec![Cell::default(); groups.len];
        let mut kept = Vec::new();
        for ((row, item), &group) in Rows::of(trace).items().enumerate().zip(&groups.of_row) {
            if group != NOWHERE
                && let Some(value) = value(row, item)
            {
                cells[group as usize].add(value);
                if need.values {
                    kept.push((group, value));
                }
            }
        }
        let runs = need.values.then(|| Runs::of(&cells, &kept));
        Self { quantity: need.quantity, cells, runs }
    }

    fn roll_up(&self, groups: &Groups, values: bool) -> Self {
        let mut cells = vec![Cell::default(); groups.len];
        self.cells.iter().zip(&groups.of_row).for_each(|(cell, &group)| cells[group as usize].merge(cell));
        let runs = self.runs.as_ref().filter(|_| values).map(|runs| runs.roll_up(&cells, &groups.of_row));
        Self { quantity: self.quantity, cells, runs }
    }
}

impl Runs {
    fn of(cells: &[Cell], kept: &[(u32, i64)]) -> Self {
        let (mut runs, mut ends) = Self::room(cells);
        for &(group, value) in kept {
            let end = &mut ends[group as usize];
            runs.values[*end as usize] = value;
            *end += 1;
        }
        runs
    }

    fn roll_up(&self, cells: &[Cell], group_of: &[u32]) -> Self {
        let (mut runs, mut ends) = Self::room(cells);
        for (finer, &group) in group_of.iter().enumerate() {
            let values = self.of_group(finer);
            let end = &mut ends[group as usize];
            runs.values[*end as usize..][..values.len()].copy_from_slice(values);
            *end += values.len() as u32;
        }
        runs
    }

    /// Room for as many values as each cell counts, and where each group begins.
    fn room(cells: &[Cell]) -> (Self, Vec<u32>) {
        let mut starts = Vec::with_capacity(cells.len() + 1);
        let mut end = 0_u32;
        for cell in cells {
            starts.push(end);
            end += cell.count as u32;
        }
        let ends = starts.clone();
        starts.push(end);
        (Self { starts, values: vec![0; end as usize] }, ends)
    }

    fn of_group(&self, group: usize) -> &[i64] {
        &self.values[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// The least of `values` at or below which `percent` of them are: the nearest rank, as in the charts.
pub(super) fn percentile(mut values: Vec<i64>, percent: u8) -> Option<i64> {
    let rank = (values.len() * usize::from(percent)).div_ceil(100);
    let at = rank.max(1) - 1;
    (at < values.len()).then(|| *values.select_nth_unstable(at).1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(percentile(values.to_vec(), percent), expected, "{percent}");
        }
    }
}
