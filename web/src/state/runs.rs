//! State of the comparison of runs.

use queryscope::protocol::{
    ComparedRunColumn, ComparedRunList, DurationVerdict, GroupBy, RunComparisonSpec, RunSelection,
    RunTableMeasure, RunTableOrder,
};

/// Mode of the compare tab.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareMode {
    /// Runs, or time ranges of runs.
    Runs,
    /// Two executions of a statement.
    Executions,
}

/// State of the table that compares every run with the base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunTableView {
    /// The measure that is shown.
    pub measure: RunTableMeasure,
    /// Order of the rows: by difference, by group, or by the measure in one run.
    pub sort: RunTableOrder,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only groups with this verdict in the run at this index of the table.
    pub only: Option<(u32, DurationVerdict)>,
}

/// State of the comparison of runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunsView {
    /// Mode of the tab; `None` until the user chooses: see [`RunsView::mode`].
    pub chosen_mode: Option<CompareMode>,
    /// The side to compare with; `None` until the user chooses it.
    pub base: Option<RunSelection>,
    /// The side that is compared; `None` for every other run, or, if there is one other run only, that run.
    pub new: Option<RunSelection>,
    /// Attribute by which executions are grouped.
    pub by: GroupBy,
    /// Column that orders the groups.
    pub sort: ComparedRunColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only groups with this verdict.
    pub only: Option<DurationVerdict>,
    /// Hash of the text of the group that is shown in detail.
    pub group: Option<u64>,
    /// State of the table of all runs.
    pub table: RunTableView,
}

impl RunsView {
    /// Mode of the tab, unless the user decided: runs if there are two sides (runs, or a time range and the rest) and no
    /// execution was chosen, or if there are no executions of one statement to compare.
    pub fn mode(&self, has_sides: bool, has_execution: bool, has_statements: bool) -> CompareMode {
        let suits_runs = !has_statements || has_sides && !has_execution;
        self.chosen_mode.unwrap_or(if suits_runs { CompareMode::Runs } else { CompareMode::Executions })
    }

    /// The run with which every other run is compared: with three runs or more, until the user chooses the new side or a base
    /// that is not one whole run.
    pub fn base_of_all(&self, runs: u32) -> Option<u32> {
        if runs < 3 || open_side(&self.new, runs).is_some() || self.group.is_some() {
            return None;
        }
        match open_side(&self.base, runs) {
            None => Some(0),
            Some(base) => match base.runs[..] {
                [run] if base.within.is_none() => Some(run),
                _ => None,
            },
        }
    }

    /// Whether a side has a run that is not open, as a link to other runs may have.
    pub fn names_missing_run(&self, runs: u32) -> bool {
        [&self.base, &self.new].into_iter().any(|side| side.is_some() && open_side(side, runs).is_none())
    }

    /// Both sides: the user's choice, if its runs are open; otherwise the first two runs; for a single run, the time outside of the selected
    /// range and the time inside. `None` if a side is missing.
    pub fn sides(&self, runs: u32, range: Option<(i64, i64)>) -> Option<[RunSelection; 2]> {
        let run = |at: u32| RunSelection { runs: vec![at], ..RunSelection::default() };
        let part =
            |outside: bool| Some(RunSelection { within: Some(range?), outside, ..RunSelection::default() });
        let [base, new] = if runs > 1 { [Some(run(0)), Some(run(1))] } else { [part(true), part(false)] };
        Some([open_side(&self.base, runs).or(base)?, open_side(&self.new, runs).or(new)?])
    }

    /// Both sides if the user chose at least one of them. If [`RunsView::base_of_all`] names a run, new is all other runs.
    pub fn chosen_sides(&self, runs: u32, range: Option<(i64, i64)>) -> Option<[RunSelection; 2]> {
        open_side(&self.base, runs).or_else(|| open_side(&self.new, runs))?;
        let [base, new] = self.sides(runs, range)?;
        let new = match self.base_of_all(runs) {
            Some(at) => RunSelection { runs: (0..runs).filter(|run| *run != at).collect(), ..new },
            None => new,
        };
        Some([base, new])
    }

    /// Shows groups with any verdict: for other sides.
    pub fn show_all_verdicts(&mut self) {
        (self.only, self.table.only) = (None, None);
    }

    /// Shows all groups: for another grouping, or for all runs.
    pub fn show_all_groups(&mut self) {
        self.group = None;
        self.show_all_verdicts();
    }

    /// The list of groups of these sides, with the executions that pass the filter.
    pub fn list(&self, [base, new]: [RunSelection; 2], filter: &str) -> ComparedRunList {
        let spec = RunComparisonSpec { base, new, by: self.by, filter: filter.to_owned() };
        ComparedRunList { spec, sort: self.sort, reversed: self.reversed, only: self.only }
    }
}

/// A side that the user chose; `None` if one of its runs is not among the first `runs`.
fn open_side(side: &Option<RunSelection>, runs: u32) -> Option<RunSelection> {
    side.clone().filter(|side| is_open(side, runs))
}

/// Whether all runs of a side are among the open ones.
pub fn is_open(side: &RunSelection, runs: u32) -> bool {
    side.runs.iter().all(|run| *run < runs)
}
