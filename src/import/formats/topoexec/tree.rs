//! Which span each span lies in. The scheduler is one thread, whose intervals nest; executions run in parallel.

use super::event::TopoExecRole;
use super::fold::{FoldedEvents, FoldedSpan};
use super::names::{EXECUTE, INTERVALS};
use super::store::TopoExecRow;
use crate::base::FxHashMap;
use crate::base::interner::StrId;

/// The span that each span and each point lies in.
pub struct EnclosingSpans {
    pub of_spans: Vec<Option<u32>>,
    pub of_points: Vec<Option<u32>>,
}

/// Finds what everything lies in.
pub fn tree(folded: &FoldedEvents, rows: &[TopoExecRow]) -> EnclosingSpans {
    let mut sweep = NestingSweep { folded, rows, open: Vec::new(), running: FxHashMap::default() };
    let mut found = EnclosingSpans { of_spans: Vec::new(), of_points: Vec::new() };
    let mut points = folded.points.iter().peekable();
    for number in 0..folded.spans.len() as u32 {
        // What begins at the moment of a point is there before it.
        let start = sweep.span(number).start;
        while let Some(&row) = points.next_if(|&&row| rows[row as usize].time < start) {
            found.of_points.push(sweep.point(row));
        }
        found.of_spans.push(sweep.enter(number));
    }
    found.of_points.extend(points.map(|&row| sweep.point(row)));
    found
}

/// What an execution and what is recorded in it have in common.
type ExecutionKey = [Option<StrId>; 3];

struct NestingSweep<'a> {
    folded: &'a FoldedEvents,
    rows: &'a [TopoExecRow],
    /// What is open on the scheduler's thread, from the outermost.
    open: Vec<u32>,
    /// The latest execution of each component and cause.
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
            // The ends of what nests only fall from the outermost to the innermost.
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

    /// Whether one may lie in the other by what they are. Loops may be in loops.
    fn may_hold(&self, outer: &FoldedSpan, inner: &FoldedSpan) -> bool {
        let of = |span: &FoldedSpan| self.rows[span.row as usize].role(TopoExecRole::Loop);
        outer.rank < inner.rank || outer.rank == inner.rank && of(outer).is_some() && of(outer) != of(inner)
    }

    /// What a point lies in: the execution that it names, else what the scheduler was at.
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
