//! What a change costs in each run.

use crate::compare::{RunMeasure, TrendChange, TrendGroup};

/// Whether a measure says what a typical execution takes.
pub(super) fn is_of_one_execution(measure: RunMeasure) -> bool {
    matches!(measure, RunMeasure::P50 | RunMeasure::Mean)
}

/// What a change costs in each run; negative if it saves something. For what a typical execution takes, the difference of
/// the medians times the number of executions in the last run; for sums over a run, the difference; `None` for what only
/// the slowest executions take.
pub(super) fn cost(measure: RunMeasure, group: &TrendGroup, change: &TrendChange) -> Option<i128> {
    let executions = group.points.last().map_or(0, |(_, point)| point.executions);
    match measure {
        _ if is_of_one_execution(measure) => Some(difference(change).saturating_mul(executions.into())),
        _ if measure.is_duration() => None,
        _ => Some(difference(change)),
    }
}

/// Difference of the medians before and after a change.
pub(super) fn difference(change: &TrendChange) -> i128 {
    i128::from(change.medians.1) - i128::from(change.medians.0)
}
