//! Summary of a time range over all runs.

use crate::analysis::{FilteredItems, Sum, passes};
use crate::protocol::{KindSum, RangeSummary};
use crate::trace::{AttributeReader, EventId, Flags, Item, Kind, SpanId, Trace, key, overlaps};

/// Returns sums per kind over the items that overlap the half-open range and pass the filter. Time is clipped to the range.
/// Bytes and rows of an item count in full, even if only a part of the item is in the range.
#[inline(never)]
pub fn range(trace: &Trace, (start, end): (i64, i64), filter: Option<&FilteredItems>) -> RangeSummary {
    let mut tallies = Kind::ALL.map(|_| RangeTally::default());
    let reader = AttributeReader::new(trace, [key::BYTES, key::ROWS_READ]);
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        let ((from, until), (kind, flags)) = (trace.spans.bounds(id), trace.spans.kind_and_flags(id));
        // Round trips are segments of a request, which is counted already.
        let is_inside = overlaps(from, until, (start, end)) && passes(filter, trace, Item::Span(id));
        if flags.has(Flags::SEGMENT) || !is_inside {
            continue;
        }
        let inside = trace.duration_in(id, (start, end));
        let tally = &mut tallies[kind as usize];
        tally.time.add(Some(inside));
        tally.add(reader.of(Item::Span(id)));
    }
    for id in (0..trace.events.len() as u32).map(EventId) {
        let time = trace.events.time(id);
        if overlaps(time, time, (start, end)) && passes(filter, trace, Item::Event(id)) {
            tallies[trace.events.kind(id) as usize].add(reader.of(Item::Event(id)));
        }
    }
    let kinds = Kind::ALL.iter().zip(tallies).filter(|(_, tally)| tally.count > 0);
    RangeSummary { start, end, kinds: kinds.map(|(&kind, tally)| tally.finish(kind)).collect() }
}

#[derive(Default)]
struct RangeTally {
    count: u64,
    time: Sum,
    bytes: Sum,
    rows_read: Sum,
}

impl RangeTally {
    fn add(&mut self, [bytes, rows_read]: [Option<i64>; 2]) {
        self.count += 1;
        self.bytes.add(bytes);
        self.rows_read.add(rows_read);
    }

    fn finish(self, kind: Kind) -> KindSum {
        KindSum {
            kind: kind.name().to_owned(),
            color: kind.slot(),
            count: self.count,
            time: self.time.total(),
            bytes: self.bytes.total(),
            rows_read: self.rows_read.total(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    /// Expected kind, count, milliseconds and bytes.
    type Line = (&'static str, u64, Option<i64>, Option<i64>);

    fn check(start: i64, end: i64, lines: &[Line]) {
        let summary = range(&sample::trace(), (start * 1_000_000, end * 1_000_000), None);
        let found: Vec<_> = summary
            .kinds
            .iter()
            .map(|k| (k.kind.as_str(), k.count, k.time.map(|ns| ns / 1_000_000), k.bytes))
            .collect();
        assert_eq!(found, lines, "{start}..{end}");
    }

    #[test]
    fn time_is_clipped_and_points_lie_inside_or_not() {
        check(
            3,
            4,
            &[
                ("request", 1, Some(1), None),
                ("query", 1, Some(1), None),
                ("source", 1, Some(1), None),
                ("source execution", 1, Some(1), None),
                ("buffer", 1, None, Some(1_000)),
            ],
        );
        check(11, 12, &[]);
        check(10, 11, &[("request", 1, Some(1), None)]);
        check(-10, 0, &[]);
        check(5, 5, &[]);
    }
}
