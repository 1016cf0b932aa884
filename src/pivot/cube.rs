//! [`Cube`]: the aggregates of one trace, and the columns that they are made of. What was asked for is kept for a while,
//! so that coarser questions need not read the points again.

use std::rc::Rc;

use super::aggregate::{Aggregate, Need, Points};
use super::attribute::Attribute;
use super::cell::Measure;
use super::column::Column;
use super::filter::{Filter, Source};
use super::group::NOWHERE;
use super::parse::{self, PivotError};
use super::projection::{Dimension, project};
use crate::protocol::PivotSpec;
use crate::stats::self_times;
use crate::trace::Trace;

/// Columns that are kept: four bytes for every point each.
const COLUMNS: usize = 8;
/// Aggregates that are kept.
const AGGREGATES: usize = 6;

/// What is asked about a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// What groups have in common.
    pub dimensions: Vec<Dimension>,
    /// What is measured of each group.
    pub measures: Vec<Measure>,
    filter: String,
    range: Option<(i64, i64)>,
}

impl Question {
    /// The question that is written down in `spec`.
    pub fn parse(trace: &Trace, spec: &PivotSpec) -> Result<Self, PivotError> {
        Filter::parse(trace, &spec.filter)?;
        Ok(Self {
            dimensions: parse::dimensions(trace, &spec.by)?,
            measures: parse::measures(trace, &spec.measures)?,
            filter: spec.filter.trim().to_owned(),
            range: spec.range,
        })
    }
}

/// The aggregates of one trace. It must be forgotten with the trace.
#[derive(Default)]
pub struct Cube {
    columns: Columns,
    /// The latest last, each with its filter and range.
    kept: Vec<(Chosen, Rc<Aggregate>)>,
}

type Chosen = (String, Option<(i64, i64)>);

#[derive(Default)]
struct Columns {
    self_times: Option<Rc<Vec<i64>>>,
    /// The latest last.
    kept: Vec<(Attribute, Rc<Column>)>,
}

impl Columns {
    fn self_times(&mut self, trace: &Trace) -> Rc<Vec<i64>> {
        let make = || Rc::new(self_times(trace, 0..trace.spans.len() as u32));
        self.self_times.get_or_insert_with(make).clone()
    }
}

impl Source for Columns {
    fn column(&mut self, trace: &Trace, attribute: Attribute) -> Rc<Column> {
        let kept = self.kept.iter().position(|(known, _)| *known == attribute);
        let entry = match kept {
            Some(at) => self.kept.remove(at),
            None => {
                let times = (attribute == Attribute::SelfTime).then(|| self.self_times(trace));
                let times = times.as_ref().map_or(&[][..], |times| times.as_slice());
                (attribute, Rc::new(Column::of(trace, attribute, times)))
            }
        };
        if self.kept.len() >= COLUMNS {
            self.kept.remove(0);
        }
        let column = entry.1.clone();
        self.kept.push(entry);
        column
    }
}

impl Cube {
    /// The aggregate that answers a question: one that is kept, a roll-up of one, or made of the points.
    pub fn aggregate(&mut self, trace: &Trace, question: &Question) -> Result<Rc<Aggregate>, PivotError> {
        let chosen = (question.filter.clone(), question.range);
        let needs = Need::of(&question.measures);
        let mut finer =
            self.kept.iter().rev().filter(|(of, _)| *of == chosen).map(|(_, aggregate)| aggregate);
        let finer = finer.find(|aggregate| aggregate.covers(&question.dimensions, &needs)).cloned();
        let made = match finer {
            Some(same) if same.dimensions == question.dimensions => return Ok(same),
            Some(finer) => Rc::new(finer.roll_up(trace, &question.dimensions, true).0),
            None => Rc::new(self.read(trace, question, &needs)?),
        };
        if self.kept.len() >= AGGREGATES {
            self.kept.remove(0);
        }
        self.kept.push((chosen, made.clone()));
        Ok(made)
    }

    fn read(&mut self, trace: &Trace, question: &Question, needs: &[Need]) -> Result<Aggregate, PivotError> {
        let points = self.points(trace, question)?;
        let times = needs.iter().any(|need| need.quantity == super::Quantity::SelfTime);
        let self_times = times.then(|| self.columns.self_times(trace));
        Ok(Aggregate::of(trace, points, needs, self_times.as_ref().map_or(&[], |times| times.as_slice())))
    }

    fn points(&mut self, trace: &Trace, question: &Question) -> Result<Points, PivotError> {
        let columns = &mut self.columns;
        let chosen = Filter::parse(trace, &question.filter)?.chosen(trace, question.range, columns);
        let column = |dimension: &Dimension| (dimension.clone(), columns.column(trace, dimension.attribute));
        Ok(Points { chosen, columns: question.dimensions.iter().map(column).collect() })
    }

    /// The rows of the points in a group of the question's aggregate: spans by their ids, events behind them.
    #[inline(never)]
    pub(super) fn rows(
        &mut self,
        trace: &Trace,
        question: &Question,
        codes: &[u32],
    ) -> Result<Vec<u32>, PivotError> {
        let mut points = self.points(trace, question)?;
        for ((dimension, column), code) in points.columns.iter().zip(codes) {
            let (images, _) = project(trace, &column.values, &dimension.chain);
            let rows = points.chosen.iter_mut().zip(&column.codes);
            rows.filter(|(_, row)| images[**row as usize] != *code).for_each(|(row, _)| *row = NOWHERE);
        }
        let rows = (0..).zip(&points.chosen).filter(|(_, group)| **group != NOWHERE);
        Ok(rows.map(|(row, _)| row).collect())
    }
}
