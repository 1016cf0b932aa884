//! Critical path of a query, a span or a time range, the time that would be saved without each of its steps, and the
//! slack of the spans off the path.

use super::activity_graph::{ActivityGraph, Moment};
use super::busy::Activity;
use super::dependencies::Dependencies;
use super::gaps::{covered, filled, gaps};
use super::nesting::{NestedPaths, NestingGraph};
use super::takeover::deciding_span;
use super::walk::{PathSpan, ThreadPath};
use super::{ParallelScope, SHOWN, TITLE, threads};
use crate::analysis::{ChildSpans, Queries, StepLabel};
use crate::base::interner::StrId;
use crate::base::{FxHashMap, FxHashSet, sort, text};
use crate::protocol::{CriticalPath, Link, PathName, PathRest, PathRestKind, PathRule, PathStep, SlackSpan};
use crate::stats::details::link;
use crate::trace::{Flags, Item, Kind, SpanId, Trace, TrackId, TrackKind, attribute_names, overlaps};

/// Maximum number of listed span names.
const NAMES: usize = 20;
/// Maximum number of listed spans off the path.
const OFF_PATH: usize = 100;
/// The path along arrows is taken if it covers at least the time range divided by this number.
const LEAST_EXPLAINED: i64 = 10;
/// Maximum number of moments that are recomputed to find the time that would be saved, over all names.
const REPLAYED: usize = 24_000_000;

/// Whether the trace has spans on a time axis, so that there is a path. The axis of sampled stacks is not time.
pub fn has_critical_path(trace: &Trace) -> bool {
    !trace.spans.is_empty() && trace.notes.iter().all(|note| note.name != attribute_names::TIME_AXIS)
}

/// A path with its graph.
struct FoundPath {
    rule: PathRule,
    parts: Vec<PathSpan>,
    graph: ActivityGraph,
    last: Moment,
    /// Spans with the moments of their ends, in ascending order of the moments.
    ends: Vec<(SpanId, Moment)>,
}

impl FoundPath {
    /// Time in the spans of the path, in nanoseconds.
    fn time(&self) -> i64 {
        self.parts.iter().map(PathSpan::time).fold(0, i64::saturating_add)
    }

    /// Time that would be saved if the spans of one name took no time, in nanoseconds, and the span that would then
    /// decide the end because another branch takes over. `on_path` has the moments of the path, and `groups` the name
    /// of the span before each moment.
    fn without(
        &self,
        trace: &Trace,
        name: StrId,
        on_path: &[Moment],
        groups: &[u32],
    ) -> (i64, Option<SpanId>) {
        let times = self.graph.times_without(self.last, name.0, groups);
        let saved = self.graph.time(self.last).saturating_sub(times.last().copied().unwrap_or(0));
        let branch = self.graph.takeover(on_path, (name.0, groups), &times);
        (saved, deciding_span(trace, &self.graph, &self.ends, &branch, name))
    }
}

/// Returns the critical path of a scope.
pub fn critical_path(
    trace: &Trace,
    queries: &Queries,
    children: &ChildSpans,
    scope: ParallelScope,
    item: Option<Item>,
) -> CriticalPath {
    let found = find(trace, queries, children, scope, item);
    let span = match scope {
        ParallelScope::Query(row) => Some(queries.span(row)),
        ParallelScope::Span(span) => Some(span),
        ParallelScope::Range(..) => None,
    };
    let ((start, end), title) = (scope.range(trace, queries), scope.title(trace, queries));
    let mut view = CriticalPath { title, start, end, rule: found.rule, ..CriticalPath::default() };
    view.item = span.map(|span| Item::Span(span).code());
    view.n_path = found.parts.len() as u32;
    view.path_time = found.time();
    view.path = steps(trace, &found.parts, start);
    let sums = name_sums(trace, &found.parts);
    let running = running(trace, queries, children, scope, item);
    view.path_rest = rest(trace, &found.parts, (start, end), &sums, &running);
    view.path_names = names(trace, &found, sums);
    let until = if span.is_none() { end } else { i64::MAX };
    (view.slack, view.n_slack) = slack(trace, &found, until);
    view.on_threads = is_on_threads(trace, &view);
    view
}

/// Whether the tracks of all listed spans of a path are threads, or are below a thread.
fn is_on_threads(trace: &Trace, path: &CriticalPath) -> bool {
    let is_on_thread = |link: &Link| {
        let track = trace.track_of(Item::from_code(link.item));
        trace.tracks.ancestor(track, TrackKind::Thread).is_some()
    };
    let off_path = path.slack.iter().map(|off| &off.link);
    path.path.iter().map(|step| &step.link).chain(off_path).all(is_on_thread)
}

/// Finds the path: along stated dependencies if there are any inside the scope, along arrows between threads for a time
/// range of a trace without queries, else by nesting. Where the arrows of a time range explain hardly any of it, the
/// path by nesting is taken if it covers more. Gaps of the path by nesting of a time range are filled with spans that
/// ran then. [`ShapePaths`](super::ShapePaths) follows the same dependencies inside each execution.
fn find(
    trace: &Trace,
    queries: &Queries,
    children: &ChildSpans,
    scope: ParallelScope,
    item: Option<Item>,
) -> FoundPath {
    let by_arrows = match scope {
        _ if trace.flows.is_empty() => None,
        ParallelScope::Query(_) | ParallelScope::Range(..) => along_arrows(trace, queries, scope),
        ParallelScope::Span(span) => inside_span(trace, queries, children, span),
    };
    let (start, end) = scope.range(trace, queries);
    let least = end.saturating_sub(start) / LEAST_EXPLAINED;
    let by_arrows = match by_arrows {
        Some(found) if found.rule != PathRule::Arrows || found.time() >= least => return found,
        hardly_explained => hardly_explained,
    };
    let nesting = NestedPaths::new(trace, children);
    let mut found = NestingGraph::default();
    let mut outermost = Vec::new();
    match scope {
        ParallelScope::Query(row) => nesting.of_span(queries.span(row), None, &mut found),
        ParallelScope::Span(span) => nesting.of_span(span, None, &mut found),
        ParallelScope::Range(start, end) => {
            outermost = outermost_in(trace, (start, end), item);
            nesting.of_range((start, end), &outermost, &mut found);
        }
    }
    let NestingGraph { graph, last, ends, has_locks, .. } = found;
    let rule = if has_locks { PathRule::NestingAndLocks } else { PathRule::Nesting };
    let nested = FoundPath { rule, parts: parts(&graph, last), graph, last, ends };
    if let Some(found) = by_arrows.filter(|found| found.time() >= nested.time()) {
        return found;
    }
    let parts = filled(trace, &nesting, &outermost, nested.parts, (start, end));
    FoundPath { parts, ..nested }
}

/// Spans of a scope that show whether anything ran while its path was in no span: the outermost spans of a time range,
/// or the children of a statement or span.
fn running(
    trace: &Trace,
    queries: &Queries,
    children: &ChildSpans,
    scope: ParallelScope,
    item: Option<Item>,
) -> Vec<SpanId> {
    let inside = |span: SpanId| {
        let children = children.children(span).iter().map(|&id| SpanId(id));
        children.filter(|&id| is_activity(trace, id)).collect()
    };
    match scope {
        ParallelScope::Query(row) => inside(queries.span(row)),
        ParallelScope::Span(span) => inside(span),
        ParallelScope::Range(start, end) => outermost_in(trace, (start, end), item),
    }
}

/// Returns the `most` longest parts of the critical path of a scope in chronological order, each with its span, start
/// and end; and the number of further parts.
pub fn path_parts(
    trace: &Trace,
    queries: &Queries,
    children: &ChildSpans,
    scope: ParallelScope,
    most: usize,
) -> (Vec<(SpanId, i64, i64)>, u32) {
    let mut parts = find(trace, queries, children, scope, None).parts;
    let more = parts.len().saturating_sub(most);
    if more > 0 {
        sort::by_key(&mut parts, |part| (part.time().saturating_neg(), u64::from(part.span.0)));
        parts.truncate(most);
        sort::by_key(&mut parts, |part| (part.start, sort::ordered(part.end)));
    }
    (parts.into_iter().map(|part| (part.span, part.start, part.end)).collect(), more as u32)
}

/// Parts of the longest way through a graph in which a span worked.
pub fn parts(graph: &ActivityGraph, last: Moment) -> Vec<PathSpan> {
    let stretches = graph.path(last).1;
    let part = |stretch: super::activity_graph::Stretch| {
        Some(PathSpan { span: stretch.span?, start: stretch.start, end: stretch.end, via: None })
    };
    stretches.into_iter().filter_map(part).collect()
}

/// The longest chain of dependencies; `None` if there are none.
fn along(dependencies: &Dependencies) -> Option<FoundPath> {
    let parts = dependencies.critical_path();
    let (graph, last, ends) = dependencies.graph();
    Some(FoundPath { rule: PathRule::Dependencies, parts, graph, last, ends })
        .filter(|found| !found.parts.is_empty())
}

fn inside_span(trace: &Trace, queries: &Queries, children: &ChildSpans, span: SpanId) -> Option<FoundPath> {
    let dependencies =
        || dependencies_inside(trace, children, &Activity::new(trace), span, trace.spans.bounds(span)).0;
    is_stated(trace, queries).then(dependencies).and_then(|dependencies| along(&dependencies))
}

/// The dependencies between steps inside a span and a time range, and the number of spans inside the span.
pub fn dependencies_inside<'a>(
    trace: &'a Trace,
    children: &ChildSpans,
    activity: &Activity,
    span: SpanId,
    range: (i64, i64),
) -> (Dependencies<'a>, usize) {
    let mut inside = Vec::new();
    children.inside(span, |id| trace.spans.kind(id) != Kind::Query, &mut inside);
    let members: FxHashSet<SpanId> = inside.iter().skip(1).copied().collect();
    let is_step = is_step(trace, activity);
    let flows = inside.iter().flat_map(|&id| trace.flows.reaching(id));
    (Dependencies::new(trace, range, flows, |id: SpanId| members.contains(&id) && is_step(id)), inside.len())
}

fn along_arrows(trace: &Trace, queries: &Queries, scope: ParallelScope) -> Option<FoundPath> {
    let rows = scope.rows(trace, queries);
    let activity = Activity::new(trace);
    let range = scope.range(trace, queries);
    if is_stated(trace, queries) {
        let is_step = is_step(trace, &activity);
        let counts = |id: SpanId| scope.counts(trace, queries, &rows, id) && is_step(id);
        return along(&Dependencies::new(trace, range, trace.flows.iter(), counts));
    }
    let threads = threads(&activity, range, |id| scope.owns(trace, queries, &rows, id));
    let path = ThreadPath::new(trace, &activity, &threads);
    let parts = path.critical_path();
    let (graph, last, ends) = path.graph(range.0);
    Some(FoundPath { rule: PathRule::Arrows, parts, graph, last, ends })
        .filter(|found| !found.parts.is_empty())
}

/// Whether a span can be a step of a chain of dependencies. An instruction that waits for another server is part of the
/// path: its result is needed.
pub fn is_step(trace: &Trace, activity: &Activity) -> impl Fn(SpanId) -> bool {
    let step = StepLabel::key(trace);
    move |id: SpanId| {
        let is_instruction = || step.is_some_and(|key| trace.text(Item::Span(id), key).is_some());
        let is_wait = || matches!(trace.spans.kind(id), Kind::Wait | Kind::Idle);
        activity.is_work(id) || is_wait() && is_instruction()
    }
}

/// Whether the trace states the dependencies between spans: traces with statements, with instructions of plans, or with
/// executions of components that name their cause.
pub fn is_stated(trace: &Trace, queries: &Queries) -> bool {
    !queries.is_empty()
        || [attribute_names::PLAN_TEXT, attribute_names::CAUSE].iter().any(|name| trace.key(name).is_some())
}

/// Whether a span is more than the state of a thread or its idle time.
fn is_activity(trace: &Trace, id: SpanId) -> bool {
    !matches!(trace.spans.kind(id), Kind::State | Kind::Idle)
}

/// The outermost spans of one run in a time range, without scheduler states and idle times. The run is that of the
/// item, or without an item the first run that has such spans.
fn outermost_in(trace: &Trace, range: (i64, i64), item: Option<Item>) -> Vec<SpanId> {
    let run = item.and_then(|item| trace.tracks.ancestor(trace.track_of(item), TrackKind::Run));
    let is_outermost = |&id: &SpanId| {
        let (start, end) = trace.spans.bounds(id);
        overlaps(start, end, range) && trace.spans.parent(id).is_none() && is_activity(trace, id)
    };
    let of_run = |run: TrackId| -> Vec<SpanId> {
        trace.tracks.subtree_spans(run).map(SpanId).filter(is_outermost).collect()
    };
    match run {
        Some(run) => of_run(run),
        None => trace.runs.iter().map(|run| of_run(run.track)).find(|of| !of.is_empty()).unwrap_or_default(),
    }
}

/// The first parts of a path, each with the gap before it; the scope begins at `start`.
fn steps(trace: &Trace, parts: &[PathSpan], start: i64) -> Vec<PathStep> {
    let mut before = start;
    let step = |part: &PathSpan| {
        let gap = part.start.saturating_sub(before);
        before = part.end;
        PathStep {
            link: link(trace, Item::Span(part.span)),
            via: part.via.map(|name| text::shortened(trace.str(name), TITLE)).unwrap_or_default(),
            start: part.start,
            time: part.time(),
            gap,
            thread: track_name(trace, part.span),
        }
    };
    parts.iter().take(SHOWN).map(step).collect()
}

fn track_name(trace: &Trace, span: SpanId) -> String {
    text::shortened(trace.str(trace.tracks.get(trace.tracks.of_span(span)).name), TITLE)
}

/// Parts of a critical path whose spans have one name: the name, their total time in nanoseconds, their number, and the
/// longest of them.
type NameSum = (StrId, (i64, u32, PathSpan));

/// Parts of a path grouped by span name, in descending order of total time; at most [`NAMES`].
fn name_sums(trace: &Trace, parts: &[PathSpan]) -> Vec<NameSum> {
    let mut sums: FxHashMap<StrId, (i64, u32, PathSpan)> = FxHashMap::default();
    for part in parts {
        let (time, count, longest) = sums.entry(trace.spans.name(part.span)).or_insert((0, 0, *part));
        (*time, *count) = (time.saturating_add(part.time()), *count + 1);
        if part.time() > longest.time() {
            *longest = *part;
        }
    }
    let mut sums: Vec<NameSum> = sums.into_iter().collect();
    sort::by_key(&mut sums, |(name, sum)| (sum.0.saturating_neg(), u64::from(name.0)));
    sums.truncate(NAMES);
    sums
}

/// The time of the scope that no listed name covers. `running` are spans that may have run while the path was in no span.
fn rest(
    trace: &Trace,
    parts: &[PathSpan],
    range: (i64, i64),
    listed: &[NameSum],
    running: &[SpanId],
) -> Vec<PathRest> {
    let mut rest = PathRestKind::ALL.map(|kind| PathRest { kind, time: 0, count: 0, longest: (0, 0) });
    let mut add = |kind: PathRestKind, (from, until): (i64, i64)| {
        let (of, time) = (&mut rest[kind as usize], until.saturating_sub(from));
        if time > 0 {
            (of.time, of.count) = (of.time.saturating_add(time), of.count + 1);
            if time > of.longest.1.saturating_sub(of.longest.0) {
                of.longest = (from, until);
            }
        }
    };
    let mut before = range.0;
    for part in parts {
        if part.via.is_some() {
            add(PathRestKind::Waiting, (before, part.start));
        }
        let name = trace.spans.name(part.span);
        if !listed.iter().any(|of| of.0 == name) {
            add(PathRestKind::OtherNames, (part.start, part.end));
        }
        before = part.end;
    }
    let (off_path, empty) = covered(trace, &gaps(parts, range), running);
    for period in off_path.chunk_by(|a, b| a.end == b.start) {
        if let (Some(first), Some(last)) = (period.first(), period.last()) {
            add(PathRestKind::OffPath, (first.start, last.end));
        }
    }
    empty.into_iter().for_each(|period| add(PathRestKind::NoSpan, period));
    rest.into_iter().filter(|of| of.count > 0).collect()
}

/// Names on the path, each with the time that would be saved without its spans and with what limits it.
fn names(trace: &Trace, found: &FoundPath, sums: Vec<NameSum>) -> Vec<PathName> {
    let n_replayed = REPLAYED / found.graph.len().max(1);
    let groups = found.graph.groups(|span| trace.spans.name(span).0);
    let (on_path, _) = found.graph.path(found.last);
    let name = |(at, (name, (time, count, longest))): (usize, NameSum)| {
        let without = (at < n_replayed).then(|| found.without(trace, name, &on_path, &groups));
        let is_limited = |&(saved, _): &(i64, Option<SpanId>)| saved < time;
        let limited_by = without.filter(is_limited).and_then(|without| without.1);
        PathName {
            name: text::shortened(trace.str(name), TITLE),
            time,
            count,
            saved: without.map(|without| without.0),
            limited_by: limited_by.map(|span| link(trace, Item::Span(span))),
            longest: link(trace, Item::Span(longest.span)),
        }
    };
    sums.into_iter().enumerate().map(name).collect()
}

/// Spans off the path, next to a span on it, with their slack: least slack first, then the longest. Spans whose end is
/// unknown or after `until` are left out, because the graph has no such end. A span that covers parts of the path in time without
/// being their parent is off the path: the trace does not say that it contains them, and its slack holds in either case.
fn slack(trace: &Trace, found: &FoundPath, until: i64) -> (Vec<SlackSpan>, u32) {
    let latest = found.graph.latest(found.last);
    let (on_path, _) = found.graph.path(found.last);
    let on_path: FxHashSet<Moment> = on_path.into_iter().collect();
    // Spans that the path is in or passes through.
    let mut passed: FxHashSet<SpanId> = FxHashSet::default();
    for part in &found.parts {
        let around = std::iter::successors(Some(part.span), |&at| trace.spans.parent(at));
        let _ = around.take_while(|&span| passed.insert(span)).count();
    }
    let is_by_nesting = matches!(found.rule, PathRule::Nesting | PathRule::NestingAndLocks);
    let is_beside = |span: SpanId| {
        !passed.contains(&span)
            && !trace.spans.flags(span).has(Flags::OPEN_END)
            && trace.spans.bounds(span).1 <= until
            && (!is_by_nesting || trace.spans.parent(span).is_none_or(|parent| passed.contains(&parent)))
    };
    let mut off: Vec<(i64, SpanId)> = Vec::new();
    for &(span, end) in found.ends.iter().filter(|(span, end)| !on_path.contains(end) && is_beside(*span)) {
        if let Some(&until) = latest.get(end as usize).filter(|&&until| until != i64::MAX) {
            off.push((until.saturating_sub(found.graph.time(end)), span));
        }
    }
    let length = |span: SpanId| sort::ordered(trace.spans.duration(span).saturating_neg());
    sort::by_key(&mut off, |&(slack, span)| (slack, length(span)));
    let row = |&(slack, span): &(i64, SpanId)| SlackSpan {
        link: link(trace, Item::Span(span)),
        slack,
        thread: track_name(trace, span),
    };
    (off.iter().take(OFF_PATH).map(row).collect(), off.len() as u32)
}
