//! [`Aggregate`]: groups and what is known of each; [`Aggregate::roll_up`]: a coarser one of a finer one.

use std::rc::Rc;

use super::amounts::Amounts;
use super::attribute::{Quantity, Rows};
use super::cell::{Amount, Cell, Function, Measure};
use super::column::Column;
use super::group::{Codes, Groups, NOWHERE, are_few, renumbered, side_by_side};
use super::projection::{Dimension, Projection, Value, project};
use super::server::{Server, average};
use super::tally::Tally;
use crate::parts;
use crate::stats::Bits;
use crate::trace::{Trace, Unit};

/// Points, grouped by dimensions. What a copy has in common with the first is shared.
#[derive(Clone)]
pub struct Aggregate {
    /// What it is grouped by.
    pub dimensions: Vec<Dimension>,
    /// By dimension: the values that the codes stand for.
    values: Vec<Rc<[Value]>>,
    /// By dimension, then by group.
    codes: Rc<[Vec<u32>]>,
    /// By dimension, then by group of those up to it: the group without it.
    above: Rc<[Vec<u32>]>,
    /// By group: how many points.
    counts: Rc<[u64]>,
    tallies: Vec<Rc<Tally>>,
    /// The points, as long as more may be asked of them; `None` if it was made of another aggregate.
    points: Option<Members>,
}

/// Points and their groups.
#[derive(Clone)]
struct Members {
    /// Which rows these are; all of them for `None`.
    rows: Option<Rc<[u32]>>,
    /// The group of each, or [`NOWHERE`].
    groups: Rc<[u32]>,
}

/// What a server's average is made of besides the sum of the times.
const SERVER_AVERAGE: [Quantity; 2] = [Quantity::Server(Server::Count), Quantity::Server(Server::Tick)];

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
pub(super) struct Points {
    /// The rows that count.
    pub chosen: Rc<Bits>,
    /// By dimension.
    pub columns: Vec<(Dimension, Rc<Column>)>,
}

impl Aggregate {
    /// The groups of points, of which only their numbers are known yet.
    #[inline(never)]
    pub(super) fn of(trace: &Trace, points: Points) -> Self {
        let groups = Groups::chosen(Rows::of(trace).len(), &points.chosen);
        Self::split(trace, groups, (Vec::new(), Vec::new()), points.columns)
    }

    /// The groups of this one by further dimensions, as long as points can be asked.
    #[inline(never)]
    pub(super) fn split_by(&self, trace: &Trace, columns: Vec<(Dimension, Rc<Column>)>) -> Option<Self> {
        let Members { rows, groups } = self.points.as_ref()?;
        let (codes, above) = (self.codes.to_vec(), self.above.to_vec());
        let groups = Groups { rows: rows.clone(), of_row: groups.to_vec(), codes, above, len: self.len() };
        Some(Self::split(trace, groups, (self.dimensions.clone(), self.values.clone()), columns))
    }

    fn split(
        trace: &Trace,
        mut groups: Groups,
        (mut dimensions, mut values): (Vec<Dimension>, Vec<Rc<[Value]>>),
        columns: Vec<(Dimension, Rc<Column>)>,
    ) -> Self {
        for (dimension, column) in columns {
            let (images, made) = column.images(trace, &dimension);
            groups.split(&Codes { rows: &column.codes, images: &images, limit: made.len() });
            dimensions.push(dimension);
            values.push(made);
        }
        Self::new(dimensions, values, groups)
    }

    fn new(dimensions: Vec<Dimension>, values: Vec<Rc<[Value]>>, groups: Groups) -> Self {
        let Groups { rows, of_row, codes, above, len } = groups;
        let mut counts = vec![0; len];
        parts::each(0..of_row.len() as u32, |row| {
            // Rows that are in none are behind all groups.
            if let Some(count) = counts.get_mut(of_row[row as usize] as usize) {
                *count += 1;
            }
        });
        Self {
            dimensions,
            values,
            codes: codes.into(),
            above: above.into(),
            counts: counts.into(),
            tallies: Vec::new(),
            points: Some(Members { rows, groups: of_row.into() }),
        }
    }

    /// The same groups of some of the points, as long as points can be asked.
    #[inline(never)]
    pub(super) fn of_chosen(&self, chosen: &Bits) -> Option<Self> {
        let (rows, groups) = self.points.as_ref()?.of_chosen(chosen);
        let (of_row, mut met) = renumbered(groups.into_iter(), self.len());
        let len = met.len();
        let pick = |column: &Vec<u32>| met.iter().map(|&group| column[group as usize]).collect();
        let codes = self.codes.iter().map(pick).collect();
        let mut above = Vec::new();
        for (level, groups) in self.above.iter().enumerate().rev() {
            let kept = met.iter().map(|&group| groups[group as usize]);
            let (of_group, next) = renumbered(kept, self.width(level));
            above.push(of_group);
            met = next;
        }
        above.reverse();
        let groups = Groups { rows, of_row, codes, above, len };
        Some(Self::new(self.dimensions.clone(), self.values.clone(), groups))
    }

    /// How many groups there are by so many of the dimensions.
    fn width(&self, n_dimensions: usize) -> usize {
        match n_dimensions.checked_sub(1) {
            Some(last) => self.above[last].len(),
            None => usize::from(!self.is_empty()),
        }
    }

    /// What is not known of the needs.
    pub(super) fn missing(&self, needs: &[Need]) -> Vec<Need> {
        needs.iter().filter(|need| !self.knows(need)).copied().collect()
    }

    fn knows(&self, need: &Need) -> bool {
        self.tally(need.quantity).is_some_and(|tally| !need.values || tally.has_values())
    }

    /// Whether points can still be asked for more.
    pub(super) fn has_points(&self) -> bool {
        self.points.is_some()
    }

    /// Lets go of the points: four bytes each.
    pub(super) fn without_points(&self) -> Self {
        Self { points: None, ..self.clone() }
    }

    /// Adds what is known of one more quantity; nothing where points cannot be asked any more.
    #[inline(never)]
    pub(super) fn learn(&mut self, need: Need, amounts: &Amounts) {
        let Some(Members { rows, groups }) = &self.points else { return };
        let picked = rows.as_ref().map(|rows| amounts.picked(rows));
        let amounts = picked.as_ref().unwrap_or(amounts);
        let order = need.values.then(|| side_by_side(&self.above, self.len()));
        let tally = Tally::of(need.quantity, groups, &self.counts, order.as_deref(), amounts);
        self.tallies.retain(|known| known.quantity != need.quantity);
        self.tallies.push(Rc::new(tally));
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

    /// What a measure is of a group; nothing is known of what was not asked for when the aggregate
    /// was made.
    pub fn amount(&self, trace: &Trace, group: usize, measure: Measure) -> Amount {
        let unit = measure.quantity.attribute().unit(trace);
        let points = i128::from(self.counts[group]);
        match (measure.function, self.tally(measure.quantity)) {
            (Function::Count, _) if measure.counts_points() => {
                Amount { number: Some(points), unit: Unit::Count }
            }
            // What does not report the number counts as 1.
            (Function::Count, Some(tally)) => {
                let Cell { count, sum, .. } = tally.cell(group);
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

    /// The average as the server makes it: in ticks, over how often it counted.
    fn server_average(&self, group: usize, times: &Cell) -> Option<i128> {
        let [counts, ticks] = SERVER_AVERAGE.map(|of| self.tally(of).map(|tally| tally.cell(group)));
        let ticks = ticks.filter(|ticks| ticks.min == ticks.max);
        let count = counts.filter(|_| times.count > 0)?.sum;
        average(times.sum, count, ticks.map(|ticks| ticks.min))
    }

    fn tally(&self, quantity: Quantity) -> Option<&Tally> {
        self.tallies.iter().map(AsRef::as_ref).find(|tally| tally.quantity == quantity)
    }

    /// Whether these dimensions can be made of this one's.
    pub(super) fn covers(&self, dimensions: &[Dimension]) -> bool {
        dimensions.iter().all(|dimension| self.finer(dimension).is_some())
    }

    fn finer(&self, dimension: &Dimension) -> Option<(usize, Vec<Projection>)> {
        let mut known = self.dimensions.iter().enumerate();
        known.find_map(|(at, finer)| Some((at, dimension.beyond(finer)?.to_vec())))
    }

    /// The aggregate by coarser dimensions, made of this one's groups: no point is read again. Dimensions that this one does
    /// not cover are left out.
    #[inline(never)]
    pub fn roll_up(&self, trace: &Trace, dimensions: &[Dimension]) -> Self {
        let mut groups = Groups::whole(self.len());
        let (mut kept, mut images_of) = (Vec::new(), Vec::new());
        for dimension in dimensions {
            let Some((at, rest)) = self.finer(dimension) else { continue };
            let (images, made) = project(trace, &self.values[at], &rest);
            groups.split(&Codes { rows: &self.codes[at], images: &images, limit: made.len() });
            kept.push(dimension.clone());
            images_of.push(made);
        }
        let order = side_by_side(&groups.above, groups.len);
        self.merged(kept, images_of, groups, |tally, group_of| Rc::new(tally.roll_up(group_of, &order))).0
    }

    /// Coarser groups, each row of which is one of this one's, with what is made of each tally; and the group of each.
    fn merged(
        &self,
        dimensions: Vec<Dimension>,
        values: Vec<Rc<[Value]>>,
        groups: Groups,
        roll_up: impl Fn(&Tally, &[u32]) -> Rc<Tally>,
    ) -> (Self, Vec<u32>) {
        let Groups { of_row, codes, above, len, .. } = groups;
        let mut counts = vec![0; len];
        self.counts.iter().zip(&of_row).for_each(|(count, &group)| counts[group as usize] += count);
        let tallies = self.tallies.iter().map(|tally| roll_up(tally, &of_row)).collect();
        let (codes, above, counts) = (codes.into(), above.into(), counts.into());
        (Self { dimensions, values, codes, above, counts, tallies, points: None }, of_row)
    }

    /// The aggregate without the last dimension, and the group of it in which each of this one's is. `None` where there is no dimension.
    #[inline(never)]
    pub(super) fn without_last(&self) -> Option<(Self, Vec<u32>)> {
        let (above, rest) = self.above.split_last()?;
        let len = self.width(rest.len());
        let code = |column: &Vec<u32>| {
            let mut codes = vec![0; len];
            column.iter().zip(above).for_each(|(&code, &group)| codes[group as usize] = code);
            codes
        };
        let n = rest.len();
        let codes = self.codes[..n].iter().map(code).collect();
        let groups = Groups { rows: None, of_row: above.clone(), codes, above: rest.to_vec(), len };
        let (dimensions, values) = (self.dimensions[..n].to_vec(), self.values[..n].to_vec());
        Some(self.merged(dimensions, values, groups, |tally, above| tally.without_last(above, len)))
    }
}

impl Members {
    /// Those that are chosen, with their groups.
    #[inline(never)]
    fn of_chosen(&self, chosen: &Bits) -> (Option<Rc<[u32]>>, Vec<u32>) {
        let group = |(row, group): (u32, u32)| if chosen.contains(row) { group } else { NOWHERE };
        match &self.rows {
            Some(rows) => {
                let rows = rows.iter().copied().zip(self.groups.iter().copied());
                let kept = rows.filter(|&(row, _)| chosen.contains(row));
                let (rows, groups): (Vec<u32>, Vec<u32>) = kept.unzip();
                (Some(rows.into()), groups)
            }
            None if are_few(chosen, self.groups.len()) => {
                let rows: Rc<[u32]> = chosen.iter().collect();
                let groups = rows.iter().map(|&row| self.groups[row as usize]).collect();
                (Some(rows), groups)
            }
            None => (None, (0..).zip(self.groups.iter().copied()).map(group).collect()),
        }
    }
}
