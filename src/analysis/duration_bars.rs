//! Bars of a histogram of durations.

use crate::protocol::{DurationBar, ShapeDetail};

/// Bars of a histogram that covers the durations `times`, in nanoseconds, with all counts at 0; none without durations.
/// The limits of the bars are whole nanoseconds, so that each duration is in exactly one bar.
pub fn duration_bars(times: impl Iterator<Item = i64> + Clone) -> Vec<DurationBar> {
    let Some((low, high)) = times.clone().min().zip(times.max()) else { return Vec::new() };
    let (low, high) = (low.max(0), high.max(0));
    let is_linear = high / 10 < low;
    // A logarithmic scale begins at one nanosecond; shorter durations are in the first bar.
    let (first, last) = (low.max(1) as f64, high.max(1) as f64);
    let limit = |at: usize| {
        let share = at as f64 / ShapeDetail::BARS as f64;
        let value = if is_linear {
            low as f64 + (high - low) as f64 * share
        } else {
            first * (last / first).powf(share)
        };
        value.round() as i64
    };
    let end = high.saturating_add(1);
    let mut bars: Vec<DurationBar> = Vec::with_capacity(ShapeDetail::BARS);
    let mut from = low;
    for at in 1..=ShapeDetail::BARS {
        let until = if at == ShapeDetail::BARS { end } else { limit(at).min(end) };
        if until > from {
            bars.push(DurationBar { from, until, ..DurationBar::default() });
            from = until;
        }
    }
    bars
}
