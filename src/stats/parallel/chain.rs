//! The longest chain: spans of which each could only begin when the one before had handed something on.

use rustc_hash::FxHashMap;

use crate::sort;
use crate::strings::StrId;
use crate::trace::{SpanId, Trace};

/// A link of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The span.
    pub span: SpanId,
    /// What was handed on to it by the link before.
    pub via: Option<StrId>,
}

/// How long the longest chain up to each span is, and which span hands on what in it.
type Best = FxHashMap<SpanId, (i64, Option<(SpanId, StrId)>)>;

/// The chain of arrows whose spans last longest together, from its first span, and how long that is. Only arrows that
/// leave what has ended for what begins then count, and only spans that `counts` says yes to.
pub fn longest(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> (Vec<Link>, i64) {
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
    let Some((length, std::cmp::Reverse(last))) = last else { return (Vec::new(), 0) };
    (walk(&best, last, arrows.len()), length)
}

/// The chain that ends with `last`, from its first link.
fn walk(best: &Best, last: SpanId, most: usize) -> Vec<Link> {
    let (mut chain, mut at) = (Vec::new(), Some(last));
    // Spans without a length may lead to each other.
    while let Some(span) = at.filter(|_| chain.len() <= most) {
        let before = best.get(&span).and_then(|known| known.1);
        chain.push(Link { span, via: before.map(|before| before.1) });
        at = before.map(|before| before.0);
    }
    chain.reverse();
    chain
}
