//! Gaps of a critical path: time in which it is in no span, although others may have run.

use super::critical::parts;
use super::nesting::{NestedPaths, NestingGraph};
use super::walk::PathSpan;
use crate::base::sort;
use crate::trace::{SpanId, Trace};

/// Gaps of a path in a time range, in chronological order: before its first part, after its last one, and before parts
/// that did not wait for an input.
pub fn gaps(path: &[PathSpan], (start, end): (i64, i64)) -> Vec<(i64, i64)> {
    let mut before = start;
    let gap = |part: &PathSpan| {
        let gap = (before, part.start);
        before = part.end;
        (part.via.is_none() && gap.0 < gap.1).then_some(gap)
    };
    let mut gaps: Vec<(i64, i64)> = path.iter().filter_map(gap).collect();
    gaps.extend((before < end).then_some((before, end)));
    gaps
}

/// Divides gaps into the parts in which one of some spans ran, each with the span that runs on longest, and the time in
/// which none of them ran.
pub fn covered(trace: &Trace, gaps: &[(i64, i64)], spans: &[SpanId]) -> (Vec<PathSpan>, Vec<(i64, i64)>) {
    let mut running = Vec::new();
    let mut empty = Vec::new();
    if gaps.is_empty() {
        return (running, empty);
    }
    let mut spans = spans.to_vec();
    sort::by_key(&mut spans, |&span| (trace.spans.start(span), u64::from(span.0)));
    let mut spans = spans.into_iter().peekable();
    let mut longest: Option<(i64, SpanId)> = None;
    for &(start, end) in gaps {
        let mut now = start;
        while now < end {
            while let Some(span) = spans.next_if(|&span| trace.spans.start(span) <= now) {
                let until = trace.spans.bounds(span).1;
                if longest.is_none_or(|longest| longest.0 < until) {
                    longest = Some((until, span));
                }
            }
            let from = now;
            if let Some((until, span)) = longest.filter(|longest| longest.0 > now) {
                now = until.min(end);
                running.push(PathSpan { span, start: from, end: now, via: None });
            } else {
                now = spans.peek().map_or(end, |&next| trace.spans.start(next).min(end));
                empty.push((from, now));
            }
        }
    }
    (running, empty)
}

/// Continues a path by nesting of a time range in its gaps, with the paths of the outermost spans that ran then. A gap
/// ends with the start of a span, while those that ran in the gap were still in progress.
pub fn filled(
    trace: &Trace,
    nesting: &NestedPaths,
    outermost: &[SpanId],
    mut path: Vec<PathSpan>,
    range: (i64, i64),
) -> Vec<PathSpan> {
    let (mut running, _) = covered(trace, &gaps(&path, range), outermost);
    // The path of each span is searched only once.
    sort::by_key(&mut running, |part| (i64::from(part.span.0), sort::ordered(part.start)));
    let mut found = NestingGraph::default();
    for of_span in running.chunk_by(|a, b| a.span == b.span) {
        let Some(span) = of_span.first().map(|part| part.span) else { continue };
        nesting.of_span(span, None, &mut found);
        let inside = parts(&found.graph, found.last);
        for &PathSpan { start, end, .. } in of_span {
            let first = inside.partition_point(|part| part.end <= start);
            let of_gap = inside[first..].iter().take_while(|part| part.start < end);
            path.extend(of_gap.map(|part| PathSpan {
                start: part.start.max(start),
                end: part.end.min(end),
                ..*part
            }));
        }
    }
    sort::by_key(&mut path, |part| (part.start, sort::ordered(part.end)));
    path
}
