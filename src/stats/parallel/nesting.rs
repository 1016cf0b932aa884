//! Critical path by nesting, for traces without arrows: a span ends when the last span inside it has ended and its own
//! work after that is done.
//!
//! Seen from the end of a span, the path is in the child that ended last, from the end of that child to its start, and
//! inside it by the same rule. There it goes on with the child that ended last before that start. Between children, the
//! path is in the span itself. A child that is still in progress when another one starts did not decide that start, so it
//! is off the path. A wait for a lock goes on in the span that holds the lock.

use super::activity_graph::{ActivityGraph, Moment};
use crate::analysis::ChildSpans;
use crate::base::{FxHashMap, FxHashSet, sort};
use crate::trace::{Kind, LockWait, SpanId, Trace};

/// Number of moments in a graph up to which waits for locks are followed to the holders.
const FOLLOWED: usize = 1 << 21;

/// The data from which critical paths by nesting are computed.
pub struct NestedPaths<'a> {
    trace: &'a Trace,
    children: &'a ChildSpans,
    /// By span that waits for a lock: the spans that hold it.
    holders: FxHashMap<SpanId, Vec<SpanId>>,
}

/// The graph of one scope.
#[derive(Default)]
pub struct NestingGraph {
    pub graph: ActivityGraph,
    /// The end of the scope.
    pub last: Moment,
    /// Spans inside the scope, each with the moment of its end.
    pub ends: Vec<(SpanId, Moment)>,
    /// Whether a wait for a lock was followed to its holder.
    pub has_locks: bool,
    /// Waits that were followed to their holders. Each is followed only once, because a deadlock would otherwise never
    /// end.
    followed: FxHashSet<SpanId>,
}

/// A span with its time, clipped to that of all spans around it.
#[derive(Clone, Copy)]
struct Part {
    span: SpanId,
    start: i64,
    end: i64,
}

/// A span whose children are being added.
struct OpenPart {
    /// The span; `None` for a time range.
    span: Option<SpanId>,
    end: i64,
    /// Children by start.
    parts: Vec<Part>,
    /// Indices of the children by end.
    by_end: Vec<u32>,
    /// By child that was added: the moment of its end.
    ends: Vec<Moment>,
    /// Number of children, in the order of `by_end`, whose ends `ready` includes.
    n_ready: usize,
    /// The moment at which the span has started and its first `n_ready` children have ended.
    ready: Moment,
    /// By child: the value of `ready` at its start.
    bases: Vec<Moment>,
}

impl<'a> NestedPaths<'a> {
    pub fn new(trace: &'a Trace, children: &'a ChildSpans) -> Self {
        let mut holders: FxHashMap<SpanId, Vec<SpanId>> = FxHashMap::default();
        for LockWait { waiter, holder, .. } in &trace.lock_waits {
            if let Some((waiter, holder)) = waiter.span.zip(holder.span).filter(|both| both.0 != both.1) {
                let known = holders.entry(waiter).or_default();
                if !known.contains(&holder) {
                    known.push(holder);
                }
            }
        }
        Self { trace, children, holders }
    }

    /// Fills the graph of a span, clipped to a time range.
    pub fn of_span(&self, span: SpanId, range: Option<(i64, i64)>, found: &mut NestingGraph) {
        let window = range.unwrap_or((i64::MIN, i64::MAX));
        let Some(part) = self.part(span, window) else { return found.begin(0) };
        found.begin(part.start);
        let open = self.open(found, part, found.last);
        self.fill(found, open);
    }

    /// Fills the graph of a time range, in which these spans are the outermost ones.
    pub fn of_range(&self, (start, end): (i64, i64), outermost: &[SpanId], found: &mut NestingGraph) {
        found.begin(start);
        let parts = outermost.iter().filter_map(|&span| self.part(span, (start, end))).collect();
        let open = OpenPart::new(None, end.max(start), parts, found.last);
        self.fill(found, open);
    }

    fn part(&self, span: SpanId, (from, to): (i64, i64)) -> Option<Part> {
        let (start, end) = self.trace.spans.bounds(span);
        let (start, end) = (start.max(from), end.min(to));
        (start < end).then_some(Part { span, start, end })
    }

    /// Opens a span: collects its children, clipped to its time, and the holders of a lock that it waits for. `start`
    /// is the moment of its start.
    fn open(&self, found: &mut NestingGraph, of: Part, start: Moment) -> OpenPart {
        let window = (of.start, of.end);
        let children = self.children.children(of.span).iter().map(|&id| SpanId(id));
        let children = children.filter(|&span| !self.is_bracket(span));
        let mut parts: Vec<Part> = children.filter_map(|span| self.part(span, window)).collect();
        if let Some(holders) = self.holders.get(&of.span).filter(|_| found.graph.len() < FOLLOWED) {
            // A lock that was held longer than the span waited did not end the wait of a span that did more than that.
            let is_wait = self.trace.spans.kind(of.span) == Kind::Wait;
            let ends = |holder: &SpanId| self.trace.spans.bounds(*holder).1 <= of.end;
            let holders = holders.iter().filter(|holder| is_wait || ends(holder));
            let held: Vec<Part> = holders.filter_map(|&holder| self.part(holder, window)).collect();
            if !held.is_empty() && found.followed.insert(of.span) {
                found.has_locks = true;
                parts.extend(held);
            }
        }
        OpenPart::new(Some(of.span), of.end, parts, start)
    }

    /// Whether a span only says that a transaction was open. It does not compete with the steps next to it: a statement that commits
    /// on its own has its transaction and its waits as children.
    fn is_bracket(&self, span: SpanId) -> bool {
        self.trace.spans.kind(span) == Kind::Transaction && self.children.children(span).is_empty()
    }

    fn fill(&self, found: &mut NestingGraph, root: OpenPart) {
        let mut open = vec![root];
        while let Some(top) = open.last_mut() {
            let Some(part) = top.parts.get(top.ends.len()).copied() else {
                found.last = top.close(&mut found.graph);
                open.pop();
                if let Some(around) = open.last_mut() {
                    found.ends.push((around.parts[around.ends.len()].span, found.last));
                    around.ends.push(found.last);
                }
                continue;
            };
            let start = top.start_of(&mut found.graph, part);
            let inner = self.open(found, part, start);
            open.push(inner);
        }
    }
}

impl NestingGraph {
    fn begin(&mut self, time: i64) {
        self.graph.clear();
        self.ends.clear();
        self.followed.clear();
        self.has_locks = false;
        self.last = self.graph.beginning(time);
    }
}

impl OpenPart {
    fn new(span: Option<SpanId>, end: i64, mut parts: Vec<Part>, ready: Moment) -> Self {
        sort::by_key(&mut parts, |part| (part.start, sort::ordered(part.end)));
        let mut by_end: Vec<u32> = (0..parts.len() as u32).collect();
        sort::by_key(&mut by_end, |&at| (parts[at as usize].end, u64::from(at)));
        let (ends, bases) = Default::default();
        Self { span, end, parts, by_end, ends, n_ready: 0, ready, bases }
    }

    /// The earliest moment at which the next child can start: all children that ended before it, and the own work of
    /// the span after them, are done.
    fn start_of(&mut self, graph: &mut ActivityGraph, part: Part) -> Moment {
        self.wait_until(graph, part.start);
        self.bases.push(self.ready);
        let own = part.start.saturating_sub(graph.time(self.ready));
        graph.after(self.ready, self.span, own)
    }

    /// Adds the end of the span, after all of its children.
    fn close(&mut self, graph: &mut ActivityGraph) -> Moment {
        self.wait_until(graph, i64::MAX);
        let own = self.end.saturating_sub(graph.time(self.ready));
        graph.after(self.ready, self.span, own)
    }

    /// Moves `ready` to the end of the last child that ended until `time`.
    fn wait_until(&mut self, graph: &mut ActivityGraph, time: i64) {
        while let Some(&at) = self.by_end.get(self.n_ready) {
            let at = at as usize;
            if self.parts[at].end > time {
                break;
            }
            self.n_ready += 1;
            let end = self.ends[at];
            // Nothing ended while the child was in progress: its end alone decides.
            self.ready = if self.bases[at] == self.ready { end } else { graph.later(self.ready, end) };
        }
    }
}
