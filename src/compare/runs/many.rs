//! Several runs compared with one base, as one table: a row for each group, and in it the group's comparison in each run.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{ComparedGroup, GroupSamples, RunComparison, RunMeasure, RunSide, judge};
use crate::base::sort;
use crate::protocol::TimeRank;

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

    /// The base, then each run.
    pub fn sides(&self) -> impl Iterator<Item = &RunSide> {
        let base = self.comparisons.first().map(|comparison| &comparison.base);
        base.into_iter().chain(self.comparisons.iter().map(|comparison| &comparison.new))
    }

    /// The executions of a row in the side at this index of [`sides`](Self::sides); `None` if there are none.
    pub fn samples<'a>(&'a self, row: &'a RunsRow, side: usize) -> Option<&'a GroupSamples> {
        match side.checked_sub(1) {
            None => self.groups(row).flatten().find_map(|group| group.base.as_deref()),
            Some(run) => {
                let at = (*row.groups.get(run)?)?;
                self.comparisons.get(run)?.groups.get(at)?.new.as_deref()
            }
        }
    }

    /// Values of a measure of a row: of the base, then of each run.
    pub fn values(&self, row: &RunsRow, measure: RunMeasure) -> Vec<Option<i128>> {
        (0..=self.comparisons.len()).map(|side| self.samples(row, side)?.get(measure)).collect()
    }

    /// For the base, then for each run: whether its value of a measure of time is the smallest or the largest of the
    /// row. `None` if it is neither, if there is no value, and if all values are equal.
    pub fn ranks(&self, row: &RunsRow, measure: RunMeasure) -> Vec<Option<TimeRank>> {
        let values = self.values(row, measure);
        let (min, max) = (values.iter().flatten().min().copied(), values.iter().flatten().max().copied());
        let rank = |value: Option<i128>| match value {
            Some(_) if min == max => None,
            Some(_) if value == min => Some(TimeRank::Fastest),
            Some(_) if value == max => Some(TimeRank::Slowest),
            _ => None,
        };
        values.into_iter().map(rank).collect()
    }
}
