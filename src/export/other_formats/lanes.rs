//! Distributes the spans of a track over lanes in which they nest, because the formats of other programs allow no
//! overlapping spans on a thread.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::export::trace_file::part::PartSpan;

/// Number of lanes that are tried for nesting. A span that nests in none of them gets the first free lane.
const NESTING_LANES: usize = 32;

/// A lane: indices of spans that nest or follow each other, in the order of their starts.
#[derive(Default, Debug)]
pub struct NestingLane {
    pub spans: Vec<u32>,
    /// By position in `spans`: the position of the enclosing span; `None` for an outermost span.
    pub parents: Vec<Option<u32>>,
    /// Positions in `spans` of the spans that are open, outermost first.
    open: Vec<u32>,
}

/// The start or end of a span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpanEdge {
    Open,
    Close,
}

impl NestingLane {
    /// Whether the lane has no open span when `span` starts, or `span` can be nested in its innermost open span.
    fn takes(&mut self, spans: &[PartSpan], span: &PartSpan) -> bool {
        let end_of = |lane: &Self, position: u32| spans[lane.spans[position as usize] as usize].end;
        while let Some(&innermost) = self.open.last() {
            let end = end_of(self, innermost);
            if end > span.start {
                return end >= span.end;
            }
            self.open.pop();
        }
        true
    }

    fn push(&mut self, index: u32) {
        self.parents.push(self.open.last().copied());
        self.open.push(self.spans.len() as u32);
        self.spans.push(index);
    }

    /// The position of the innermost span that contains `time`; a span without a duration contains its start.
    pub fn innermost(&self, spans: &[PartSpan], time: i64) -> Option<u32> {
        let span = |position: u32| spans[self.spans[position as usize] as usize];
        let after = self.spans.partition_point(|&index| spans[index as usize].start <= time);
        let mut at = (after as u32).checked_sub(1);
        while let Some(position) = at {
            let PartSpan { start, end, .. } = span(position);
            if time < end || (start == end && start == time) {
                return Some(position);
            }
            at = self.parents[position as usize];
        }
        None
    }

    /// Calls `edge` for the starts and ends of all spans in chronological order, so that every end belongs to the
    /// innermost open span. The last argument is the outermost span that contains the span.
    pub fn edges(&self, spans: &[PartSpan], mut edge: impl FnMut(SpanEdge, &PartSpan, &PartSpan)) {
        let span = |position: u32| &spans[self.spans[position as usize] as usize];
        let mut open: Vec<u32> = Vec::new();
        for (position, &parent) in (0..).zip(&self.parents) {
            while let Some(&last) = open.last()
                && Some(last) != parent
            {
                edge(SpanEdge::Close, span(last), span(open[0]));
                open.pop();
            }
            open.push(position);
            edge(SpanEdge::Open, span(position), span(open[0]));
        }
        while let Some(&last) = open.last() {
            edge(SpanEdge::Close, span(last), span(open[0]));
            open.pop();
        }
    }
}

/// Distributes spans, sorted by start and with outer spans first, over as few lanes as are needed in that order. Each span is in
/// one lane.
pub fn lanes(spans: &[PartSpan]) -> Vec<NestingLane> {
    let mut lanes: Vec<NestingLane> = Vec::new();
    // Lanes above the first ones, by the end of their only open span.
    let mut busy: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    for (index, span) in (0..).zip(spans) {
        let near =
            lanes.iter_mut().take(NESTING_LANES).find_map(|lane| lane.takes(spans, span).then_some(lane));
        if let Some(lane) = near {
            lane.push(index);
            continue;
        }
        let free = busy.peek().filter(|Reverse((end, _))| *end <= span.start).map(|Reverse((_, at))| *at);
        let at = free.unwrap_or(lanes.len());
        if free.is_some() {
            busy.pop();
            lanes[at].open.clear();
        } else {
            lanes.push(NestingLane::default());
        }
        lanes[at].push(index);
        if at >= NESTING_LANES {
            busy.push(Reverse((span.end, at)));
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Flags, Kind, SpanId};

    /// Checks in which lanes spans are, as indices in the order of starts and ends: `[` opens and `]` closes a span.
    fn check(intervals: &[(i64, i64)], expected: &[&str]) {
        let span = |(at, &(start, end)): (u32, &(i64, i64))| {
            let (kind, flags) = (Kind::Slice, Flags::default());
            PartSpan { id: SpanId(at), start, end, kind, flags, row: 0, parent: None }
        };
        let spans: Vec<PartSpan> = (0..).zip(intervals).map(span).collect();
        let found: Vec<String> = lanes(&spans)
            .iter()
            .map(|lane| {
                let mut text = String::new();
                lane.edges(&spans, |edge, span, _| match edge {
                    SpanEdge::Open => text += &format!("[{}", span.id.0),
                    SpanEdge::Close => text += "]",
                });
                text
            })
            .collect();
        assert_eq!(found, expected, "{intervals:?}");
    }

    #[test]
    fn spans_nest_or_have_lanes_of_their_own() {
        check(&[], &[]);
        check(&[(0, 10), (2, 5), (5, 10), (10, 12)], &["[0[1][2]][3]"]);
        check(&[(0, 10), (0, 10), (0, 0)], &["[0[1[2]]]"]);
        check(&[(0, 10), (5, 15), (6, 14), (15, 20)], &["[0][3]", "[1[2]]"]);
        check(&[(5, 5), (5, 5)], &["[0][1]"]);
        check(&[(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MAX, i64::MAX)], &["[0[1]][2]"]);
    }

    #[test]
    fn many_overlapping_spans_reuse_free_lanes() {
        let wave = |start: i64| (0..100).map(move |at| (start + at, start + 1_000 + at));
        let intervals: Vec<(i64, i64)> = wave(0).chain(wave(2_000)).collect();
        let spans: Vec<PartSpan> = (0..)
            .zip(&intervals)
            .map(|(at, &(start, end))| PartSpan {
                id: SpanId(at),
                start,
                end,
                kind: Kind::Slice,
                flags: Flags::default(),
                row: 0,
                parent: None,
            })
            .collect();
        let lanes = lanes(&spans);
        assert_eq!((lanes.len(), lanes.iter().map(|lane| lane.spans.len()).sum::<usize>()), (100, 200));
        for lane in &lanes {
            assert!(
                lane.spans
                    .windows(2)
                    .all(|pair| { spans[pair[0] as usize].end <= spans[pair[1] as usize].start })
            );
        }
    }
}
