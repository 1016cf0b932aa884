//! Exclusive time: the part of a span that no child accounts for.

use std::ops::Range;

use crate::trace::{Flags, Kind, SpanId, Trace};
use crate::{parts, sort};

/// Per span of `unit`: the time that its children in `unit` do not cover. Where children run at the same time, the time
/// that any of them covers counts once.
pub fn self_times(trace: &Trace, unit: Range<u32>) -> Vec<i64> {
    let mut units = Unit::new(trace, unit.clone());
    parts::each(unit, |id| units.add(SpanId(id)));
    units.late();
    units.again();
    units.times
}

/// The spans of a unit while their children are looked at, one after the other.
struct Unit<'a> {
    trace: &'a Trace,
    range: Range<u32>,
    times: Vec<i64>,
    /// By span: up to where its children were counted; [`OVERLAPS`] where they came in another order than by time.
    behind: Vec<i64>,
    any_overlaps: bool,
    /// Spans that stand before their parents: where those are, and the spans' bounds.
    early: Vec<(usize, (i64, i64))>,
    /// The parent that was looked at last: where it is, and its bounds. Most have the same as the span before.
    last: (usize, (i64, i64)),
}

/// Children of this one must be sorted first.
const OVERLAPS: i64 = i64::MAX;

impl<'a> Unit<'a> {
    fn new(trace: &'a Trace, range: Range<u32>) -> Self {
        let (behind, times) = (Vec::with_capacity(range.len()), Vec::with_capacity(range.len()));
        let last = (usize::MAX, (0, 0));
        Self { trace, range, times, behind, any_overlaps: false, early: Vec::new(), last }
    }

    /// The next span of the unit.
    fn add(&mut self, span: SpanId) {
        let (start, duration) = self.trace.spans.time(span);
        self.behind.push(start);
        self.times.push(duration);
        let bounds = (start, start.saturating_add(duration));
        match self.parent(span) {
            Some(at) if at < self.times.len() => self.child(at, bounds),
            Some(at) => self.early.push((at, bounds)),
            None => {}
        }
    }

    /// Those that stand before their parents.
    fn late(&mut self) {
        for (at, bounds) in std::mem::take(&mut self.early) {
            self.child(at, bounds);
        }
    }

    /// Where the parent of a span that counts is in this unit.
    fn parent(&self, span: SpanId) -> Option<usize> {
        let parent = self.trace.spans.parent(span).filter(|id| self.range.contains(&id.0))?;
        let (kind, flags) = self.trace.spans.look(span);
        // A transaction cuts across the work of the statement in which it begins, and is no part of it.
        let counts = !flags.has(Flags::SEGMENT) && kind != Kind::Transaction;
        counts.then_some((parent.0 - self.range.start) as usize)
    }

    /// Children mostly come one after the other in time: then each is counted as it comes.
    fn child(&mut self, at: usize, (start, end): (i64, i64)) {
        if self.behind[at] == OVERLAPS {
            return;
        }
        if self.last.0 != at {
            self.last = (at, self.trace.spans.bounds(SpanId(self.range.start + at as u32)));
        }
        let (begin, until) = self.last.1;
        let (start, end) = (start.max(begin), end.min(until));
        if start < self.behind[at] || end == OVERLAPS {
            self.behind[at] = OVERLAPS;
            self.any_overlaps = true;
        } else if end > start {
            self.times[at] = self.times[at].saturating_sub(end.saturating_sub(start));
            self.behind[at] = end;
        }
    }

    /// The spans whose children overlap, or came in another order.
    fn again(&mut self) {
        if !self.any_overlaps {
            return;
        }
        let mut children: Vec<(u32, i64, i64)> = Vec::new();
        for id in self.range.clone() {
            if let Some(at) = self.parent(SpanId(id)).filter(|&at| self.behind[at] == OVERLAPS) {
                let (start, end) = self.trace.spans.bounds(SpanId(id));
                children.push((at as u32, start, end));
            }
        }
        sort::by_key(&mut children, |child| (i64::from(child.0), sort::ordered(child.1)));
        for siblings in children.chunk_by(|a, b| a.0 == b.0) {
            let (start, duration) = self.trace.spans.time(SpanId(self.range.start + siblings[0].0));
            let covered = covered(start, start.saturating_add(duration), siblings);
            self.times[siblings[0].0 as usize] = duration.saturating_sub(covered);
        }
    }
}

/// How much of a time its children, sorted by start, cover together.
fn covered(start: i64, until: i64, children: &[(u32, i64, i64)]) -> i64 {
    let (mut covered, mut behind) = (0_i64, start);
    for &(_, start, end) in children {
        let (start, end) = (start.max(behind), end.min(until));
        if end > start {
            covered = covered.saturating_add(end.saturating_sub(start));
            behind = end;
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::Strings;
    use crate::trace::{RecordId, ShapeId, Span, TraceBuilder};

    /// A parent from 0 to 10 with these children.
    fn check(children: &[(i64, i64)], expected: i64) {
        check_of(Kind::Slice, children, expected);
    }

    fn check_of(kind: Kind, children: &[(i64, i64)], expected: i64) {
        let mut builder = TraceBuilder::new(Strings::default());
        let name = builder.strings().intern("x");
        builder.run(name, 0, 0, 0);
        let (flags, record) = (Flags::default(), RecordId::NONE);
        let span = |start, duration, parent| Span {
            start,
            duration,
            parent,
            name,
            kind,
            flags,
            depth: 0,
            begin: record,
            end: record,
        };
        let parent = builder.span(span(0, 10, None), ShapeId(0), &[], &[]);
        for &(start, end) in children {
            builder.span(span(start, end - start, Some(parent)), ShapeId(0), &[], &[]);
        }
        let trace = builder.finish();
        assert_eq!(self_times(&trace, 0..trace.spans.len() as u32)[0], expected, "{children:?}");
    }

    #[test]
    fn what_children_cover_counts_once() {
        check(&[], 10);
        check(&[(0, 10)], 0);
        check(&[(1, 3), (3, 4), (8, 9)], 6);
        check(&[(1, 5), (3, 6)], 5);
        check(&[(8, 9), (1, 3)], 7);
        check(&[(-5, 2), (9, 20)], 7);
        check(&[(2, 2), (5, i64::MAX)], 5);
        check_of(Kind::Transaction, &[(2, 8)], 10);
    }
}
