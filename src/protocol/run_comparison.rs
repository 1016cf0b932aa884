//! Comparison of runs: executions of two sides, grouped, with the difference of each group and whether it is noise.

use serde::{Deserialize, Serialize};

/// One side of a comparison: all executions of some runs, or those that start inside or outside of a time range.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunSelection {
    /// Indices of the runs, in the order of opening; empty for all runs.
    pub runs: Vec<u32>,
    /// If set, only executions that start in this half-open range, in nanoseconds since each run's first event. Their times
    /// are not clipped.
    pub within: Option<(i64, i64)>,
    /// Whether the side consists of the executions that start outside of `within`, instead of inside.
    pub outside: bool,
}

impl RunSelection {
    /// Whether an execution that starts at `start`, in nanoseconds, belongs to the side.
    pub fn has_start(&self, start: i64) -> bool {
        self.within.is_none_or(|(from, until)| (from..until).contains(&start) != self.outside)
    }

    /// Whether an execution can belong to both sides.
    pub fn overlaps(&self, other: &Self) -> bool {
        let any = |a: &Self, b: &Self| a.runs.is_empty() || a.runs.iter().any(|run| b.runs.contains(run));
        let share_runs = any(self, other) || other.runs.is_empty();
        let share_time = match (self.within, other.within) {
            (Some(a), Some(b)) => match (self.outside, other.outside) {
                (false, false) => a.0.max(b.0) < a.1.min(b.1),
                (false, true) => a.0 < b.0 || b.1 < a.1,
                (true, false) => b.0 < a.0 || a.1 < b.1,
                (true, true) => true,
            },
            _ => true,
        };
        share_runs && share_time
    }
}

/// Attribute by which executions are grouped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum GroupBy {
    /// Statements without their literals. In traces without queries: spans by name and category.
    #[default]
    Shape,
    /// Spans by name and category.
    Name,
    /// Spans by kind.
    Kind,
    /// Source executions by datasource.
    Datasource,
    /// Source executions by connector.
    Connector,
}

/// The sides of a comparison of runs, and their groups.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunComparisonSpec {
    /// The side to compare with.
    pub base: RunSelection,
    /// The side that is compared.
    pub new: RunSelection,
    /// Attribute by which executions are grouped.
    pub by: GroupBy,
    /// The filter of all views: only executions that pass it are compared, as in the query list or, in runs without statements, the
    /// list of slices. In runs with statements, grouped otherwise than by statement, spans that are no queries pass if they or a span
    /// around them match. All pass a filter that is empty or not valid.
    pub filter: String,
}

/// A comparison of runs, and the order of its groups.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ComparedRunList {
    /// The sides and their groups.
    pub spec: RunComparisonSpec,
    /// Column that orders the groups: the largest difference first (text: from A to Z).
    pub sort: ComparedRunColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only groups with this verdict.
    pub only: Option<DurationVerdict>,
}

/// A column of the list of compared groups. Columns of differences are ordered by the absolute value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ComparedRunColumn {
    Group,
    /// Verdict: slower first, then faster, new, vanished, no difference shown, too few executions.
    Verdict,
    Count,
    /// Total of the new side.
    Total,
    #[default]
    Difference,
    P50,
    P95,
    /// Typical change: how far the ratio is from 1.
    Change,
    SelfTime,
    RowsRead,
    RowsReturned,
    Bytes,
    Failed,
}

/// Verdict on a group: how the durations of the new side differ from those of the base side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum DurationVerdict {
    /// The durations are shorter than on the base side, by more than noise.
    Faster,
    /// The durations are longer than on the base side, by more than noise.
    Slower,
    /// The durations may differ by chance only.
    NoDifference,
    /// A side has fewer than [`ComparedRuns::FEWEST`] executions, too few for a test.
    #[default]
    TooFew,
    /// The base side has no executions.
    New,
    /// The new side has no executions.
    Vanished,
}

impl DurationVerdict {
    /// Name of the verdict.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::NoDifference => "no difference shown",
            Self::TooFew => "too few executions to tell",
            Self::New => "new",
            Self::Vanished => "vanished",
        }
    }
}

/// Measures of the executions of one side, or of one of its groups. All but `incomplete`, `failed` and
/// `failed_incomplete` are over complete executions: those with both their start and their end in the trace. Sums are clamped to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SideMeasures {
    /// Number of complete executions.
    pub count: u64,
    /// Number of executions without their start or end in the trace.
    pub incomplete: u64,
    /// Number of failed executions, including incomplete ones.
    pub failed: u64,
    /// Number of failed executions without their start or end in the trace. No filter can tell them from other failures.
    pub failed_incomplete: u64,
    /// Sum of the durations, in nanoseconds; `None` if no execution is complete.
    pub total: Option<i64>,
    /// Median duration, in nanoseconds; `None` if no execution is complete.
    pub p50: Option<i64>,
    /// 95th percentile of the durations, in nanoseconds; `None` if no execution is complete.
    pub p95: Option<i64>,
    /// Longest duration, in nanoseconds; `None` if no execution is complete.
    pub max: Option<i64>,
    /// Time that no nested span covers, in nanoseconds; `None` if no execution is complete.
    pub self_time: Option<i64>,
    /// Sum of the rows read; `None` if not reported.
    pub rows_read: Option<i64>,
    /// Sum of the rows returned; `None` if not reported.
    pub rows_returned: Option<i64>,
    /// Sum of the bytes (for statements, of everything inside them); `None` if not reported.
    pub bytes: Option<i64>,
}

/// Typical change of the durations over all pairs of a base and a new execution, with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct TypicalChange {
    /// Median of new ÷ base, and the interval's lower and upper end; `None` where durations of 0 allow no ratio.
    pub ratio: Option<(f64, f64, f64)>,
    /// Median of new − base, and the interval's lower and upper end, in nanoseconds.
    pub shift: (i64, i64, i64),
}

/// Conditions of filters that show the executions of a group in the query list, each together with a condition on the runs of its side.
/// A side has no condition if it has no executions, if they are spans, or if no filter can express them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum SideConditions {
    /// Neither side has a condition.
    #[default]
    None,
    /// Only the base side has a condition.
    Base(String),
    /// Only the new side has a condition.
    New(String),
    /// Both sides have the same condition.
    Same(String),
    /// Each side has its own condition, as statements of different engines are in different attributes.
    Different {
        /// Condition of the base side.
        base: String,
        /// Condition of the new side.
        new: String,
    },
}

impl SideConditions {
    /// The conditions of the base and the new side.
    pub fn of(base: Option<String>, new: Option<String>) -> Self {
        match (base, new) {
            (Some(base), Some(new)) if base == new => Self::Same(base),
            (Some(base), Some(new)) => Self::Different { base, new },
            (Some(base), None) => Self::Base(base),
            (None, Some(new)) => Self::New(new),
            (None, None) => Self::None,
        }
    }

    /// Condition of the base side.
    pub fn of_base(&self) -> Option<&str> {
        match self {
            Self::Base(base) | Self::Same(base) | Self::Different { base, .. } => Some(base),
            Self::None | Self::New(_) => None,
        }
    }

    /// Condition of the new side.
    pub fn of_new(&self) -> Option<&str> {
        match self {
            Self::New(new) | Self::Same(new) | Self::Different { new, .. } => Some(new),
            Self::None | Self::Base(_) => None,
        }
    }

    /// The condition that shows the executions of both sides; `None` if there is none, or if the sides have different ones.
    pub fn common(&self) -> Option<&str> {
        match self {
            Self::Base(condition) | Self::New(condition) | Self::Same(condition) => Some(condition),
            Self::None | Self::Different { .. } => None,
        }
    }
}

/// A row of the list: a group of executions with its measures on both sides.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ComparedRunRow {
    /// Hash of the group's text, which names the group in every comparison of the trace.
    pub group: u64,
    /// Text of the group: a statement without its literals, or a name; shortened.
    pub title: String,
    /// Measures of the base side; `None` if it has no executions.
    pub base: Option<SideMeasures>,
    /// Measures of the new side; `None` if it has no executions.
    pub new: Option<SideMeasures>,
    /// Whether the durations differ by more than noise.
    pub verdict: DurationVerdict,
    /// Typical change of the durations; `None` if a side has too few executions.
    pub change: Option<TypicalChange>,
    /// Conditions of filters that show the executions of each side in the query list.
    pub conditions: SideConditions,
    /// Number of the group in the list of slices: see [`ShapeRow::shape`](super::ShapeRow::shape). `None` if the group is not in that
    /// list, as in traces with statements.
    pub slices: Option<u32>,
}

/// Totals of one side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SideTotals {
    /// Time from the first to the last event of its runs or inside its range, in nanoseconds; the sum for several runs.
    pub wall: i64,
    /// Measures of all executions.
    pub all: SideMeasures,
    /// Number of groups.
    pub groups: u32,
    /// Whether the executions are statements, which the query list shows; otherwise they are spans.
    pub has_statements: bool,
}

/// A page of the groups of a comparison of runs, with the totals of both sides.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ComparedRuns {
    /// Totals of the base side.
    pub base: SideTotals,
    /// Totals of the new side.
    pub new: SideTotals,
    /// Whether the groups are statements; otherwise they are spans.
    pub has_statements: bool,
    /// Whether a filter restricts the executions.
    pub is_filtered: bool,
    /// Number of groups per verdict, without verdicts that no group has.
    pub verdicts: Vec<(DurationVerdict, u32)>,
    /// Number of groups in the list: those with the verdict of [`ComparedRunList::only`].
    pub total: u32,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<ComparedRunRow>,
}

impl ComparedRuns {
    /// Minimum number of executions on each side for a verdict.
    pub const FEWEST: usize = 4;

    /// Number of groups with a verdict.
    pub fn count(&self, verdict: DurationVerdict) -> u32 {
        self.verdicts.iter().find(|(of, _)| *of == verdict).map_or(0, |(_, count)| *count)
    }
}

/// One group of a comparison of runs: its distributions and examples.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ComparedRunGroup {
    /// Measures and verdict.
    pub row: ComparedRunRow,
    /// Whether a filter restricts the executions.
    pub is_filtered: bool,
    /// Whole text of the group, up to 20,000 characters.
    pub text: String,
    /// Histogram of the durations of both sides, from short to long, without gaps, on the scale of
    /// [`ShapeDetail::bars`](super::ShapeDetail::bars).
    pub bars: Vec<ComparedBar>,
    /// Probability of ranks at least this unequal if both sides have the same distribution, corrected for the number of tested
    /// groups; `None` without a test.
    pub p: Option<f64>,
    /// Examples of the base side; `None` without complete executions.
    pub base: Option<SideExamples>,
    /// Examples of the new side; `None` without complete executions.
    pub new: Option<SideExamples>,
}

/// A bar of the histograms of both sides: durations from `from` up to but not including `until`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ComparedBar {
    /// Shortest duration, in nanoseconds.
    pub from: i64,
    /// End of the durations, in nanoseconds.
    pub until: i64,
    /// Number of executions of the base side.
    pub base: u32,
    /// Number of executions of the new side.
    pub new: u32,
}

/// Executions that represent one side of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SideExamples {
    /// An execution with the median duration.
    pub median: ExampleExecution,
    /// The longest execution.
    pub longest: ExampleExecution,
}

/// An execution that represents others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExampleExecution {
    /// Item code of the execution's span.
    pub item: u32,
    /// Duration, in nanoseconds.
    pub duration: i64,
}

/// Requests a page of the groups of a comparison of runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CompareRunsRequest {
    /// Sides and order of the groups.
    pub list: ComparedRunList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests one group of a comparison of runs; the reply is `None` if there is no such group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CompareRunsGroupRequest {
    /// The sides and their groups.
    pub spec: RunComparisonSpec,
    /// Hash of the group's text: see [`ComparedRunRow::group`]; or, as in links of earlier versions, the number of the group in
    /// this comparison.
    pub group: u64,
}
