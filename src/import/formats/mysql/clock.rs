//! The clock of waits: it counts processor cycles, and the server multiplies them by a whole number of picoseconds and
//! by a frequency that it measured when it started. Both are off: waits lie 0.1 to 0.4 % off the statements that they
//! are in, which is seconds after an hour. Both clocks begin with the server, so that the error is one factor, and the
//! waits that nearly fill their stage or statement tell it: of the factors at which all waits lie inside of what they are
//! in, the nearest to theirs (see `bounds`). Where none does, it is that at which they reach out least. Where that is far,
//! the two clocks did not begin at the same moment: of a server that runs for a minute only, that shows.

use super::bounds::ClockBounds;
use super::class::MySqlEventClass;
use super::store::NO_TIME;
use super::tree::MySqlEventNode;

/// Picoseconds as nanoseconds, rounded.
#[inline]
pub fn nanos(time: u64) -> i64 {
    (time / 1000 + u64::from(time % 1000 >= 500)).cast_signed()
}

/// How the clock of waits is brought onto that of statements.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WaitClock {
    /// What is added to a time, in parts of 10^15 of it.
    pub factor: i64,
    /// The rate in parts of 2^64: to multiply and shift is ten times as fast as to divide 128 bits.
    scale: i64,
    /// The offset that is added, in picoseconds.
    pub offset: i64,
    /// How many pairs of a wait and its holder the clock was fitted to.
    pub pairs: u64,
    /// How far a wait reaches out of what it lies in at most, in picoseconds.
    pub residual: u64,
}

/// Parts of a factor.
pub const PARTS: i128 = 1_000_000_000_000_000;
/// No clock is off by more than this: 5 %.
pub const MOST: i64 = 50_000_000_000_000;
/// What a factor alone may leave: 5 µs.
const ENOUGH: u64 = 5_000_000;

/// A wait and what it lies in: start and length of each, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct WaitInHolder {
    pub wait: (u64, u64),
    pub holder: (u64, u64),
}

impl WaitInHolder {
    /// Twice the middle.
    fn middle((start, length): (u64, u64)) -> i128 {
        i128::from(start) * 2 + i128::from(length)
    }

    fn factor(&self) -> Option<i64> {
        let (wait, holder) = (Self::middle(self.wait), Self::middle(self.holder));
        let factor = (holder - wait).checked_mul(PARTS)?.checked_div(wait)?;
        i64::try_from(factor).ok().filter(|factor| factor.abs() <= MOST)
    }

    /// Where the middle of the wait is, and how far that of what it lies in is from there.
    fn point(&self) -> (i128, i128) {
        let wait = Self::middle(self.wait);
        (wait, Self::middle(self.holder) - wait)
    }

    /// How far the wait can be moved inside what it lies in.
    fn slack(&self) -> u64 {
        self.holder.1.saturating_sub(self.wait.1)
    }
}

/// The middle one of some values, which are reordered.
fn median<T: Copy + Ord>(values: &mut [T]) -> Option<T> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable(middle).1)
}

impl WaitClock {
    /// The clock that fits all pairs best: of the fifth with the least slack, the median.
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

    /// The clock at which all pairs fit, or fail least; `near` this factor, where there is a choice. `None` where some are
    /// far off at any: they are no measure of clocks.
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
        // No factor is more than a twentieth.
        let scale = i64::try_from(scale).unwrap_or(0);
        Self { factor, scale, offset, pairs: 0, residual: 0 }
    }

    /// With what these pairs say, and no others.
    fn measured(self, pairs: &[WaitInHolder]) -> Self {
        let mut clock = self.unmeasured();
        pairs.iter().for_each(|pair| clock.measure(pair));
        clock
    }

    /// Without what pairs say.
    #[must_use]
    pub fn unmeasured(self) -> Self {
        Self { pairs: 0, residual: 0, ..self }
    }

    /// Counts a pair, and how far its wait reaches out.
    pub fn measure(&mut self, pair: &WaitInHolder) {
        self.pairs += 1;
        self.residual = self.residual.max(self.overrun(pair));
    }

    /// The line through these pairs: the median slope between pairs that are half of all apart, then the median offset.
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
        // Points are of twice the middle.
        let left = |(at, apart): &(i128, i128)| (apart - at * i128::from(factor) / PARTS) / 2;
        let mut offsets: Vec<i128> = points.iter().map(left).collect();
        let offset = i64::try_from(median(&mut offsets)?).ok()?;
        Some(Self::of(factor, offset))
    }

    /// How far waits may reach out of what they lie in because the clocks differ, in nanoseconds. Where this is more than
    /// a few microseconds, some of the waits lie outside indeed: that is no measure of clocks.
    pub fn tolerance(&self) -> i64 {
        self.residual.min(ENOUGH).div_ceil(1_000).cast_signed()
    }

    /// A time of a wait, by the clock of statements.
    #[inline]
    pub fn time(&self, time: u64) -> u64 {
        if self.factor == 0 && self.offset == 0 {
            return time;
        }
        let scaled = (i128::from(time) * i128::from(self.scale)) >> 64;
        let moved = i128::from(time) + scaled + i128::from(self.offset);
        u64::try_from(moved).unwrap_or(time)
    }

    /// Start and end of an event in nanoseconds since the server was started, rounded each on its own; `None` without a
    /// time.
    #[inline]
    pub fn times(&self, node: &MySqlEventNode) -> Option<(i64, Option<i64>)> {
        let is_wait = node.class == MySqlEventClass::Wait;
        let time = |time: u64| nanos(if is_wait { self.time(time) } else { time });
        (node.start != NO_TIME).then(|| (time(node.start), node.stop().map(time)))
    }

    /// How far the wait of a pair overruns the event that holds it, in picoseconds.
    fn overrun(&self, pair: &WaitInHolder) -> u64 {
        let end = |(start, length): (u64, u64)| start.saturating_add(length);
        let (start, stop) = (self.time(pair.wait.0), self.time(end(pair.wait)));
        let before = pair.holder.0.saturating_sub(start);
        before.max(stop.saturating_sub(end(pair.holder)))
    }

    /// In a sentence.
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
