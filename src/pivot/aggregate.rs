//! [`Aggregate`]: groups of points and the measures of each; [`Aggregate::roll_up`] derives a coarser aggregate.

use std::ops::Range;
use std::rc::Rc;

use super::amounts::Amounts;
use super::attribute::Quantity;
use super::cell::{Amount, Function, Measure, MeasureCell};
use super::column::PointColumn;
use super::group::{Codes, GroupedPoints, NumberedLists, PointGroups};
use super::projection::{AttributeValue, Dimension, Projection, project};
use super::server::{Server, average};
use super::tally::GroupTally;
use crate::analysis::{Bits, PointRows};
use crate::trace::{Trace, Unit};

/// Points, grouped by dimensions. Clones share their data.
#[derive(Clone)]
pub struct Aggregate {
    /// The dimensions to group by.
    pub dimensions: Vec<Dimension>,
    /// By dimension: the values, indexed by code.
    values: Vec<Rc<[AttributeValue]>>,
    /// By dimension, then by group: the group's code.
    codes: Rc<[Vec<u32>]>,
    /// For dimension `d`, one list per group by the first `d` dimensions: its subgroups by the first `d + 1`, consecutive.
    levels: Rc<[NumberedLists]>,
    /// By group: number of points.
    counts: Rc<[u64]>,
    tallies: Vec<Rc<GroupTally>>,
    /// The points, kept while further quantities may be required; `None` if derived from another aggregate.
    points: Option<Rc<GroupedPoints>>,
}

/// A dimension of a coarser aggregate, derived from a dimension of a finer one.
struct CoarserView {
    /// Index of the dimension in the finer aggregate.
    at: usize,
    dimension: Dimension,
    /// By code of the finer dimension: the coarser code.
    images: Vec<u32>,
    /// By coarser code: its value.
    values: Rc<[AttributeValue]>,
}

/// The quantities that a server's average needs in addition to the sum of the times.
const SERVER_AVERAGE: [Quantity; 2] = [Quantity::Server(Server::Count), Quantity::Server(Server::Tick)];

/// A quantity that an aggregate must contain to answer a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Need {
    pub quantity: Quantity,
    /// Whether single values are kept, for percentiles.
    pub values: bool,
}

impl Need {
    /// The quantities that `measures` need, without duplicates.
    pub fn of(measures: &[Measure]) -> Vec<Need> {
        let mut needs: Vec<Need> = Vec::new();
        for measure in measures.iter().filter(|measure| !measure.counts_points()) {
            let values = matches!(measure.function, Function::Percentile(_));
            let more = if measure.is_server_average() { &SERVER_AVERAGE[..] } else { &[] };
            for &quantity in [measure.quantity].iter().chain(more) {
                match needs.iter_mut().find(|need| need.quantity == quantity) {
                    Some(need) => need.values |= values,
                    None => needs.push(Need { quantity, values }),
                }
            }
        }
        needs
    }
}

/// The points to aggregate, and their coordinates.
pub(super) struct Chosen {
    /// The rows that are aggregated.
    pub rows: Rc<Bits>,
    /// By dimension: the column with its values.
    pub columns: Vec<(Dimension, Rc<PointColumn>)>,
}

impl Aggregate {
    /// Groups the points by the dimensions. Only the number of points per group is known; [`Self::learn`] adds quantities.
    #[inline(never)]
    pub(super) fn of(trace: &Trace, chosen: Chosen) -> Self {
        let groups = PointGroups::one(PointRows::of(trace).len(), &chosen.rows);
        Self::split(trace, groups, (Vec::new(), Vec::new()), chosen.columns)
    }

    /// Splits the groups by further dimensions; `None` if the points were dropped.
    #[inline(never)]
    pub(super) fn split_by(&self, trace: &Trace, columns: Vec<(Dimension, Rc<PointColumn>)>) -> Option<Self> {
        let points = self.points.as_deref()?.clone();
        let (codes, levels) = (self.codes.to_vec(), self.levels.to_vec());
        let counts = self.counts.iter().map(|&count| count as u32).collect();
        let groups = PointGroups { points, counts, codes, levels };
        Some(Self::split(trace, groups, (self.dimensions.clone(), self.values.clone()), columns))
    }

    fn split(
        trace: &Trace,
        mut groups: PointGroups,
        (mut dimensions, mut values): (Vec<Dimension>, Vec<Rc<[AttributeValue]>>),
        columns: Vec<(Dimension, Rc<PointColumn>)>,
    ) -> Self {
        for (dimension, column) in columns {
            let (images, made) = column.images(trace, &dimension);
            groups.split(&Codes { rows: &column.codes, images: &images, limit: made.len() });
            dimensions.push(dimension);
            values.push(made);
        }
        Self::new(dimensions, values, groups)
    }

    fn new(dimensions: Vec<Dimension>, values: Vec<Rc<[AttributeValue]>>, groups: PointGroups) -> Self {
        let PointGroups { points, counts, codes, levels } = groups;
        let counts = counts.into_iter().map(u64::from).collect();
        let (codes, levels) = (codes.into(), levels.into());
        Self { dimensions, values, codes, levels, counts, tallies: Vec::new(), points: Some(Rc::new(points)) }
    }

    /// Restricts the groups to the `chosen` points; `None` if the points were dropped. If no remaining group loses a point,
    /// the tallies of quantities for which `stays` returns true are kept.
    #[inline(never)]
    pub(super) fn of_chosen(&self, chosen: &Bits, stays: impl Fn(Quantity) -> bool) -> Option<Self> {
        let points = self.points.as_deref()?;
        let (groups, left) = PointGroups::chosen(points, &self.codes, &self.levels, chosen);
        let mut made = Self::new(self.dimensions.clone(), self.values.clone(), groups);
        let before = left.iter().map(|&group| &self.counts[group as usize]);
        if before.eq(made.counts.iter()) {
            let tallies = self.tallies.iter().filter(|tally| stays(tally.quantity));
            made.tallies = tallies.map(|tally| Rc::new(tally.of_groups(&left))).collect();
        }
        Some(made)
    }

    /// The needs that this aggregate does not contain yet.
    pub(super) fn missing(&self, needs: &[Need]) -> Vec<Need> {
        needs.iter().filter(|need| !self.knows(need)).copied().collect()
    }

    fn knows(&self, need: &Need) -> bool {
        self.tally(need.quantity).is_some_and(|tally| !need.values || tally.has_values())
    }

    /// Whether the points are still available, so that more quantities can be added.
    pub(super) fn has_points(&self) -> bool {
        self.points.is_some()
    }

    /// A copy without the points, which take four bytes each.
    pub(super) fn without_points(&self) -> Self {
        Self { points: None, ..self.clone() }
    }

    /// Adds the tally of one more quantity; does nothing if the points were dropped.
    #[inline(never)]
    pub(super) fn learn(&mut self, need: Need, amounts: &Amounts) {
        let Some(points) = &self.points else { return };
        let picked = points.rows.as_deref().map(|rows| amounts.picked(rows));
        let tally = GroupTally::of(need, &points.groups, &self.counts, picked.as_ref().unwrap_or(amounts));
        self.tallies.retain(|known| known.quantity != need.quantity);
        self.tallies.push(Rc::new(tally));
    }

    /// Number of groups; group numbers are below this.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Number of points in a group.
    pub fn count(&self, group: usize) -> u64 {
        self.counts[group]
    }

    /// The value that all points of a group have in a dimension.
    pub fn value(&self, group: usize, dimension: usize) -> &AttributeValue {
        &self.values[dimension][self.codes[dimension][group] as usize]
    }

    /// Number of codes in a dimension.
    pub(super) fn codes_of(&self, dimension: usize) -> u32 {
        self.values.get(dimension).map_or(0, |values| values.len() as u32)
    }

    /// The value of a code in a dimension.
    pub(super) fn value_of(&self, dimension: usize, code: u32) -> &AttributeValue {
        &self.values[dimension][code as usize]
    }

    pub(super) fn code(&self, group: usize, dimension: usize) -> u32 {
        self.codes[dimension][group]
    }

    /// The amount of a measure for a group. Its number is `None` if this aggregate has no tally of the measure's
    /// quantity.
    pub fn amount(&self, trace: &Trace, group: usize, measure: Measure) -> Amount {
        let unit = measure.quantity.attribute().unit(trace);
        let points = i128::from(self.counts[group]);
        match (measure.function, self.tally(measure.quantity)) {
            (Function::Count, _) if measure.counts_points() => {
                Amount { number: Some(points), unit: Unit::Count }
            }
            // A point that does not report the number counts as 1.
            (Function::Count, Some(tally)) => {
                let MeasureCell { count, sum, .. } = tally.cell(group);
                Amount { number: Some(sum + points - i128::from(count)), unit }
            }
            (_, None) => Amount { number: None, unit },
            (_, Some(tally)) if measure.is_server_average() => {
                Amount { number: self.server_average(group, &tally.cell(group)), unit }
            }
            (Function::Percentile(percent), Some(tally)) => {
                Amount { number: tally.percentile(group, percent).map(i128::from), unit }
            }
            (function, Some(tally)) => tally.cell(group).amount(function, unit),
        }
    }

    /// The average as the server computes it: in whole timer ticks, divided by the server's count of events. `None` if
    /// no times or no counts are known.
    fn server_average(&self, group: usize, times: &MeasureCell) -> Option<i128> {
        let [counts, ticks] = SERVER_AVERAGE.map(|of| self.tally(of).map(|tally| tally.cell(group)));
        let ticks = ticks.filter(|ticks| ticks.min == ticks.max);
        let count = counts.filter(|_| times.count > 0)?.sum;
        average(times.sum, count, ticks.map(|ticks| ticks.min))
    }

    fn tally(&self, quantity: Quantity) -> Option<&GroupTally> {
        self.tallies.iter().map(AsRef::as_ref).find(|tally| tally.quantity == quantity)
    }

    /// Whether all of these dimensions can be derived from the dimensions of this aggregate.
    pub(super) fn covers(&self, dimensions: &[Dimension]) -> bool {
        dimensions.iter().all(|dimension| self.finer(dimension).is_some())
    }

    fn finer(&self, dimension: &Dimension) -> Option<(usize, Vec<Projection>)> {
        let mut known = self.dimensions.iter().enumerate();
        known.find_map(|(at, finer)| Some((at, dimension.projections_after(finer)?.to_vec())))
    }

    /// Derives the aggregate by coarser dimensions from this one's groups, without reading the points again. Dimensions that
    /// cannot be derived from this aggregate's dimensions are left out.
    #[inline(never)]
    pub fn roll_up(&self, trace: &Trace, dimensions: &[Dimension]) -> Self {
        let seen = dimensions.iter().filter_map(|dimension| {
            let (at, rest) = self.finer(dimension)?;
            let (images, values) = project(trace, &self.values[at], &rest);
            Some(CoarserView { at, dimension: dimension.clone(), images, values })
        });
        self.seen_as(seen.collect())
    }

    /// Derives the aggregate by the first `depth` dimensions and by column, where `columns` maps codes of the last dimension
    /// to columns. Groups by the first dimensions keep the numbers that they have without the last dimension.
    #[inline(never)]
    pub(super) fn by_columns(&self, depth: usize, columns: &[u32]) -> Self {
        let last = self.dimensions.len() - 1;
        let as_it_is = |at: usize| CoarserView {
            at,
            dimension: self.dimensions[at].clone(),
            images: (0..self.codes_of(at)).collect(),
            values: self.values[at].clone(),
        };
        let limit = columns.iter().max().map_or(0, |most| most + 1);
        let values = (0..limit).map(|column| AttributeValue::Number(column.into())).collect();
        let of_columns = CoarserView { images: columns.to_vec(), values, ..as_it_is(last) };
        self.seen_as((0..depth).map(as_it_is).chain([of_columns]).collect())
    }

    /// The group with this code in the last dimension, inside the group `group` by all other dimensions; `None` if
    /// there is none.
    pub(super) fn find_last(&self, group: usize, code: u32) -> Option<usize> {
        let (groups, codes) = (self.levels.last()?.of(group), self.codes.last()?);
        groups.map(|group| group as usize).find(|&group| codes[group] == code)
    }

    fn seen_as(&self, dimensions: Vec<CoarserView>) -> Self {
        let mut groups = PointGroups::whole(self.len());
        let (mut kept, mut images_of) = (Vec::new(), Vec::new());
        for CoarserView { at, dimension, images, values } in dimensions {
            groups.split(&Codes { rows: &self.codes[at], images: &images, limit: values.len() });
            kept.push(dimension);
            images_of.push(values);
        }
        let PointGroups { points: GroupedPoints { groups, .. }, counts, codes, levels } = groups;
        let tallies =
            self.tallies.iter().map(|tally| Rc::new(tally.roll_up(&groups, counts.len()))).collect();
        let mut points = vec![0; counts.len()];
        self.counts.iter().zip(&groups).for_each(|(count, &group)| points[group as usize] += count);
        let counts = points.into();
        let (codes, levels) = (codes.into(), levels.into());
        Self { dimensions: kept, values: images_of, codes, levels, counts, tallies, points: None }
    }

    /// Derives the aggregate without the last dimension, and for each of its groups the list of this aggregate's groups
    /// inside it. `None` if there is no dimension.
    #[inline(never)]
    pub(super) fn without_last(&self) -> Option<(Self, NumberedLists)> {
        let (last, rest) = self.levels.split_last()?;
        let n = rest.len();
        let first = |column: &Vec<u32>| last.iter().map(|groups| column[groups.start as usize]).collect();
        let codes = self.codes[..n].iter().map(first).collect();
        let count = |groups: Range<u32>| groups.map(|group| self.counts[group as usize]).sum();
        let counts = last.iter().map(count).collect();
        let tallies = self.tallies.iter().map(|tally| tally.without_last(last)).collect();
        let (dimensions, values) = (self.dimensions[..n].to_vec(), self.values[..n].to_vec());
        let without = Self { dimensions, values, codes, levels: rest.into(), counts, tallies, points: None };
        Some((without, last.clone()))
    }
}
