//! Critical path of a trace that states dependencies: among all chains of spans that each need a result of the previous
//! span, the chain with the longest total time.

use super::activity_graph::{ActivityGraph, Moment};
use super::walk::PathSpan;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::trace::{Flow, SpanId, Trace};

/// Length of the longest chain that ends with each span, with the previous span in the chain and the name of their arrow.
type Best = FxHashMap<SpanId, (i64, Option<(SpanId, StrId)>)>;

/// An arrow from a span to one that starts after its end.
type Dependency = (SpanId, SpanId, StrId);

/// Dependencies between spans for which `counts` is true, sorted by target. Only arrows from a span that ends before the
/// target starts count.
pub fn dependencies<'a>(
    trace: &Trace,
    flows: impl Iterator<Item = &'a Flow>,
    counts: impl Fn(SpanId) -> bool,
) -> Vec<Dependency> {
    let mut arrows: Vec<Dependency> = Vec::new();
    for flow in flows.filter(|flow| flow.from != flow.to && counts(flow.from) && counts(flow.to)) {
        let (from, to) = (trace.spans.get(flow.from), trace.spans.get(flow.to));
        if from.end_time() <= to.start {
            arrows.push((flow.from, flow.to, flow.name));
        }
    }
    // Sorted by the start of the target, so that all chains to an arrow's source are known already. For equal starts,
    // the target that ends first comes first.
    sort::by_key(&mut arrows, |&(_, to, _)| {
        let span = trace.spans.get(to);
        (span.start, sort::ordered(span.end_time()))
    });
    arrows
}

/// Returns the chain of spans, connected by arrows, with the longest total time, from its first span.
pub fn critical_path(trace: &Trace, arrows: &[Dependency]) -> Vec<PathSpan> {
    let mut best = Best::default();
    let own = |id: SpanId| trace.duration(id);
    for &(from, to, name) in arrows {
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

/// The graph of all chains, its end, and the moment at which each span ends.
pub fn graph(trace: &Trace, arrows: &[Dependency]) -> (ActivityGraph, Moment, Vec<(SpanId, Moment)>) {
    let mut graph = ActivityGraph::default();
    let begin = graph.beginning(0);
    let mut ends: FxHashMap<SpanId, Moment> = FxHashMap::default();
    let mut order: Vec<SpanId> = Vec::new();
    let mut last = begin;
    for of_target in arrows.chunk_by(|a, b| a.1 == b.1) {
        let mut ready = begin;
        for &(from, ..) in of_target {
            let end = *ends.entry(from).or_insert_with(|| {
                order.push(from);
                graph.after(begin, Some(from), trace.duration(from))
            });
            ready = if ready == begin { end } else { graph.later(end, ready) };
        }
        let Some(&(_, to, _)) = of_target.first() else { continue };
        // The arrows of spans that start and end at the same time may be mixed.
        if let Some(&known) = ends.get(&to) {
            let again = graph.after(ready, Some(to), trace.duration(to));
            ready = graph.later(known, again);
            ends.insert(to, ready);
        } else {
            order.push(to);
            ends.insert(to, graph.after(ready, Some(to), trace.duration(to)));
        }
    }
    let ends: Vec<(SpanId, Moment)> = order.into_iter().map(|span| (span, ends[&span])).collect();
    for &(_, end) in &ends {
        last = if last == begin { end } else { graph.later(last, end) };
    }
    (graph, last, ends)
}

/// Chain that ends with `last`, from its first span.
fn path_to(trace: &Trace, best: &Best, last: SpanId, most: usize) -> Vec<PathSpan> {
    let (mut path, mut at) = (Vec::new(), Some(last));
    // Spans with zero duration may depend on each other in a cycle.
    while let Some(span) = at.filter(|_| path.len() <= most) {
        let before = best.get(&span).and_then(|known| known.1);
        let (start, end) = trace.spans.bounds(span);
        path.push(PathSpan { span, start, end, via: before.map(|before| before.1) });
        at = before.map(|before| before.0);
    }
    path.reverse();
    path
}
