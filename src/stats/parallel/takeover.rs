//! What limits the time that would be saved without a step of the critical path: the branch that would then be on it.

use super::activity_graph::{ActivityGraph, Moment};
use crate::base::FxHashSet;
use crate::base::interner::StrId;
use crate::trace::{SpanId, Trace};

/// The span that decides when a branch ends: the last one that worked on it, or the outermost span around that one that
/// ended on the branch, too. Spans named `free` took no time, so that they decide nothing. `branch` is from
/// [`ActivityGraph::takeover`]; `ends` has the spans with the moments of their ends, in ascending order of the moments.
/// `None` if only time in no span is on the branch.
pub fn deciding_span(
    trace: &Trace,
    graph: &ActivityGraph,
    ends: &[(SpanId, Moment)],
    branch: &[Moment],
    free: StrId,
) -> Option<SpanId> {
    let takes_time = |span: SpanId| trace.spans.name(span) != free;
    let mut ended: FxHashSet<SpanId> = FxHashSet::default();
    for &moment in branch {
        let Some((span, work)) = graph.work_before(moment) else { continue };
        if ends.binary_search_by_key(&moment, |end| end.1).is_ok() {
            ended.insert(span);
        }
        if work > 0 && takes_time(span) {
            let parent = |at: &SpanId| trace.spans.parent(*at).filter(|parent| ended.contains(parent));
            return std::iter::successors(Some(span), parent).filter(|&span| takes_time(span)).last();
        }
    }
    None
}
