//! Compares an execution with the other executions of its statement, or a span with the others of its name, for a sentence in the
//! details.

use super::Comparison;
use super::pairs::{self, StepPair};
use super::steps::{Sides, StepRuns};
use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{ChildSpans, Queries, Statements, is_whole};
use crate::base::{sort, text};
use crate::protocol::{ExecutionSiblings, SlowerStep};
use crate::trace::{Flags, Item, SpanId, Trace, key};

/// Maximum length of the name of a step, in characters.
const NAME: usize = 80;

impl Comparison {
    /// Compares an execution of a statement with the others of its statement, and any other span with the others of its
    /// kind, name and category. `None` if the item is not a complete span. The only complete execution is its own typical
    /// one.
    pub fn siblings(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        children: &ChildSpans,
        item: u32,
    ) -> Option<ExecutionSiblings> {
        let (root, row) = span_and_row(trace, queries, item)?;
        let mut all = match row {
            Some(row) => self.executions_like(trace, queries, row),
            None => spans_of_same_group(trace, root),
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
            is_of_slices: row.is_none(),
            step: if typical == root { None } else { self.slower_step(trace, children, [root, typical]) },
        })
    }

    /// All executions of the statement of a row.
    fn executions_like(&mut self, trace: &Trace, queries: &Queries, row: u32) -> Vec<SpanId> {
        let Self { statements, shapes, .. } = self;
        let statements = statements.get_or_insert_with(|| Statements::of(trace, queries, shapes));
        statements.rows_like(row).iter().map(|&row| queries.span(row)).collect()
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

/// The complete span with this item code, and its row if it is the execution of a statement and not a span inside it;
/// `None` if there is no such span or it is not complete.
fn span_and_row(trace: &Trace, queries: &Queries, code: u32) -> Option<(SpanId, Option<u32>)> {
    let item = Some(Item::from_code(code)).filter(|&item| trace.contains(item))?;
    let Item::Span(root) = item else { return None };
    let row = queries.row_of(trace, item).filter(|&row| queries.span(row) == root);
    is_whole(trace.spans.flags(root)).then_some((root, row))
}

/// All spans with the kind, name and category of a span. Segments are compared with segments only.
fn spans_of_same_group(trace: &Trace, root: SpanId) -> Vec<SpanId> {
    let group = |id: SpanId| {
        let ((kind, flags), name) = (trace.spans.kind_and_flags(id), trace.spans.name(id));
        (name, kind, flags.has(Flags::SEGMENT), trace.text(Item::Span(id), key::CATEGORY))
    };
    let (all, wanted) = ((0..trace.spans.len() as u32).map(SpanId), group(root));
    // The name is compared first, as it is the quickest to read.
    all.filter(|&id| trace.spans.name(id) == wanted.0 && group(id) == wanted).collect()
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
