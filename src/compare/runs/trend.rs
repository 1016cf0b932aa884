//! [`Trend`]: how the executions of each group change from run to run.

use std::collections::BTreeMap;

use super::change_points::{ChangePoint, FEWEST_RUNS, change_points};
use super::measures::RunMeasure;
use super::rank_test::{RankTest, rank_test};
use super::run_groups::GroupSummary;
use crate::analysis::percentile::percentile_of_sorted;
use crate::base::sort;

/// Maximum number of groups in which changes are looked for: those with the most total time.
const TESTED: usize = 10_000;
/// Maximum number of runs on each side of a change whose executions are compared: the nearest ones.
const NEAREST: usize = 16;

/// A run of a trend.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrendRun {
    /// Number of its trace, in a data set.
    pub trace_id: i64,
    /// Name of its trace.
    pub trace: String,
    /// Number of the run in its trace.
    pub run_id: u32,
    /// Name of the run.
    pub name: String,
    /// Date on which it started, by its clock, or the day of its trace if the clock shows no dates, such as `2026-03-31`; `None` if
    /// neither is known.
    pub day: Option<String>,
    /// Reading of its clock at time 0, in nanoseconds.
    pub origin: i64,
    /// Version of the engine; `None` if the trace does not report it.
    pub version: Option<String>,
}

/// The executions of a group in each run.
#[derive(Clone, PartialEq, Debug)]
pub struct TrendGroup {
    /// Text of the group: a statement without its literals, or a name.
    pub text: String,
    /// Runs that have executions of the group, by their index in [`Trend::runs`], in their order.
    pub points: Vec<(usize, GroupSummary)>,
    /// The change points, in the order of the runs.
    pub changes: Vec<TrendChange>,
    /// Whether enough runs have a value to look for changes.
    pub is_tested: bool,
}

/// A change of a group's values from one run on.
#[derive(Clone, PartialEq, Debug)]
pub struct TrendChange {
    /// Index of the first run with the new values.
    pub run: usize,
    /// Index of the last run with the old values.
    pub previous: usize,
    /// Number of runs from the change before this one up to this one.
    pub runs_before: usize,
    /// Number of runs from this change up to the next one.
    pub runs_after: usize,
    /// Median of the values of the runs before and after.
    pub medians: (i64, i64),
    /// p-value, corrected for the number of groups.
    pub p: f64,
    /// Rank test of the values of the runs before and after.
    pub test: RankTest,
    /// Rank test of the durations of sampled executions of the nearest runs before and after; `None` if a side has too few.
    pub executions: Option<RankTest>,
}

/// Why something that was to be in a trend is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrendWarning {
    /// Name of the trace whose runs, or whose sampled executions, are not in the trend; `None` if nothing is missing in it.
    pub trace: Option<String>,
    /// What is missing, why, and what to do, as sentences.
    pub text: String,
}

/// How groups of executions change from run to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Trend {
    /// The measure whose values, one for each run, are searched for changes.
    pub measure: RunMeasure,
    /// The runs in their order.
    pub runs: Vec<TrendRun>,
    /// The groups, in descending order of total time.
    pub groups: Vec<TrendGroup>,
    /// Groups that are not in `groups` because their runs have too many.
    pub left_out: u64,
    /// What could not be read.
    pub warnings: Vec<TrendWarning>,
}

/// The groups of some runs while they are collected.
#[derive(Clone, Debug, Default)]
pub struct TrendGroups {
    /// By text: index of the run and the executions in it.
    found: BTreeMap<String, Vec<(usize, GroupSummary)>>,
}

impl TrendGroups {
    /// Adds the executions of a group in one run.
    pub fn add(&mut self, run: usize, text: &str, summary: GroupSummary) {
        match self.found.get_mut(text) {
            Some(points) => points.push((run, summary)),
            None => _ = self.found.insert(text.to_owned(), vec![(run, summary)]),
        }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

impl TrendGroup {
    /// Sum of the durations in all runs, in nanoseconds.
    pub fn total(&self) -> i128 {
        self.points.iter().filter_map(|(_, point)| point.total).map(i128::from).sum()
    }

    /// Number of complete executions in all runs.
    pub fn executions(&self) -> u64 {
        self.points.iter().map(|(_, point)| point.executions).sum()
    }

    /// Values of a measure with the indices of their runs.
    pub fn values(&self, measure: RunMeasure) -> impl Iterator<Item = (usize, i64)> {
        self.points.iter().filter_map(move |(run, point)| Some((*run, point.get(measure)?)))
    }
}

impl Trend {
    /// Finds the changes of each group in the values of a measure. Executions are not compared yet: see
    /// [`Self::compare_executions`].
    pub fn of(measure: RunMeasure, runs: Vec<TrendRun>, groups: TrendGroups) -> Self {
        let group = |(text, mut points): (String, Vec<(usize, GroupSummary)>)| {
            sort::by(&mut points, |a, b| a.0.cmp(&b.0));
            TrendGroup { text, points, changes: Vec::new(), is_tested: false }
        };
        let mut groups: Vec<TrendGroup> = groups.found.into_iter().map(group).collect();
        sort::by(&mut groups, |a, b| b.total().cmp(&a.total()).then_with(|| a.text.cmp(&b.text)));
        let left_out = groups.len().saturating_sub(TESTED) as u64;
        groups.truncate(TESTED);
        let values: Vec<Vec<(usize, i64)>> =
            groups.iter().map(|group| group.values(measure).collect()).collect();
        let series: Vec<Vec<i64>> =
            values.iter().map(|values| values.iter().map(|(_, value)| *value).collect()).collect();
        for ((group, values), points) in groups.iter_mut().zip(&values).zip(change_points(&series)) {
            group.is_tested = values.len() >= FEWEST_RUNS;
            group.changes = points.iter().map(|point| change(point, values)).collect();
        }
        Self { measure, runs, groups, left_out, warnings: Vec::new() }
    }

    /// The runs near each change whose executions are compared: the index of each run in [`Self::runs`], with the text
    /// of the group. A pair occurs several times if the run is near several changes of the group.
    pub fn near_changes(&self) -> impl Iterator<Item = (usize, &str)> {
        self.groups.iter().flat_map(|group| {
            let nearest = group.changes.iter().flat_map(|change| {
                let (before, after) = change.nearest(group, self.measure);
                before.into_iter().chain(after)
            });
            nearest.map(|run| (run, group.text.as_str()))
        })
    }

    /// Compares the executions of the runs before and after each change. `durations` returns the durations of the
    /// sampled executions of a group in a run; it is called only for the pairs of [`Self::near_changes`].
    pub fn compare_executions<'d>(&mut self, durations: impl Fn(usize, &str) -> &'d [i64]) {
        let measure = self.measure;
        for group in &mut self.groups {
            let mut changes = std::mem::take(&mut group.changes);
            for change in &mut changes {
                let (before, after) = change.nearest(group, measure);
                let sorted = |runs: Vec<usize>| {
                    let of_runs = runs.iter().flat_map(|&run| durations(run, &group.text));
                    let mut durations: Vec<i64> = of_runs.copied().collect();
                    sort::by(&mut durations, Ord::cmp);
                    durations
                };
                change.executions = rank_test(&sorted(before), &sorted(after));
            }
            group.changes = changes;
        }
    }

    /// Number of change points.
    pub fn n_changes(&self) -> usize {
        self.groups.iter().map(|group| group.changes.len()).sum()
    }
}

impl TrendChange {
    /// The runs with a value that are nearest to the change, before and after it: at most [`NEAREST`] on each side, and
    /// none beyond the neighbouring changes.
    fn nearest(&self, group: &TrendGroup, measure: RunMeasure) -> (Vec<usize>, Vec<usize>) {
        let runs: Vec<usize> = group.values(measure).map(|(run, _)| run).collect();
        let at = runs.partition_point(|&run| run < self.run);
        let before = &runs[at.saturating_sub(self.runs_before.min(NEAREST))..at];
        let after = &runs[at..runs.len().min(at + self.runs_after.min(NEAREST))];
        (before.to_vec(), after.to_vec())
    }
}

fn change(point: &ChangePoint, values: &[(usize, i64)]) -> TrendChange {
    let (before, after) = (&values[point.before.clone()], &values[point.after.clone()]);
    TrendChange {
        run: values[point.at].0,
        previous: values[point.at - 1].0,
        runs_before: before.len(),
        runs_after: after.len(),
        medians: (median(before), median(after)),
        p: point.p,
        test: point.test,
        executions: None,
    }
}

/// Median by nearest rank, as all percentiles.
fn median(values: &[(usize, i64)]) -> i64 {
    let mut values: Vec<i64> = values.iter().map(|(_, value)| *value).collect();
    sort::by(&mut values, Ord::cmp);
    percentile_of_sorted(&values, 50).unwrap_or_default()
}
