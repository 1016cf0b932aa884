//! Queries that took much longer than their run's average (Kubling's QUERY_OUTLIERS view).

#[cfg(any(test, feature = "export"))]
use crate::analysis::Queries;

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
#[cfg(any(test, feature = "export"))]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outlier {
    /// Row of the query in [`Queries`].
    pub row: u32,
    /// Duration divided by the run's average.
    pub ratio: f64,
}

/// Returns the outliers among the queries whose start and end are both in the trace, in row order.
#[cfg(any(test, feature = "export"))]
pub fn outliers(queries: &Queries, thresholds: Thresholds) -> Vec<Outlier> {
    let is_outlier = |row: u32| {
        let ratio = queries.ratio(row).filter(|&ratio| queries.is_whole(row) && ratio >= thresholds.ratio)?;
        (queries.duration(row) >= thresholds.duration).then_some(Outlier { row, ratio })
    };
    (0..queries.len()).filter_map(is_outlier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn check(ratio: f64, duration: i64, rows: &[u32]) {
        let queries = Queries::of(&sample::trace());
        let found: Vec<u32> =
            outliers(&queries, Thresholds { ratio, duration }).iter().map(|found| found.row).collect();
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
