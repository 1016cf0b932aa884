//! Rank test of two samples of durations: [Mann–Whitney U], two-sided, with ties, and the shift between the samples with its
//! confidence interval ([Hodges–Lehmann]).
//!
//! `statrs` has this test as well, but its exact form excludes ties and lists every combination, and its preparation compares
//! every value with every other one. Ranks and shifts are therefore integers computed here; only the error
//! function is that of `statrs`.
//!
//! [Mann–Whitney U]: https://en.wikipedia.org/wiki/Mann%E2%80%93Whitney_U_test
//! [Hodges–Lehmann]: https://en.wikipedia.org/wiki/Hodges%E2%80%93Lehmann_estimator

use statrs::function::erf::erfc;

use crate::base::sort;
use crate::protocol::ComparedRuns;

/// Minimum number of values on each side. With three on each side even samples that do not overlap have p = 0.1, with four
/// p = 0.029.
pub const FEWEST: usize = ComparedRuns::FEWEST;
/// Maximum number of values on both sides together whose distribution is computed exactly, ties included. For more values it is
/// approximated by a normal distribution.
const EXACT: usize = 40;
/// Probability of each tail outside of a confidence interval of 95 %.
const TAIL: f64 = 0.025;
/// Quantile of the standard normal distribution, which is exceeded with the probability [`TAIL`].
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// Result of a rank test. Positive differences mean that the values of the new side are larger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankTest {
    /// Number of pairs in which the new value is larger, where a pair of equal values counts as a half.
    pub u: f64,
    /// Probability of ranks at least as unequal as these if both sides have the same distribution.
    pub p: f64,
    /// Whether `p` is exact; otherwise it is approximated by a normal distribution, with corrections for ties and continuity.
    pub is_exact: bool,
    /// Share of pairs in which the new value is larger, minus the share in which it is smaller (Cliff's delta), from −1 to 1.
    pub delta: f64,
    /// Median of the differences of all pairs, in the unit of the values, rounded down.
    pub shift: i128,
    /// 95 % confidence interval of the shift.
    pub interval: (i128, i128),
    /// Typical ratio; `None` if a base value is not above 0, or a new value is below 0.
    pub ratio: Option<PairRatio>,
}

/// Ratio of the new values to the base values, over all pairs. Unlike the shift it does not depend on a few long durations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairRatio {
    /// Median of the ratios of all pairs; of two middle ratios their geometric mean.
    pub median: f64,
    /// 95 % confidence interval.
    pub interval: (f64, f64),
}

/// Tests two samples, each in ascending order; `None` if one of them has fewer than [`FEWEST`] values.
pub fn rank_test(base: &[i64], new: &[i64]) -> Option<RankTest> {
    if base.len() < FEWEST || new.len() < FEWEST {
        return None;
    }
    let pairs = base.len() as u128 * new.len() as u128;
    let doubled = doubled_u(base, new);
    let is_exact = base.len() + new.len() <= EXACT;
    let ties = tie_groups(base, new);
    let p = if is_exact {
        exact_p(&ties, new.len(), doubled)
    } else {
        normal_p(&ties, (base.len(), new.len()), doubled)
    };
    let skipped = skipped_pairs(base.len(), new.len(), is_exact);
    let differences = PairDifferences { base, new };
    Some(RankTest {
        u: doubled as f64 / 2.0,
        p,
        is_exact,
        delta: doubled as f64 / pairs as f64 - 1.0,
        shift: differences.median(pairs),
        interval: (differences.nth(skipped), differences.nth(pairs + 1 - skipped)),
        ratio: PairRatios { base, new }.ratio(pairs, skipped),
    })
}

/// Twice the U statistic of the new side, which is an integer also with ties.
fn doubled_u(base: &[i64], new: &[i64]) -> u128 {
    let mut below = 0;
    let mut not_above = 0;
    let mut doubled = 0_u128;
    for &value in new {
        below += base[below..].iter().take_while(|&&other| other < value).count();
        not_above = not_above.max(below);
        not_above += base[not_above..].iter().take_while(|&&other| other <= value).count();
        doubled += (below + not_above) as u128;
    }
    doubled
}

/// Sizes of the groups of equal values of both sides together, in ascending order of the values.
fn tie_groups(base: &[i64], new: &[i64]) -> Vec<usize> {
    let mut groups = Vec::new();
    let (mut base, mut new) = (base, new);
    while let Some(value) = base.first().into_iter().chain(new.first()).min().copied() {
        let n_base = base.iter().take_while(|&&other| other == value).count();
        let n_new = new.iter().take_while(|&&other| other == value).count();
        groups.push(n_base + n_new);
        base = &base[n_base..];
        new = &new[n_new..];
    }
    groups
}

/// Number of ways to select `chosen` of all ranks, by the sum of their doubled mid-ranks.
fn selections(ties: &[usize], chosen: usize) -> Vec<f64> {
    let n: usize = ties.iter().sum();
    let width = n * (n + 1) + 1;
    let mut counts = vec![vec![0.0; width]; chosen + 1];
    counts[0][0] = 1.0;
    let mut before = 0;
    let mut largest_sum = 0;
    for &size in ties {
        // Ranks before + 1 to before + size have this mean, doubled.
        let rank = 2 * before + size + 1;
        for _ in 0..size {
            before += 1;
            largest_sum += rank;
            for taken in (1..=chosen.min(before)).rev() {
                for sum in rank..=largest_sum {
                    let more = counts[taken - 1][sum - rank];
                    counts[taken][sum] += more;
                }
            }
        }
    }
    counts.pop().unwrap_or_default()
}

/// Two-sided probability over all ways to divide the ranks between the sides.
fn exact_p(ties: &[usize], n_new: usize, doubled_u: u128) -> f64 {
    let counts = selections(ties, n_new);
    let all: f64 = counts.iter().sum();
    let sum = doubled_u as usize + n_new * (n_new + 1);
    let at_most: f64 = counts.iter().take(sum + 1).sum();
    let at_least: f64 = counts.iter().skip(sum).sum();
    (2.0 * at_most.min(at_least) / all).min(1.0)
}

/// Two-sided probability by the normal distribution, corrected for ties and for continuity.
fn normal_p(ties: &[usize], (n_base, n_new): (usize, usize), doubled_u: u128) -> f64 {
    let pairs = n_base as f64 * n_new as f64;
    let n = (n_base + n_new) as f64;
    let tied: f64 = ties.iter().map(|&size| size as f64).map(|size| size * (size * size - 1.0)).sum();
    let variance = pairs / 12.0 * ((n + 1.0) - tied / (n * (n - 1.0)));
    let distance = (doubled_u as f64 / 2.0 - pairs / 2.0).abs() - 0.5;
    // All values are equal, or the ranks are as equal as they can be.
    if variance <= 0.0 || distance <= 0.0 {
        return 1.0;
    }
    // Twice the upper tail of the standard normal distribution.
    erfc(distance / (2.0 * variance).sqrt()).min(1.0)
}

/// Rank of the pair difference at which the confidence interval begins, from 1: the largest whose tail is below [`TAIL`].
fn skipped_pairs(n_base: usize, n_new: usize, is_exact: bool) -> u128 {
    if !is_exact {
        let pairs = n_base as f64 * n_new as f64;
        let deviation = (pairs * (n_base + n_new + 1) as f64 / 12.0).sqrt();
        return (pairs / 2.0 - NORMAL_QUANTILE * deviation + 0.5).floor().max(1.0) as u128;
    }
    let counts = selections(&vec![1; n_base + n_new], n_new);
    let all: f64 = counts.iter().sum();
    let lowest = n_new * (n_new + 1);
    let mut below = 0.0;
    let mut rank = 0;
    // Without ties only even sums occur, one for each value of U.
    for count in counts.iter().skip(lowest).step_by(2) {
        below += count;
        if below / all >= TAIL {
            break;
        }
        rank += 1;
    }
    rank.max(1)
}

/// Differences of all pairs of values (new minus base), which are counted without being stored.
struct PairDifferences<'a> {
    base: &'a [i64],
    new: &'a [i64],
}

impl PairDifferences<'_> {
    /// Number of pairs whose difference is at most `limit`.
    fn count(&self, limit: i128) -> u128 {
        let mut first = 0;
        let mut count = 0_u128;
        for &value in self.new {
            // The base values from `first` on are large enough; the next new value needs larger ones.
            let least = i128::from(value) - limit;
            first += self.base[first..].iter().take_while(|&&other| i128::from(other) < least).count();
            count += (self.base.len() - first) as u128;
        }
        count
    }

    /// Difference with this rank in ascending order; `rank` is from 1 to the number of pairs.
    fn nth(&self, rank: u128) -> i128 {
        let ends = |values: &[i64]| {
            let first = values.first().copied().unwrap_or_default();
            (i128::from(first), i128::from(values.last().copied().unwrap_or(first)))
        };
        let (base, new) = (ends(self.base), ends(self.new));
        let (mut low, mut high) = (new.0 - base.1, new.1 - base.0);
        while low < high {
            let middle = (low + high).div_euclid(2);
            if self.count(middle) >= rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Median of all `pairs` differences, rounded down.
    fn median(&self, pairs: u128) -> i128 {
        let lower = self.nth(pairs.div_ceil(2));
        let upper = if pairs.is_multiple_of(2) { self.nth(pairs / 2 + 1) } else { lower };
        (lower + upper).div_euclid(2)
    }
}

/// Ratios of all pairs of values (new to base), which are counted without being stored.
struct PairRatios<'a> {
    base: &'a [i64],
    new: &'a [i64],
}

impl PairRatios<'_> {
    fn ratio(&self, pairs: u128, skipped: u128) -> Option<PairRatio> {
        let has_ratios =
            self.base.first().is_some_and(|&base| base > 0) && self.new.first().is_some_and(|&new| new >= 0);
        let median = || {
            let lower = self.nth(pairs.div_ceil(2));
            let upper = if pairs.is_multiple_of(2) { self.nth(pairs / 2 + 1) } else { lower };
            if lower == upper { lower } else { lower.sqrt() * upper.sqrt() }
        };
        has_ratios.then(|| PairRatio {
            median: median(),
            interval: (self.nth(skipped), self.nth(pairs + 1 - skipped)),
        })
    }

    /// Number of pairs whose ratio is at most `limit`.
    fn count(&self, limit: f64) -> u128 {
        let mut first = 0;
        let mut count = 0_u128;
        for &value in self.new {
            let is_above = |other: i64| value as f64 / other as f64 > limit;
            first += self.base[first..].iter().take_while(|&&other| is_above(other)).count();
            count += (self.base.len() - first) as u128;
        }
        count
    }

    /// Ratio of a rank, from 1 to the number of pairs. Floating-point numbers from 0 on are ordered as their bits are.
    fn nth(&self, rank: u128) -> f64 {
        let (mut low, mut high) = (0.0_f64.to_bits(), (i64::MAX as f64).to_bits());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.count(f64::from_bits(middle)) >= rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        f64::from_bits(low)
    }
}

/// Corrects the probabilities of several tests by Benjamini and Hochberg, in place and in any order. Of the rows that
/// are then called different at 0.05, 5 % are expected to be wrong; if nothing changed at all, the probability of any
/// such row is 5 %.
pub fn correct_for_multiple(mut probabilities: Vec<&mut f64>) {
    let tests = probabilities.len();
    let mut order: Vec<usize> = (0..tests).collect();
    sort::by(&mut order, |&a, &b| probabilities[b].total_cmp(&*probabilities[a]));
    let mut smallest = 1.0_f64;
    for (at, test) in order.into_iter().enumerate() {
        let p = &mut *probabilities[test];
        smallest = smallest.min(*p * tests as f64 / (tests - at) as f64);
        *p = smallest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base, new, U, p, shift with its interval, ratio with its interval.
    type RankCase<'a> = (&'a [i64], &'a [i64], f64, f64, i128, (i128, i128), (f64, f64, f64));

    /// Computed with scipy 1.17: `mannwhitneyu(new, base)` with the exact method without ties and the asymptotic one for more than 40
    /// values, all divisions of `rankdata` one by one where small samples have ties; numpy's median of all differences and of the
    /// logarithms of all ratios, and its sorted differences and ratios at the ranks of R's `wilcox.test(conf.int = TRUE)`.
    #[rustfmt::skip]
    const CASES: &[RankCase] = &[
// apart
        (&[1, 2, 3, 4], &[11, 12, 13, 14], 16.0, 0.02857142857142857, 10, (7, 13), (5.066228051190221, 2.75, 14.0)),
        // one pair crossed
        (&[100, 210, 320, 430, 540], &[425, 650, 760, 871, 982], 23.0, 0.031746031746031744, 440, (105, 771), (2.2837209302325583, 1.2037037037037037, 7.6)),
        // ties within and between the sides
        (&[5, 5, 6, 7, 7, 9], &[7, 8, 8, 9, 9, 12, 12], 37.0, 0.024475524475524476, 3, (0, 5), (1.4, 1.0, 1.8)),
        // nearly all equal
        (&[3, 3, 3, 3, 3, 3], &[3, 3, 3, 3, 4], 18.0, 0.9090909090909091, 0, (0, 1), (1.0, 1.0, 1.3333333333333333)),
        // sizes far apart
        (&[10, 20, 30, 40], &[5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21], 11.0, 0.062435500515995876, -13, (-25, 1), (0.51234753829798, 0.275, 1.05)),
        // exact without ties
        (&[4_653, 20_730, 23_451, 50_046, 63_713, 129_220, 229_903, 238_211, 265_200, 380_227, 393_825, 417_475, 506_314, 519_226, 573_947, 599_912, 622_622, 654_404, 929_941, 934_590], &[259_295, 422_252, 481_439, 520_365, 522_770, 571_764, 627_064, 631_565, 716_308, 743_426, 771_137, 858_700, 863_692, 888_133, 975_813, 989_257, 1_010_763, 1_193_817, 1_202_222, 1_221_623], 336.0, 0.00011921029960397372, 397_981, (216_239, 595_586), (2.1109609882578324, 1.4313766019016123, 4.152860279332189)),
        // exact with ties
        (&[1, 2, 3, 3, 5, 8, 8, 9, 9, 11], &[6, 8, 10, 11, 12, 12, 12, 13, 14, 14, 15], 99.5, 0.0008448723619002257, 5, (3, 9), (1.8114220932736798, 1.3333333333333333, 4.333333333333333)),
        // normal with ties
        (&[2, 2, 3, 3, 6, 6, 8, 9, 11, 14, 14, 15, 17, 18, 21, 22, 24, 24, 26, 27, 28, 29], &[8, 9, 10, 10, 11, 11, 12, 13, 13, 14, 15, 17, 18, 21, 23, 24, 27, 31, 32, 32, 36, 36, 39, 39], 342.5, 0.08604353386135206, 6, (-1, 11), (1.4104271738853533, 0.9444444444444444, 2.25)),
        // normal, noise
        (&[6_367, 10_233, 12_123, 24_531, 30_586, 32_036, 34_535, 36_265, 37_183, 38_639, 40_289, 49_032, 53_189, 56_068, 57_002, 57_566, 57_743, 60_966, 61_590, 62_559, 66_645, 72_009, 73_463, 80_027, 85_527, 94_407, 96_498, 96_732, 97_934, 98_494], &[7_047, 10_101, 19_417, 22_066, 22_071, 24_280, 24_476, 29_198, 30_703, 47_178, 49_792, 53_982, 54_683, 54_871, 56_017, 57_142, 65_414, 70_750, 74_181, 76_559, 83_674, 84_792, 89_203, 96_528, 98_202], 332.0, 0.47252232689305407, -4_699, (-19_481, 13_215), (0.9124104045879797, 0.6681165012218364, 1.2886461864955097)),
        // normal, far apart
        (&[29, 91, 93, 191, 236, 269, 421, 476, 503, 524, 544, 551, 598, 609, 615, 647, 658, 674, 690, 815, 842, 940, 946, 963, 982], &[2_007, 2_029, 2_078, 2_098, 2_199, 2_249, 2_250, 2_257, 2_323, 2_448, 2_466, 2_468, 2_492, 2_525, 2_579, 2_660, 2_746, 2_786, 2_789, 2_849, 2_877, 2_895, 2_903, 2_990, 2_995], 625.0, 1.4156562248495537e-09, 1_963, (1_779, 2_159), (4.329787234042553, 3.669918699186992, 5.237132352941177)),
    ];

    #[test]
    fn tests_equal_those_of_scipy() {
        for (base, new, u, p, shift, interval, ratios) in CASES {
            let found = rank_test(base, new).expect("there are enough values");
            assert_eq!((found.u, found.shift, found.interval), (*u, *shift, *interval), "{base:?}, {new:?}");
            assert!((found.p - p).abs() <= p * 1e-9, "{} is not {p}", found.p);
            let pairs = (base.len() * new.len()) as f64;
            assert!((found.delta - (2.0 * u / pairs - 1.0)).abs() < 1e-12);
            let ratio = found.ratio.expect("all values are positive");
            let of_pairs = [ratio.median, ratio.interval.0, ratio.interval.1];
            for (found, expected) in of_pairs.iter().zip([ratios.0, ratios.1, ratios.2]) {
                assert!((found - expected).abs() <= expected * 1e-12, "{found} is not {expected}");
            }
            assert_eq!(found.is_exact, base.len() + new.len() <= 40);
        }
    }

    #[test]
    fn exchanged_sides_mirror_the_test() {
        for (base, new, _, p, ..) in CASES {
            let found = rank_test(base, new).expect("there are enough values");
            let mirrored = rank_test(new, base).expect("there are enough values");
            assert!((mirrored.p - p).abs() <= p * 1e-9 && (mirrored.delta + found.delta).abs() < 1e-12);
            assert_eq!(mirrored.interval, (-found.interval.1, -found.interval.0));
        }
    }

    #[test]
    fn few_and_extreme_values_have_an_answer() {
        for few in [&[][..], &[1], &[1, 2, 3]] {
            assert_eq!(rank_test(few, &[1, 2, 3, 4]), None);
            assert_eq!(rank_test(&[1, 2, 3, 4], few), None);
        }
        for n in [4, 100] {
            let equal = rank_test(&vec![7; n], &vec![7; n]).expect("there are enough values");
            assert_eq!((equal.p, equal.delta, equal.shift, equal.interval), (1.0, 0.0, 0, (0, 0)));
            let far = rank_test(&vec![i64::MIN; n], &vec![i64::MAX; n]).expect("there are enough values");
            let distance = i128::from(i64::MAX) - i128::from(i64::MIN);
            assert_eq!((far.delta, far.shift, far.interval), (1.0, distance, (distance, distance)));
            assert!(far.p < 0.03 && far.ratio.is_none());
            let to_zero = rank_test(&vec![i64::MAX; n], &vec![0; n]).expect("there are enough values");
            assert_eq!(to_zero.ratio, Some(PairRatio { median: 0.0, interval: (0.0, 0.0) }));
            assert_eq!(rank_test(&vec![0; n], &vec![1; n]).and_then(|test| test.ratio), None);
        }
    }

    /// `scipy.stats.false_discovery_control`.
    #[test]
    fn corrections_equal_those_of_scipy() {
        let mut found = [0.01, 0.04, 0.03, 0.005, 0.6, 1.0, 0.04];
        correct_for_multiple(found.iter_mut().collect());
        for (found, expected) in found.iter().zip([0.035, 0.056, 0.056, 0.035, 0.7, 1.0, 0.056]) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        correct_for_multiple(Vec::new());
    }
}
