//! Distribution of the durations of a shape, and its executions over time.

use super::executions::Executions;
use crate::base::{FxHashMap, sort};
use crate::protocol::{DurationBar, ExecutionDot, Outcome, ShapeDetail, ShapeRow};
use crate::trace::{Item, Trace};

/// The time axis of a range, or of the whole trace.
pub fn axis(trace: &Trace, range: Option<(i64, i64)>) -> (i64, i64) {
    range.unwrap_or((0, trace.end().max(1)))
}

/// Index of the part that contains `time`, if the axis is divided into `parts` equal parts.
pub fn part(time: i64, (start, end): (i64, i64), parts: usize) -> usize {
    let length = i128::from(end) - i128::from(start);
    let at = (i128::from(time) - i128::from(start)).max(0) * parts as i128 / length.max(1);
    (at as usize).min(parts - 1)
}

/// Axis of durations in nanoseconds, divided into [`ShapeRow::STEPS`] parts of equal width on a logarithmic scale.
pub struct LogScale {
    /// Start and end of the axis, at least 1.
    pub ends: (i64, i64),
    /// Ends of all parts but the last.
    limits: Vec<i64>,
}

impl LogScale {
    /// The axis from the shortest to the longest duration of all shapes.
    pub fn of(rows: &[&ShapeRow]) -> Self {
        let times = || rows.iter().filter_map(|row| row.times);
        let low = times().map(|times| times.min).min().unwrap_or(1).max(1);
        let high = times().map(|times| times.max).max().unwrap_or(1).max(low);
        let ratio = high as f64 / low as f64;
        let limit = |at: usize| (low as f64 * ratio.powf(at as f64 / ShapeRow::STEPS as f64)) as i64;
        Self { ends: (low, high), limits: (1..ShapeRow::STEPS).map(limit).collect() }
    }

    /// Index of the part that contains a duration.
    pub fn part(&self, duration: i64) -> usize {
        self.limits.partition_point(|limit| *limit < duration)
    }
}

impl Executions<'_> {
    /// Counts the executions per bar of the histogram, and per cell of time and bar.
    pub fn dots(
        &self,
        times: &[(u32, i64)],
        bars: &mut [DurationBar],
        axis: (i64, i64),
    ) -> Vec<ExecutionDot> {
        let mut cells: FxHashMap<(u16, u16), (ExecutionDot, i64)> = FxHashMap::default();
        for &(member, time) in times {
            let at = bars.partition_point(|bar| bar.until <= time);
            let Some(bar) = bars.get_mut(at) else { continue };
            let failed = self.outcome(member) == Outcome::Failed;
            bar.count += 1;
            bar.failed += u32::from(failed);
            let column = part(self.start(member), axis, ShapeDetail::COLUMNS.into()) as u16;
            let item = Item::Span(self.span(member)).code();
            let empty = ExecutionDot { column, bar: at as u16, count: 0, failed: false, item };
            let (dot, longest) = cells.entry((column, at as u16)).or_insert((empty, time));
            dot.count += 1;
            dot.failed |= failed;
            if time > *longest {
                (dot.item, *longest) = (item, time);
            }
        }
        let mut dots: Vec<ExecutionDot> = cells.into_values().map(|(dot, _)| dot).collect();
        sort::by_key(&mut dots, |dot| (i64::from(dot.column), u64::from(dot.bar)));
        dots
    }
}
