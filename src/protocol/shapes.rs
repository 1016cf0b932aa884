//! Executions grouped by statement shape: sums, distributions, and the executions of one shape.

use serde::{Deserialize, Serialize};

use super::Outcome;

/// Order and time range of the list of statement shapes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShapeList {
    /// Column that orders the list, largest value first (text: from A to Z).
    pub sort: ShapeColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only executions that overlap this half-open range, in nanoseconds, with their times clipped to it.
    pub range: Option<(i64, i64)>,
    /// Filter of the executions: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
}

/// A column of the list of statement shapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ShapeColumn {
    Shape,
    Count,
    #[default]
    Total,
    Mean,
    P50,
    P95,
    P99,
    Max,
    SelfTime,
    Rows,
    Bytes,
    Failed,
}

/// A page of the list of statement shapes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShapePage {
    /// Number of shapes with at least one execution in the range.
    pub total: u32,
    /// Number of executions of all shapes.
    pub executions: u64,
    /// Total duration of all executions that are complete, in nanoseconds.
    pub time: i64,
    /// Whether each row is a group of slices with one name and category, because the trace has no statements.
    pub is_of_slices: bool,
    /// Whether a number of rows is known for any shape.
    pub has_rows: bool,
    /// Whether a number of bytes is known for any shape.
    pub has_bytes: bool,
    /// Start and end of the time axis of [`ShapeRow::over_time`], in nanoseconds.
    pub axis: (i64, i64),
    /// Start and end of the logarithmic axis of [`ShapeRow::durations`], in nanoseconds: the shortest and the longest duration of
    /// all shapes, at least 1.
    pub durations: (i64, i64),
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<ShapeRow>,
}

/// A statement shape with the sums and percentiles of its executions.
///
/// An execution without its start or end in the trace counts in `count`, `unfinished`, `failed`, `rows` and `bytes` only,
/// because its duration is not known.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShapeRow {
    /// Number of the shape, for further requests.
    pub shape: u32,
    /// Text of the statement with its literals replaced, or name and category of the slices; shortened.
    pub title: String,
    /// Name by which filters and pivot tables refer to the statement, such as `SQL[shape]`. Empty for slices.
    pub dimension: String,
    /// Item code of the longest execution.
    pub longest: u32,
    /// Number of executions.
    pub count: u32,
    /// Number of executions that have no start or no end in the trace.
    pub unfinished: u32,
    /// Number of failed executions.
    pub failed: u32,
    /// Total duration, in nanoseconds.
    pub total: i64,
    /// Durations in nanoseconds; `None` if no execution is complete.
    pub times: Option<ShapeTimes>,
    /// Total self time, in nanoseconds.
    pub self_time: i64,
    /// Total number of rows returned; `None` if not reported.
    pub rows: Option<i64>,
    /// Total number of bytes: for statements, those that the spans and events inside the executions report, such as buffer events,
    /// file accesses and MAL instructions; for slices, those that they report themselves. `None` if not reported.
    pub bytes: Option<i64>,
    /// Number of executions that start in each of [`Self::STEPS`] equal parts of the time axis.
    pub over_time: Vec<u32>,
    /// Number of complete executions in each of [`Self::STEPS`] equal parts of the axis of durations. Empty in the details of one
    /// shape, which have finer bars.
    pub durations: Vec<u32>,
}

impl ShapeRow {
    /// Number of parts of the time axis and of the axis of durations.
    pub const STEPS: usize = 24;
}

/// Mean, percentiles (nearest rank), minimum and maximum of durations, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ShapeTimes {
    pub min: i64,
    pub mean: i64,
    pub p50: i64,
    pub p95: i64,
    pub p99: i64,
    pub max: i64,
}

/// Distribution of the durations of one shape, and its executions over time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShapeDetail {
    /// Sums and percentiles.
    pub row: ShapeRow,
    /// Whole text of the shape, up to 20,000 characters.
    pub text: String,
    /// Histogram of the durations, from short to long, without gaps. All bars have the same width on a logarithmic
    /// scale, or on a linear scale if the longest duration is less than ten times the shortest.
    pub bars: Vec<DurationBar>,
    /// Start and end of the time axis, in nanoseconds.
    pub axis: (i64, i64),
    /// Cells of time and duration that contain executions.
    pub dots: Vec<ExecutionDot>,
}

impl ShapeDetail {
    /// Maximum number of bars of the histogram.
    pub const BARS: usize = 32;
    /// Number of columns of [`ExecutionDot::column`].
    pub const COLUMNS: u16 = 120;
}

/// A bar of a histogram: the executions with durations from `from` up to but not including `until`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DurationBar {
    /// Shortest duration, in nanoseconds.
    pub from: i64,
    /// End of the durations, in nanoseconds.
    pub until: i64,
    /// Number of executions.
    pub count: u32,
    /// Number of failed executions.
    pub failed: u32,
}

/// Cell of a heat map: executions that start in one part of the time axis and belong to one bar of the histogram.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecutionDot {
    /// Part of the time axis, from 0.
    pub column: u16,
    /// Index of the bar, from 0.
    pub bar: u16,
    /// Number of executions.
    pub count: u32,
    /// Whether any of the executions failed.
    pub failed: bool,
    /// Item code of the longest execution.
    pub item: u32,
}

/// Order and selection of the executions of a shape.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExecutionList {
    /// Number of the shape.
    pub shape: u32,
    /// If set, only complete executions with durations from the first up to but not including the second, in nanoseconds.
    pub between: Option<(i64, i64)>,
    /// Whether the list is ordered by start, earliest first; otherwise by duration, longest first.
    pub by_start: bool,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// Time range of [`ShapeList::range`].
    pub range: Option<(i64, i64)>,
    /// Filter of [`ShapeList::filter`].
    pub filter: String,
}

/// A page of the executions of a shape.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExecutionPage {
    /// Number of executions in the list.
    pub total: u32,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<ExecutionRow>,
}

/// An execution of a shape.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecutionRow {
    /// Item code of the execution's span.
    pub item: u32,
    /// Text of the statement with its literals, or the name of the slice; shortened.
    pub title: String,
    /// Name of the run.
    pub run: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, clipped to the range, in nanoseconds. A lower bound if the execution is not complete.
    pub duration: i64,
    /// Whether both its start and its end are in the trace.
    pub is_complete: bool,
    /// Outcome of the execution.
    pub outcome: Outcome,
}
