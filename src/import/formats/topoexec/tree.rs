//! Finds the span that contains each span. The scheduler is one thread, whose intervals nest; executions run in parallel.

use super::event::TopoExecRole;
use super::fold::{FoldedEvents, FoldedSpan};
use super::names::{EXECUTE, INTERVALS};
use super::store::TopoExecRow;
use crate::base::FxHashMap;
use crate::base::interner::StrId;

/// Index of the span that contains each span and each point, if any.
pub struct EnclosingSpans {
    pub of_spans: Vec<Option<u32>>,
    pub of_points: Vec<Option<u32>>,
}

/// Finds the span that contains each span and each point.
pub fn tree(folded: &FoldedEvents, rows: &[TopoExecRow]) -> EnclosingSpans {
    let mut sweep = NestingSweep { folded, rows, open: Vec::new(), running: FxHashMap::default() };
    let mut found = EnclosingSpans { of_spans: Vec::new(), of_points: Vec::new() };
    let mut points = folded.points.iter().peekable();
    for number in 0..folded.spans.len() as u32 {
        // A span that begins at the time of a point is opened before the point.
        let start = sweep.span(number).start;
        while let Some(&row) = points.next_if(|&&row| rows[row as usize].time < start) {
            found.of_points.push(sweep.point(row));
        }
        found.of_spans.push(sweep.enter(number));
    }
    found.of_points.extend(points.map(|&row| sweep.point(row)));
    found
}

/// Values that an execution and the events recorded in it share.
type ExecutionKey = [Option<StrId>; 3];

struct NestingSweep<'a> {
    folded: &'a FoldedEvents,
    rows: &'a [TopoExecRow],
    /// Indices of the open spans on the scheduler's thread, outermost first.
    open: Vec<u32>,
    /// Index of the latest execution of each component and cause.
    running: FxHashMap<ExecutionKey, u32>,
}

impl NestingSweep<'_> {
    fn span(&self, number: u32) -> &FoldedSpan {
        &self.folded.spans[number as usize]
    }

    fn enter(&mut self, number: u32) -> Option<u32> {
        let FoldedSpan { start, end, rank, row, .. } = *self.span(number);
        self.close_until(start);
        if rank >= EXECUTE {
            if rank == EXECUTE {
                self.running.insert(self.run(row), number);
            }
            // The ends of nested spans decrease from the outermost to the innermost.
            let holding = self.open.partition_point(|&open| self.span(open).end >= end);
            return holding.checked_sub(1).map(|at| self.open[at]);
        }
        while self.open.last().is_some_and(|&open| self.span(open).end < end) {
            self.open.pop();
        }
        let holds = |&&open: &&u32| self.may_hold(self.span(open), self.span(number));
        let parent = self.open.iter().rev().take(INTERVALS.len()).find(holds).copied();
        self.open.push(number);
        parent
    }

    fn close_until(&mut self, time: i64) {
        while self.open.last().is_some_and(|&open| self.span(open).end < time) {
            self.open.pop();
        }
    }

    /// Whether a span of the kind of `inner` can be nested in a span of the kind of `outer`. Loops can be nested in
    /// loops.
    fn may_hold(&self, outer: &FoldedSpan, inner: &FoldedSpan) -> bool {
        let of = |span: &FoldedSpan| self.rows[span.row as usize].role(TopoExecRole::Loop);
        outer.rank < inner.rank || outer.rank == inner.rank && of(outer).is_some() && of(outer) != of(inner)
    }

    /// Span that contains a point: the execution that the point names, else the innermost open span of the scheduler.
    fn point(&mut self, row: u32) -> Option<u32> {
        let time = self.rows[row as usize].time;
        self.close_until(time);
        let running = self.running.get(&self.run(row)).copied();
        running.filter(|&number| self.span(number).end >= time).or(self.open.last().copied())
    }

    fn run(&self, row: u32) -> ExecutionKey {
        let row = &self.rows[row as usize];
        [TopoExecRole::Component, TopoExecRole::Causation, TopoExecRole::Epoch].map(|role| row.role(role))
    }
}
