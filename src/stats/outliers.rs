//! Queries that took much longer than their run's average (Kubling's QUERY_OUTLIERS view).

use crate::analysis::{Queries, Sum};
use crate::trace::overlaps;

/// Limits that a query must reach to be an outlier. Both must be reached.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Thresholds {
    /// Minimum duration of the query, as a multiple of the average duration in its run.
    pub ratio: f64,
    /// Minimum duration of the query, in nanoseconds.
    pub duration: i64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { ratio: 3.0, duration: 5_000_000 }
    }
}

/// A query that took much longer than its run's average.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outlier {
    /// Row of the query in [`Queries`].
    pub row: u32,
    /// Duration divided by the run's average.
    pub ratio: f64,
}

/// Returns the outliers among the queries whose start and end are both in the trace, in row order. With a time range, only
/// queries that overlap it count, with durations and averages of the part inside.
#[inline(never)]
pub fn outliers(queries: &Queries, thresholds: Thresholds, range: Option<(i64, i64)>) -> Vec<Outlier> {
    let mut sums: Vec<Sum> = Vec::new();
    let mut found: Vec<(u32, i64)> = Vec::new();
    for row in (0..queries.len()).filter(|row| queries.is_whole(*row)) {
        let (start, end) = queries.interval(row);
        if range.is_none_or(|range| overlaps(start, end, range)) {
            let (run, duration) = (queries.run(row).0 as usize, queries.duration_in(row, range));
            sums.resize(sums.len().max(run + 1), Sum::default());
            sums[run].add(Some(duration));
            found.push((row, duration));
        }
    }
    let is_outlier = |(row, duration): (u32, i64)| {
        let average = sums.get(queries.run(row).0 as usize)?.average().filter(|average| *average > 0.0)?;
        let ratio = duration as f64 / average;
        (ratio >= thresholds.ratio && duration >= thresholds.duration).then_some(Outlier { row, ratio })
    };
    found.into_iter().filter_map(is_outlier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn check(ratio: f64, duration: i64, rows: &[u32]) {
        let queries = Queries::of(&sample::trace());
        let found: Vec<u32> =
            outliers(&queries, Thresholds { ratio, duration }, None).iter().map(|found| found.row).collect();
        assert_eq!(found, rows, "{ratio} {duration}");
    }

    #[test]
    fn both_thresholds_must_be_met() {
        check(3.0, 5_000_000, &[]);
        check(1.1, 5_000_000, &[0]);
        check(1.1, 10_000_001, &[]);
        check(0.0, 0, &[0, 1]); // row 2 has no end
    }
}
