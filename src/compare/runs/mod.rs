//! Compares two groups of runs: totals, the measures of each statement or span name, and whether a difference is larger than
//! noise.

#[cfg(feature = "export")]
mod change_points;
#[cfg(feature = "export")]
mod condition;
mod executions;
mod many;
mod measures;
mod pages;
mod rank_test;
#[cfg(feature = "export")]
mod run_groups;
mod side;
mod table_pages;
#[cfg(feature = "export")]
mod trend;

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;

use std::rc::Rc;

#[cfg(feature = "export")]
pub use change_points::FEWEST_RUNS;
#[cfg(feature = "export")]
pub use condition::{ConditionCheck, FailCondition};
pub use executions::ExecutionSource;
pub use many::{RunsRow, RunsTable};
#[cfg(feature = "export")]
pub use measures::MeasureUnit;
pub use measures::{GroupSamples, RunMeasure};
pub use pages::RunComparisons;
pub use rank_test::RankTest;
#[cfg(feature = "export")]
pub use rank_test::{FEWEST, PairRatio};
#[cfg(feature = "export")]
pub use run_groups::{GroupSummary, LARGEST, RunGroup, SAMPLE, SampledExecution, engine_version, run_groups};
pub use side::RunSide;
#[cfg(feature = "export")]
pub use trend::{Trend, TrendChange, TrendGroup, TrendGroups, TrendRun, TrendWarning};

use crate::base::sort;
pub use crate::protocol::DurationVerdict;
#[cfg(feature = "export")]
pub use crate::protocol::GroupBy;

/// Probability below which a difference is significant, after the correction for the number of tests.
pub const SIGNIFICANCE: f64 = 0.05;

/// Group of executions with the same text, on both sides.
#[derive(Clone, Debug)]
pub struct ComparedGroup {
    /// Text of the group: a statement without its literals, or a name.
    pub text: Rc<str>,
    /// Executions of the base side; `None` if there are none.
    pub base: Option<Rc<GroupSamples>>,
    /// Executions of the new side; `None` if there are none.
    pub new: Option<Rc<GroupSamples>>,
    /// Whether the durations differ by more than noise.
    pub verdict: DurationVerdict,
    /// Rank test of the durations; `None` if a side has too few.
    pub test: Option<RankTest>,
    /// p-value of the rank test, corrected for the number of tests; 1 if there was no test.
    pub corrected_p: f64,
}

impl ComparedGroup {
    fn of(text: Rc<str>, base: Option<Rc<GroupSamples>>, new: Option<Rc<GroupSamples>>) -> Self {
        let both = base.as_ref().zip(new.as_ref());
        let test = both.and_then(|(base, new)| rank_test::rank_test(base.durations(), new.durations()));
        let verdict = match (&base, &new) {
            (Some(_), Some(_)) => DurationVerdict::TooFew,
            (Some(_), None) => DurationVerdict::Vanished,
            (None, _) => DurationVerdict::New,
        };
        let corrected_p = test.map_or(1.0, |test| test.p);
        Self { text, base, new, verdict, test, corrected_p }
    }

    /// Value of a measure on the base side and on the new side.
    pub fn values(&self, measure: RunMeasure) -> [Option<i128>; 2] {
        [&self.base, &self.new].map(|side| side.as_ref().and_then(|side| side.get(measure)))
    }

    /// New minus base; `None` unless both sides have a value.
    #[cfg(feature = "export")]
    pub fn difference(&self, measure: RunMeasure) -> Option<i128> {
        let [base, new] = self.values(measure);
        new?.checked_sub(base?)
    }

    /// Difference of the total times, where a side without executions counts as zero.
    fn change_of_total(&self) -> i128 {
        let [base, new] = self.values(RunMeasure::Total).map(Option::unwrap_or_default);
        new.saturating_sub(base)
    }
}

/// Comparison of two sides.
#[derive(Debug)]
pub struct RunComparison {
    /// The side to compare with.
    pub base: RunSide,
    /// The side that is compared.
    pub new: RunSide,
    /// All groups, in descending order of the difference of their total times.
    pub groups: Vec<ComparedGroup>,
    /// Number of tests for which the p-values are corrected: those of all comparisons that were made together.
    pub tested: usize,
}

impl RunComparison {
    /// Compares two sides.
    pub fn of(base: RunSide, new: RunSide) -> Self {
        let mut comparison = Self::uncorrected(base, new);
        judge(std::slice::from_mut(&mut comparison));
        comparison
    }

    /// Pairs the groups of two sides and tests their durations; the verdicts are those of [`judge`].
    fn uncorrected(mut base: RunSide, mut new: RunSide) -> Self {
        let mut of_new = std::mem::take(&mut new.groups).into_iter().peekable();
        let mut groups: Vec<ComparedGroup> = Vec::new();
        for (text, samples) in std::mem::take(&mut base.groups) {
            while let Some((text, samples)) = of_new.next_if(|(other, _)| *other < text) {
                groups.push(ComparedGroup::of(text, None, Some(samples)));
            }
            let other = of_new.next_if(|(other, _)| *other == text).map(|(_, samples)| samples);
            groups.push(ComparedGroup::of(text, Some(samples), other));
        }
        groups.extend(of_new.map(|(text, samples)| ComparedGroup::of(text, None, Some(samples))));
        sort::by(&mut groups, |a, b| {
            let key = |group: &ComparedGroup| group.change_of_total().unsigned_abs();
            key(b).cmp(&key(a)).then_with(|| a.text.cmp(&b.text))
        });
        Self { base, new, tested: 0, groups }
    }

    /// Number of groups with this verdict.
    pub fn count(&self, verdict: DurationVerdict) -> usize {
        self.groups.iter().filter(|group| group.verdict == verdict).count()
    }

    /// Number of groups that both sides have.
    #[cfg(feature = "export")]
    pub fn in_common(&self) -> usize {
        self.groups.iter().filter(|group| group.base.is_some() && group.new.is_some()).count()
    }
}

/// Corrects the p-values of all groups of all comparisons for the number of all their tests, and sets the verdicts.
fn judge(comparisons: &mut [RunComparison]) {
    let groups = comparisons.iter_mut().flat_map(|comparison| &mut comparison.groups);
    let tested: Vec<&mut f64> =
        groups.filter(|group| group.test.is_some()).map(|group| &mut group.corrected_p).collect();
    let n_tested = tested.len();
    rank_test::correct_for_multiple(tested);
    for comparison in comparisons {
        comparison.tested = n_tested;
        for group in &mut comparison.groups {
            let Some(test) = group.test else { continue };
            group.verdict = match test.delta {
                _ if group.corrected_p >= SIGNIFICANCE => DurationVerdict::NoDifference,
                delta if delta > 0.0 => DurationVerdict::Slower,
                _ => DurationVerdict::Faster,
            };
        }
    }
}
