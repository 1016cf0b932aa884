//! Critical path of the current scope, with its totals.

use super::busy::Activity;
use super::walk::PathSpan;
use super::{ActiveThread, SHOWN, TITLE, dependencies, walk};
use crate::analysis::Queries;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::base::text;
use crate::protocol::{Parallel, PathName, PathStep};
use crate::stats::details::link;
use crate::trace::{Item, Kind, SpanId, Trace, attribute_names};

/// Maximum number of listed span names.
const NAMES: usize = 20;

/// Critical path, from its first span.
pub struct Path(Vec<PathSpan>);

/// Finds the critical path through spans for which `counts` is true. If the trace states dependencies, the path follows
/// them. In other traces with arrows, it is searched backwards through the threads from the end.
pub fn path(
    trace: &Trace,
    queries: &Queries,
    activity: &Activity,
    threads: &[ActiveThread],
    counts: impl Fn(SpanId) -> bool,
) -> Path {
    let step = trace.key(attribute_names::STEP);
    // An instruction that waits for another server is part of the path: its result is needed.
    let is_instruction = |id: SpanId| step.is_some_and(|key| trace.text(Item::Span(id), key).is_some());
    let is_wait = |id: SpanId| matches!(trace.spans.kind(id), Kind::Wait | Kind::Idle);
    let is_step = |id: SpanId| counts(id) && (activity.is_work(id) || is_wait(id) && is_instruction(id));
    Path(match is_stated(trace, queries) {
        true => dependencies::critical_path(trace, is_step),
        false if trace.flows.is_empty() => Vec::new(),
        false => walk::critical_path(trace, activity, threads),
    })
}

/// Whether the trace states the dependencies between spans: traces with statements, with instructions of plans, or with
/// executions of components that name their cause.
pub fn is_stated(trace: &Trace, queries: &Queries) -> bool {
    !queries.is_empty()
        || [attribute_names::PLAN_TEXT, attribute_names::CAUSE].iter().any(|name| trace.key(name).is_some())
}

impl Path {
    /// Writes the critical path and its totals into the view.
    pub fn into_view(self, trace: &Trace, view: &mut Parallel) {
        let Self(parts) = self;
        view.n_path = parts.len() as u32;
        view.path_time = parts.iter().map(PathSpan::time).fold(0, i64::saturating_add);
        view.path_names = names(trace, &parts);
        let mut before: Option<i64> = None;
        for part in parts.iter().take(SHOWN) {
            let gap = before.map_or(0, |before| part.start.saturating_sub(before));
            before = Some(part.end);
            let via = part.via.map(|name| text::shortened(trace.str(name), TITLE)).unwrap_or_default();
            let thread = trace.tracks.get(trace.tracks.of_span(part.span)).name;
            let thread = text::shortened(trace.str(thread), TITLE);
            let link = link(trace, Item::Span(part.span));
            view.path.push(PathStep { link, via, start: part.start, time: part.time(), gap, thread });
        }
    }
}

/// Parts of the path grouped by span name, in descending order of total time.
fn names(trace: &Trace, parts: &[PathSpan]) -> Vec<PathName> {
    let mut sums: FxHashMap<StrId, (i64, u32, PathSpan)> = FxHashMap::default();
    for part in parts {
        let (time, count, longest) = sums.entry(trace.spans.name(part.span)).or_insert((0, 0, *part));
        (*time, *count) = (time.saturating_add(part.time()), *count + 1);
        if part.time() > longest.time() {
            *longest = *part;
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sort::by_key(&mut sums, |(name, sum)| (sum.0.saturating_neg(), u64::from(name.0)));
    let name = |(name, (time, count, longest)): (StrId, (i64, u32, PathSpan))| PathName {
        name: text::shortened(trace.str(name), TITLE),
        time,
        count,
        longest: link(trace, Item::Span(longest.span)),
    };
    sums.into_iter().take(NAMES).map(name).collect()
}
