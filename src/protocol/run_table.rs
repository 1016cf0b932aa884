//! Several runs compared with one of them: a row for each group of executions, and in it a cell for each run.

use serde::{Deserialize, Serialize};

use super::{DurationVerdict, GroupBy, SideMeasures, SideTotals, TypicalChange};

/// The measure of time that a table of runs shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum RunTableMeasure {
    Total,
    /// Median duration.
    #[default]
    P50,
    /// 95th percentile of the durations.
    P95,
    /// Longest duration.
    Max,
    SelfTime,
}

/// What orders the rows of a table of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum RunTableOrder {
    /// Difference of the total duration from the base, in the run where it is largest; the largest first.
    #[default]
    Difference,
    /// Text of the group, from A to Z.
    Group,
    /// The measure in the run at this index of the table, the largest first.
    Run(u32),
}

/// Requests a page of the table that compares every run of the trace with one of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunTableRequest {
    /// Index of the run to compare with, in the order of opening.
    pub base: u32,
    /// Attribute by which executions are grouped.
    pub by: GroupBy,
    /// The filter of all views: see [`RunComparisonSpec::filter`](super::RunComparisonSpec::filter).
    pub filter: String,
    /// Measure in which the fastest and the slowest run of each row are marked; rows ordered by a run are ordered by
    /// its value of this measure.
    pub measure: RunTableMeasure,
    /// What orders the rows.
    pub sort: RunTableOrder,
    /// Whether the order is reversed; rows without a value stay at the end.
    pub reversed: bool,
    /// If set, only groups with this verdict in the run at this index of the table.
    pub only: Option<(u32, DurationVerdict)>,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// A page of a table of runs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunTablePage {
    /// The runs: the base, then the others in the order of opening.
    pub runs: Vec<RunTableRun>,
    /// Number of further runs that are not in the table, because it has at most [`RunTablePage::MOST`].
    pub not_shown: u32,
    /// Whether the groups are statements; otherwise they are spans.
    pub has_statements: bool,
    /// Whether a filter restricts the executions.
    pub is_filtered: bool,
    /// Number of tests over all runs and groups; each p-value is corrected for this number.
    pub tests: u32,
    /// Number of groups, including those that [`RunTableRequest::only`] leaves out.
    pub groups: u32,
    /// Number of rows of the table.
    pub total: u32,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<RunTableRow>,
}

impl RunTablePage {
    /// Maximum number of runs, the base included.
    pub const MOST: usize = 20;
}

/// A run of the table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunTableRun {
    /// Index of the run, in the order of opening.
    pub run: u32,
    /// Totals of the run.
    pub totals: SideTotals,
    /// Number of groups that are slower than in the base, by more than noise.
    pub slower: u32,
    /// Number of groups that are faster than in the base, by more than noise.
    pub faster: u32,
}

/// A row of the table: a group of executions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunTableRow {
    /// Text of the group: a statement without its literals, or a name; shortened.
    pub title: String,
    /// Condition of a filter that shows the executions of the group in the base, the first run of the table, in the query list.
    /// `None` if the base has none, if they are spans, or if no filter can express them.
    pub base_condition: Option<String>,
    /// Number of the group in the list of slices: see [`ShapeRow::shape`](super::ShapeRow::shape). `None` if the group is not in that
    /// list, as in traces with statements.
    pub slices: Option<u32>,
    /// The group in each run of the table.
    pub cells: Vec<RunTableCell>,
}

/// Place of a run's value among those of all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TimeRank {
    /// No other run has a smaller value.
    Fastest,
    /// No other run has a larger value.
    Slowest,
}

impl TimeRank {
    /// The rank in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fastest => "fastest",
            Self::Slowest => "slowest",
        }
    }
}

/// A group of executions in one run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunTableCell {
    /// Measures of the executions; `None` if there are none.
    pub measures: Option<SideMeasures>,
    /// Hash of the group's text: see [`ComparedRunRow::group`](super::ComparedRunRow::group). `None` for the base, and if neither
    /// has the group.
    pub group: Option<u64>,
    /// Whether the durations differ from those of the base by more than noise; `None` for the base, and if neither has the
    /// group.
    pub verdict: Option<DurationVerdict>,
    /// Typical change of the durations from the base; `None` if a side has too few executions.
    pub change: Option<TypicalChange>,
    /// Place of the run in the row; `None` in between, without a value, and if all values are equal.
    pub rank: Option<TimeRank>,
}
