//! Self (exclusive) time: the duration of a span without the time that its children cover. It is never negative and
//! never longer than the time between start and end. No moment of a thread counts for two spans: if spans overlap
//! without nesting, the moment belongs to the innermost span.

use std::ops::Range;

use super::child_spans::ChildSpans;
use super::innermost::innermost;
use crate::base::columns::NumberColumn;
use crate::base::{chunked, sort};
use crate::trace::{Flags, Kind, SpanId, Trace, TrackKind, clipped, overlaps};

/// Self time of each span of `unit`, in nanoseconds. Time that several concurrent children cover is subtracted once.
/// The self times of a thread add up to at most the time from its first start to its last end.
pub fn self_times(trace: &Trace, unit: Range<u32>) -> Vec<i64> {
    if let Some(known) = trace.self_times().filter(|known| unit == (0..known.len() as u32)) {
        return chunked::map(unit, |id| known.get(id as usize));
    }
    OpenUnit::new(unit).all(trace)
}

/// [Self time](self_times) of each span of `unit` inside the half-open `range`, in nanoseconds.
pub fn self_times_in(trace: &Trace, unit: Range<u32>, range: (i64, i64)) -> Vec<i64> {
    OpenUnit { clip: Some(range), ..OpenUnit::new(unit) }.all(trace)
}

/// [Self time](self_times) of each span of `ids` inside the half-open `range`, in nanoseconds, from the self times that the trace
/// keeps: only spans that the range cuts are computed again. `None` if the trace keeps none, or if spans of its threads cross.
pub fn kept_self_times_in(
    trace: &Trace,
    children: &ChildSpans,
    ids: Range<u32>,
    range: (i64, i64),
) -> Option<Vec<i64>> {
    let known = trace.self_times().filter(|_| trace.is_nested())?;
    let unit = OpenUnit { clip: Some(range), ..OpenUnit::new(0..trace.spans.len() as u32) };
    let mut siblings: Vec<(u32, i64, i64)> = Vec::new();
    let mut cut = |id: u32| {
        let ((start, end), duration) = unit.time(trace, SpanId(id));
        siblings.clear();
        for &child in children.children(SpanId(id)) {
            if unit.parent(trace, SpanId(child)).is_some() {
                let ((start, end), _) = unit.time(trace, SpanId(child));
                siblings.push((id, start, end));
            }
        }
        sort::by_key(&mut siblings, |child| (child.1, sort::ordered(child.2)));
        duration.saturating_sub(covered(start, end, &siblings)).max(0)
    };
    Some(chunked::map(ids, |id| {
        let (start, end) = trace.spans.bounds(SpanId(id));
        match (range.0 <= start && end <= range.1, overlaps(start, end, range)) {
            (_, false) => 0,
            (true, _) => known.get(id as usize),
            (false, _) => cut(id),
        }
    }))
}

/// Number of spans per step.
const PART: u32 = 1 << 15;

/// Self times of all spans, computed step by step while the engine is idle, because most tables need them.
#[derive(Default)]
pub struct SelfTimes {
    unit: Option<OpenUnit>,
    next: u32,
    /// Whether spans of a thread cross each other.
    has_crossing: bool,
    /// Whether all spans were added, so that only overlapping children and threads with crossing spans remain.
    is_read: bool,
    done: bool,
}

impl SelfTimes {
    /// Runs the next step, which takes a few milliseconds. Returns whether more steps remain. The last step stores the
    /// self times in the trace, unless many spans come before their parents: then self times are computed on demand.
    pub fn step(&mut self, trace: &mut Trace) -> bool {
        if self.done {
            return false;
        }
        let end = trace.spans.len() as u32;
        let unit = self.unit.get_or_insert_with(|| OpenUnit::new(0..end));
        let part = self.next..self.next.saturating_add(PART).min(end);
        if !self.is_read {
            self.next = part.end;
            part.for_each(|id| unit.add(trace, SpanId(id)));
            if self.next < end {
                return true;
            }
            self.done = unit.early.len() >= PART as usize;
            if self.done {
                self.unit = None;
                return false;
            }
            unit.late(trace);
            (self.next, self.is_read, self.has_crossing) = (0, true, !unit.crossed.is_empty());
        } else if unit.any_overlaps {
            self.next = part.end;
            unit.find_overlapping(trace, part);
            if self.next == end {
                unit.subtract_overlapping(trace);
            }
        } else {
            self.done = !unit.thread(trace);
        }
        if let Some(unit) = self.unit.take_if(|_| self.done) {
            trace.keep_self_times(unit.times, self.has_crossing);
        }
        !self.done
    }
}

/// Self times of a unit while its spans are added one by one.
struct OpenUnit {
    range: Range<u32>,
    /// Time range to which spans are clipped; `None` for all time.
    clip: Option<(i64, i64)>,
    times: NumberColumn,
    /// By span: end of the time that its children cover so far, relative to its start; [`OVERLAPS`] if its children are
    /// not sorted by time.
    counted: NumberColumn,
    any_overlaps: bool,
    /// Children of marked spans: position of the parent, start and end.
    overlapping: Vec<(u32, i64, i64)>,
    /// Spans that come before their parents: the parent's position and the span's bounds.
    early: Vec<(usize, (i64, i64))>,
    /// Position and bounds of the last parent. Most spans have the same parent as the previous span.
    last: (usize, (i64, i64)),
    track: LastTrack,
    /// Span ranges of threads in which spans cross each other.
    crossed: Vec<Range<u32>>,
}

/// Track of the span that was added last.
#[derive(Default)]
struct LastTrack {
    /// Spans of the track in the unit.
    spans: Range<u32>,
    is_thread: bool,
    /// Latest end of the top-level spans so far.
    last_end: i64,
}

/// Marker in `counted`: the children of this span must be sorted first.
const OVERLAPS: i64 = i64::MIN;

impl OpenUnit {
    fn new(range: Range<u32>) -> Self {
        let (counted, times) = Default::default();
        let last = (usize::MAX, (0, 0));
        let (track, crossed, early, overlapping) = Default::default();
        Self {
            range,
            clip: None,
            times,
            counted,
            any_overlaps: false,
            overlapping,
            early,
            last,
            track,
            crossed,
        }
    }

    /// Computes the self times of all spans of the unit.
    fn all(mut self, trace: &Trace) -> Vec<i64> {
        chunked::for_each(self.range.clone(), |id| self.add(trace, SpanId(id)));
        self.late(trace);
        self.again(trace);
        while self.thread(trace) {}
        chunked::map(0..self.times.len() as u32, |at| self.times.get(at as usize))
    }

    /// Start and end of a span, clipped to the range, and its duration in the range, which is at most the time between them.
    #[inline]
    fn time(&self, trace: &Trace, span: SpanId) -> ((i64, i64), i64) {
        let bounds = trace.spans.bounds(span);
        let (bounds, duration) = match self.clip {
            None => (bounds, trace.duration(span)),
            Some(range) => (clipped(bounds, range), trace.duration_in(span, range)),
        };
        (bounds, duration.min(bounds.1.saturating_sub(bounds.0)))
    }

    /// Adds the next span of the unit.
    #[inline]
    fn add(&mut self, trace: &Trace, span: SpanId) {
        let (bounds, duration) = self.time(trace, span);
        self.counted.push(0);
        self.times.push(duration);
        let parent = self.parent(trace, span);
        self.cross(trace, span, parent, bounds);
        match parent {
            Some(at) if at < self.times.len() => self.child(trace, at, bounds),
            Some(at) => self.early.push((at, bounds)),
            None => {}
        }
    }

    /// Records the thread of a span that is neither inside its parent nor after all previous spans.
    fn cross(&mut self, trace: &Trace, span: SpanId, parent: Option<usize>, (start, end): (i64, i64)) {
        if span.0 >= self.track.spans.end {
            let track = trace.tracks.of_span(span);
            let spans = trace.tracks.spans(track);
            let spans = spans.start.max(self.range.start)..spans.end.min(self.range.end);
            let is_thread = trace.tracks.kind(track) == TrackKind::Thread;
            self.track = LastTrack { spans, is_thread, last_end: i64::MIN };
        }
        if !self.track.is_thread || self.crossed.last() == Some(&self.track.spans) {
            return;
        }
        let above = parent.map(|at| self.range.start + at as u32);
        let crosses = match above.filter(|above| self.track.spans.contains(above)) {
            Some(above) if above < span.0 => {
                let at = (above - self.range.start) as usize;
                let (begin, until) = self.time(trace, SpanId(above)).0;
                let counted = self.counted.get(at);
                start < begin || end > until || counted == OVERLAPS || start < begin.saturating_add(counted)
            }
            Some(_) => true,
            None => {
                let last_end = self.track.last_end;
                self.track.last_end = last_end.max(end);
                start < last_end
            }
        };
        if crosses {
            self.crossed.push(self.track.spans.clone());
        }
    }

    /// Corrects the self times of one thread with crossing spans. Returns whether more remain.
    fn thread(&mut self, trace: &Trace) -> bool {
        let Some(spans) = self.crossed.pop() else { return false };
        for (at, owned) in
            ((spans.start - self.range.start) as usize..).zip(innermost(trace, spans, self.clip))
        {
            // Children in other tracks were subtracted already.
            let own = self.times.get(at).min(owned);
            self.times.set(at, own);
        }
        !self.crossed.is_empty()
    }

    /// Subtracts the spans that come before their parents from the self times of the parents.
    fn late(&mut self, trace: &Trace) {
        for (at, bounds) in std::mem::take(&mut self.early) {
            self.child(trace, at, bounds);
        }
    }

    /// Position of a span's parent in the unit; `None` if there is none, or if the span's time is not subtracted from
    /// its parent's self time.
    fn parent(&self, trace: &Trace, span: SpanId) -> Option<usize> {
        let parent = trace.spans.parent(span).filter(|id| self.range.contains(&id.0))?;
        let (kind, flags) = trace.spans.kind_and_flags(span);
        // A transaction crosses the statement in which it begins, so its time is not subtracted from that statement.
        let counts = !flags.has(Flags::SEGMENT) && kind != Kind::Transaction;
        counts.then_some((parent.0 - self.range.start) as usize)
    }

    /// Subtracts the time of a child from its parent. If the child begins before a previous child ends, the parent is
    /// only marked, and `again` computes its self time later.
    fn child(&mut self, trace: &Trace, at: usize, (start, end): (i64, i64)) {
        let counted = self.counted.get(at);
        if counted == OVERLAPS {
            return;
        }
        if self.last.0 != at {
            self.last = (at, self.time(trace, SpanId(self.range.start + at as u32)).0);
        }
        let (begin, until) = self.last.1;
        let (start, end) = (start.max(begin), end.min(until));
        if start < begin.saturating_add(counted) || end == i64::MAX {
            self.counted.set(at, OVERLAPS);
            self.any_overlaps = true;
        } else if end > start {
            // The measured duration may be a little shorter than the difference of the timestamps.
            let own = self.times.get(at).saturating_sub(end.saturating_sub(start));
            self.times.set(at, own.max(0));
            self.counted.set(at, end.saturating_sub(begin));
        }
    }

    /// Recomputes the self times of spans whose children overlap or are not in chronological order.
    fn again(&mut self, trace: &Trace) {
        if self.any_overlaps {
            self.find_overlapping(trace, self.range.clone());
            self.subtract_overlapping(trace);
        }
    }

    /// Collects the children of marked spans among `ids`.
    fn find_overlapping(&mut self, trace: &Trace, ids: Range<u32>) {
        for id in ids {
            if let Some(at) = self.parent(trace, SpanId(id)).filter(|&at| self.counted.get(at) == OVERLAPS) {
                let ((start, end), _) = self.time(trace, SpanId(id));
                self.overlapping.push((at as u32, start, end));
            }
        }
    }

    /// Computes the self times of marked spans from their children.
    fn subtract_overlapping(&mut self, trace: &Trace) {
        let mut children = std::mem::take(&mut self.overlapping);
        sort::by_key(&mut children, |child| (i64::from(child.0), sort::ordered(child.1)));
        for siblings in children.chunk_by(|a, b| a.0 == b.0) {
            let ((start, end), duration) = self.time(trace, SpanId(self.range.start + siblings[0].0));
            let covered = covered(start, end, siblings);
            self.times.set(siblings[0].0 as usize, duration.saturating_sub(covered).max(0));
        }
        self.any_overlaps = false;
    }
}

/// Time between `start` and `until` that the children, sorted by start, cover together.
fn covered(start: i64, until: i64, children: &[(u32, i64, i64)]) -> i64 {
    let mut covered = 0_i64;
    let mut covered_until = start;
    for &(_, start, end) in children {
        let (start, end) = (start.max(covered_until), end.min(until));
        if end > start {
            covered = covered.saturating_add(end.saturating_sub(start));
            covered_until = end;
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::Interner;
    use crate::trace::{RecordId, ShapeId, Span, TraceBuilder};

    /// A parent from 0 to 10 with these children.
    fn check(children: &[(i64, i64)], expected: i64) {
        check_of(Kind::Slice, children, expected);
    }

    fn check_of(kind: Kind, children: &[(i64, i64)], expected: i64) {
        let mut builder = TraceBuilder::new(Interner::default());
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
