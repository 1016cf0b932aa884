//! Constraints of waits on their clock: each wait starts after the start of its holder and ends before the holder's end. In
//! the plane of rates and offsets each constraint is a half plane. So the rates that all waits allow are an interval, and
//! rates with offsets are a convex polygon, whose border is determined by the outermost waits alone.

use super::clock::{MOST, PARTS, WaitInHolder};
use crate::base::sort;

/// Maximum difference of the clocks, in picoseconds (two weeks). Times that are farther apart give no constraint.
const FARTHEST: i128 = 1 << 60;

/// A time by the clock of waits, and the minimum or maximum amount by which the clock of statements is ahead of it, in
/// picoseconds.
#[derive(Clone, Copy, Debug)]
struct ClockBound {
    time: u64,
    later: i128,
}

/// Constraints of all waits.
#[derive(Default, Debug)]
pub struct ClockBounds {
    /// Bounds from the starts of waits: each is a minimum shift of the clock at that time.
    least: Vec<ClockBound>,
    /// Bounds from the ends of waits: each is a maximum shift of the clock at that time.
    most: Vec<ClockBound>,
}

impl ClockBounds {
    /// Collects the constraints of these pairs.
    pub fn of(pairs: &[WaitInHolder]) -> Self {
        let mut bounds = Self::default();
        for pair in pairs {
            let end = |(start, length): (u64, u64)| start.checked_add(length);
            let Some((wait, holder)) = end(pair.wait).zip(end(pair.holder)) else { continue };
            let point =
                |time: u64, other: u64| ClockBound { time, later: i128::from(other) - i128::from(time) };
            let (start, end) = (point(pair.wait.0, pair.holder.0), point(wait, holder));
            if start.time > 0 && [start, end].iter().all(|point| point.later.abs() < FARTHEST) {
                bounds.least.push(start);
                bounds.most.push(end);
            }
        }
        bounds
    }

    /// Minimum and maximum rate that all waits allow, in parts of [`PARTS`], without an offset. No rate fits if the minimum
    /// exceeds the maximum.
    pub fn rates(&self) -> Option<(i64, i64)> {
        let exact = |point: &ClockBound| (point.later * PARTS, i128::from(point.time));
        let up = |(later, time): (i128, i128)| -(-later).div_euclid(time);
        let down = |(later, time): (i128, i128)| later.div_euclid(time);
        let least = self.least.iter().map(|point| up(exact(point))).max()?;
        let most = self.most.iter().map(|point| down(exact(point))).min()?;
        let within = |rate: i128| i64::try_from(rate.clamp(-i128::from(MOST), MOST.into())).ok();
        within(least).zip(within(most))
    }

    /// Keeps only the constraints that are the strictest at some rate.
    pub fn outermost(mut self) -> Self {
        self.least = hull(self.least, 1);
        self.most = hull(self.most, -1);
        self
    }

    /// Minimum shift that the starts require and maximum shift that the ends allow, in addition to the shift that
    /// follows from the rate. The unit is a picosecond divided by [`PARTS`].
    fn offsets(&self, rate: i64) -> (i128, i128) {
        let rest = |point: &ClockBound| point.later * PARTS - i128::from(point.time) * i128::from(rate);
        let least = self.least.iter().map(rest).max().unwrap_or(0);
        (least, self.most.iter().map(rest).min().unwrap_or(0))
    }

    /// Rate with the smallest maximum overrun of waits, without an offset.
    pub fn best_rate(&self) -> i64 {
        lowest(|rate| {
            let (least, most) = self.offsets(rate);
            least.max(-most)
        })
    }

    /// Rate and offset (in picoseconds) with the smallest maximum overrun of waits, or with the largest margin inside.
    pub fn best(&self) -> Option<(i64, i64)> {
        let rate = lowest(|rate| {
            let (least, most) = self.offsets(rate);
            least - most
        });
        let (least, most) = self.offsets(rate);
        let offset = least / 2 + most / 2;
        Some((rate, i64::try_from(offset / PARTS).ok()?))
    }
}

/// Position of the minimum of a convex function of a rate.
fn lowest(of: impl Fn(i64) -> i128) -> i64 {
    let (mut low, mut high) = (-MOST, MOST);
    while high - low > 2 {
        let third = (high - low) / 3;
        let (left, right) = (low + third, high - third);
        if of(left) <= of(right) {
            high = right;
        } else {
            low = left;
        }
    }
    (low..=high).min_by_key(|&rate| of(rate)).unwrap_or(0)
}

/// Convex hull on one side: the points with a line through them that has all other points above it (`side` 1) or below it
/// (`side` −1).
fn hull(mut points: Vec<ClockBound>, side: i128) -> Vec<ClockBound> {
    sort::by_key(&mut points, |point| (0, point.time));
    let mut kept: Vec<ClockBound> = Vec::new();
    for point in points {
        let across = |from: &ClockBound, to: &ClockBound| {
            (i128::from(to.time) - i128::from(from.time), (to.later - from.later) * side)
        };
        while let Some(last) = kept.last() {
            let is_inside = match kept.len().checked_sub(2).map(|at| &kept[at]) {
                Some(before) => {
                    let ((run, rise), (next_run, next_rise)) = (across(before, last), across(last, &point));
                    rise * next_run <= next_rise * run
                }
                None => last.time == point.time && (point.later - last.later) * side >= 0,
            };
            if !is_inside {
                break;
            }
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_pair() -> impl Strategy<Value = WaitInHolder> {
        (1..2_000_u64, 0..50_u64, -60..60_i64, 0..90_u64).prop_map(|(start, length, apart, holder)| {
            WaitInHolder {
                wait: (start * 1_000_000, length * 1_000),
                holder: ((start * 1_000_000).saturating_add_signed(apart * 1_000), holder * 1_000),
            }
        })
    }

    proptest! {
        /// The outermost waits give the same bounds as all waits, at any rate.
        #[test]
        fn outermost_waits_tell_the_border(pairs in prop::collection::vec(any_pair(), 1..40), rate in -MOST..MOST) {
            let (all, few) = (ClockBounds::of(&pairs), ClockBounds::of(&pairs).outermost());
            prop_assert_eq!(all.offsets(rate), few.offsets(rate));
            let out = |rate| { let (least, most) = all.offsets(rate); least.max(-most) };
            let best = few.best_rate();
            prop_assert!(out(best) <= out(rate), "{best} is better than {rate}");
            if let Some((least, most)) = all.rates().filter(|(least, most)| least <= most) {
                prop_assert!(out(least) <= 0 && out(most) <= 0);
                prop_assert!(out(best) <= 0);
            }
            let width = |rate| { let (least, most) = all.offsets(rate); least - most };
            let (best, _) = few.best().expect("near offsets");
            prop_assert!(width(best) <= width(rate));
        }
    }
}
