//! Assigns each moment of a thread to the innermost span that is in progress. No moment is counted twice, even if spans
//! of a thread overlap without nesting, such as a wait that outlives its stage.

use std::collections::BinaryHeap;
use std::ops::Range;

use crate::base::sort;
use crate::trace::{Flags, Kind, SpanId, Trace, clipped};

/// Span in progress. The fields are ordered such that the innermost span is the maximum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Active {
    /// Row of the span in its track; at least one more than the level of its parent.
    level: u32,
    start: i64,
    /// Position among the spans of the track.
    at: u32,
    end: i64,
}

/// Time for which each of these spans of one track is the innermost one, in nanoseconds, inside `clip` or in all time
/// for `None`. The sum is at most the time from the first start to the last end.
pub fn innermost(trace: &Trace, spans: Range<u32>, clip: Option<(i64, i64)>) -> Vec<i64> {
    let mut owned = vec![0; spans.len()];
    let mut active: BinaryHeap<Active> = BinaryHeap::new();
    let mut now = i64::MIN;
    for span in by_start(trace, &spans, clip) {
        give(&mut active, now, span.start, &mut owned);
        now = span.start;
        active.push(span);
    }
    give(&mut active, now, i64::MAX, &mut owned);
    owned
}

/// Spans with a non-zero duration inside `clip` and their levels, sorted by start; without segments.
fn by_start(trace: &Trace, spans: &Range<u32>, clip: Option<(i64, i64)>) -> Vec<Active> {
    let mut levels: Vec<u32> = Vec::with_capacity(spans.len());
    let mut found = Vec::with_capacity(spans.len());
    for (at, id) in (0..).zip(spans.clone().map(SpanId)) {
        let parent = trace.spans.parent(id).filter(|parent| spans.contains(&parent.0));
        let above = parent.and_then(|parent| levels.get((parent.0 - spans.start) as usize));
        let row = u32::from(trace.spans.depth(id));
        // A transaction encloses its statements, even if one of these began the transaction.
        let above = above.filter(|_| trace.spans.kind(id) != Kind::Transaction);
        let level = above.map_or(row, |above| row.max(above.saturating_add(1)));
        levels.push(level);
        let bounds = trace.spans.bounds(id);
        let (start, end) = clip.map_or(bounds, |range| clipped(bounds, range));
        // The time of a segment is that of the span that it is a part of.
        if end > start && !trace.spans.flags(id).has(Flags::SEGMENT) {
            found.push(Active { level, start, at, end });
        }
    }
    sort::by_key(&mut found, |one| (one.start, u64::from(one.at)));
    found
}

/// Divides the time from `now` to `until` among the spans in progress: each moment is added to the time, in `owned`, of
/// the span that is innermost at that moment.
fn give(active: &mut BinaryHeap<Active>, mut now: i64, until: i64, owned: &mut [i64]) {
    while let Some(top) = active.peek().copied() {
        let end = top.end.min(until);
        if end > now {
            owned[top.at as usize] = owned[top.at as usize].saturating_add(end.saturating_sub(now));
            now = end;
        }
        if top.end > until {
            return;
        }
        active.pop();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{SelfTimes, self_times};
    use super::*;
    use crate::base::interner::Interner;
    use crate::trace::{Flags, RecordId, ShapeId, Span, TraceBuilder, TrackKind};

    /// Start, length, distance to the parent (number of spans back; 0 for none), and whether the span is a transaction.
    type Given = (i64, i64, u32, bool);

    /// Trace of a thread with these spans.
    fn thread(given: &[Given]) -> Trace {
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern("x");
        let run = builder.run(name, 0, 0, 0);
        let root = builder.root(run);
        builder.track(root, name, TrackKind::Thread);
        let mut made: Vec<(SpanId, u16)> = Vec::new();
        for &(start, duration, back, is_transaction) in given {
            let parent = made.len().checked_sub(back as usize).and_then(|at| made.get(at)).copied();
            let kind = if is_transaction { Kind::Transaction } else { Kind::Slice };
            // A transaction is in the outermost row, above its statements.
            let depth = if is_transaction { 0 } else { parent.map_or(1, |(_, depth)| depth + 1) };
            let (flags, record) = (Flags::default(), RecordId::NONE);
            let parent = parent.map(|(span, _)| span);
            let span = Span { start, duration, parent, name, kind, flags, depth, begin: record, end: record };
            made.push((builder.span(span, ShapeId(0), &[], &[]), depth));
        }
        builder.finish()
    }

    /// Self times, which must be the same whether they are computed in advance or on demand.
    fn own(given: &[Given]) -> Vec<i64> {
        let mut trace = thread(given);
        let all = 0..trace.spans.len() as u32;
        let own = self_times(&trace, all.clone());
        let mut ahead = SelfTimes::default();
        while ahead.step(&mut trace) {}
        assert_eq!(self_times(&trace, all), own, "made ahead");
        own
    }

    #[test]
    fn a_moment_is_the_innermost_ones() {
        for (given, expected) in [
            // A statement with a stage, a wait that outlives the stage, and the next stage.
            (
                &[(0, 100, 0, false), (0, 50, 1, false), (40, 20, 1, false), (50, 50, 3, false)][..],
                [0, 40, 20, 40],
            ),
            // A transaction that contains two statements and the time between them.
            (&[(5, 20, 0, false), (10, 80, 1, true), (40, 10, 0, false), (95, 5, 0, false)], [20, 55, 10, 5]),
            // Two spans that overlap without nesting.
            (&[(0, 10, 0, false), (5, 10, 0, false), (20, 0, 0, false), (20, 5, 0, false)], [5, 10, 0, 5]),
        ] {
            assert_eq!(own(given), expected, "{given:?}");
        }
    }

    proptest! {
        /// The sum of all self times is at most the time in which the thread had any open span.
        #[test]
        fn no_moment_counts_twice(given in prop::collection::vec((0..60_i64, 0..30_i64, 0..4_u32, any::<bool>()), 0..24)) {
            let sum: i64 = own(&given).iter().sum();
            let is_busy = |now: &i64| given.iter().any(|(start, length, ..)| (*start..start + length).contains(now));
            prop_assert!(sum <= (0..100).filter(is_busy).count() as i64);
        }
    }
}
