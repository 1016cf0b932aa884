//! What the app asks the session, and what comes back: plain data, no logic.
//!
//! Items are codes ([`crate::trace::Item::code`]), tracks and runs are their ids. Every time is in nanoseconds, since
//! the run's own first event unless it says otherwise. JavaScript never sees one: its numbers are exact only below 2⁵³.

mod compare;
mod expansion;
mod findings;
mod parallel;
mod pivot;
mod report;
mod requests;
mod subset;
mod tables;
mod transactions;
mod viewport;
mod views;

use serde::{Deserialize, Serialize};

pub use compare::{
    Compare, CompareColumn, CompareStep, CompareView, CompareWith, Execution, Repeated, StepSum,
};
pub use expansion::{TrackExpansion, TrackKey};
pub use findings::{Finding, FindingGroup};
pub use parallel::{
    BusyName, BusyThread, BusyThreads, EqualSteps, Heat, HeatRow, Held, Parallel, PathName, PathStep,
    PlanStep, Producer, Worker,
};
pub use pivot::{
    PivotCell, PivotChoices, PivotColumn, PivotPage, PivotRow, PivotSpec, PivotView, RANGE_MEANS,
    RANGE_WHOLE, Reconciled, ReconciledCell, ReconciledReason,
};
pub use report::{EMPTY_FILE, FileReport, NOT_READ, NOT_TO_END, ProblemPlace, ProblemReport, UNREADABLE};
pub use requests::{
    AnyReply, AnyRequest, ArrowsRequest, BusiestRequest, CardRequest, ChartsRequest, CompareRequest,
    DetailsRequest, FindQueryRequest, FindingsRequest, FrameArgumentsRequest, FrameCardRequest, HeatRequest,
    ImportReportRequest, LegendRequest, LocateRequest, LockWaitsRequest, MergedFrameRequest, MinimapPixels,
    MinimapRequest, NeighbourRequest, ParallelRequest, PivotChoicesRequest, PivotCsvRequest, PivotRequest,
    QueryListRequest, QueryPositionRequest, RangeRequest, ReconcileRequest, RecordAtPlace,
    ReportPlaceRequest, Request, RequestHandler, RunSummariesRequest, SceneBytes, SceneRequest,
    SearchRequest, SearchStepRequest, SubsetChoicesRequest, TableListRequest, TablePageRequest,
    TrackKeyRequest, TransactionListRequest,
};
pub use subset::{LEFT_OUT_MEANS, Subset, SubsetChoices, SubsetRun};
pub use tables::{TableCell, TableColumn, TableInfo, TableList, TablePage, TableView};
pub use transactions::{
    LockRow, LockSide, LockWaits, Pause, TransactionColumn, TransactionList, TransactionPage, TransactionRow,
};
pub use viewport::{MAX_PIXELS, MIN_SPAN, Viewport};
pub use views::{
    Arrangement, Arrow, Arrows, ColorBy, FocusMove, FrameDimension, FrameWeight, Legend, Located,
    MERGED_WIDTH, MergedSpec, ViewKind, ViewSpec, slot,
};

/// Order and filter of the query list. By default it has all queries, the longest first: among what clients send to set up
/// their sessions, what somebody wants to know about took longer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryList {
    /// The column that orders it.
    pub sort: QueryColumn,
    /// Largest first.
    pub descending: bool,
    /// Words that a query must have (SQL, ids, connectors), and conditions such as `duration > 5ms`.
    pub filter: String,
    /// Only queries that overlap this half-open range; their durations are clipped to it.
    pub range: Option<(i64, i64)>,
}

impl Default for QueryList {
    fn default() -> Self {
        Self { sort: QueryColumn::Duration, descending: true, filter: String::new(), range: None }
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
    Sources,
    RowsRead,
    RowsReturned,
    BufferBytes,
    Outcome,
}

/// What a trace has that frames of a merged flame graph can be grouped by, and weigh.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FrameArguments {
    /// What groups something.
    pub dimensions: Vec<FrameDimension>,
    /// What something is as wide as.
    pub weights: Vec<FrameWeight>,
    /// What spans and events carry besides, by name.
    pub arguments: Vec<FrameArgument>,
}

/// Something that spans or events carry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FrameArgument {
    /// What it is called.
    pub name: String,
    /// Whether it is a number: then it can be the width of frames.
    pub number: bool,
}

/// A few lines about something: what a hover shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Card {
    /// What it is: "source execution".
    pub kind: String,
    /// Its name.
    pub title: String,
    /// Marks in words: "failed", "no end in trace".
    pub marks: Vec<String>,
    /// Names and values, ready to be read.
    pub lines: Vec<(String, String)>,
}

/// A frame of a merged flame graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MergedFrame {
    /// The labels that lead to it from the outermost frame: what [`MergedSpec::focus`] takes.
    pub path: Vec<String>,
    /// The labels that lead to the frame in focus, also where the request had their hashes.
    pub focus: Vec<String>,
    /// What it measures, with its unit.
    pub value: String,
    /// Frames in the frame in focus (and itself) whose label has the text that is looked for, and the share of its
    /// width that they are, 0 to 1; `None` where nothing is looked for.
    pub matched: Option<(u32, f64)>,
}

/// All about an item.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Details {
    /// The item.
    pub item: u32,
    /// Its colour slot by kind.
    pub color: u16,
    /// What it is.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// Marks in words.
    pub marks: Vec<String>,
    /// Sentences about what is remarkable: "102,944 rows read, 250 returned: the filter was not pushed down".
    pub notes: Vec<Note>,
    /// The run that it belongs to.
    pub run: String,
    /// The named tracks that hold it, such as its process and thread, from the outermost to its own; none where they are
    /// parts of a query, which [`Details::parents`] names.
    pub tracks: Vec<String>,
    /// Start.
    pub start: i64,
    /// Duration; `None` for an event.
    pub duration: Option<i64>,
    /// The clock's reading at its start, as it stands in the file.
    pub timestamp: i64,
    /// The share of an execution that was spent reading, with its time.
    pub reading: Option<i64>,
    /// Names and values, ready to be read, without those that have a place of their own here.
    pub fields: Vec<(String, String)>,
    /// Texts to lay out and highlight: SQL, pushed command, error.
    pub codes: Vec<Code>,
    /// From the request down to the parent: of very many the outermost and the 63 nearest.
    pub parents: Vec<Link>,
    /// What is right below it, at most 200: spans by their duration, the longest first, then events by time.
    pub children: Vec<Link>,
    /// How many are right below it in all, without buffer events.
    pub n_children: u32,
    /// The buffer events right below it.
    pub buffers: Option<BufferEvents>,
    /// Where what happens in it was handed on from, at most 200.
    pub sources: Vec<Link>,
    /// Where it went on, at most 200.
    pub targets: Vec<Link>,
    /// How many arrows reach it, and how many leave it.
    pub n_arrows: (u32, u32),
    /// The records that it was read from, to be read again from their files.
    pub records: Vec<RawPlace>,
    /// How many it is inside of in all.
    pub n_parents: u32,
}

/// A sentence about an item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// Whether it tells of a failure (else of something remarkable).
    pub failure: bool,
    /// The first words, bold.
    pub lead: String,
    /// The rest.
    pub text: String,
}

/// A text with its tokens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Code {
    /// What it is: "SQL", "pushed command".
    pub title: String,
    /// As it stands in the file, but for the end of what is very long.
    pub original: String,
    /// Laid out, in pieces.
    pub tokens: Vec<(TokenKind, String)>,
    /// Characters at its end that are left out.
    pub left_out: u64,
}

/// What a piece of SQL is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum TokenKind {
    Plain,
    Keyword,
    Text,
    Number,
    Comment,
}

/// Buffer events, to be shown as one line that can be opened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferEvents {
    /// How many there are.
    pub count: u32,
    /// The bytes that they moved in all; `None` where none reported any.
    pub bytes: Option<i64>,
    /// Their colour slot by kind.
    pub color: u16,
    /// The first 200, by time.
    pub links: Vec<Link>,
}

/// A pointer to another item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// The item.
    pub item: u32,
    /// Its colour slot by kind.
    pub color: u16,
    /// Its name.
    pub title: String,
    /// Start.
    pub start: i64,
    /// Duration; `None` for an event.
    pub duration: Option<i64>,
}

/// Where a record stands, for whoever holds the files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawPlace {
    /// The record.
    pub record: u32,
    /// The file's number, in the order of `Session::open`.
    pub file: u32,
    /// The file's name; `archive.zip/entry` for a file in an archive.
    pub name: String,
    /// Line, counted from 1, where that is known.
    pub line: Option<u64>,
    /// Byte offset in the text (after decompression).
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Whether the file must be unpacked (`Session::unpack`) to get at the text.
    pub packed: bool,
    /// Whether the record is longer: only its start can be shown again.
    pub cut: bool,
}

/// A record as it stands in its file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawRecord {
    /// Its text.
    pub text: String,
    /// Its values by name.
    pub fields: Vec<(String, String)>,
}

/// A page of the query list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct QueryPage {
    /// Queries in the trace.
    pub total: u32,
    /// Queries that the filter leaves.
    pub matched: u32,
    /// What is wrong with the filter, if something is.
    pub filter_error: Option<String>,
    /// The longest duration among `matched`, for the bars.
    pub longest: i64,
    /// The columns in which no query of the trace has anything.
    pub empty: Vec<QueryColumn>,
    /// The first row of the page.
    pub first: u32,
    /// The rows.
    pub rows: Vec<QueryRow>,
}

/// A row of the query list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QueryRow {
    /// The query's span.
    pub item: u32,
    /// What names it in every build of the same files, unlike `item`: the number of the record that it begins with, or
    /// ends with where its beginning is not in the trace. `None` where neither is.
    pub record: Option<u32>,
    /// The run's name.
    pub run: String,
    /// The engine's name for it.
    pub query: String,
    /// The statement, or its id where no statement is in the trace. At most 400 characters.
    pub sql: String,
    /// Start.
    pub start: i64,
    /// Duration.
    pub duration: i64,
    /// The part of the duration that lies inside the range of the list; all of it without a range.
    pub in_range: i64,
    /// Duration divided by the run's average; `None` where there is no average.
    pub ratio: Option<f64>,
    /// Source executions.
    pub sources: u32,
    /// Sum of what was reported.
    pub rows_read: Option<i64>,
    /// Sum of what was reported.
    pub rows_returned: Option<i64>,
    /// Sum of what was reported.
    pub buffer_bytes: Option<i64>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a query ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// It reported success.
    Ok,
    /// It reported a failure.
    Failed,
    /// Its end is not in the trace.
    Unfinished,
    /// Its start is not in the trace.
    NoStart,
}

/// What lies inside a time range: whatever overlaps it, with the time clipped to it; bytes and rows count whole.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RangeSummary {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// One line per kind, in the order of kinds, only those that occur.
    pub kinds: Vec<KindSum>,
}

/// What a range holds of one kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KindSum {
    /// The kind's name.
    pub kind: String,
    /// Its colour slot.
    pub color: u16,
    /// Spans or events.
    pub count: u64,
    /// Time inside the range; for spans only.
    pub time: Option<i64>,
    /// Bytes, where reported.
    pub bytes: Option<i64>,
    /// Rows read, where reported.
    pub rows_read: Option<i64>,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SearchResult {
    /// What was looked for.
    pub text: String,
    /// Items that match.
    pub items: u32,
    /// Queries that match themselves or hold something that does.
    pub queries: u32,
    /// Tracks whose name matches, such as threads: the steps from hit to hit lead to the first item of each, too.
    pub tracks: u32,
}

/// The summary of a run (Kubling's RUN_SUMMARY view). Totals are over what was reported.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunSummary {
    /// The run's name.
    pub run: String,
    /// Records in the picture.
    pub events: u64,
    /// Queries with both a start and an end in the trace.
    pub queries: u64,
    /// Queries without an end.
    pub unfinished: u64,
    /// Queries that failed.
    pub failed: u64,
    /// Over `queries`.
    pub total_duration_ns: i64,
    /// Over `queries`; `None` where there are none.
    pub avg_duration_ns: Option<f64>,
    /// Over `queries`.
    pub min_duration_ns: Option<i64>,
    /// Over `queries`.
    pub max_duration_ns: Option<i64>,
    /// Source executions that ended.
    pub source_calls: u64,
    /// Over `source_calls`.
    pub rows_read: i64,
    /// Over `source_calls`.
    pub rows_returned: i64,
    /// Buffer events.
    pub buffer_events: u64,
    /// Over `buffer_events`.
    pub buffer_bytes: i64,
    /// Over `buffer_events`.
    pub buffer_elements: i64,
    /// From the first to the last event.
    pub wall_ns: i64,
    /// Sentences about the run, each with what it is about: how complete it is, how its clocks were brought together.
    pub notes: Vec<(String, String)>,
}

/// The data of the small charts.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Charts {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// Queries that are running, per step (the greatest number inside the step).
    pub queries: Vec<u32>,
    /// Bytes per step, by buffer event type.
    pub buffers: Vec<(String, Vec<i64>)>,
    /// Durations of the queries that overlap the range, clipped to it: lower bound of each class (a logarithmic scale), and count.
    pub durations: Vec<(i64, u32)>,
    /// 50th, 90th, 99th percentile and maximum, where there are queries.
    pub percentiles: Option<[i64; 4]>,
    /// Charts of single runs, if there are several: the first [`Charts::MOST_RUNS`] of them.
    pub runs: Vec<RunCharts>,
    /// Runs that have no charts of their own, because there are too many.
    pub more_runs: u32,
}

impl Charts {
    /// Maximum number of runs with charts of their own: as many as there are colours for names.
    pub const MOST_RUNS: usize = slot::CATEGORIES as usize;
}

/// The small charts of one of several runs; steps and classes are those of [`Charts`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunCharts {
    /// The run's name.
    pub name: String,
    /// Queries that are running, per step.
    pub queries: Vec<u32>,
    /// Bytes of buffer events of all types, per step.
    pub bytes: Vec<i64>,
    /// How many queries are in each class of durations.
    pub durations: Vec<u32>,
    /// 50th, 90th, 99th percentile and maximum, where there are queries.
    pub percentiles: Option<[i64; 4]>,
}
