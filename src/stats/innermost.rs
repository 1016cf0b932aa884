//! Whose each moment of a thread is: of the spans that are under way then, the innermost one's. Where spans of a thread
//! overlap without lying inside one another, as a wait that outlives its stage, no moment is counted twice that way.

use std::collections::BinaryHeap;
use std::ops::Range;

use crate::sort;
use crate::trace::{Kind, SpanId, Trace};

/// A span that is under way: what makes it the innermost one comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Active {
    /// Its row, or the one below that of its parent.
    level: u32,
    start: i64,
    /// Its position.
    at: u32,
    end: i64,
}

/// For how long each of these spans of one track is the innermost one, in nanoseconds. Together that is no more than from
/// the first start to the last end.
pub fn innermost(trace: &Trace, spans: Range<u32>) -> Vec<i64> {
    let mut owned = vec![0; spans.len()];
    let mut active: BinaryHeap<Active> = BinaryHeap::new();
    let mut now = i64::MIN;
    for span in by_start(trace, &spans) {
        give(&mut active, now, span.start, &mut owned);
        now = span.start;
        active.push(span);
    }
    give(&mut active, now, i64::MAX, &mut owned);
    owned
}

/// The spans that take time, with their levels, in the order of their starts.
fn by_start(trace: &Trace, spans: &Range<u32>) -> Vec<Active> {
    let mut levels: Vec<u32> = Vec::with_capacity(spans.len());
    let mut found = Vec::with_capacity(spans.len());
    for (at, id) in (0..).zip(spans.clone().map(SpanId)) {
        let parent = trace.spans.parent(id).filter(|parent| spans.contains(&parent.0));
        let above = parent.and_then(|parent| levels.get((parent.0 - spans.start) as usize));
        let row = u32::from(trace.spans.depth(id));
        // A transaction lies around the statements that it holds, whatever began it.
        let above = above.filter(|_| trace.spans.kind(id) != Kind::Transaction);
        let level = above.map_or(row, |above| row.max(above.saturating_add(1)));
        levels.push(level);
        let (start, end) = trace.spans.bounds(id);
        if end > start {
            found.push(Active { level, start, at, end });
        }
    }
    sort::by_key(&mut found, |one| (one.start, u64::from(one.at)));
    found
}

/// Gives the time from `now` until `until` to whoever is innermost.
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
