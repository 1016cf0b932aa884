//! Exclusive time: the part of a span that no child accounts for. Of its duration, what its children cover on the time axis
//! is taken away; never more than all of it.

use std::ops::Range;

use super::clipped;
use crate::blocks::Numbers;
use crate::trace::{Flags, Kind, SpanId, Trace};
use crate::{parts, sort};

/// Per span of `unit`: the time that its children in `unit` do not cover. Where children run at the same time, the time
/// that any of them covers counts once.
pub fn self_times(trace: &Trace, unit: Range<u32>) -> Vec<i64> {
    if let Some(known) = trace.self_times().filter(|known| unit == (0..known.len() as u32)) {
        return parts::all(unit, |id| known.get(id as usize));
    }
    Unit::new(unit).all(trace)
}

/// Per span of `unit`: the part of its [self time](self_times) that lies inside the half-open `range`.
pub fn self_times_in(trace: &Trace, unit: Range<u32>, range: (i64, i64)) -> Vec<i64> {
    Unit { clip: Some(range), ..Unit::new(unit) }.all(trace)
}

/// Spans that are looked at in one go.
const PART: u32 = 1 << 15;

/// The self times of all spans, made in parts while nobody asks for anything: most tables begin with them.
#[derive(Default)]
pub struct SelfTimes {
    unit: Option<Unit>,
    next: u32,
    done: bool,
}

impl SelfTimes {
    /// One more part, some milliseconds at most. Whether there is more; the last keeps them in the trace. Spans that must be
    /// sorted first are left to whoever asks for them.
    pub fn step(&mut self, trace: &mut Trace) -> bool {
        if self.done {
            return false;
        }
        let end = trace.spans.len() as u32;
        let unit = self.unit.get_or_insert_with(|| Unit::new(0..end));
        let until = self.next.saturating_add(PART).min(end);
        (self.next..until).for_each(|id| unit.add(trace, SpanId(id)));
        self.next = until;
        if until < end && !unit.any_overlaps {
            return true;
        }
        self.done = true;
        if let Some(mut unit) =
            self.unit.take().filter(|unit| !unit.any_overlaps && unit.early.len() < PART as usize)
        {
            unit.late(trace);
            if !unit.any_overlaps {
                trace.keep_self_times(unit.times);
            }
        }
        false
    }
}

/// The spans of a unit while their children are looked at, one after the other.
struct Unit {
    range: Range<u32>,
    /// The range of time that spans are clipped to; `None` for all of it.
    clip: Option<(i64, i64)>,
    times: Numbers,
    /// By span: up to where its children were counted, from its start; [`OVERLAPS`] where they came in another order than
    /// by time.
    behind: Numbers,
    any_overlaps: bool,
    /// Spans that stand before their parents: where those are, and the spans' bounds.
    early: Vec<(usize, (i64, i64))>,
    /// The parent that was looked at last: where it is, and its bounds. Most have the same as the span before.
    last: (usize, (i64, i64)),
}

/// Children of this one must be sorted first.
const OVERLAPS: i64 = i64::MIN;

impl Unit {
    fn new(range: Range<u32>) -> Self {
        let (behind, times) = Default::default();
        let last = (usize::MAX, (0, 0));
        Self { range, clip: None, times, behind, any_overlaps: false, early: Vec::new(), last }
    }

    /// The self times of all spans of the unit.
    fn all(mut self, trace: &Trace) -> Vec<i64> {
        parts::each(self.range.clone(), |id| self.add(trace, SpanId(id)));
        self.late(trace);
        self.again(trace);
        parts::all(0..self.times.len() as u32, |at| self.times.get(at as usize))
    }

    /// Start and end of a span, clipped; and how long it took inside.
    #[inline]
    fn time(&self, trace: &Trace, span: SpanId) -> ((i64, i64), i64) {
        let bounds = trace.spans.bounds(span);
        match self.clip {
            None => (bounds, trace.duration(span)),
            Some(range) => (clipped(bounds, range), trace.duration_in(span, range)),
        }
    }

    /// The next span of the unit.
    #[inline]
    fn add(&mut self, trace: &Trace, span: SpanId) {
        let (bounds, duration) = self.time(trace, span);
        self.behind.push(0);
        self.times.push(duration);
        match self.parent(trace, span) {
            Some(at) if at < self.times.len() => self.child(trace, at, bounds),
            Some(at) => self.early.push((at, bounds)),
            None => {}
        }
    }

    /// Those that stand before their parents.
    fn late(&mut self, trace: &Trace) {
        for (at, bounds) in std::mem::take(&mut self.early) {
            self.child(trace, at, bounds);
        }
    }

    /// Where the parent of a span that counts is in this unit.
    fn parent(&self, trace: &Trace, span: SpanId) -> Option<usize> {
        let parent = trace.spans.parent(span).filter(|id| self.range.contains(&id.0))?;
        let (kind, flags) = trace.spans.look(span);
        // A transaction cuts across the work of the statement in which it begins, and is no part of it.
        let counts = !flags.has(Flags::SEGMENT) && kind != Kind::Transaction;
        counts.then_some((parent.0 - self.range.start) as usize)
    }

    /// Children mostly come one after the other in time: then each is counted as it comes.
    fn child(&mut self, trace: &Trace, at: usize, (start, end): (i64, i64)) {
        let behind = self.behind.get(at);
        if behind == OVERLAPS {
            return;
        }
        if self.last.0 != at {
            self.last = (at, self.time(trace, SpanId(self.range.start + at as u32)).0);
        }
        let (begin, until) = self.last.1;
        let (start, end) = (start.max(begin), end.min(until));
        if start < begin.saturating_add(behind) || end == i64::MAX {
            self.behind.set(at, OVERLAPS);
            self.any_overlaps = true;
        } else if end > start {
            // What is measured may be a little less than what lies between the clock readings.
            let own = self.times.get(at).saturating_sub(end.saturating_sub(start));
            self.times.set(at, own.max(0));
            self.behind.set(at, end.saturating_sub(begin));
        }
    }

    /// The spans whose children overlap, or came in another order.
    fn again(&mut self, trace: &Trace) {
        if !self.any_overlaps {
            return;
        }
        let mut children: Vec<(u32, i64, i64)> = Vec::new();
        for id in self.range.clone() {
            if let Some(at) = self.parent(trace, SpanId(id)).filter(|&at| self.behind.get(at) == OVERLAPS) {
                let ((start, end), _) = self.time(trace, SpanId(id));
                children.push((at as u32, start, end));
            }
        }
        sort::by_key(&mut children, |child| (i64::from(child.0), sort::ordered(child.1)));
        for siblings in children.chunk_by(|a, b| a.0 == b.0) {
            let ((start, end), duration) = self.time(trace, SpanId(self.range.start + siblings[0].0));
            let covered = covered(start, end, siblings);
            self.times.set(siblings[0].0 as usize, duration.saturating_sub(covered).max(0));
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
        let mut trace = builder.finish();
        let all = 0..trace.spans.len() as u32;
        let found = self_times(&trace, all.clone());
        assert_eq!(found[0], expected, "{children:?}");
        let mut ahead = SelfTimes::default();
        while ahead.step(&mut trace) {}
        assert_eq!(self_times(&trace, all), found, "made ahead");
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
