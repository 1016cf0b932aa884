//! Change points in series of values, one value for each run: circular binary segmentation ([Olshen and others 2004]) on ranks.
//!
//! In a piece of a series, each arc (a stretch of at least four values that leaves none or at least four on each of its sides) is
//! compared with the rest of the piece by the rank sum of Wilcoxon, Mann and Whitney. The arc whose standardised rank sum is the
//! largest is the candidate: its ends are changes, so that a change that is undone later is found as well. Its p-value is the share of
//! random orders of the piece in which some arc is at least as extreme, because runs without a change could have come in any order. The
//! p-values of the pieces of all series are corrected together (Benjamini–Hochberg); pieces with a change are divided at it, and
//! the parts are the pieces of the next round.
//!
//! The unit of the test is the run, not the execution: executions of one run share its machine, its caches and its load, and would
//! make every difference between two runs significant. The order of random numbers is fixed, so that the same series give the same answer.
//!
//! [Olshen and others 2004]: https://doi.org/10.1093/biostatistics/kxh008

use std::collections::HashMap;
use std::ops::Range;

use statrs::function::erf::erfc;

use super::SIGNIFICANCE;
use super::rank_test::{FEWEST, RankTest, correct_for_multiple, rank_test};
use crate::base::sort;

/// Minimum number of values of a series that can have a change point: enough for a test on each side of it.
pub const FEWEST_RUNS: usize = 2 * FEWEST;
/// Significance level for further changes in the parts between changes. It is lower than [`SIGNIFICANCE`], because
/// every change makes new parts to test.
const FURTHER: f64 = 0.01;
/// Maximum number of random orders; a p-value is a share of them.
const ORDERS: u32 = 9_999;
/// Number of random orders as extreme as the series after which the share is exact enough.
const EXTREME: u32 = 50;
/// Maximum number of values by which a change is moved to the place where the values on its two sides differ most.
const NEAR: usize = 8;
/// Up to this length, pieces are tried with arcs of every length at every place.
const ALL_ARCS: usize = 64;

/// A change point of a series.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangePoint {
    /// Index of the first value after the change.
    pub at: usize,
    /// Values from the change before this one, or the start, up to this one.
    pub before: Range<usize>,
    /// Values from this change up to the next one, or the end.
    pub after: Range<usize>,
    /// p-value of the piece in which the change was found, corrected for the number of pieces that were tested with it.
    pub p: f64,
    /// Rank test of the values before and after the change. Its p-value overstates the evidence, because the place of
    /// the change was chosen where these values differ most; use `p` instead.
    pub test: RankTest,
}

/// Finds the change points of each series. Series with fewer than [`FEWEST_RUNS`] values have none.
pub fn change_points(series: &[Vec<i64>]) -> Vec<Vec<ChangePoint>> {
    let mut arcs = ArcSets::default();
    let mut found: Vec<Vec<(usize, f64)>> = vec![Vec::new(); series.len()];
    let mut pieces: Vec<(usize, Range<usize>)> =
        series.iter().enumerate().map(|(at, values)| (at, 0..values.len())).collect();
    let mut significance = SIGNIFICANCE;
    while !pieces.is_empty() {
        pieces.retain(|(_, piece)| piece.len() >= FEWEST_RUNS);
        let candidates = pieces.iter().map(|(at, piece)| candidate(&series[*at][piece.clone()], &mut arcs));
        let mut candidates: Vec<Candidate> = candidates.collect();
        correct_for_multiple(candidates.iter_mut().map(|candidate| &mut candidate.p).collect());
        let mut parts = Vec::new();
        for ((at, piece), candidate) in pieces.iter().zip(candidates) {
            if candidate.p >= significance {
                continue;
            }
            let mut from = piece.start;
            for place in candidate.places(&series[*at][piece.clone()]) {
                let place = piece.start + place;
                found[*at].push((place, candidate.p));
                parts.push((*at, from..place));
                from = place;
            }
            parts.push((*at, from..piece.end));
        }
        pieces = parts;
        significance = FURTHER;
    }
    found.into_iter().zip(series).map(|(places, values)| finished(places, values)).collect()
}

/// Moves the places of the changes of one series by [`best_division`], and tests and describes each change.
fn finished(mut places: Vec<(usize, f64)>, values: &[i64]) -> Vec<ChangePoint> {
    sort::by(&mut places, |a, b| a.0.cmp(&b.0));
    for at in 0..places.len() {
        let from = if at == 0 { 0 } else { places[at - 1].0 };
        let until = places.get(at + 1).map_or(values.len(), |next| next.0);
        places[at].0 = from + best_division(&values[from..until], places[at].0 - from);
    }
    let ends: Vec<usize> =
        std::iter::once(0).chain(places.iter().map(|place| place.0)).chain([values.len()]).collect();
    let points = places.iter().zip(ends.windows(3)).filter_map(|(&(at, p), ends)| {
        let (before, after) = (ends[0]..at, at..ends[2]);
        let test = rank_test(&sorted(&values[before.clone()]), &sorted(&values[after.clone()]))?;
        Some(ChangePoint { at, before, after, p, test })
    });
    points.collect()
}

fn sorted(values: &[i64]) -> Vec<i64> {
    let mut sorted = values.to_vec();
    sort::by(&mut sorted, Ord::cmp);
    sorted
}

/// The place near `place` where the values differ least from the medians of their sides, as a sum of absolute differences. Ranks alone
/// cannot place a change next to the largest or smallest value of a side.
fn best_division(values: &[i64], place: usize) -> usize {
    let least = place.saturating_sub(NEAR).max(FEWEST);
    let most = (place + NEAR).min(values.len().saturating_sub(FEWEST));
    let cost = |place: usize| deviation(&values[..place]) + deviation(&values[place..]);
    (least..=most).min_by_key(|&at| (cost(at), at.abs_diff(place))).unwrap_or(place)
}

/// Sum of the absolute differences from the median.
fn deviation(values: &[i64]) -> u128 {
    let sorted = sorted(values);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    sorted.iter().map(|value| u128::from(value.abs_diff(median))).sum()
}

/// The arc of a piece that differs most from the rest.
struct Candidate {
    arc: Range<usize>,
    p: f64,
}

impl Candidate {
    /// The ends of the arc that are changes. An end is left out if the values before and after it do not differ: then
    /// the arc ends there by chance.
    fn places(&self, values: &[i64]) -> Vec<usize> {
        let Range { start, end } = self.arc;
        let p =
            |left: &[i64], right: &[i64]| rank_test(&sorted(left), &sorted(right)).map_or(1.0, |test| test.p);
        if start == 0 || end == values.len() {
            return vec![if start == 0 { end } else { start }];
        }
        let arc = &values[self.arc.clone()];
        let ends = [(start, p(&values[..start], arc)), (end, p(arc, &values[end..]))];
        let clear: Vec<usize> = ends.iter().filter(|(_, p)| *p < SIGNIFICANCE).map(|(at, _)| *at).collect();
        let likelier = if ends[0].1 <= ends[1].1 { start } else { end };
        if clear.is_empty() { vec![likelier] } else { clear }
    }
}

/// Doubled mid-ranks minus their mean, so that all are whole numbers.
fn ranks(values: &[i64]) -> Vec<i64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    sort::by(&mut order, |&a, &b| values[a].cmp(&values[b]).then(a.cmp(&b)));
    let mut ranks = vec![0; values.len()];
    let mut before = 0;
    for ties in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let doubled = 2 * before + ties.len() as i64 + 1;
        ties.iter().for_each(|&at| ranks[at] = doubled - (values.len() as i64 + 1));
        before += ties.len() as i64;
    }
    ranks
}

/// Sums of ranks up to each place.
fn sums(ranks: &[i64]) -> Vec<i64> {
    let mut sum = 0;
    let rest = ranks.iter().map(|rank| {
        sum += rank;
        sum
    });
    std::iter::once(0).chain(rest).collect()
}

/// Reciprocal of the variance of the doubled rank sum of `len` of `n` values without ties. With ties, the true variance
/// is smaller, so rank sums count as less extreme than they are.
fn weight(len: usize, n: usize) -> f64 {
    3.0 / (len as f64 * (n - len) as f64 * (n + 1) as f64)
}

fn candidate(values: &[i64], arcs: &mut ArcSets) -> Candidate {
    let arcs = arcs.of(values.len());
    let ranks = ranks(values);
    let sums = sums(&ranks);
    let (arc, extreme) = arcs.strongest(&sums);
    Candidate { arc, p: arcs.p_value(ranks, extreme) }
}

/// All arcs of a piece that has `n` values.
struct Arcs {
    n: usize,
    /// Start and end of each arc, and its [`weight`].
    list: Vec<(usize, usize, f64)>,
}

#[derive(Default)]
struct ArcSets(HashMap<usize, Arcs>);

impl ArcSets {
    fn of(&mut self, n: usize) -> &Arcs {
        self.0.entry(n).or_insert_with(|| Arcs::of(n))
    }
}

impl Arcs {
    fn of(n: usize) -> Self {
        let arc = |from: usize, to: usize| (from, to, weight(to - from, n));
        let mut list: Vec<(usize, usize, f64)> =
            (FEWEST..(n + 1).saturating_sub(FEWEST)).map(|to| arc(0, to)).collect();
        let mut len = FEWEST;
        while len + FEWEST_RUNS <= n {
            let step = if n <= ALL_ARCS { 1 } else { (len / 4).max(1) };
            let starts = (FEWEST..n + 1 - FEWEST - len).step_by(step);
            list.extend(starts.map(|from| arc(from, from + len)));
            len += if n <= ALL_ARCS { 1 } else { (len / 5).max(1) };
        }
        Self { n, list }
    }

    /// The arc with the most extreme rank sum, and the square of that rank sum divided by its variance.
    fn strongest(&self, sums: &[i64]) -> (Range<usize>, f64) {
        let mut best = (0..self.n, 0.0);
        for &(from, to, weight) in &self.list {
            let sum = sums[to] - sums[from];
            let extreme = (sum * sum) as f64 * weight;
            if extreme > best.1 {
                best = (from..to, extreme);
            }
        }
        best
    }

    /// Whether any arc has a squared rank sum, divided by its variance, of at least `extreme`.
    fn has(&self, sums: &[i64], extreme: f64) -> bool {
        self.list.iter().any(|&(from, to, weight)| {
            let sum = sums[to] - sums[from];
            (sum * sum) as f64 * weight >= extreme
        })
    }

    /// Share of random orders of the ranks in which some arc is at least as extreme as `extreme`. Returns an upper
    /// bound by the normal distribution instead if it is smaller than any share that can be counted.
    fn p_value(&self, mut ranks: Vec<i64>, extreme: f64) -> f64 {
        if extreme <= 0.0 {
            return 1.0;
        }
        let bound = self.list.len() as f64 * erfc((extreme / 2.0).sqrt());
        if bound * f64::from(ORDERS + 1) <= 1.0 {
            return bound;
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut as_extreme = 0;
        for drawn in 1..=ORDERS {
            random.shuffle(&mut ranks);
            as_extreme += u32::from(self.has(&sums(&ranks), extreme));
            if as_extreme == EXTREME {
                return f64::from(EXTREME) / f64::from(drawn);
            }
        }
        f64::from(as_extreme + 1) / f64::from(ORDERS + 1)
    }
}

/// SplitMix64: random numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Shuffles the values (Fisher–Yates).
    fn shuffle(&mut self, values: &mut [i64]) {
        for last in (1..values.len()).rev() {
            let at = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            values.swap(last, at as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around a level for each run, by a logarithmic noise of some percent.
    fn series(random: &mut Random, levels: &[(usize, f64)], noise: f64) -> Vec<i64> {
        let uniform = |random: &mut Random| (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut value = |level: f64| {
            // The sum of twelve uniform numbers is nearly normal, with a deviation of 1.
            let normal: f64 = (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0;
            (level * (normal * noise).exp()) as i64
        };
        levels
            .iter()
            .flat_map(|&(n, level)| (0..n).map(|_| level).collect::<Vec<_>>())
            .map(&mut value)
            .collect()
    }

    fn places(points: &[ChangePoint]) -> Vec<usize> {
        points.iter().map(|point| point.at).collect()
    }

    #[test]
    fn planted_changes_are_found_at_their_run() {
        const BASE: f64 = 1e6;
        let mut further = 0;
        for (levels, expected) in [
            (&[(20, BASE), (20, 1.4 * BASE)][..], &[20][..]),
            (&[(4, BASE), (4, 2.0 * BASE)], &[4]),
            (&[(30, BASE), (8, 1.5 * BASE)], &[30]),
            (&[(40, 1.3 * BASE), (60, BASE)], &[40]),
            (&[(45, BASE), (10, 1.5 * BASE), (45, BASE)], &[45, 55]),
            (&[(30, BASE), (30, 1.4 * BASE), (30, 2.0 * BASE)], &[30, 60]),
            (&[(200, BASE), (300, 1.2 * BASE), (500, 1.5 * BASE)], &[200, 500]),
            (&[(990, BASE), (10, 1.5 * BASE)], &[990]),
            (&[(1000, BASE)], &[]),
            (&[(7, BASE)], &[]),
            (&[(3, BASE), (4, 9.0 * BASE)], &[]),
            (&[], &[]),
        ] {
            for seed in 0..10 {
                let values = series(&mut Random(seed), levels, 0.03);
                let found = places(&change_points(&[values])[0]);
                assert!(expected.iter().all(|at| found.contains(at)), "{levels:?}, seed {seed}: {found:?}");
                further += found.len() - expected.len();
            }
        }
        // One in a hundred of about 200 pieces between changes, and one in twenty of 10 without a change.
        assert!(further <= 8, "{further} changes were not planted");
    }

    /// Twenty groups without a change: in at most about 5 % of such sets is anything found, which is the level of the test. Of 200 sets,
    /// more than 18 have a probability of 0.3 % then.
    #[test]
    fn noise_is_not_found() {
        for runs in [8, 12, 30, 100] {
            let sets = if runs > 50 { 40 } else { 200 };
            let is_wrong = |&seed: &u64| {
                let mut random = Random(seed);
                let set: Vec<Vec<i64>> = (0..20).map(|_| series(&mut random, &[(runs, 1e6)], 0.1)).collect();
                change_points(&set).iter().any(|points| !points.is_empty())
            };
            let wrong = (0..sets).filter(is_wrong).count();
            assert!(wrong <= if sets == 200 { 18 } else { 6 }, "{wrong} of {sets} sets of {runs} runs");
        }
    }

    #[test]
    fn few_equal_and_extreme_values_have_an_answer() {
        let step = [vec![i64::MIN; 10], vec![i64::MAX; 10]].concat();
        let found = change_points(&[step, vec![7; 50], vec![i64::MAX; 8], Vec::new()]);
        assert_eq!(
            found.iter().map(|points| places(points)).collect::<Vec<_>>(),
            [vec![10], vec![], vec![], vec![]]
        );
        assert_eq!(found[0][0].test.delta, 1.0);
        assert_eq!((found[0][0].before.clone(), found[0][0].after.clone()), (0..10, 10..20));
    }

    /// All 40,320 orders of eight values: the strongest arc of 2 · 4! · 4! of them divides them completely.
    #[test]
    fn p_values_are_shares_of_all_orders() {
        let found = change_points(&[(0..8).collect::<Vec<i64>>()]);
        let exact = 2.0 * 24.0 * 24.0 / 40_320.0;
        assert!((found[0][0].p - exact).abs() < 0.2 * exact, "{} is not {exact}", found[0][0].p);
    }

    #[test]
    fn the_same_series_give_the_same_answer() {
        let both = [5, 5].map(|seed| vec![series(&mut Random(seed), &[(40, 1e6), (40, 1.03e6)], 0.05)]);
        assert_eq!(change_points(&both[0]), change_points(&both[1]));
    }
}
