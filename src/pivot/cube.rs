//! [`Cube`]: the cached aggregates and columns of one trace, so that a coarser question does not read the points again.

use std::rc::Rc;

use super::aggregate::{Aggregate, Chosen, Need};
use super::attribute::Quantity;
use super::cell::Measure;
use super::columns::PointColumns;
use super::filter::{PointFilter, TermSource};
use super::parse::{self, PivotError};
use super::projection::{AttributeValue, Dimension};
use crate::analysis::{Bits, Levels, PointRows};
use crate::protocol::PivotSpec;
use crate::trace::{Item, Trace, clipped};

/// Maximum number of cached aggregates.
const AGGREGATES: usize = 6;
/// Number of cached aggregates that also keep their points, at four bytes per point.
const WITH_POINTS: usize = 2;
/// Maximum number of cached [`Levels`].
const LEVELS: usize = 8;

/// The specification of an aggregate, parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The dimensions that the rows are grouped by.
    pub dimensions: Vec<Dimension>,
    /// The dimension whose values become columns of the table; `None` for a table without such columns.
    pub across: Option<Dimension>,
    /// The measures of each group.
    pub measures: Vec<Measure>,
    pub(super) filter: String,
    pub(super) range: Option<(i64, i64)>,
}

impl Question {
    /// Parses the question in `spec`.
    pub fn parse(trace: &Trace, spec: &PivotSpec) -> Result<Self, PivotError> {
        PointFilter::parse(trace, &spec.filter)?;
        Ok(Self {
            dimensions: parse::dimensions(trace, &spec.by)?,
            across: parse::across(trace, &spec.across)?,
            measures: parse::measures(trace, &spec.measures)?,
            filter: spec.filter.trim().to_owned(),
            range: spec.range,
        })
    }

    /// The question with the column dimension as its last dimension, one group per cell of the table.
    pub(super) fn of_cells(&self) -> Self {
        let mut finest = self.clone();
        finest.dimensions.extend(finest.across.take());
        finest
    }

    /// Start and end of an item, clipped to the range.
    pub(super) fn inside(&self, trace: &Trace, item: Item) -> (i64, i64) {
        let bounds = trace.interval(item);
        self.range.map_or(bounds, |range| clipped(bounds, range))
    }
}

/// The cached aggregates of one trace. Drop it together with the trace.
#[derive(Default)]
pub struct Cube {
    columns: PointColumns,
    /// Cached aggregates with their filter and range, most recently used last.
    kept: Vec<(Which, Rc<Aggregate>)>,
    /// Cached levels of numbers that nested points report, most recent last.
    levels: Vec<LevelsOf>,
}

/// A filter and a range.
type Which = (String, Option<(i64, i64)>);
/// The levels of a number under a filter and a range; `None` if every point counts.
type LevelsOf = ((Quantity, Option<Dimension>, Which), Option<Rc<Levels>>);
/// An aggregate and its time range.
type Ranged = (Option<(i64, i64)>, Rc<Aggregate>);

impl Cube {
    /// The aggregate that answers a question: a cached aggregate, a roll-up of one, or computed from the points. Quantities
    /// that a cached aggregate lacks are added to it.
    pub fn aggregate(&mut self, trace: &Trace, question: &Question) -> Result<Rc<Aggregate>, PivotError> {
        let chosen = (question.filter.clone(), question.range);
        let needs = Need::of(&question.measures);
        // What is outermost in a group depends on the first dimension, so that such an aggregate answers no other question.
        let is_own = needs.iter().any(|need| need.quantity == Quantity::TotalTime);
        let finer = match self.finer(&chosen, question, &needs).filter(|_| !is_own) {
            Some(at) => self.kept.remove(at).1,
            None => Rc::new(self.made(trace, &chosen, question)?),
        };
        let finer = self.taught(trace, finer, question, &needs)?;
        if is_own {
            return Ok(finer);
        }
        let is_it = finer.dimensions == question.dimensions;
        let made = if is_it { finer.clone() } else { Rc::new(finer.roll_up(trace, &question.dimensions)) };
        self.keep(chosen.clone(), finer);
        if !is_it {
            self.keep(chosen, made.clone());
        }
        Ok(made)
    }

    /// Index of a cached aggregate with the same filter and range, from which the question's dimensions can be derived:
    /// preferably one with all needed quantities, else one that still has its points, so that quantities can be added.
    /// `None` if there is none.
    fn finer(&self, chosen: &Which, question: &Question, needs: &[Need]) -> Option<usize> {
        let of = |test: &dyn Fn(&Aggregate) -> bool| {
            let fits = |(of, known): &(Which, Rc<Aggregate>)| {
                of == chosen && known.covers(&question.dimensions) && test(known)
            };
            self.kept.iter().rposition(fits)
        };
        of(&|known| known.missing(needs).is_empty()).or_else(|| of(&Aggregate::has_points))
    }

    /// Computes the aggregate of a question from points: those of a cached aggregate with fewer dimensions or with a wider
    /// filter or range if possible, else those of the trace.
    fn made(&mut self, trace: &Trace, chosen: &Which, question: &Question) -> Result<Aggregate, PivotError> {
        let Chosen { rows, columns } = self.points(trace, question)?;
        let begins = |known: &Aggregate| question.dimensions.starts_with(&known.dimensions);
        if let Some((_, coarser)) = self.latest(|of, known| of == chosen && begins(known)) {
            let further = columns[coarser.dimensions.len()..].to_vec();
            if let Some(made) = coarser.split_by(trace, further) {
                return Ok(made);
            }
        }
        let is_of_more = |(filter, range): &Which| {
            (filter.is_empty() || *filter == chosen.0) && (range.is_none() || *range == chosen.1)
        };
        let all = self.latest(|of, known| is_of_more(of) && known.dimensions == question.dimensions);
        let made = all.and_then(|(range, all)| {
            // A point's contribution may change: the part of a time inside the range changes with the range, and a number that
            // nested points report may be counted at other points.
            let stays = |quantity: Quantity| match quantity {
                Quantity::TotalTime => false,
                time if time.is_span_time() => range == chosen.1,
                other => !other.adds_up(trace),
            };
            all.of_chosen(&rows, stays)
        });
        Ok(made.unwrap_or_else(|| Aggregate::of(trace, Chosen { rows, columns })))
    }

    /// The most recently used aggregate that fits and still has its points, with its range; `None` if there is none.
    /// Moves it to the end of the cache.
    fn latest(&mut self, fits: impl Fn(&Which, &Aggregate) -> bool) -> Option<Ranged> {
        let fits = |(of, known): &(Which, Rc<Aggregate>)| known.has_points() && fits(of, known);
        let at = self.kept.iter().rposition(fits)?;
        self.kept[at..].rotate_left(1);
        self.kept.last().map(|((_, range), known)| (*range, known.clone()))
    }

    fn taught(
        &mut self,
        trace: &Trace,
        mut aggregate: Rc<Aggregate>,
        question: &Question,
        needs: &[Need],
    ) -> Result<Rc<Aggregate>, PivotError> {
        for need in aggregate.missing(needs) {
            let attribute = need.quantity.attribute();
            let amounts = self.columns.measured(trace, attribute, question.range);
            let counted = self.levels(trace, question, need.quantity)?;
            let counted = counted.map(|levels| amounts.counted(&levels, PointRows::of(trace).len()));
            Rc::make_mut(&mut aggregate).learn(need, counted.as_ref().unwrap_or(&amounts));
        }
        Ok(aggregate)
    }

    /// The levels at which a number that nested points report is counted, and for [`Quantity::TotalTime`] the outermost spans;
    /// `None` if every point counts.
    pub(super) fn levels(
        &mut self,
        trace: &Trace,
        question: &Question,
        quantity: Quantity,
    ) -> Result<Option<Rc<Levels>>, PivotError> {
        let is_total = quantity == Quantity::TotalTime;
        if !is_total && !quantity.adds_up(trace) {
            return Ok(None);
        }
        let first = question.dimensions.first().filter(|_| is_total);
        let which = (quantity, first.cloned(), (question.filter.clone(), question.range));
        if let Some((_, known)) = self.levels.iter().find(|(of, _)| *of == which) {
            return Ok(known.clone());
        }
        let chosen = self.chosen(trace, question)?;
        let found = if is_total {
            let column = first.map(|first| {
                let column = self.columns.column(trace, first);
                (column.images(trace, first).0, column)
            });
            let group = |row: u32| {
                column.as_ref().map_or(0, |(images, column)| images[column.codes[row as usize] as usize])
            };
            Levels::outermost(trace, &chosen, &group)
        } else {
            let amounts = self.columns.amounts(trace, quantity.attribute());
            Levels::of(trace, &chosen, &|row| amounts.get(row as usize))
        };
        let found = found.map(Rc::new);
        if self.levels.len() >= LEVELS {
            self.levels.remove(0);
        }
        self.levels.push((which, found.clone()));
        Ok(found)
    }

    /// The cached columns of the trace.
    pub(super) fn columns(&mut self) -> &mut PointColumns {
        &mut self.columns
    }

    /// The rows that pass the question's filter and range.
    pub(super) fn chosen(&mut self, trace: &Trace, question: &Question) -> Result<Rc<Bits>, PivotError> {
        let filter = PointFilter::parse(trace, &question.filter)?;
        Ok(self.columns.apply(|columns| filter.chosen(trace, question.range, columns)))
    }

    fn keep(&mut self, chosen: Which, aggregate: Rc<Aggregate>) {
        if self.kept.len() >= AGGREGATES {
            self.kept.remove(0);
        }
        self.kept.push((chosen, aggregate));
        let with_points = self.kept.iter_mut().rev().filter(|(_, known)| known.has_points());
        with_points.skip(WITH_POINTS).for_each(|(_, known)| *known = Rc::new(known.without_points()));
    }

    fn points(&mut self, trace: &Trace, question: &Question) -> Result<Chosen, PivotError> {
        let rows = self.chosen(trace, question)?;
        let columns = &mut self.columns;
        let column = |dimension: &Dimension| (dimension.clone(), columns.column(trace, dimension));
        Ok(Chosen { rows, columns: question.dimensions.iter().map(column).collect() })
    }

    /// The projected value of a row in a dimension.
    pub(super) fn value(&mut self, trace: &Trace, dimension: &Dimension, row: u32) -> AttributeValue {
        self.columns.column(trace, dimension).value(trace, dimension, row)
    }

    /// The rows of the points in a group of the question's aggregate: spans by their ids, then events.
    #[inline(never)]
    pub(super) fn rows(
        &mut self,
        trace: &Trace,
        question: &Question,
        codes: &[u32],
    ) -> Result<Vec<u32>, PivotError> {
        let mut points = self.points(trace, question)?;
        let chosen = Rc::make_mut(&mut points.rows);
        for ((dimension, column), code) in points.columns.iter().zip(codes) {
            let (images, _) = column.images(trace, dimension);
            let is_in = |row: u32| images[column.codes[row as usize] as usize] == *code;
            chosen.keep(&Bits::of(column.codes.len(), is_in));
        }
        Ok(chosen.iter().collect())
    }
}
