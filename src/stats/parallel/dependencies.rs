//! Critical path of a trace that states dependencies: among all chains of spans that each need a result of the previous
//! span, the chain with the longest total time.

use super::activity_graph::{ActivityGraph, Moment};
use super::walk::PathSpan;
use crate::base::interner::StrId;
use crate::base::{FxHashMap, sort};
use crate::trace::{Flow, SpanId, Trace, attribute_names, clipped};

/// An arrow from a span to a span that starts after it ended: source, target, and name of the arrow.
type Dependency = (SpanId, SpanId, StrId);

/// Returns a test for whether an arrow carries a result. Arrows of locks do not: they lead from the holder of a lock to
/// the span that waits for it.
fn is_result(trace: &Trace) -> impl Fn(&Flow) -> bool {
    let lock = trace.strings.find(attribute_names::LOCK);
    move |flow| lock.is_none_or(|lock| flow.name != lock)
}

/// Dependencies between spans, without cycles: all arrows that reach a span are adjacent, after those that reach the spans
/// they leave from.
pub struct Dependencies<'a> {
    trace: &'a Trace,
    /// Time range to which the spans are clipped, in nanoseconds.
    range: (i64, i64),
    arrows: Vec<Dependency>,
}

impl<'a> Dependencies<'a> {
    /// Collects the dependencies between spans for which `counts` is true and that touch `range`. Only arrows that carry a
    /// result, from a span that ends before the target starts, count.
    pub fn new<'b>(
        trace: &'a Trace,
        range: (i64, i64),
        flows: impl Iterator<Item = &'b Flow>,
        counts: impl Fn(SpanId) -> bool,
    ) -> Self {
        let is_result = is_result(trace);
        let mut arrows: Vec<Dependency> = Vec::new();
        let is_step = |id: SpanId| {
            let (start, end) = trace.spans.bounds(id);
            start <= range.1 && end >= range.0 && counts(id)
        };
        for flow in flows.filter(|flow| flow.from != flow.to && is_step(flow.from) && is_step(flow.to)) {
            let (from, to) = (trace.spans.get(flow.from), trace.spans.get(flow.to));
            if from.end_time() <= to.start && is_result(flow) {
                arrows.push((flow.from, flow.to, flow.name));
            }
        }
        let ranks = ranks(trace, &mut arrows);
        let rank = |id: SpanId| i64::from(ranks.get(&id).copied().unwrap_or(0));
        sort::by_key(&mut arrows, |&(_, to, _)| (rank(to), u64::from(to.0)));
        // A source starts before its target, or at the same instant; then it ends there, and its target ends there or later.
        sort::by_key(&mut arrows, |&(_, to, _)| {
            let span = trace.spans.get(to);
            (span.start, sort::ordered(span.end_time()))
        });
        Self { trace, range, arrows }
    }

    /// Start and end of a span, clipped to the range.
    fn bounds(&self, span: SpanId) -> (i64, i64) {
        clipped(self.trace.spans.bounds(span), self.range)
    }

    /// Time of a span in the range, in nanoseconds.
    fn time(&self, span: SpanId) -> i64 {
        let (start, end) = self.bounds(span);
        end.saturating_sub(start)
    }

    /// The graph of all chains, its last moment, and each span with the moment at which it ends, in ascending order of the
    /// moments.
    pub fn graph(&self) -> (ActivityGraph, Moment, Vec<(SpanId, Moment)>) {
        let mut graph = ActivityGraph::default();
        let begin = graph.beginning(0);
        let mut ends: FxHashMap<SpanId, Moment> = FxHashMap::default();
        let mut order: Vec<(SpanId, Moment)> = Vec::new();
        let mut last = begin;
        for of_target in self.arrows.chunk_by(|a, b| a.1 == b.1) {
            let mut ready = begin;
            for &(from, ..) in of_target {
                let end = *ends.entry(from).or_insert_with(|| {
                    let end = graph.after(begin, Some(from), self.time(from));
                    order.push((from, end));
                    end
                });
                ready = if ready == begin { end } else { graph.later(end, ready) };
            }
            let Some(&(_, to, _)) = of_target.first() else { continue };
            let end = graph.after(ready, Some(to), self.time(to));
            ends.insert(to, end);
            order.push((to, end));
        }
        // If chains are equally long, the path is the one that ends with the first span, as in `critical_path`.
        let mut by_span = order.clone();
        sort::by_key(&mut by_span, |&(span, _)| (i64::from(span.0), 0));
        for &(_, end) in &by_span {
            last = if last == begin { end } else { graph.later(end, last) };
        }
        (graph, last, order)
    }

    /// Returns the chain with the longest total time, from its first span. Its spans are those of the longest way through
    /// [`graph`](Self::graph).
    pub fn critical_path(&self) -> Vec<PathSpan> {
        // Length of the longest chain that ends with each span, with the previous span and the name of their arrow.
        let mut best: FxHashMap<SpanId, (i64, Option<(SpanId, StrId)>)> = FxHashMap::default();
        for &(from, to, name) in &self.arrows {
            let before = best.entry(from).or_insert((self.time(from), None)).0;
            let length = before.saturating_add(self.time(to));
            let known = best.entry(to).or_insert((self.time(to), None));
            if length > known.0 || known.1.is_none() {
                *known = (length, Some((from, name)));
            }
        }
        let longest = best.iter().map(|(&span, &(length, _))| (length, std::cmp::Reverse(span))).max();
        let mut path = Vec::new();
        let mut at = longest.map(|(_, std::cmp::Reverse(last))| last);
        while let Some(span) = at {
            let before = best.get(&span).and_then(|known| known.1);
            let (start, end) = self.bounds(span);
            path.push(PathSpan { span, start, end, via: before.map(|before| before.1) });
            at = before.map(|before| before.0);
        }
        path.reverse();
        path
    }
}

/// Ranks of spans without length that depend on each other at the same instant: a span has a higher rank than the spans
/// that it depends on. If the dependencies form a cycle, the arrow that closes it is removed; only spans without length
/// can form one.
fn ranks(trace: &Trace, arrows: &mut Vec<Dependency>) -> FxHashMap<SpanId, u32> {
    let is_empty = |id: SpanId| trace.spans.bounds(id).1 <= trace.spans.start(id);
    let is_tie = |&(from, to, _): &Dependency| {
        is_empty(from) && is_empty(to) && trace.spans.start(from) == trace.spans.start(to)
    };
    let mut ties: Vec<Dependency> = arrows.iter().copied().filter(is_tie).collect();
    sort::by_key(&mut ties, |tie| (i64::from(tie.0.0), u64::from(tie.1.0)));
    let mut waits_for: FxHashMap<SpanId, u32> = FxHashMap::default();
    for &(from, to, _) in &ties {
        waits_for.entry(from).or_default();
        *waits_for.entry(to).or_default() += 1;
    }
    let mut ready: Vec<SpanId> = waits_for.iter().filter(|of| *of.1 == 0).map(|of| *of.0).collect();
    let mut in_order = ties.iter().map(|tie| tie.0);
    let mut ranks: FxHashMap<SpanId, u32> = FxHashMap::default();
    // If none is ready, those that are left depend on each other in a circle, which the first of them breaks.
    while let Some(span) = ready.pop().or_else(|| in_order.find(|span| !ranks.contains_key(span))) {
        let next = ranks.len() as u32;
        if *ranks.entry(span).or_insert(next) != next {
            continue;
        }
        let first = ties.partition_point(|tie| tie.0 < span);
        for &(_, to, _) in ties[first..].iter().take_while(|tie| tie.0 == span) {
            let left = waits_for.entry(to).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.push(to);
            }
        }
    }
    let is_forward = |arrow: &Dependency| ranks.get(&arrow.0) < ranks.get(&arrow.1);
    arrows.retain(|arrow| !is_tie(arrow) || is_forward(arrow));
    ranks
}
