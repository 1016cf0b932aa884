//! Source executions grouped by connector, datasource, command and run, and the executions of one group.

use serde::{Deserialize, Serialize};

use super::ShapeTimes;

/// An attribute by which source executions are grouped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SourceDimension {
    /// Connector that accessed the source.
    Connector,
    /// Data source that the connector read.
    Datasource,
    /// Type of the command: QUERY, INSERT, …
    CommandType,
    /// Pushed command with its literals replaced.
    CommandShape,
    /// Run of the execution.
    Run,
}

impl SourceDimension {
    /// All dimensions, in the order of their columns.
    pub const ALL: [Self; 5] =
        [Self::Connector, Self::Datasource, Self::CommandType, Self::CommandShape, Self::Run];
}

/// Grouping, order and time range of the list of sources.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceList {
    /// Attributes that the executions of a group have in common, in the order of [`SourceDimension::ALL`].
    pub by: Vec<SourceDimension>,
    /// Column that orders the list, largest value first (text: from A to Z).
    pub sort: SourceColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only executions that overlap this half-open range, in nanoseconds, with their durations clipped to it.
    pub range: Option<(i64, i64)>,
    /// Filter of the executions: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
}

impl Default for SourceList {
    fn default() -> Self {
        Self {
            by: SourceDimension::ALL[..3].to_vec(),
            sort: SourceColumn::Total,
            reversed: false,
            range: None,
            filter: String::new(),
        }
    }
}

/// A column of the list of sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum SourceColumn {
    Name(SourceDimension),
    Executions,
    Total,
    P50,
    P95,
    Max,
    Reading,
    RowsRead,
    RowsReturned,
    OverFetch,
    RowRate,
    Failed,
}

/// A page of the list of sources.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SourcePage {
    /// Number of groups with at least one execution in the range.
    pub total: u32,
    /// Number of executions of all groups that ended.
    pub executions: u64,
    /// Number of executions of all groups whose end is not in the trace.
    pub unfinished: u64,
    /// Total duration of all executions that are complete, in nanoseconds.
    pub time: i64,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<SourceRow>,
}

/// A group of source executions with equal values in all dimensions of the grouping.
///
/// An execution without its end in the trace counts in `unfinished` only. One without its start counts everywhere but in
/// durations, because its duration is not known.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SourceRow {
    /// Number of the group in this grouping, for further requests.
    pub group: u32,
    /// Value of each dimension of the grouping, shortened; `None` if the executions do not report it.
    pub names: Vec<Option<String>>,
    /// Item code of the longest execution.
    pub longest: u32,
    /// Number of executions that ended.
    pub executions: u32,
    /// Number of executions whose end is not in the trace.
    pub unfinished: u32,
    /// Number of executions that ended and failed, or ended and belong to a query that failed.
    pub failed: u32,
    /// Total duration, in nanoseconds.
    pub total: i64,
    /// Durations in nanoseconds; `None` if no execution is complete.
    pub times: Option<ShapeTimes>,
    /// Time spent reading divided by duration, over the complete executions that report a reading time; `None` without such
    /// executions. Durations are not clipped here, because the position of the reading time in the execution is
    /// unknown.
    pub reading: Option<f64>,
    /// Total number of rows read at the source; `None` if not reported.
    pub rows_read: Option<i64>,
    /// Total number of rows returned to the engine; `None` if not reported.
    pub rows_returned: Option<i64>,
    /// Average rows read divided by average rows returned; `None` if either is not reported or no rows were returned.
    pub over_fetch: Option<f64>,
    /// Rows read per second of duration, over the complete executions that report rows read; `None` without such
    /// executions, or if they took no time.
    pub row_rate: Option<f64>,
}

/// Group, order and time range of a list of source executions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourceExecutionList {
    /// Grouping to which `group` refers.
    pub by: Vec<SourceDimension>,
    /// Number of the group.
    pub group: u32,
    /// Whether the list has only the executions that [`SourceRow::failed`] counts.
    pub failed: bool,
    /// Column that orders the list, largest value first, starts from the earliest.
    pub sort: SourceExecutionColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only executions that overlap this half-open range, in nanoseconds, with their durations clipped to it.
    pub range: Option<(i64, i64)>,
    /// Filter of the executions: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
}

/// A column that orders the executions of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum SourceExecutionColumn {
    Start,
    #[default]
    Duration,
    Reading,
    RowsRead,
    RowsReturned,
    OverFetch,
}

/// A page of the executions of one group.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SourceExecutionPage {
    /// Sums and percentiles of the group; `None` if there is no such group.
    pub group: Option<SourceRow>,
    /// Number of executions in the list.
    pub total: u32,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<SourceExecutionRow>,
}

/// One source execution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SourceExecutionRow {
    /// Item code of the execution's span.
    pub item: u32,
    /// Pushed command, or the name of the span; shortened.
    pub title: String,
    /// Text of the query that the execution belongs to, shortened; empty without a query.
    pub query: String,
    /// Name of the run.
    pub run: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, clipped to the range, in nanoseconds. A lower bound if the execution is not complete.
    pub duration: i64,
    /// Whether both its start and its end are in the trace.
    pub is_complete: bool,
    /// Whether the execution or its query failed.
    pub is_failed: bool,
    /// Time spent reading divided by the whole duration; `None` if not reported or without a duration.
    pub reading: Option<f64>,
    /// Number of rows read at the source; `None` if not reported.
    pub rows_read: Option<i64>,
    /// Number of rows returned to the engine; `None` if not reported.
    pub rows_returned: Option<i64>,
    /// Rows read divided by rows returned; `None` if either is not reported or no rows were returned.
    pub over_fetch: Option<f64>,
}
