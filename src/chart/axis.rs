//! Axes of time and duration: positions and labels of their ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Limit of drawn times, in nanoseconds (twelve years): larger ones are clamped, so that plotters' arithmetic cannot overflow.
const FAR: i64 = 400_000_000_000_000_000;

/// Returns a bounded interval for an axis that is never empty.
pub(super) fn interval(start: i64, end: i64) -> Range<i64> {
    let start = start.clamp(-FAR, FAR - 1);
    start..end.clamp(start + 1, FAR)
}

/// Returns the range of an axis up to a maximum value, with some headroom above it.
pub(super) fn headroom(greatest: i64) -> Range<i64> {
    let greatest = greatest.clamp(1, FAR);
    0..greatest + (greatest / 12).max(i64::from(greatest > 1))
}

/// Returns the bounds of step `index` if `interval` is divided into `n` equally long steps.
pub(super) fn step(interval: &Range<i64>, index: usize, n: usize) -> (i64, i64) {
    let length = i128::from(interval.end) - i128::from(interval.start);
    let at = |i: usize| (i128::from(interval.start) + length * i as i128 / n.max(1) as i128) as i64;
    (at(index), at(index + 1))
}

/// Formats the time of a tick, exactly and without superfluous zeros: `20 ms`, `1.5 s`.
pub fn tick(ns: i64) -> String {
    let (unit, name, digits) = match ns.unsigned_abs() {
        0 => return "0".to_owned(),
        1..1_000 => (1, "ns", 0),
        1_000..1_000_000 => (1_000, "µs", 3),
        1_000_000..1_000_000_000 => (1_000_000, "ms", 6),
        _ => (1_000_000_000, "s", 9),
    };
    let sign = if ns < 0 { "−" } else { "" };
    let (whole, rest) = (ns.unsigned_abs() / unit, ns.unsigned_abs() % unit);
    let fraction = format!("{rest:0digits$}");
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole} {name}"),
        fraction => format!("{sign}{whole}.{fraction} {name}"),
    }
}

/// A logarithmic scale of durations, with ticks at 1, 2 and 5 in every power of ten, or fewer if there is little room.
/// Plotters' own logarithmic scale has at most one tick if all durations are within one power of ten.
#[derive(Clone)]
pub(super) struct LogDuration {
    range: Range<i64>,
}

impl LogDuration {
    pub(super) fn new(from: i64, to: i64) -> Self {
        let from = from.clamp(1, FAR / 2);
        Self { range: from..to.clamp(from + 1, FAR) }
    }
}

impl Ranged for LogDuration {
    type FormatOption = DefaultFormatting;
    type ValueType = i64;

    fn map(&self, value: &i64, limit: (i32, i32)) -> i32 {
        let ln = |ns: i64| (ns.max(1) as f64).ln();
        let (from, to) = (ln(self.range.start), ln(self.range.end));
        let share = ((ln(*value) - from) / (to - from)).clamp(0.0, 1.0);
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<i64> {
        let powers: Vec<i64> = (0..18).map(|power| 10i64.pow(power)).collect();
        let inside = |ticks: Vec<i64>| -> Vec<i64> {
            ticks.into_iter().filter(|t| (self.range.start..=self.range.end).contains(t)).collect()
        };
        let fine = inside(powers.iter().flat_map(|p| [*p, p * 2, p * 5]).collect());
        if fine.len() <= hint.max_num_points() {
            return fine;
        }
        let coarse = inside(powers);
        let every = coarse.len().div_ceil(hint.max_num_points().max(1)).max(1);
        coarse.into_iter().step_by(every).collect()
    }

    fn range(&self) -> Range<i64> {
        self.range.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_exact_and_short() {
        let cases = [
            (0, "0"),
            (950, "950 ns"),
            (1_000, "1 µs"),
            (20_000_000, "20 ms"),
            (1_500_000_000, "1.5 s"),
            (-1_000_001, "−1.000001 ms"),
            (i64::MIN, "−9223372036.854775808 s"),
        ];
        for (ns, text) in cases {
            assert_eq!(tick(ns), text);
        }
    }

    #[test]
    fn steps_cover_the_interval_without_gaps() {
        for (start, end, n) in [(0, 100, 7), (-5, 5, 3), (i64::MIN, i64::MAX, 240), (9, 9, 4)] {
            let interval = interval(start, end);
            let edges: Vec<_> = (0..n).map(|i| step(&interval, i, n)).collect();
            assert_eq!((edges[0].0, edges[n - 1].1), (interval.start, interval.end));
            assert!(edges.windows(2).all(|pair| pair[0].1 == pair[1].0));
        }
    }

    #[test]
    fn a_logarithmic_axis_has_ticks_however_short_it_is() {
        let cases = [
            (1_000, 10_000_000, 6, vec![1_000, 10_000, 100_000, 1_000_000, 10_000_000]),
            (1_500, 6_000, 6, vec![2_000, 5_000]),
            (1, 1_000_000_000, 4, vec![1, 1_000, 1_000_000, 1_000_000_000]),
        ];
        for (from, to, max, ticks) in cases {
            assert_eq!(LogDuration::new(from, to).key_points(max), ticks, "{from}..{to}");
        }
        let axis = LogDuration::new(i64::MIN, i64::MIN);
        assert_eq!((axis.map(&1, (0, 100)), axis.map(&i64::MAX, (0, 100))), (0, 100));
    }
}
