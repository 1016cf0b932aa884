//! Several runs compared with one base, as one table: a row for each group, and in it the group's comparison in each run.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{ComparedGroup, RunComparison, RunMeasure, RunSide, judge};
use crate::base::sort;

/// Several runs compared with one base. The p-values are corrected for the tests of all runs.
#[derive(Debug)]
pub struct RunsTable {
    /// The comparison of each run with the base, in the order of the runs.
    pub comparisons: Vec<RunComparison>,
    /// All groups, in descending order of the largest difference of total times.
    pub rows: Vec<RunsRow>,
}

/// A group of executions with the same text, in all runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunsRow {
    /// Text of the group.
    pub text: Rc<str>,
    /// Index of the group in each comparison; `None` where neither the base nor the run has executions.
    pub groups: Vec<Option<usize>>,
}

/// Whether the median of a run is the shortest or the longest of its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MedianRank {
    /// No other run has a shorter median.
    Fastest,
    /// No other run has a longer median.
    Slowest,
}

impl MedianRank {
    /// The rank in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fastest => "fastest",
            Self::Slowest => "slowest",
        }
    }
}

impl RunsTable {
    /// Compares each of `runs` with `base`.
    pub fn of(base: &RunSide, runs: Vec<RunSide>) -> Self {
        let mut comparisons: Vec<RunComparison> =
            runs.into_iter().map(|run| RunComparison::uncorrected(base.clone(), run)).collect();
        judge(&mut comparisons);
        let mut rows: BTreeMap<Rc<str>, Vec<Option<usize>>> = BTreeMap::new();
        for (run, comparison) in comparisons.iter().enumerate() {
            for (at, group) in comparison.groups.iter().enumerate() {
                let groups = rows.entry(group.text.clone()).or_insert_with(|| vec![None; comparisons.len()]);
                groups[run] = Some(at);
            }
        }
        let rows = rows.into_iter().map(|(text, groups)| RunsRow { text, groups }).collect();
        let mut table = Self { comparisons, rows: Vec::new() };
        table.rows = table.sorted(rows);
        table
    }

    fn sorted(&self, mut rows: Vec<RunsRow>) -> Vec<RunsRow> {
        let largest = |row: &RunsRow| {
            let groups = self.groups(row).flatten();
            groups.map(|group| group.change_of_total().unsigned_abs()).max().unwrap_or(0)
        };
        sort::by(&mut rows, |a, b| largest(b).cmp(&largest(a)).then_with(|| a.text.cmp(&b.text)));
        rows
    }

    /// The group of a row in each comparison.
    pub fn groups<'a>(&'a self, row: &'a RunsRow) -> impl Iterator<Item = Option<&'a ComparedGroup>> {
        self.comparisons.iter().zip(&row.groups).map(|(comparison, at)| comparison.groups.get((*at)?))
    }

    /// Values of a measure of a row: of the base, then of each run.
    pub fn values(&self, row: &RunsRow, measure: RunMeasure) -> Vec<Option<i128>> {
        let pairs: Vec<[Option<i128>; 2]> =
            self.groups(row).map(|group| group.map_or([None; 2], |group| group.values(measure))).collect();
        let base = pairs.iter().find_map(|[base, _]| *base);
        std::iter::once(base).chain(pairs.into_iter().map(|[_, run]| run)).collect()
    }

    /// The runs with the shortest and with the longest median, the base first; none if all medians are equal.
    pub fn median_ranks(&self, row: &RunsRow) -> Vec<Option<MedianRank>> {
        let medians = self.values(row, RunMeasure::P50);
        let (min, max) = (medians.iter().flatten().min().copied(), medians.iter().flatten().max().copied());
        let rank = |median: Option<i128>| match median {
            Some(_) if min == max => None,
            Some(_) if median == min => Some(MedianRank::Fastest),
            Some(_) if median == max => Some(MedianRank::Slowest),
            _ => None,
        };
        medians.into_iter().map(rank).collect()
    }
}
