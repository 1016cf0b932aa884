//! The clock of waits counts processor cycles. The server multiplies them by a whole number of picoseconds and by a
//! frequency that it measured when it started. Both are inexact: waits are 0.1 to 0.4 % off the statements that contain
//! them, which is seconds after an hour. Both clocks start with the server, so the error is one factor, which follows from
//! the waits that nearly fill their stage or statement: among the factors that put every wait inside its holder, the one
//! nearest to theirs (see `bounds`). If there is no such factor, the one with the smallest overrun. If that overrun is
//! large, the clocks started at different moments, which is visible only on a server that has run for about a minute.

use super::bounds::ClockBounds;
use super::class::MySqlEventClass;
use super::store::NO_TIME;
use super::tree::MySqlEventNode;

/// Converts picoseconds to nanoseconds, rounded.
#[inline]
pub fn nanos(time: u64) -> i64 {
    (time / 1000 + u64::from(time % 1000 >= 500)).cast_signed()
}

/// Conversion from the clock of waits to the clock of statements.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WaitClock {
    /// Relative correction that is added to a time, in parts of 10^15.
    pub factor: i64,
    /// `factor` in parts of 2^64: to multiply and shift is ten times as fast as to divide 128 bits.
    scale: i64,
    /// Offset that is added to a time, in picoseconds.
    pub offset: i64,
    /// Number of pairs of a wait and its holder that the clock was fitted to.
    pub pairs: u64,
    /// Maximum time by which a wait overruns its holder, in picoseconds.
    pub residual: u64,
}

/// Denominator of [`WaitClock::factor`].
pub const PARTS: i128 = 1_000_000_000_000_000;
/// Maximum error of a clock: 5 %.
pub const MOST: i64 = 50_000_000_000_000;
/// Maximum overrun for which a factor without an offset is accepted: 5 µs, in picoseconds.
const ENOUGH: u64 = 5_000_000;

/// A wait and the event that holds it: start and duration of each, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct WaitInHolder {
    pub wait: (u64, u64),
    pub holder: (u64, u64),
}

impl WaitInHolder {
    /// Twice the middle of an interval of start and length.
    fn middle((start, length): (u64, u64)) -> i128 {
        i128::from(start) * 2 + i128::from(length)
    }

    fn factor(&self) -> Option<i64> {
        let (wait, holder) = (Self::middle(self.wait), Self::middle(self.holder));
        let factor = (holder - wait).checked_mul(PARTS)?.checked_div(wait)?;
        i64::try_from(factor).ok().filter(|factor| factor.abs() <= MOST)
    }

    /// Twice the middle of the wait, and twice the distance from there to the middle of its holder.
    fn point(&self) -> (i128, i128) {
        let wait = Self::middle(self.wait);
        (wait, Self::middle(self.holder) - wait)
    }

    /// Difference between the durations of the holder and the wait, in picoseconds.
    fn slack(&self) -> u64 {
        self.holder.1.saturating_sub(self.wait.1)
    }
}

/// Returns the median and reorders the values.
fn median<T: Copy + Ord>(values: &mut [T]) -> Option<T> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable(middle).1)
}

impl WaitClock {
    /// Fits the clock to all pairs: starts from the median factor of the fifth of the pairs with the least slack.
    #[inline(never)]
    pub fn fit(pairs: &[WaitInHolder]) -> Self {
        let mut told: Vec<(u64, i64)> =
            pairs.iter().filter_map(|pair| Some((pair.slack(), pair.factor()?))).collect();
        if told.is_empty() {
            return Self::default();
        }
        let best = (told.len() / 5).max(1);
        told.select_nth_unstable(best - 1);
        let least = told[best - 1].0;
        let mut factors: Vec<i64> = told[..best].iter().map(|(_, factor)| *factor).collect();
        let Some(factor) = median(&mut factors) else { return Self::default() };
        let clock = Self::of(factor, 0).measured(pairs);
        if clock.residual == 0 {
            return clock;
        }
        let clock =
            Self::within(factor, pairs).filter(|found| found.residual < clock.residual).unwrap_or(clock);
        if clock.residual <= ENOUGH {
            return clock;
        }
        let tight: Vec<WaitInHolder> = pairs.iter().filter(|pair| pair.slack() <= least).copied().collect();
        let moved = Self::with_offset(&tight).map(|moved| moved.measured(pairs));
        moved.filter(|moved| moved.residual < clock.residual).unwrap_or(clock)
    }

    /// Returns the clock at which all waits are inside their holders or overrun them least, with a factor close to
    /// `near` if several fit. `None` if some waits overrun by far at any factor: then the waits say nothing about the
    /// clocks.
    fn within(near: i64, pairs: &[WaitInHolder]) -> Option<Self> {
        let bounds = ClockBounds::of(pairs);
        let (least, most) = bounds.rates()?;
        if least <= most {
            return Some(Self::of(near.clamp(least, most), 0).measured(pairs));
        }
        let bounds = bounds.outermost();
        let is_near = |clock: &Self| clock.residual <= ENOUGH;
        let scaled = Self::of(bounds.best_rate(), 0).measured(pairs);
        let moved = || bounds.best().map(|(factor, offset)| Self::of(factor, offset).measured(pairs));
        Some(scaled).filter(is_near).or_else(|| moved().filter(is_near))
    }

    fn of(factor: i64, offset: i64) -> Self {
        let scale = (i128::from(factor) << 64) / PARTS;
        // No factor exceeds a twentieth.
        let scale = i64::try_from(scale).unwrap_or(0);
        Self { factor, scale, offset, pairs: 0, residual: 0 }
    }

    /// Replaces the statistics of the clock by the statistics of these pairs.
    fn measured(self, pairs: &[WaitInHolder]) -> Self {
        let mut clock = self.unmeasured();
        pairs.iter().for_each(|pair| clock.measure(pair));
        clock
    }

    /// Clears the statistics of the clock.
    #[must_use]
    pub fn unmeasured(self) -> Self {
        Self { pairs: 0, residual: 0, ..self }
    }

    /// Adds a pair to the statistics.
    pub fn measure(&mut self, pair: &WaitInHolder) {
        self.pairs += 1;
        self.residual = self.residual.max(self.overrun(pair));
    }

    /// Fits a line to the pairs: the median slope between pairs that are half the list apart, then the median offset.
    fn with_offset(pairs: &[WaitInHolder]) -> Option<Self> {
        let mut points: Vec<(i128, i128)> = pairs.iter().map(WaitInHolder::point).collect();
        points.sort_unstable();
        let half = points.len() / 2;
        let slope = |(a, b): (&(i128, i128), &(i128, i128))| {
            let slope = (b.1 - a.1).checked_mul(PARTS)?.checked_div(b.0 - a.0)?;
            i64::try_from(slope).ok().filter(|slope| slope.abs() <= MOST)
        };
        let mut slopes: Vec<i64> = points.iter().zip(&points[half..]).filter_map(slope).collect();
        let factor = median(&mut slopes)?;
        // Both coordinates of a point are doubled.
        let left = |(at, apart): &(i128, i128)| (apart - at * i128::from(factor) / PARTS) / 2;
        let mut offsets: Vec<i128> = points.iter().map(left).collect();
        let offset = i64::try_from(median(&mut offsets)?).ok()?;
        Some(Self::of(factor, offset))
    }

    /// Maximum time by which a wait may overrun its holder because their clocks differ, in nanoseconds. Limited to a
    /// few microseconds: waits that overrun further really extend beyond their holders.
    pub fn tolerance(&self) -> i64 {
        self.residual.min(ENOUGH).div_ceil(1_000).cast_signed()
    }

    /// Converts a time of a wait to the clock of statements.
    #[inline]
    pub fn time(&self, time: u64) -> u64 {
        if self.factor == 0 && self.offset == 0 {
            return time;
        }
        let scaled = (i128::from(time) * i128::from(self.scale)) >> 64;
        let moved = i128::from(time) + scaled + i128::from(self.offset);
        u64::try_from(moved).unwrap_or(time)
    }

    /// Start and end of an event in nanoseconds since the server was started, each rounded separately; `None` if the
    /// start is not reported.
    #[inline]
    pub fn times(&self, node: &MySqlEventNode) -> Option<(i64, Option<i64>)> {
        let is_wait = node.class == MySqlEventClass::Wait;
        let time = |time: u64| nanos(if is_wait { self.time(time) } else { time });
        (node.start != NO_TIME).then(|| (time(node.start), node.stop().map(time)))
    }

    /// Maximum time by which the wait of a pair extends beyond the event that holds it, at either end, in picoseconds.
    fn overrun(&self, pair: &WaitInHolder) -> u64 {
        let end = |(start, length): (u64, u64)| start.saturating_add(length);
        let (start, stop) = (self.time(pair.wait.0), self.time(end(pair.wait)));
        let before = pair.holder.0.saturating_sub(start);
        before.max(stop.saturating_sub(end(pair.holder)))
    }

    /// Describes the correction for the report.
    pub fn sentence(&self) -> String {
        if self.pairs == 0 {
            return "No wait is inside a statement or stage of the files. Wait timestamps are not corrected."
                .to_owned();
        }
        let ppm = crate::base::text::millionths(self.factor / 1000);
        let pairs = crate::base::text::counted(self.pairs, "wait", "waits");
        let nanos = crate::base::text::duration((self.residual / 1000) as i64);
        let offset = match self.offset {
            0 => String::new(),
            offset if offset < 0 => {
                format!(" and −{}", crate::base::text::duration(offset.saturating_neg() / 1000))
            }
            offset => format!(" and {}", crate::base::text::duration(offset / 1000)),
        };
        format!(
            "Wait timestamps corrected by {ppm} ppm{offset} ({pairs} inside statements and stages). They \
             exceed their statement or stage by at most {nanos}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scaled_clock_is_found_again() {
        for ppm in [0_i64, -998, -3586, 1200] {
            let holder = |n: u64| (1_000_000_000_000_000 + n * 7_000_000_000, 5_000_000 + n * 1000);
            let scaled = |time: u64| (i128::from(time) * 1_000_000 / i128::from(1_000_000 + ppm)) as u64;
            let pair = |n: u64| {
                let (start, length) = holder(n);
                let (from, to) = (scaled(start + 10_000), scaled(start + length - 10_000));
                WaitInHolder { holder: (start, length), wait: (from, to - from) }
            };
            let pairs: Vec<WaitInHolder> = (0..50).map(pair).collect();
            let clock = WaitClock::fit(&pairs);
            assert!((clock.factor / 1_000_000_000 - ppm).abs() <= 1, "{ppm}: {clock:?}");
            assert_eq!((clock.pairs, clock.residual), (50, 0), "{ppm}");
        }
        assert_eq!(WaitClock::fit(&[]).time(u64::MAX), u64::MAX);
    }

    #[test]
    fn clocks_that_began_apart_are_found_again() {
        // A server that runs for a minute; its clock of waits began 30 µs late and is 998 ppm slow.
        let holder = |n: u64| (10_000_000_000_000 + n * 100_000_000_000, 5_000_000 + n * 1000);
        let shown = |time: u64| (i128::from(time - 30_000_000) * 1_000_000 / 1_000_998) as u64;
        let pair = |n: u64| {
            let (start, length) = holder(n);
            let (from, to) = (shown(start + 10_000), shown(start + length - 10_000));
            WaitInHolder { holder: (start, length), wait: (from, to - from) }
        };
        let pairs: Vec<WaitInHolder> = (0..500).map(pair).collect();
        let clock = WaitClock::fit(&pairs);
        assert!((clock.factor / 1_000_000_000 - 998).abs() <= 1, "{clock:?}");
        assert!((clock.offset - 30_000_000).abs() < 1_000_000, "{clock:?}");
        assert!(clock.residual < 10_000, "{clock:?}");
        assert!(clock.sentence().contains(" and 30.0"), "{}", clock.sentence());
    }
}
