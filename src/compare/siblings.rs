//! Compares an execution with the other executions of its statement, for a sentence in the details.

use super::pairs::{self, StepPair};
use super::steps::{Sides, StepRuns};
use super::{Comparison, row_of};
use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{ChildSpans, Queries, Statements, is_whole};
use crate::base::{sort, text};
use crate::protocol::{ExecutionSiblings, SlowerStep};
use crate::trace::{Item, SpanId, Trace, key};

/// Maximum length of the name of a step, in characters.
const NAME: usize = 80;

impl Comparison {
    /// Compares the execution that an item belongs to with the others of its statement; in a trace without statements, a span
    /// with the others of its name and category. `None` if the item belongs to no complete execution. The only complete
    /// execution is its own typical one.
    pub fn siblings(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        children: &ChildSpans,
        item: u32,
    ) -> Option<ExecutionSiblings> {
        let is_of_slices = queries.is_empty();
        let (root, mut all) = match is_of_slices {
            true => slices_like(trace, item)?,
            false => self.executions_like(trace, queries, item)?,
        };
        all.retain(|&id| is_whole(trace.spans.flags(id)));
        sort::by_key(&mut all, |&id| (trace.duration(id), u64::from(id.0)));
        let durations: Vec<i64> = all.iter().map(|&id| trace.duration(id)).collect();
        let median = percentile_of_sorted(&durations, 50)?;
        all.retain(|&other| other != root);
        let typical = all.get(all.len() / 2).copied().unwrap_or(root);
        let duration = trace.duration(root);
        Some(ExecutionSiblings {
            executions: durations.len() as u32,
            longer: durations.iter().filter(|&&other| other > duration).count() as u32,
            duration,
            median,
            execution: Item::Span(root).code(),
            typical: Item::Span(typical).code(),
            is_of_slices,
            step: if typical == root { None } else { self.slower_step(trace, children, [root, typical]) },
        })
    }

    /// The execution that an item belongs to, and all executions of its statement; `None` if the item belongs to no
    /// complete execution.
    fn executions_like(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        item: u32,
    ) -> Option<(SpanId, Vec<SpanId>)> {
        let row = row_of(trace, queries, Some(item)).filter(|&row| queries.is_whole(row))?;
        let Self { statements, shapes, .. } = self;
        let statements = statements.get_or_insert_with(|| Statements::of(trace, queries, shapes));
        let like = statements.rows_like(row).iter().map(|&row| queries.span(row));
        Some((queries.span(row), like.collect()))
    }

    /// The step of execution `a` whose self time exceeds that in execution `b` the most; `None` if no step took longer.
    fn slower_step(
        &mut self,
        trace: &Trace,
        children: &ChildSpans,
        [a, b]: [SpanId; 2],
    ) -> Option<SlowerStep> {
        let Self { shapes, own, .. } = self;
        let pairs = pairs::pairs(Sides::of(trace, shapes, children, [&[a], &[b]], Some(own)), true);
        let slowest = pairs.iter().max_by_key(|pair| excess(pair)).filter(|pair| excess(pair) > 0)?;
        Some(SlowerStep {
            kind: slowest.kind.name().to_owned(),
            name: text::shortened(slowest.label.text(trace, shapes), NAME),
            excess: excess(slowest),
            is_reading: is_reading(trace, slowest),
            item: Item::Span(slowest.a.as_ref()?.longest).code(),
        })
    }
}

/// The span with this item code, and all spans with its name and category; `None` if there is no such span or it is not
/// complete.
fn slices_like(trace: &Trace, item: u32) -> Option<(SpanId, Vec<SpanId>)> {
    let item = Some(Item::from_code(item)).filter(|&item| trace.contains(item))?;
    let Item::Span(root) = item else { return None };
    let group = |id: SpanId| (trace.spans.name(id), trace.text(Item::Span(id), key::CATEGORY));
    let (all, wanted) = ((0..trace.spans.len() as u32).map(SpanId), group(root));
    // The name is compared first, as it is the quickest to read.
    let like = all.filter(|&id| trace.spans.name(id) == wanted.0 && group(id) == wanted);
    is_whole(trace.spans.flags(root)).then(|| (root, like.collect()))
}

fn excess(pair: &StepPair) -> i64 {
    let time = |sum: &Option<StepRuns>| sum.as_ref().map_or(0, |sum| sum.time);
    time(&pair.a).saturating_sub(time(&pair.b))
}

/// Whether most of the time by which a step took longer is reading time; compares the longest execution of the step on
/// each side.
fn is_reading(trace: &Trace, pair: &StepPair) -> bool {
    let read = |id: SpanId| trace.num(Item::Span(id), key::READ_TIME);
    let a = pair.a.as_ref().and_then(|sum| read(sum.longest));
    let b = pair.b.as_ref().map_or(Some(0), |sum| read(sum.longest));
    a.zip(b).is_some_and(|(a, b)| a.saturating_sub(b) > excess(pair) / 2)
}
