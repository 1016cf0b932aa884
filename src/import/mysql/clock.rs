//! The clock of waits: it counts processor cycles, and the server multiplies them by a whole number of picoseconds and
//! by a frequency that it measured when it started. Both are off: waits lie 0.1 to 0.4 % beside the statements that they
//! are in, which is seconds after an hour. Both clocks begin with the server, so that the error is one factor, and the
//! waits that nearly fill their stage or statement tell it.

/// How the clock of waits is brought onto that of statements.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    /// What is added to a time, in parts of 10^15 of it.
    pub factor: i64,
    /// How many pairs of a wait and what it lies in told it.
    pub pairs: u64,
    /// How far a wait reaches out of what it lies in at most, in picoseconds.
    pub residual: u64,
}

const PARTS: i128 = 1_000_000_000_000_000;
/// No clock is off by more than this: 5 %.
const MOST: i64 = 50_000_000_000_000;

/// A wait and what it lies in: start and length of each, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub wait: (u64, u64),
    pub holder: (u64, u64),
}

impl Pair {
    /// Twice the middle.
    fn middle((start, length): (u64, u64)) -> i128 {
        i128::from(start) * 2 + i128::from(length)
    }

    fn factor(&self) -> Option<i64> {
        let (wait, holder) = (Self::middle(self.wait), Self::middle(self.holder));
        let factor = (holder - wait).checked_mul(PARTS)?.checked_div(wait)?;
        i64::try_from(factor).ok().filter(|factor| factor.abs() <= MOST)
    }

    /// How far the wait can be moved inside what it lies in.
    fn slack(&self) -> u64 {
        self.holder.1.saturating_sub(self.wait.1)
    }
}

impl Clock {
    /// The clock that fits all pairs best: of the fifth with the least slack, the median.
    pub fn fit(pairs: &[Pair]) -> Self {
        let mut told: Vec<(u64, i64)> =
            pairs.iter().filter_map(|pair| Some((pair.slack(), pair.factor()?))).collect();
        if told.is_empty() {
            return Self::default();
        }
        let best = (told.len() / 5).max(1);
        told.select_nth_unstable(best - 1);
        let mut factors: Vec<i64> = told[..best].iter().map(|(_, factor)| *factor).collect();
        let middle = factors.len() / 2;
        let (_, &mut factor, _) = factors.select_nth_unstable(middle);
        let clock = Self { factor, pairs: pairs.len() as u64, residual: 0 };
        let residual = pairs.iter().map(|pair| clock.beyond(pair)).max().unwrap_or(0);
        Self { residual, ..clock }
    }

    /// A time of a wait, by the clock of statements.
    pub fn time(&self, time: u64) -> u64 {
        let moved = i128::from(time) + i128::from(time) * i128::from(self.factor) / PARTS;
        u64::try_from(moved).unwrap_or(time)
    }

    /// How far the wait of a pair reaches out.
    fn beyond(&self, pair: &Pair) -> u64 {
        let end = |(start, length): (u64, u64)| start.saturating_add(length);
        let (start, stop) = (self.time(pair.wait.0), self.time(end(pair.wait)));
        let before = pair.holder.0.saturating_sub(start);
        before.max(stop.saturating_sub(end(pair.holder)))
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        if self.pairs == 0 {
            return "No wait lies in a statement or stage of the files: waits stand where their own clock says.".to_owned();
        }
        let ppm = crate::text::millionths(self.factor / 1000);
        let pairs = crate::text::counted(self.pairs, "wait", "waits");
        let nanos = crate::text::duration((self.residual / 1000) as i64);
        format!(
            "The clock of waits was moved by {ppm} ppm, as {pairs} inside statements and stages tell; none reaches out by more than {nanos} now."
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
                Pair { holder: (start, length), wait: (from, to - from) }
            };
            let pairs: Vec<Pair> = (0..50).map(pair).collect();
            let clock = Clock::fit(&pairs);
            assert!((clock.factor / 1_000_000_000 - ppm).abs() <= 1, "{ppm}: {clock:?}");
            assert_eq!((clock.pairs, clock.residual), (50, 0), "{ppm}");
        }
        assert_eq!(Clock::fit(&[]).time(u64::MAX), u64::MAX);
    }
}
