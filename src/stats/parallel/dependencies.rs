//! The critical path where the trace states what depends on what: of all spans of which each needed a result of the
//! previous one, those that take longest together.

use super::walk::PathSpan;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::trace::{SpanId, Trace};

/// How long the longest path up to each span is, and which span hands on what in it.
type Best = FxHashMap<SpanId, (i64, Option<(SpanId, StrId)>)>;

/// The spans between which arrows lead and that last longest together, from the first. Only arrows that leave what has
/// ended for what begins then count, and only spans that `counts` says yes to.
pub fn critical_path(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> Vec<PathSpan> {
    let mut arrows: Vec<(SpanId, SpanId, StrId)> = Vec::new();
    for flow in trace.flows.iter().filter(|flow| flow.from != flow.to && counts(flow.from) && counts(flow.to))
    {
        let (from, to) = (trace.spans.get(flow.from), trace.spans.get(flow.to));
        if from.end_time() <= to.start {
            arrows.push((flow.from, flow.to, flow.name));
        }
    }
    // By the start of what they reach: whatever leads there was decided before. Of two that start together, what ended
    // at that moment comes first.
    sort::by_key(&mut arrows, |&(_, to, _)| {
        let span = trace.spans.get(to);
        (span.start, sort::ordered(span.end_time()))
    });
    let mut best = Best::default();
    let own = |id: SpanId| trace.duration(id);
    for &(from, to, name) in &arrows {
        let before = best.get(&from).map_or_else(|| own(from), |known| known.0);
        let length = before.saturating_add(own(to));
        let known = best.entry(to).or_insert((own(to), None));
        if length > known.0 || known.1.is_none() {
            *known = (length, Some((from, name)));
        }
    }
    let last = best.iter().map(|(&span, &(length, _))| (length, std::cmp::Reverse(span))).max();
    last.map_or_else(Vec::new, |(_, std::cmp::Reverse(last))| path_to(trace, &best, last, arrows.len()))
}

/// The path that ends with `last`, from its first span.
fn path_to(trace: &Trace, best: &Best, last: SpanId, most: usize) -> Vec<PathSpan> {
    let (mut path, mut at) = (Vec::new(), Some(last));
    // Spans without a length may lead to each other.
    while let Some(span) = at.filter(|_| path.len() <= most) {
        let before = best.get(&span).and_then(|known| known.1);
        let (start, end) = trace.spans.bounds(span);
        path.push(PathSpan { span, start, end, via: before.map(|before| before.1) });
        at = before.map(|before| before.0);
    }
    path.reverse();
    path
}
