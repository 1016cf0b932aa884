//! Requests to a session and their replies: plain data, no logic.
//!
//! Items are codes ([`crate::trace::Item::code`]); tracks and runs are ids. Every time is in nanoseconds since the first
//! event of its run unless stated otherwise. JavaScript never reads a time: its numbers are exact only below 2⁵³.

mod area;
mod buffers;
mod compare;
mod critical;
mod dataset;
mod expansion;
mod export;
mod filter;
mod findings;
mod parallel;
mod picture;
mod pivot;
mod report;
mod requests;
mod run_comparison;
mod run_table;
mod shapes;
mod sources;
mod span_jumps;
mod sql;
mod subset;
mod tables;
mod track_layout;
mod transactions;
mod viewport;
mod views;

use serde::{Deserialize, Serialize};

pub use area::{
    AreaCounter, AreaNameColumn, AreaNameList, AreaNameListRequest, AreaNamePage, AreaNameRow, AreaRequest,
    AreaSpanColumn, AreaSpanList, AreaSpanListRequest, AreaSpanPage, AreaSpanRow, AreaSpec, AreaSummary,
    AreaTimes, AreaTrack, AreaTracksRequest, CounterValue,
};
pub use buffers::{
    BufferActivity, BufferMeasure, BufferQueryColumn, BufferQueryList, BufferQueryPage, BufferQueryRow,
    BufferRunRow, BufferTypeRow, SpillShare,
};
pub use compare::{
    AlignedStep, Compare, CompareColumn, CompareStep, CompareView, CompareWith, Execution, ExecutionSiblings,
    Repeated, SideBySideRequest, SideBySideSummary, SlowerStep, StepSum,
};
pub use critical::{
    CriticalPath, PathMark, PathMarks, PathName, PathRest, PathRestKind, PathRule, PathStep, ShapePath,
    ShapePathStep, SlackSpan,
};
pub use dataset::{
    ChartText, DatasetAnswer, DatasetOrder, DatasetQuestion, DatasetReply, TrendCell, TrendCellContent,
    TrendChart, TrendChoice, TrendColumn, TrendColumnKind, TrendPage, TrendTable,
};
pub use expansion::{TrackExpansion, TrackKey};
pub use export::{ExportPreview, ExportPreviewRequest, ExportSpec, IdentifierCount, Redaction};
pub use filter::{
    FilterCompletion, FilterCompletionRequest, FilterCompletions, FilterCondition, FilterReply,
    FilterRequest, FilterValue,
};
pub use findings::{
    ChangedThreshold, Finding, FindingGroup, FindingList, FindingShare, FindingThreshold, ShareUnit,
};
pub use parallel::{
    BusyName, BusyThread, BusyThreads, EqualSteps, Heat, HeatRow, Held, Parallel, PlanStep, Producer, Worker,
};
pub use picture::{Picture, PictureRequest};
pub use pivot::{
    PivotCell, PivotChoices, PivotColumn, PivotPage, PivotRow, PivotRows, PivotSpec, PivotView, PlainField,
    RANGE_MEANS, RANGE_WHOLE, Reconciled, ReconciledCell, ReconciledReason,
};
pub use report::{
    EMPTY_FILE, FileReport, LOST_IN_ORIGINAL, MISSING_EVENTS, NOT_READ, NOT_TO_END, ProblemPlace,
    ProblemReport, SHOWN_ONCE, UNREADABLE,
};
pub use requests::{
    AnyReply, AnyRequest, ArrowsRequest, BufferActivityRequest, BufferQueryListRequest, BusiestRequest,
    CardRequest, ChartsRequest, CompareRequest, CriticalPathRequest, DetailsRequest, ExecutionListRequest,
    FindQueryRequest, FindingsRequest, FrameArgumentsRequest, FrameCardRequest, HeatRequest,
    ImportReportRequest, IssueTextRequest, ItemTrackRequest, LegendRequest, LocateRequest, LockWaitsRequest,
    MergedFrameRequest, MinimapPixels, MinimapRequest, NeighbourRequest, ParallelRequest, PathMarksRequest,
    PivotChoicesRequest, PivotCsvRequest, PivotRequest, PivotRowsRequest, QueryListRequest,
    QueryPositionRequest, RangeRequest, ReconcileRequest, RecordAtPlace, ReportPlaceRequest, Request,
    RequestHandler, RuleFindingsRequest, RunSummariesRequest, SceneBytes, SceneRequest, SearchRequest,
    SearchStepRequest, ShapeDetailRequest, ShapeListRequest, ShapePathRequest, SiblingsRequest,
    SourceExecutionListRequest, SourceListRequest, SubsetChoicesRequest, TableListRequest, TablePageRequest,
    TrackKeyRequest, TransactionListRequest,
};
pub use run_comparison::{
    CompareRunsGroupRequest, CompareRunsRequest, ComparedBar, ComparedRunColumn, ComparedRunGroup,
    ComparedRunList, ComparedRunRow, ComparedRuns, DurationVerdict, ExampleExecution, GroupBy,
    RunComparisonSpec, RunSelection, SideConditions, SideExamples, SideMeasures, SideTotals, TypicalChange,
};
pub use run_table::{
    RunTableCell, RunTableMeasure, RunTableOrder, RunTablePage, RunTableRequest, RunTableRow, RunTableRun,
    TimeRank,
};
pub use shapes::{
    DurationBar, ExecutionDot, ExecutionList, ExecutionPage, ExecutionRow, ShapeColumn, ShapeDetail,
    ShapeList, ShapePage, ShapeRow, ShapeTimes,
};
pub use sources::{
    SourceColumn, SourceDimension, SourceExecutionColumn, SourceExecutionList, SourceExecutionPage,
    SourceExecutionRow, SourceList, SourcePage, SourceRow,
};
pub use span_jumps::{JumpTarget, SpanJump, SpanJumpRequest};
pub use sql::{
    ColumnValues, ResultSpan, ResultTrackRequest, SideColumnType, SqlChart, SqlChartBar, SqlChartPlot,
    SqlColumns, SqlColumnsRequest, SqlFailure, SqlIds, SqlOrder, SqlPlannedReads, SqlReadyStatement,
    SqlResult, SqlResultColumn, SqlSideColumn, SqlTableList, SqlTableListRequest, SqlTokensRequest,
    SqlValueKind,
};
pub use subset::{LEFT_OUT_MEANS, Subset, SubsetChoices, SubsetRun};
pub use tables::{TableCell, TableColumn, TableInfo, TableList, TablePage, TableView};
pub use track_layout::{
    HiddenTrack, TrackCounts, TrackCountsRequest, TrackLayout, TrackMove, TrackMoveRequest, TrackMoved,
};
pub use transactions::{
    LockRow, LockSide, LockWaits, Pause, TransactionColumn, TransactionList, TransactionPage, TransactionRow,
};
pub use viewport::{MAX_PIXELS, MIN_SPAN, Viewport};
pub use views::{
    Arrangement, Arrow, Arrows, ColorBy, CounterView, FocusMove, FrameDimension, FrameWeight, Legend,
    Located, MERGED_WIDTH, MergedDifference, MergedSpec, StackForm, ViewFilter, ViewKind, ViewSpec, slot,
};

/// Order and filter of the query list. The default lists all queries, longest first, because traces contain many short
/// queries with which clients set up their sessions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryList {
    /// Column that orders the list.
    pub sort: QueryColumn,
    /// Whether the order is descending (largest first).
    pub descending: bool,
    /// Words that a query must contain (in its SQL, ids or connectors), and conditions such as `duration > 5ms`.
    pub filter: String,
    /// If set, only queries that overlap this half-open range, in nanoseconds, with their durations clipped to it.
    pub range: Option<(i64, i64)>,
    /// Weights of the column [`QueryColumn::Score`].
    pub weights: ScoreWeights,
}

impl Default for QueryList {
    fn default() -> Self {
        let weights = ScoreWeights::default();
        Self { sort: QueryColumn::Duration, descending: true, filter: String::new(), range: None, weights }
    }
}

/// Weights of the parts of a query's score, in millionths.
///
/// Each part is divided by its largest value among the complete queries of all runs, so a score is between 0 and the sum of the
/// weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScoreWeights {
    /// Weight of the duration.
    pub latency: u32,
    /// Weight of the rows read by source executions.
    pub io: u32,
    /// Weight of the bytes of buffer events.
    pub buffer: u32,
}

impl Default for ScoreWeights {
    fn default() -> Self {
        Self { latency: 600_000, io: 300_000, buffer: 100_000 }
    }
}

impl ScoreWeights {
    /// Maximum weight, as a number (not in millionths).
    pub const MOST: u32 = 1_000;

    /// Converts a weight from millionths to a number.
    pub fn number(weight: u32) -> f64 {
        f64::from(weight) / 1e6
    }

    /// Parses a weight, such as `0.6`, rounded to millionths. `None` if the text is not a number between 0 and
    /// [`Self::MOST`].
    pub fn parse(text: &str) -> Option<u32> {
        let number: f64 = text.trim().parse().ok()?;
        (0.0..=f64::from(Self::MOST)).contains(&number).then(|| (number * 1e6).round() as u32)
    }
}

/// A column of the query list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum QueryColumn {
    Sql,
    Start,
    Duration,
    Ratio,
    Score,
    Sources,
    RowsRead,
    RowsReturned,
    BufferBytes,
    Outcome,
}

/// Dimensions, weights and arguments that a trace offers for a merged flame graph.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FrameArguments {
    /// Dimensions that have values in this trace.
    pub dimensions: Vec<FrameDimension>,
    /// Weights that have values in this trace.
    pub weights: Vec<FrameWeight>,
    /// Arguments of spans and events, by name.
    pub arguments: Vec<FrameArgument>,
}

/// An argument of spans or events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FrameArgument {
    /// Name of the argument.
    pub name: String,
    /// Whether its values are numbers, so that it can be the width of frames.
    pub number: bool,
}

/// A short summary of an item or a frame, shown when the pointer hovers over it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Card {
    /// Kind of the item, such as "source execution".
    pub kind: String,
    /// Name of the item.
    pub title: String,
    /// Flags in words, such as "failed" or "no end in trace".
    pub marks: Vec<String>,
    /// Names and values, formatted for display.
    pub lines: Vec<(String, String)>,
}

/// A frame of a merged flame graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MergedFrame {
    /// Labels from the outermost frame to this frame, without hashes; a valid [`MergedSpec::focus`].
    pub path: Vec<String>,
    /// Name of the call, for a stack frame; `None` for a frame of another dimension.
    pub call: Option<String>,
    /// Form of the stacks, with a text in place of the hash in the request.
    pub stacks: StackForm,
    /// Names of the hidden calls, with texts in place of the hashes in the request.
    pub hidden: Vec<String>,
    /// Weight of the frame, formatted with its unit.
    pub value: String,
    /// Search hits in the focused frame: the number of frames at or below it whose label matches, and their width with its
    /// share of the focused frame's width, for display; `None` without a search.
    pub matched: Option<(u32, String)>,
}

/// Full details of an item.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Details {
    /// Item code.
    pub item: u32,
    /// Colour slot of the item's kind.
    pub color: u16,
    /// Name of the item's kind.
    pub kind: String,
    /// Name of the item.
    pub title: String,
    /// Flags in words, such as "failed" or "no end in trace".
    pub marks: Vec<String>,
    /// Sentences about unusual properties, such as "102,944 rows read, 250 returned: the filter was not pushed down".
    pub notes: Vec<Note>,
    /// Name of the item's run.
    pub run: String,
    /// Names of the tracks that contain the item, such as its process and thread, outermost first; empty if they are
    /// the tracks of a query, whose spans [`Details::parents`] lists.
    pub tracks: Vec<String>,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds; `None` for an event.
    pub duration: Option<i64>,
    /// Clock reading at the item's start, as recorded in the file.
    pub timestamp: i64,
    /// Time that an execution spent reading, in nanoseconds; `None` if not recorded.
    pub reading: Option<i64>,
    /// Names and values, formatted for display, without the values that have a field of their own in this struct.
    pub fields: Vec<(String, String)>,
    /// Texts to format and highlight: SQL, pushed command, error.
    pub codes: Vec<Code>,
    /// Ancestors from the request down to the parent; of more than 64 ancestors, the outermost and the nearest 63.
    pub parents: Vec<Link>,
    /// Children, at most 200: spans by duration, longest first, then events by time.
    pub children: Vec<Link>,
    /// Total number of children, without buffer events.
    pub n_children: u32,
    /// Buffer events directly below the item; `None` if there are none.
    pub buffers: Option<BufferEvents>,
    /// Items that this item depends on, at most 200.
    pub sources: Vec<Link>,
    /// Items that depend on this item, at most 200.
    pub targets: Vec<Link>,
    /// Number of arrows that arrive at the item, and number that leave it.
    pub n_arrows: (u32, u32),
    /// Values of the item that a filter can name: `kind`, `name`, `status`, `run` and `thread`, and texts by their names in
    /// `fields`.
    pub filters: Vec<FilterValue>,
    /// Places of the source records of the item, to read them again from their files.
    pub records: Vec<RawPlace>,
    /// Total number of ancestors.
    pub n_parents: u32,
}

/// A sentence about an item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// Whether the note reports a failure; `false` for other notes.
    pub failure: bool,
    /// First words of the note, shown in bold.
    pub lead: String,
    /// Rest of the note.
    pub text: String,
}

/// A text with its tokens for syntax highlighting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Code {
    /// Kind of the text: "SQL", "pushed command".
    pub title: String,
    /// The text as recorded in the file, cut off if it is very long.
    pub original: String,
    /// The formatted text, as a sequence of tokens.
    pub tokens: Vec<(TokenKind, String)>,
    /// Number of characters cut off at the end.
    pub left_out: u64,
}

/// Token type of a piece of SQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum TokenKind {
    Plain,
    Keyword,
    Text,
    Number,
    Comment,
}

/// Buffer events of an item, shown as one line that can be expanded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferEvents {
    /// Number of buffer events.
    pub count: u32,
    /// Sum of the bytes that they moved; `None` if no buffer event reported bytes.
    pub bytes: Option<i64>,
    /// Colour slot of the buffer events' kind.
    pub color: u16,
    /// First 200 buffer events, by time.
    pub links: Vec<Link>,
}

/// A link to another item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// Item code.
    pub item: u32,
    /// Colour slot of the item's kind.
    pub color: u16,
    /// Name of the item.
    pub title: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds; `None` for an event.
    pub duration: Option<i64>,
}

/// Position of a record in its file, for a client that holds the files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawPlace {
    /// Number of the record.
    pub record: u32,
    /// Number of the file, in the order of `Session::open`.
    pub file: u32,
    /// Name of the file; `archive.zip/entry` for a file in an archive.
    pub name: String,
    /// Line number, counted from 1; `None` if unknown.
    pub line: Option<u64>,
    /// Byte offset in the decompressed text.
    pub offset: u64,
    /// Length of the record, in bytes.
    pub length: u32,
    /// Whether the file must be decompressed (`Session::unpack`) to get the text.
    pub packed: bool,
    /// Whether the record is longer than `length`: only its start can be shown.
    pub cut: bool,
}

/// A source record as it appears in its file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawRecord {
    /// Text of the record.
    pub text: String,
    /// Names and values of the record.
    pub fields: Vec<(String, String)>,
}

/// A page of the query list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct QueryPage {
    /// Total number of queries in the trace.
    pub total: u32,
    /// Number of queries that pass the filter.
    pub matched: u32,
    /// Error message for an invalid filter; `None` if the filter is valid.
    pub filter_error: Option<String>,
    /// Longest duration among the matching queries, in nanoseconds; scales the bars.
    pub longest: i64,
    /// Columns in which no query of the trace has a value.
    pub empty: Vec<QueryColumn>,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<QueryRow>,
}

/// A row of the query list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QueryRow {
    /// Item code of the query's span.
    pub item: u32,
    /// Stable id of the query in every build of the same files, unlike `item`: the number of its first record, or of its last
    /// record if its start is not in the trace. `None` if neither record is in the trace.
    pub record: Option<u32>,
    /// Name of the run.
    pub run: String,
    /// Query id that the engine assigned.
    pub query: String,
    /// Statement, or the query id if the trace has no statement. At most 400 characters.
    pub sql: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds.
    pub duration: i64,
    /// Part of the duration that is inside the list's range, in nanoseconds; the whole duration without a range.
    pub in_range: i64,
    /// Duration divided by the run's average duration; `None` if there is no average.
    pub ratio: Option<f64>,
    /// Score with the weights of the list, from 0 to their sum; `None` if the query is not complete.
    pub score: Option<f64>,
    /// Number of source executions.
    pub sources: u32,
    /// Sum of the reported rows read; `None` if not reported.
    pub rows_read: Option<i64>,
    /// Sum of the reported rows returned; `None` if not reported.
    pub rows_returned: Option<i64>,
    /// Sum of the reported bytes of buffer events; `None` if not reported.
    pub buffer_bytes: Option<i64>,
    /// Outcome of the query.
    pub outcome: Outcome,
}

/// Outcome of a query.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// The query reported success.
    Ok,
    /// The query reported a failure.
    Failed,
    /// The end of the query is not in the trace.
    Unfinished,
    /// The start of the query is not in the trace.
    NoStart,
}

/// Spans and events that overlap a time range, with times clipped to the range; bytes and rows are counted in full.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RangeSummary {
    /// Start of the range, in nanoseconds.
    pub start: i64,
    /// End of the range, in nanoseconds.
    pub end: i64,
    /// One entry per kind that occurs, in the order of kinds.
    pub kinds: Vec<KindSum>,
}

/// Sums of the spans and events of one kind in a time range.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KindSum {
    /// Name of the kind.
    pub kind: String,
    /// Colour slot of the kind.
    pub color: u16,
    /// Number of spans or events.
    pub count: u64,
    /// Time inside the range, in nanoseconds; `None` for events.
    pub time: Option<i64>,
    /// Sum of bytes; `None` if not reported.
    pub bytes: Option<i64>,
    /// Sum of rows read; `None` if not reported.
    pub rows_read: Option<i64>,
}

/// Result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SearchResult {
    /// The text searched for.
    pub text: String,
    /// Number of matching items.
    pub items: u32,
    /// Number of queries that match, or contain a matching item.
    pub queries: u32,
    /// Number of tracks, such as threads, whose name matches. Stepping through hits also visits each track's first item.
    pub tracks: u32,
}

/// Summary of a run (Kubling's RUN_SUMMARY view). Totals cover reported values only.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunSummary {
    /// Name of the run.
    pub run: String,
    /// Number of records shown in the timeline.
    pub events: u64,
    /// Number of queries whose start and end are both in the trace.
    pub queries: u64,
    /// Number of queries whose end is not in the trace.
    pub unfinished: u64,
    /// Number of failed queries.
    pub failed: u64,
    /// Sum of the durations of `queries`, in nanoseconds.
    pub total_duration_ns: i64,
    /// Average duration of `queries`, in nanoseconds; `None` if there are none.
    pub avg_duration_ns: Option<f64>,
    /// Minimum duration of `queries`, in nanoseconds; `None` if there are none.
    pub min_duration_ns: Option<i64>,
    /// Maximum duration of `queries`, in nanoseconds; `None` if there are none.
    pub max_duration_ns: Option<i64>,
    /// Item codes of the first query with the minimum and of the first with the maximum duration; `None` if there are none.
    pub extremes: Option<(u32, u32)>,
    /// Number of source executions that ended.
    pub source_calls: u64,
    /// Rows read by `source_calls`; 0 if there are no such calls, `None` if none of them reported its rows.
    pub rows_read: Option<i64>,
    /// Rows returned by `source_calls`; 0 if there are no such calls, `None` if none of them reported its rows.
    pub rows_returned: Option<i64>,
    /// Number of buffer events.
    pub buffer_events: u64,
    /// Sum of the bytes of `buffer_events`; 0 if there are no such events, `None` if none of them reported its bytes.
    pub buffer_bytes: Option<i64>,
    /// Sum of the elements of `buffer_events`; 0 if there are no such events, `None` if none of them reported its
    /// elements.
    pub buffer_elements: Option<i64>,
    /// Time from the first to the last event, in nanoseconds.
    pub wall_ns: i64,
    /// Topics and sentences about the run: how complete it is, how its clocks were aligned.
    pub notes: Vec<(String, String)>,
}

/// Data of the small charts of a time range.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Charts {
    /// Start of the range, in nanoseconds.
    pub start: i64,
    /// End of the range, in nanoseconds.
    pub end: i64,
    /// Maximum number of queries running at the same time, per time step.
    pub queries: Vec<u32>,
    /// Bytes per time step, by buffer event type.
    pub buffers: Vec<(String, Vec<i64>)>,
    /// Histogram of the whole durations of queries that overlap the range: lower bound (logarithmic scale) and count. Queries
    /// with the outcome unfinished or no-start are left out.
    pub durations: Vec<(i64, u32)>,
    /// Number of queries that overlap the range and are left out of `durations`.
    pub incomplete: u32,
    /// 50th, 90th and 99th percentile and maximum of the durations, in nanoseconds; `None` without queries.
    pub percentiles: Option<[i64; 4]>,
    /// Charts of single runs, for at most [`Charts::MOST_RUNS`] runs; empty if there is only one run.
    pub runs: Vec<RunCharts>,
    /// Number of runs without charts of their own.
    pub more_runs: u32,
}

impl Charts {
    /// Maximum number of runs with charts of their own: the number of colours for names.
    pub const MOST_RUNS: usize = slot::CATEGORIES as usize;
}

/// Small charts of one run, with the time steps and histogram classes of [`Charts`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunCharts {
    /// Name of the run.
    pub name: String,
    /// Maximum number of queries running at the same time, per time step.
    pub queries: Vec<u32>,
    /// Bytes of buffer events of all types, per time step.
    pub bytes: Vec<i64>,
    /// Number of queries in each histogram class.
    pub durations: Vec<u32>,
    /// 50th, 90th and 99th percentile and maximum of the durations, in nanoseconds; `None` without queries.
    pub percentiles: Option<[i64; 4]>,
}
