//! The time axis: ticks at 1, 2 or 5 × 10ⁿ nanoseconds, exact at any zoom level.
//!
//! At high zoom, a label would need a dozen digits. A base is then split off and shown once, such as `118.204 ms`, with
//! ticks such as `+10 µs`, `+20 µs`. The base is a multiple of a thousand steps or more, so that base and ticks do not
//! change while the axis is panned.

use crate::base::text;
use crate::protocol::{MERGED_WIDTH, Viewport};

/// Minimum distance between two ticks, in pixels.
pub const TICK_DISTANCE: f64 = 90.0;
/// The base is a multiple of this many steps, where a step is rounded down to a power of ten.
const STEPS_PER_BASE: i128 = 1000;

/// The ticks of an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Ruler {
    /// Time to which the labels are relative; `None` if the labels are absolute times.
    pub base: Option<String>,
    /// Ticks from left to right, all inside the viewport.
    pub ticks: Vec<Tick>,
}

/// A tick of the axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Pixels from the left edge of the viewport.
    pub x: f32,
    /// Exact time, in nanoseconds.
    pub time: i64,
    /// Label, such as "120 ms", or "+10 µs" if there is a base.
    pub label: String,
}

/// Returns the ticks of the viewport's axis, at least [`TICK_DISTANCE`] apart.
pub fn ticks(viewport: &Viewport) -> Ruler {
    let (start, end) = (i128::from(viewport.start), i128::from(viewport.end));
    let step = step_from(viewport.nanos_per_pixel() * TICK_DISTANCE);
    let first = start.div_euclid(step) * step + if start.rem_euclid(step) == 0 { 0 } else { step };
    let group = decade(step) * STEPS_PER_BASE;
    // Up to and around the first event, times are short enough without a base.
    let base = start.max(0).div_euclid(group) * group;
    let count = if end < first { 0 } else { (end - first) / step + 1 };
    let times = (0..count).map(|at| first + at * step);
    let unit = unit_of((end - base).max(step));
    let tick = |time: i128| {
        let offset = decimal(time - base, step, unit);
        let time = time as i64;
        let label = if base == 0 { offset } else { format!("+{offset}") };
        Tick { x: viewport.x_from_time(time) as f32, time, label }
    };
    Ruler { base: (base != 0).then(|| text::duration_exact(base as i64)), ticks: times.map(tick).collect() }
}

/// Returns the ticks of the axis of a merged flame graph, in percent of the whole.
pub fn shares(view: &Viewport) -> Ruler {
    let steps = (f64::from(view.width) / 110.0).floor().max(1.0);
    let length = (view.end - view.start) as f64 / MERGED_WIDTH as f64 * 100.0;
    let decade = 10_f64.powf((length / steps).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|by| by * decade).find(|step| length / step <= steps);
    let step = step.unwrap_or(decade * 10.0);
    let places = (-step.log10().floor()).max(0.0) as usize;
    let first = (view.start as f64 / MERGED_WIDTH as f64 * 100.0 / step).ceil() as i64;
    let tick = |number: i64| {
        let share = number as f64 * step;
        let time = (share / 100.0 * MERGED_WIDTH as f64) as i64;
        Tick { x: view.x_from_time(time) as f32, time, label: format!("{share:.places$} %") }
    };
    let ticks = (first..).map(tick).take_while(|tick| tick.time <= view.end).take(64).collect();
    Ruler { base: None, ticks }
}

/// Formats a time of the axis with the precision of a pixel: rounded to the power of ten below a pixel's duration,
/// always with the unit and decimals of the zoom level. It is relative to 0 even if the labels have a base.
pub fn pixel_time(viewport: &Viewport, time: i64) -> String {
    let (time, step) = (pixel_of(viewport, time), pixel_step(viewport));
    let longest = i128::from(viewport.end).abs().max(i128::from(viewport.start).abs());
    decimal(time, step, unit_of(longest.max(step)))
}

/// Formats the duration between two times of the axis with the precision of [`pixel_time`], in its own unit.
pub fn pixel_length(viewport: &Viewport, from: i64, to: i64) -> String {
    let (length, step) = (pixel_of(viewport, to) - pixel_of(viewport, from), pixel_step(viewport));
    decimal(length, step, unit_of(length.abs().max(step)))
}

fn pixel_step(viewport: &Viewport) -> i128 {
    decade(viewport.nanos_per_pixel() as i128)
}

fn pixel_of(viewport: &Viewport, time: i64) -> i128 {
    let step = pixel_step(viewport);
    (i128::from(time) + step / 2).div_euclid(step) * step
}

/// Returns the smallest of 1, 2, 5 × 10ⁿ that is at least `least`.
fn step_from(least: f64) -> i128 {
    let mut decade = 1;
    loop {
        for factor in [1, 2, 5] {
            // i64 spans 2⁶⁴ ns, so no viewport needs more than a few of these decades.
            if (decade * factor) as f64 >= least || decade > 10_i128.pow(20) {
                return decade * factor;
            }
        }
        decade *= 10;
    }
}

/// Returns the largest power of ten that is at most `step`.
fn decade(step: i128) -> i128 {
    10_i128.pow(step.max(1).ilog10())
}

const UNITS: [(i128, &str); 4] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];

/// Returns the largest unit in which `longest` is at least 1.
fn unit_of(longest: i128) -> (i128, &'static str) {
    UNITS.into_iter().find(|(size, _)| *size <= longest).unwrap_or(UNITS[3])
}

/// Formats a multiple of `step` in `unit` exactly, with as many decimals as the step needs.
fn decimal(time: i128, step: i128, (unit, name): (i128, &str)) -> String {
    if time == 0 {
        return "0".to_owned();
    }
    let sign = if time < 0 { "−" } else { "" };
    let size = time.abs();
    let whole = text::count(i64::try_from(size / unit).unwrap_or(i64::MAX));
    // Every tick has the same number of decimals, so that the labels of an axis are consistent.
    let places = (0..=9).find(|&places| step * 10_i128.pow(places) % unit == 0).unwrap_or(9);
    if places == 0 {
        return format!("{sign}{whole} {name}");
    }
    let rest = size % unit * 10_i128.pow(places) / unit;
    let digits = format!("{rest:0width$}", width = places as usize);
    format!("{sign}{whole}.{} {name}", text::in_threes(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(start: i64, end: i64, base: Option<&str>, first: &str, last: &str) {
        let ruler = ticks(&Viewport { start, end, width: 900.0, top: 0.0, height: 1.0 });
        assert_eq!(ruler.base.map(|base| base.replace('\u{2009}', " ")).as_deref(), base, "{start}..{end}");
        let labels: Vec<_> = ruler.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels.first(), Some(&first), "{start}..{end}: {labels:?}");
        assert_eq!(labels.last(), Some(&last), "{start}..{end}: {labels:?}");
        assert!(labels.len() <= 11, "{start}..{end}: {labels:?}");
    }

    #[test]
    fn labels_are_exact_at_any_depth() {
        check(0, 346_000_000, None, "0", "300 ms");
        check(118_200_000, 177_000_000, None, "120 ms", "170 ms");
        check(0, 9_000, None, "0", "9 µs");
        check(0, 4_500, None, "0", "4.5 µs");
        check(118_204_311_000, 118_204_312_000, Some("1 min 58.204 3 s"), "+11.0 µs", "+12.0 µs");
        check(118_204_311, 118_204_411, Some("118.2 ms"), "+4.32 µs", "+4.41 µs");
        check(-5_000, 4_000, None, "−5 µs", "4 µs");
        check(i64::MAX - 1000, i64::MAX, Some("153,722,867 min 16.854 7 s"), "+74.9 µs", "+75.8 µs");
    }

    #[test]
    fn a_pixel_has_a_time_in_the_unit_and_with_the_decimals_of_the_zoom() {
        for ((start, end), time, expected) in [
            // A pixel is 384 µs: the precision is tenths of a millisecond.
            ((0, 346_000_000), 118_204_311, "118.2 ms"),
            ((0, 346_000_000), 7_000_000, "7.0 ms"),
            ((0, 346_000_000), 0, "0"),
            ((-5_000, 4_000), -1_234, "−1.23 µs"),
            // A pixel is 111 ns, in a trace that lasts minutes.
            ((118_204_300_000, 118_204_400_000), 118_204_311_432, "118.204 311 4 s"),
            ((118_204_311_400, 118_204_311_500), 118_204_311_432, "118.204 311 432 s"),
            ((i64::MAX - 1000, i64::MAX), i64::MAX, "9,223,372,036.854 775 807 s"),
            ((i64::MIN, i64::MAX), i64::MIN, "−9,220,000,000 s"),
        ] {
            let viewport = Viewport { start, end, width: 900.0, top: 0.0, height: 1.0 };
            assert_eq!(pixel_time(&viewport, time).replace('\u{2009}', " "), expected, "{start}..{end}");
        }
    }

    #[test]
    fn a_length_is_what_lies_between_the_times_that_are_told() {
        for ((start, end), from, to, expected) in [
            ((0, 346_000_000), 118_204_311, 120_299_999, "2.1 ms"),
            ((0, 346_000_000), 118_204_311, 118_390_000, "200 µs"),
            ((118_204_311_400, 118_204_311_500), 118_204_311_432, 118_204_311_440, "8 ns"),
            ((0, 346_000_000), 7, 7, "0"),
            ((i64::MIN, i64::MAX), i64::MIN, i64::MAX, "18,440,000,000 s"),
        ] {
            let viewport = Viewport { start, end, width: 900.0, top: 0.0, height: 1.0 };
            assert_eq!(
                pixel_length(&viewport, from, to).replace('\u{2009}', " "),
                expected,
                "{start}..{end}"
            );
        }
    }
}
