//! Compares an execution with the other executions of its statement, for a sentence in the details.

use super::pairs::{self, StepPair};
use super::steps::{Sides, StepRuns};
use super::{Comparison, row_of};
use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{ChildSpans, Queries, Statements};
use crate::base::{sort, text};
use crate::protocol::{ExecutionSiblings, SlowerStep};
use crate::trace::{Item, SpanId, Trace, key};

/// Maximum length of the name of a step, in characters.
const NAME: usize = 80;

impl Comparison {
    /// Compares the execution that an item belongs to with the others of its statement. `None` if the item belongs to no
    /// complete execution, or if no other execution is complete.
    pub fn siblings(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        children: &ChildSpans,
        item: u32,
    ) -> Option<ExecutionSiblings> {
        let row = row_of(trace, queries, Some(item)).filter(|&row| queries.is_whole(row))?;
        let Self { statements, shapes, own, .. } = self;
        let statements = statements.get_or_insert_with(|| Statements::of(trace, queries, shapes));
        let mut all: Vec<u32> =
            statements.rows_like(row).iter().copied().filter(|&row| queries.is_whole(row)).collect();
        sort::by_key(&mut all, |&row| (queries.duration(row), u64::from(row)));
        let durations: Vec<i64> = all.iter().map(|&row| queries.duration(row)).collect();
        let median = percentile_of_sorted(&durations, 50)?;
        all.retain(|&other| other != row);
        let typical = *all.get(all.len() / 2)?;
        let roots = [row, typical].map(|row| [queries.span(row)]);
        let sides = Sides::of(trace, shapes, children, [&roots[0], &roots[1]], Some(own));
        let pairs = pairs::pairs(sides, true);
        let slowest = pairs.iter().max_by_key(|pair| excess(pair));
        let step = slowest.filter(|pair| excess(pair) > 0).and_then(|pair| {
            let longest = pair.a.as_ref()?.longest;
            Some(SlowerStep {
                kind: pair.kind.name().to_owned(),
                name: text::shortened(pair.label.text(trace, shapes), NAME),
                excess: excess(pair),
                is_reading: is_reading(trace, pair),
                item: Item::Span(longest).code(),
            })
        });
        Some(ExecutionSiblings {
            executions: durations.len() as u32,
            longer: durations.iter().filter(|&&other| other > queries.duration(row)).count() as u32,
            duration: queries.duration(row),
            median,
            execution: Item::Span(queries.span(row)).code(),
            typical: Item::Span(queries.span(typical)).code(),
            step,
        })
    }
}

fn excess(pair: &StepPair) -> i64 {
    let time = |sum: &Option<StepRuns>| sum.as_ref().map_or(0, |sum| sum.time);
    time(&pair.a).saturating_sub(time(&pair.b))
}

/// Whether most of the excess is reading time; compares the longest execution of the step on each side.
fn is_reading(trace: &Trace, pair: &StepPair) -> bool {
    let read = |id: SpanId| trace.num(Item::Span(id), key::READ_TIME);
    let a = pair.a.as_ref().and_then(|sum| read(sum.longest));
    let b = pair.b.as_ref().map_or(Some(0), |sum| read(sum.longest));
    a.zip(b).is_some_and(|(a, b)| a.saturating_sub(b) > excess(pair) / 2)
}
