//! Definition of a time range, as used by every view and the command line.
//!
//! A range is half-open: `start` is included, `end` is not. A span counts if it overlaps the range, with its time clipped to
//! the range; an event, or a span without a duration, counts if it is inside. Adjacent ranges therefore add up: each moment
//! of a span, and each event, is in exactly one of them. A duration is the part inside the range; self time is the part
//! inside the range that no nested span covers; minimum, average, maximum and percentiles are computed from these parts.
//! Rows, bytes and all other numbers cannot be divided by time: they count in full in every range that the span overlaps.

use super::{SpanId, Trace};

/// Whether an interval overlaps the half-open `range`. An interval without length overlaps if it is inside; nothing overlaps
/// an empty range.
#[inline]
pub fn overlaps(start: i64, end: i64, range: (i64, i64)) -> bool {
    range.0 < range.1 && start < range.1 && (end > range.0 || start >= range.0)
}

/// The part of an interval inside the half-open `range`; if there is none, an empty interval at the nearer end of the range.
#[inline]
pub fn clipped((start, end): (i64, i64), range: (i64, i64)) -> (i64, i64) {
    let from = start.max(range.0).min(range.1.max(range.0));
    (from, end.min(range.1).max(from))
}

/// The part of `duration` inside the half-open `range`, for an item with this start and end (`bounds`). If the measured
/// duration differs from `bounds`, it is laid out from the start, and any excess is attributed to the end.
#[inline]
pub fn duration_in(bounds: (i64, i64), duration: i64, range: (i64, i64)) -> i64 {
    let before = |time: i64| match time {
        _ if time <= bounds.0 => 0,
        _ if time >= bounds.1 => duration,
        _ => time.saturating_sub(bounds.0).min(duration),
    };
    before(range.1.max(range.0)).saturating_sub(before(range.0))
}

impl Trace {
    /// Duration of a span inside the half-open range, in nanoseconds; see [`Trace::duration`].
    #[inline]
    pub fn duration_in(&self, id: SpanId, range: (i64, i64)) -> i64 {
        duration_in(self.spans.bounds(id), self.duration(id), range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether an interval overlaps a range, and which part of it is inside.
    fn check(interval: (i64, i64), range: (i64, i64), inside: Option<(i64, i64)>) {
        let found = overlaps(interval.0, interval.1, range).then(|| clipped(interval, range));
        assert_eq!(found, inside, "{interval:?} in {range:?}");
    }

    #[test]
    fn what_overlaps_is_clipped() {
        check((10, 20), (0, 30), Some((10, 20)));
        check((10, 20), (10, 20), Some((10, 20)));
        check((10, 20), (12, 15), Some((12, 15)));
        check((10, 20), (0, 11), Some((10, 11)));
        check((10, 20), (19, 30), Some((19, 20)));
        check((10, 20), (0, 10), None);
        check((10, 20), (20, 30), None);
        check((10, 20), (15, 15), None);
        check((10, 20), (18, 12), None);
    }

    #[test]
    fn what_was_measured_adds_up_in_any_ranges_side_by_side() {
        for duration in [0, 5, 10, 13] {
            for cuts in [[0, 12], [10, 20], [9, 15], [11, 21], [19, 19]] {
                let borders = [i64::MIN, cuts[0], cuts[1], i64::MAX];
                let parts =
                    borders.windows(2).map(|pair| duration_in((10, 20), duration, (pair[0], pair[1])));
                assert_eq!(parts.sum::<i64>(), duration, "{duration} {cuts:?}");
            }
        }
        assert_eq!(duration_in((10, 20), 10, (12, 15)), 3);
        assert_eq!(duration_in((10, 20), 13, (15, 30)), 8);
        assert_eq!(duration_in((10, 10), 0, (5, 15)), 0);
    }

    #[test]
    fn points_lie_in_one_of_the_ranges_side_by_side() {
        check((10, 10), (0, 10), None);
        check((10, 10), (10, 20), Some((10, 10)));
        check((i64::MIN, i64::MAX), (0, 1), Some((0, 1)));
        assert_eq!(clipped((10, 20), (30, 40)), (30, 30));
        assert_eq!(clipped((50, 60), (30, 40)), (40, 40));
    }
}
