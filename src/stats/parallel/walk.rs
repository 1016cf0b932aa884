//! Critical path of a trace that has arrows but states no dependencies, searched backwards from the end.
//!
//! At each moment, the path is in the innermost span of a thread. It follows the thread back in time to the end of an
//! idle time. The span that ended the idle time may have arrows that reach it. If such an arrow left while the thread
//! was idle, the thread waited for it: the path continues in the thread where the arrow starts, at the moment at which
//! it left. If there is no such arrow, the reason for the idle time is not recorded, and the path continues with the
//! previous work of the same thread. No two parts of the path overlap in time.

use super::activity_graph::{ActivityGraph, Moment};
use super::busy::Activity;
use super::{ActiveThread, Doing};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::trace::{SpanId, Trace, TrackId};

/// Part of the critical path inside one span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSpan {
    pub span: SpanId,
    /// Start of the part, in nanoseconds.
    pub start: i64,
    /// End of the part, in nanoseconds.
    pub end: i64,
    /// Name of the arrow by which the path came from another span; `None` if the path follows its thread.
    pub via: Option<StrId>,
}

impl PathSpan {
    /// Time that the path spends in the span, in nanoseconds.
    pub fn time(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// Stretch of a thread inside one innermost span that is work.
#[derive(Clone, Copy)]
struct Leaf {
    span: SpanId,
    start: i64,
    end: i64,
}

/// Arrow that reaches a thread.
#[derive(Clone, Copy)]
struct Arrival {
    arrives: i64,
    leaves: i64,
    from: usize,
    name: StrId,
}

/// A stretch: its thread, and its position in the thread.
type StretchPlace = (usize, usize);

/// Search for the critical path through some threads.
pub struct ThreadPath<'a> {
    trace: &'a Trace,
    /// Work stretches by thread, in chronological order.
    leaves: Vec<Vec<Leaf>>,
    /// Arrows by target thread, in the order of arrival.
    arrivals: Vec<Vec<Arrival>>,
}

impl<'a> ThreadPath<'a> {
    /// Collects the work of these threads and the arrows between them.
    pub fn new(trace: &'a Trace, activity: &Activity, threads: &[ActiveThread]) -> Self {
        let numbers: FxHashMap<TrackId, usize> =
            threads.iter().enumerate().map(|(at, thread)| (thread.track, at)).collect();
        let mut arrivals: Vec<Vec<Arrival>> = vec![Vec::new(); threads.len()];
        let number = |span: SpanId| numbers.get(&trace.tracks.of_span(span)).copied();
        for flow in trace.flows.iter() {
            if let Some((from, to)) = number(flow.from).zip(number(flow.to)) {
                let (arrives, leaves) = (flow.arrives, flow.leaves);
                arrivals[to].push(Arrival { arrives, leaves, from, name: flow.name });
            }
        }
        // If arrows arrive at the same time, the one that left last comes first.
        for list in &mut arrivals {
            sort::by_key(list, |arrival| (arrival.arrives, !sort::ordered(arrival.leaves)));
        }
        let leaves = threads.iter().map(|thread| leaves(activity, thread)).collect();
        Self { trace, leaves, arrivals }
    }

    /// Returns the critical path, from its first span.
    pub fn critical_path(&self) -> Vec<PathSpan> {
        let ends = self.leaves.iter().enumerate().filter_map(|(at, leaves)| Some((leaves.last()?.end, at)));
        let last = ends.max_by_key(|&(end, at)| (end, std::cmp::Reverse(at)));
        last.map_or_else(Vec::new, |(end, thread)| self.back_from(thread, end))
    }

    fn back_from(&self, mut thread: usize, mut moment: i64) -> Vec<PathSpan> {
        let mut path: Vec<PathSpan> = Vec::new();
        // Each iteration takes a stretch that begins before `moment` and continues at its start or earlier.
        while let Some((at, leaf)) = self.before(thread, moment) {
            let end = leaf.end.min(moment);
            moment = leaf.start;
            let idle_since = at.checked_sub(1).map_or(i64::MIN, |at| self.leaves[thread][at].end);
            let was_idle = idle_since < moment;
            let arrow = was_idle.then(|| self.woken_by(thread, leaf.span, (idle_since, moment))).flatten();
            let via = arrow.map(|arrow| arrow.name);
            path.push(PathSpan { span: leaf.span, start: leaf.start, end, via });
            if let Some(arrow) = arrow {
                (thread, moment) = (arrow.from, arrow.leaves);
            }
        }
        path.reverse();
        path
    }

    /// By stretch: the arrows that left during it, or after it, and woke another stretch, with the time at which they left.
    fn wakes(&self) -> FxHashMap<StretchPlace, Vec<(i64, StretchPlace)>> {
        let mut leaving: FxHashMap<StretchPlace, Vec<(i64, StretchPlace)>> = FxHashMap::default();
        for (thread, leaves) in self.leaves.iter().enumerate() {
            let mut idle_since = i64::MIN;
            for (at, leaf) in leaves.iter().enumerate() {
                let was_idle = idle_since < leaf.start;
                let arrow =
                    was_idle.then(|| self.woken_by(thread, leaf.span, (idle_since, leaf.start))).flatten();
                idle_since = leaf.end;
                let from = arrow.and_then(|arrow| Some((arrow, self.before(arrow.from, arrow.leaves)?.0)));
                if let Some((arrow, from)) = from {
                    leaving.entry((arrow.from, from)).or_default().push((arrow.leaves, (thread, at)));
                }
            }
        }
        leaving
    }

    /// The graph of the work of the threads from `start` on, its last moment, and the moment at which each part of a
    /// span ends.
    pub fn graph(&self, start: i64) -> (ActivityGraph, Moment, Vec<(SpanId, Moment)>) {
        let mut graph = ActivityGraph::default();
        let begin = graph.beginning(start);
        let mut leaving = self.wakes();
        let mut order: Vec<StretchPlace> = (0..self.leaves.len())
            .flat_map(|thread| (0..self.leaves[thread].len()).map(move |at| (thread, at)))
            .collect();
        sort::by_key(&mut order, |&(thread, at)| (self.leaves[thread][at].start, at as u64));
        // By stretch that an arrow woke: the moment at which the arrow left.
        let mut left: FxHashMap<StretchPlace, Moment> = FxHashMap::default();
        let mut ready = vec![begin; self.leaves.len()];
        let mut ends = Vec::with_capacity(order.len());
        for (thread, at) in order {
            let leaf = self.leaves[thread][at];
            let mut now = ready[thread];
            if let Some(&arrow) = left.get(&(thread, at)) {
                now = graph.later(now, arrow);
            }
            let idle = leaf.start.saturating_sub(graph.time(now));
            now = graph.after(now, None, idle);
            let mut arrows = leaving.remove(&(thread, at)).unwrap_or_default();
            sort::by_key(&mut arrows, |arrow| (arrow.0, 0));
            for (leaves, to) in arrows {
                let inside = leaves.min(leaf.end);
                now = graph.after(now, Some(leaf.span), inside.saturating_sub(graph.time(now)));
                left.insert(to, graph.after(now, None, leaves.saturating_sub(inside)));
            }
            now = graph.after(now, Some(leaf.span), leaf.end.saturating_sub(graph.time(now)));
            ready[thread] = now;
            ends.push((leaf.span, now));
        }
        // If threads end at the same time, the path is that of the first one, as in `critical_path`.
        let last = ready.iter().copied().reduce(|first, next| graph.later(next, first)).unwrap_or(begin);
        (graph, last, ends)
    }

    /// Last stretch of a thread that begins before a moment, with its position; `None` if there is none.
    fn before(&self, thread: usize, moment: i64) -> Option<(usize, Leaf)> {
        let leaves = &self.leaves[thread];
        let at = leaves.partition_point(|leaf| leaf.start < moment).checked_sub(1)?;
        Some((at, leaves[at]))
    }

    /// First arrow that ended the idle time of a thread before `span` began at `moment`: it reaches `span`, or a span
    /// around it that began after `idle_since`, and left during the idle time from a thread that had worked before.
    fn woken_by(&self, thread: usize, span: SpanId, (idle_since, moment): (i64, i64)) -> Option<Arrival> {
        let (start, end) = self.outermost(span, idle_since);
        let arrivals = &self.arrivals[thread];
        let first = arrivals.partition_point(|arrival| arrival.arrives < start);
        let reaching = arrivals[first..].iter().take_while(|arrival| arrival.arrives <= end);
        reaching
            .filter(|arrival| (idle_since..=moment).contains(&arrival.leaves))
            .find(|arrival| self.before(arrival.from, arrival.leaves).is_some())
            .copied()
    }

    /// Start and end of the outermost span around `span` that began while the thread was idle.
    fn outermost(&self, span: SpanId, idle_since: i64) -> (i64, i64) {
        let spans = &self.trace.spans;
        let track = self.trace.tracks.of_span(span);
        let mut bounds = spans.bounds(span);
        let mut at = span;
        while let Some(parent) = spans.parent(at).filter(|parent| self.trace.tracks.of_span(*parent) == track)
        {
            let around = spans.bounds(parent);
            if around.0 < idle_since || around.0 > bounds.0 {
                break;
            }
            (at, bounds) = (parent, around);
        }
        bounds
    }
}

/// Work stretches of a thread, on-CPU or blocked. Adjacent stretches of one span are merged.
fn leaves(activity: &Activity, thread: &ActiveThread) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let at_work =
        thread.stretches.iter().filter(|stretch| matches!(stretch.doing, Doing::Work | Doing::Blocked));
    for stretch in at_work {
        match leaves.last_mut().filter(|leaf| leaf.span == stretch.span && leaf.end == stretch.start) {
            Some(leaf) => leaf.end = stretch.end,
            None if activity.is_work(stretch.span) => {
                leaves.push(Leaf { span: stretch.span, start: stretch.start, end: stretch.end });
            }
            None => {}
        }
    }
    leaves
}
