//! The requests that a session answers, each with the type of its reply.
//!
//! Every request is a type of its own with its reply type as [`Request::Reply`], so that a wrong pairing does not compile.
//! [`AnyRequest`] and [`AnyReply`] carry them between threads. The table at the end of this file generates these types.

use serde::{Deserialize, Serialize};

use super::{
    AreaNameListRequest, AreaNamePage, AreaRequest, AreaSpanListRequest, AreaSpanPage, AreaSpec, AreaSummary,
    AreaTrack, AreaTracksRequest, Arrows, BufferActivity, BufferMeasure, BufferQueryList, BufferQueryPage,
    BusyThreads, Card, ChangedThreshold, Charts, ColorBy, Compare, CompareRunsGroupRequest,
    CompareRunsRequest, CompareView, ComparedRunGroup, ComparedRuns, CriticalPath, Details, ExecutionList,
    ExecutionPage, ExecutionSiblings, ExportPreview, ExportPreviewRequest, FileReport,
    FilterCompletionRequest, FilterCompletions, FilterReply, FilterRequest, Finding, FindingList, FocusMove,
    FrameArguments, Heat, Legend, Located, LockWaits, MergedFrame, MergedSpec, Parallel, PathMarks, Picture,
    PictureRequest, PivotChoices, PivotPage, PivotRows, PivotView, QueryList, QueryPage, RangeSummary,
    RawPlace, Reconciled, ResultTrackRequest, RunSelection, RunSummary, RunTablePage, RunTableRequest,
    SearchResult, ShapeDetail, ShapeList, ShapePage, ShapePath, SideBySideRequest, SideBySideSummary,
    SourceExecutionList, SourceExecutionPage, SourceList, SourcePage, SpanJump, SpanJumpRequest, SqlColumns,
    SqlColumnsRequest, SqlTableList, SqlTableListRequest, SqlTokensRequest, SubsetChoices, TableList,
    TablePage, TableView, TokenKind, TrackCounts, TrackCountsRequest, TrackKey, TrackMoveRequest, TrackMoved,
    TransactionList, TransactionPage, ViewSpec, Viewport,
};

/// Requests the scene of a view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SceneRequest {
    /// View to draw.
    pub view: ViewSpec,
    /// Visible part of the view.
    pub viewport: Viewport,
}

/// Requests the minimap: how busy the whole trace is, one value per pixel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MinimapRequest {
    /// Width of the minimap, in pixels.
    pub width: u32,
}

/// Requests the stable key of a track, under which it is expanded or collapsed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackKeyRequest {
    /// Track id.
    pub track: u32,
}

/// Requests the stable key of the track that holds an item, under which the track is pinned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ItemTrackRequest {
    /// Item code.
    pub item: u32,
}

/// Requests the position of an item in a view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LocateRequest {
    /// Item code.
    pub item: u32,
    /// View in which the item is located.
    pub view: ViewSpec,
    /// Whether to expand collapsed ancestors ([`Located::expanded`]); otherwise locates the collapsed track instead.
    pub open: bool,
}

/// Requests the arrows of an item.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArrowsRequest {
    /// Item code.
    pub item: u32,
    /// View in which the arrows are drawn.
    pub view: ViewSpec,
}

/// Requests the neighbour of an item in a direction.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NeighbourRequest {
    /// Item to start from; `None` for the first query of the trace.
    pub item: Option<u32>,
    /// Direction to move in.
    pub step: FocusMove,
    /// If set, item codes of two executions that the move must not leave. If `item` is in neither, the reply is the
    /// first of them.
    pub within: Option<[u32; 2]>,
    /// Filter that all other items must match; empty for none. Without `within` only.
    pub filter: String,
}

/// Requests a short summary of an item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CardRequest {
    /// Item code.
    pub item: u32,
}

/// Requests a short summary of a frame of a merged flame graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FrameCardRequest {
    /// Merged flame graph that contains the frame.
    pub spec: MergedSpec,
    /// Id of the frame in the scene.
    pub frame: u32,
}

/// Requests the path of a frame of a merged flame graph, and the matches of the current search in the focused frame.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MergedFrameRequest {
    /// Merged flame graph that contains the frame.
    pub spec: MergedSpec,
    /// Id of the frame in the scene; `None` for the focused frame.
    pub frame: Option<u32>,
    /// If set, requests the neighbour of `frame` in this direction, or `frame` itself if it has none.
    pub step: Option<FocusMove>,
}

/// Requests all details of an item, except its source records.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DetailsRequest {
    /// Item code.
    pub item: u32,
}

/// Requests a summary as Markdown, to paste into an issue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum IssueTextRequest {
    /// Summary of the item with this code.
    Item(u32),
    /// Summary of a time range.
    Range(RangeRequest),
    /// Summary of an area, or of single spans and events.
    Area(AreaSpec),
}

/// Requests a page of the query list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryListRequest {
    /// Order and filter of the list.
    pub list: QueryList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows, at most 1,000.
    pub count: u32,
}

/// Requests the row index of an item's query in the query list, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryPositionRequest {
    /// Order and filter of the list.
    pub list: QueryList,
    /// Item code.
    pub item: u32,
}

/// Requests the item code of a query list row that may come from an earlier build of the trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindQueryRequest {
    /// Record number from [`QueryRow::record`](super::QueryRow::record).
    pub record: u32,
}

/// Requests a summary of the spans and events that overlap a time range and match a filter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RangeRequest {
    /// Start of the range, in nanoseconds.
    pub start: i64,
    /// End of the range, in nanoseconds.
    pub end: i64,
    /// Filter: see [`super::FilterRequest`]. Empty for none; one that is not valid has no effect.
    pub filter: String,
}

/// Searches names, SQL, ids, connectors and threads, and highlights the hits in all scenes; an empty text ends the search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchRequest {
    /// Text to search for, case-insensitive.
    pub text: String,
}

/// Requests the next or previous hit of the current search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchStepRequest {
    /// Item to start from; `None` starts at the first hit, or at the last hit if `backwards`.
    pub from: Option<u32>,
    /// Whether to search towards the start.
    pub backwards: bool,
}

/// Requests the legend: the names that the colours of the scenes represent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LegendRequest {
    /// Attribute that determines the colours.
    pub color: ColorBy,
}

/// Requests the summary of every run, in the order of opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunSummariesRequest;

/// Requests the import report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ImportReportRequest;

/// Requests the record at a place of the import report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportPlaceRequest {
    /// Index of the file in the report, from 0.
    pub file: u32,
    /// Byte offset from [`ProblemPlace::offset`](super::ProblemPlace::offset).
    pub offset: u64,
}

/// Requests the data of the small charts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChartsRequest {
    /// Start of the range, in nanoseconds.
    pub start: i64,
    /// End of the range, in nanoseconds.
    pub end: i64,
    /// Number of steps along the time axis.
    pub buckets: u32,
    /// Filter of the queries and buffer events: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
}

/// Requests a page of a pivot table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotRequest {
    /// Specification and order of the table.
    pub view: PivotView,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests a whole pivot table as CSV, one line per finest group; the reply is `None` if its specification is invalid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotCsvRequest {
    /// Specification and order of the table.
    pub view: PivotView,
}

/// Requests a whole pivot table, one row per finest group; the reply is `None` if its specification is invalid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotRowsRequest {
    /// Specification and order of the table.
    pub view: PivotView,
}

/// Requests the dimensions and measures that this trace offers for pivot tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotChoicesRequest;

/// Requests thread utilisation; the reply is `None` if the trace has neither plans nor several threads with
/// dependencies.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ParallelRequest {
    /// Time range to analyse; `None` to analyse the query of `item`.
    pub range: Option<(i64, i64)>,
    /// Item whose query is analysed; `None` for the longest query, or for the whole trace if it has no queries.
    pub item: Option<u32>,
}

/// Requests the critical path of a query, a span or a time range; `None` if the trace has no measured times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CriticalPathRequest {
    /// Time range; `None` for the query of `item`.
    pub range: Option<(i64, i64)>,
    /// Item whose query, or in a trace without queries whose outermost span, is the scope. `None` for the longest query, or
    /// for the whole trace if it has no queries.
    pub item: Option<u32>,
}

/// Requests the marks in a view of the critical path of an item's query or, in a trace without queries, of its
/// outermost span.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PathMarksRequest {
    /// Item code.
    pub item: u32,
    /// The view: a Gantt view, or a flame graph in time order.
    pub view: ViewSpec,
}

/// Requests the steps on the critical paths of the executions of a shape; the reply is `None` if there is no such
/// shape.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapePathRequest {
    /// Number of the shape.
    pub shape: u32,
    /// Time range of the list.
    pub range: Option<(i64, i64)>,
    /// Filter of the list.
    pub filter: String,
}

/// Requests the findings of all rules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingsRequest {
    /// Time range to examine; `None` for the whole trace.
    pub range: Option<(i64, i64)>,
    /// Thresholds that differ from their defaults.
    pub thresholds: Vec<ChangedThreshold>,
    /// Filter of the findings' spans and events: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
    /// Whether a large trace may be answered in steps: each reply has the findings of more rules than the one
    /// before, until [`FindingList::rules_left`](super::FindingList::rules_left) is 0. Otherwise the first reply has all findings.
    pub in_steps: bool,
}

/// Requests more findings of one rule than a [`FindingGroup`](super::FindingGroup) lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RuleFindingsRequest {
    /// The request for the findings of all rules.
    pub all: FindingsRequest,
    /// Key of the rule.
    pub rule: String,
    /// Maximum number of findings; the worst come first.
    pub count: u32,
}

/// Requests the busy time of a trace without statements, by thread and by span name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BusiestRequest {
    /// Time range; `None` for the whole trace.
    pub range: Option<(i64, i64)>,
    /// Maximum number of threads, and of names, in the reply.
    pub most: u32,
}

/// Requests the dimensions, weights and arguments by which frames of a merged flame graph can be grouped and sized.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FrameArgumentsRequest;

/// Requests a comparison of the server's own sums with the exported events, one entry per summary table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ReconcileRequest;

/// Requests a comparison of two executions of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CompareRequest {
    /// Executions to compare, and display options.
    pub view: CompareView,
    /// Item whose execution is compared until the user chooses execution A. With sides, one on the base decides only the statement, and
    /// one on neither side is ignored.
    pub selection: Option<u32>,
    /// Base and new side of the comparison of runs, from which executions are taken that the user did not choose; `None` for all runs.
    pub sides: Option<[RunSelection; 2]>,
}

/// Requests a comparison of the execution that contains an item with the other executions of its statement; the reply
/// is `None` if that execution is incomplete or no other execution is complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiblingsRequest {
    /// Item code.
    pub item: u32,
}

/// Requests a page of the transaction list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransactionListRequest {
    /// Order and time range of the list.
    pub list: TransactionList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests the lock waits with waiter and holder, in the order of the lock tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LockWaitsRequest;

/// Requests a page of the list of statement shapes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeListRequest {
    /// Order and time range of the list.
    pub list: ShapeList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests the distribution of one statement shape; the reply is `None` if there is no such shape.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeDetailRequest {
    /// Number of the shape.
    pub shape: u32,
    /// Time range of the list.
    pub range: Option<(i64, i64)>,
    /// Filter of the list.
    pub filter: String,
}

/// Requests a page of the executions of one statement shape.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecutionListRequest {
    /// Shape, order and selection of the executions.
    pub list: ExecutionList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests a page of the list of sources.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceListRequest {
    /// Grouping, order and time range of the list.
    pub list: SourceList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests a page of the source executions of one group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceExecutionListRequest {
    /// Group, order and time range of the executions.
    pub list: SourceExecutionList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests the buffer events over time and by type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferActivityRequest {
    /// Time range, in nanoseconds; `None` for the whole trace.
    pub range: Option<(i64, i64)>,
    /// Number of steps along the time axis.
    pub buckets: u32,
    /// Quantity that the chart shows.
    pub measure: BufferMeasure,
    /// Whether each step of the chart holds the sum since the start of the range.
    pub cumulative: bool,
    /// Filter of the buffer events: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
}

/// Requests a page of the list of queries with buffer events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferQueryListRequest {
    /// Order and time range of the list.
    pub list: BufferQueryList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// Requests the load of each core and thread over time. As for [`ParallelRequest`], the reply is `None` if the trace
/// has neither plans nor several threads with dependencies.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeatRequest {
    /// Time range to analyse; `None` to analyse the query of `item`.
    pub range: Option<(i64, i64)>,
    /// Item whose query is analysed; `None` for the longest query, or for the whole trace if it has no queries.
    pub item: Option<u32>,
    /// Number of steps along the time axis.
    pub columns: u32,
}

/// Requests the loaded subset of the files, and the runs that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubsetChoicesRequest;

/// Requests the list of side tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TableListRequest;

/// Requests a page of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TablePageRequest {
    /// Table to show, with its order and filter.
    pub view: TableView,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// A scene serialised as bytes for the page to paint; its size is bounded by the pixels of the viewport.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SceneBytes(#[serde(with = "serde_bytes")] pub Vec<u8>);

/// How busy the whole trace is, one value per pixel.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MinimapPixels {
    /// Number of spans of queries running at each pixel, scaled: 255 is the maximum over the trace, 0 means idle.
    pub busy: Vec<u8>,
    /// 1 if a query that failed ended at the pixel, otherwise 0.
    pub failed: Vec<u8>,
}

/// A record at a place of the import report, and the first item created from it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RecordAtPlace {
    /// Position of the record; `None` if there is no record at the place.
    pub record: Option<RawPlace>,
    /// First item created from the record; `None` if it created none.
    pub item: Option<u32>,
}

/// A request to a session. [`Session::answer`](crate::session::Session::answer) returns its reply.
pub trait Request: Into<AnyRequest> {
    /// Type of the reply.
    type Reply;

    /// Calls the method of `handler` that answers this request.
    fn answered_by(&self, handler: &mut impl RequestHandler) -> Self::Reply;

    /// Returns the request inside an [`AnyRequest`], or `None` if it is of another type.
    fn of(request: &AnyRequest) -> Option<&Self>;

    /// Returns the reply inside an [`AnyReply`], or `None` if it answers another type of request.
    fn reply(reply: AnyReply) -> Option<Self::Reply>;

    /// Returns a reference to the reply inside an [`AnyReply`], or `None` if it answers another type of request.
    fn reply_ref(reply: &AnyReply) -> Option<&Self::Reply>;
}

/// From rows `method: Name(Request) -> Reply`, generates the enums of all requests and replies, the handler trait, and the
/// [`Request`] implementations that connect each request with its reply.
macro_rules! requests {
    ($($method:ident: $name:ident($request:ident) -> $reply:ty;)*) => {
        /// A request of any type, as sent between threads.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum AnyRequest {
            $(#[doc = concat!("A [`", stringify!($request), "`].")] $name($request),)*
        }

        /// A reply of any type, as sent between threads.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum AnyReply {
            $(#[doc = concat!("The reply to a [`", stringify!($request), "`].")] $name($reply),)*
        }

        /// Answers requests, with one method per request type; implemented by [`Session`](crate::session::Session).
        pub trait RequestHandler {
            $(#[doc = concat!("Answers a [`", stringify!($request), "`].")]
            fn $method(&mut self, request: &$request) -> $reply;)*
        }

        impl AnyRequest {
            /// Calls the method of `handler` that answers this request.
            pub fn answered_by(&self, handler: &mut impl RequestHandler) -> AnyReply {
                match self {
                    $(Self::$name(request) => AnyReply::$name(handler.$method(request)),)*
                }
            }
        }

        $(
            impl From<$request> for AnyRequest {
                fn from(request: $request) -> Self {
                    Self::$name(request)
                }
            }

            impl Request for $request {
                type Reply = $reply;

                fn answered_by(&self, handler: &mut impl RequestHandler) -> $reply {
                    handler.$method(self)
                }

                fn of(request: &AnyRequest) -> Option<&Self> {
                    if let AnyRequest::$name(request) = request { Some(request) } else { None }
                }

                fn reply(reply: AnyReply) -> Option<$reply> {
                    if let AnyReply::$name(reply) = reply { Some(reply) } else { None }
                }

                fn reply_ref(reply: &AnyReply) -> Option<&$reply> {
                    if let AnyReply::$name(reply) = reply { Some(reply) } else { None }
                }
            }
        )*
    };
}

requests! {
    scene: Scene(SceneRequest) -> SceneBytes;
    minimap: Minimap(MinimapRequest) -> MinimapPixels;
    track_key: TrackKey(TrackKeyRequest) -> Option<TrackKey>;
    item_track: ItemTrack(ItemTrackRequest) -> Option<TrackKey>;
    locate: Locate(LocateRequest) -> Option<Located>;
    arrows: Arrows(ArrowsRequest) -> Arrows;
    neighbour: Neighbour(NeighbourRequest) -> Option<u32>;
    span_jump: SpanJump(SpanJumpRequest) -> SpanJump;
    track_counts: TrackCounts(TrackCountsRequest) -> TrackCounts;
    track_move: TrackMove(TrackMoveRequest) -> Option<TrackMoved>;
    card: Card(CardRequest) -> Option<Card>;
    frame_card: FrameCard(FrameCardRequest) -> Option<Card>;
    merged_frame: MergedFrame(MergedFrameRequest) -> Option<MergedFrame>;
    details: Details(DetailsRequest) -> Option<Box<Details>>;
    issue_text: IssueText(IssueTextRequest) -> Option<String>;
    query_list: QueryList(QueryListRequest) -> QueryPage;
    query_position: QueryPosition(QueryPositionRequest) -> Option<u32>;
    find_query: FindQuery(FindQueryRequest) -> Option<u32>;
    range: Range(RangeRequest) -> RangeSummary;
    filter: Filter(FilterRequest) -> FilterReply;
    filter_completions: FilterCompletions(FilterCompletionRequest) -> FilterCompletions;
    search: Search(SearchRequest) -> SearchResult;
    search_step: SearchStep(SearchStepRequest) -> Option<u32>;
    legend: Legend(LegendRequest) -> Legend;
    run_summaries: RunSummaries(RunSummariesRequest) -> Vec<RunSummary>;
    import_report: ImportReport(ImportReportRequest) -> Vec<FileReport>;
    report_place: ReportPlace(ReportPlaceRequest) -> RecordAtPlace;
    charts: Charts(ChartsRequest) -> Charts;
    pivot_page: Pivot(PivotRequest) -> PivotPage;
    pivot_csv: PivotCsv(PivotCsvRequest) -> Option<String>;
    pivot_rows: PivotRows(PivotRowsRequest) -> Option<PivotRows>;
    pivot_choices: PivotChoices(PivotChoicesRequest) -> PivotChoices;
    parallel: Parallel(ParallelRequest) -> Option<Box<Parallel>>;
    critical_path: CriticalPath(CriticalPathRequest) -> Option<Box<CriticalPath>>;
    path_marks: PathMarks(PathMarksRequest) -> PathMarks;
    shape_path: ShapePath(ShapePathRequest) -> Option<Box<ShapePath>>;
    findings: Findings(FindingsRequest) -> FindingList;
    rule_findings: RuleFindings(RuleFindingsRequest) -> Vec<Finding>;
    busiest: Busiest(BusiestRequest) -> Box<BusyThreads>;
    frame_arguments: FrameArguments(FrameArgumentsRequest) -> FrameArguments;
    reconcile: Reconcile(ReconcileRequest) -> Vec<Reconciled>;
    compare: Compare(CompareRequest) -> Box<Compare>;
    side_by_side: SideBySide(SideBySideRequest) -> Option<Box<SideBySideSummary>>;
    siblings: Siblings(SiblingsRequest) -> Option<Box<ExecutionSiblings>>;
    compare_runs: CompareRuns(CompareRunsRequest) -> Box<ComparedRuns>;
    run_table: RunTable(RunTableRequest) -> Box<RunTablePage>;
    compare_runs_group: CompareRunsGroup(CompareRunsGroupRequest) -> Option<Box<ComparedRunGroup>>;
    transaction_list: TransactionList(TransactionListRequest) -> TransactionPage;
    lock_waits: LockWaits(LockWaitsRequest) -> LockWaits;
    shape_list: ShapeList(ShapeListRequest) -> ShapePage;
    shape_detail: ShapeDetail(ShapeDetailRequest) -> Option<Box<ShapeDetail>>;
    execution_list: ExecutionList(ExecutionListRequest) -> ExecutionPage;
    source_list: SourceList(SourceListRequest) -> SourcePage;
    source_execution_list: SourceExecutionList(SourceExecutionListRequest) -> Box<SourceExecutionPage>;
    buffer_activity: BufferActivity(BufferActivityRequest) -> Box<BufferActivity>;
    buffer_query_list: BufferQueryList(BufferQueryListRequest) -> BufferQueryPage;
    heat: Heat(HeatRequest) -> Option<Box<Heat>>;
    subset_choices: SubsetChoices(SubsetChoicesRequest) -> SubsetChoices;
    table_list: TableList(TableListRequest) -> TableList;
    table_page: TablePage(TablePageRequest) -> TablePage;
    sql_table_list: SqlTableList(SqlTableListRequest) -> SqlTableList;
    sql_tokens: SqlTokens(SqlTokensRequest) -> Vec<(TokenKind, String)>;
    sql_columns: SqlColumns(SqlColumnsRequest) -> SqlColumns;
    result_track: ResultTrack(ResultTrackRequest) -> Option<TrackKey>;
    export_preview: ExportPreview(ExportPreviewRequest) -> Box<ExportPreview>;
    picture: Picture(PictureRequest) -> Picture;
    area_tracks: AreaTracks(AreaTracksRequest) -> Vec<AreaTrack>;
    area: Area(AreaRequest) -> Box<AreaSummary>;
    area_names: AreaNames(AreaNameListRequest) -> AreaNamePage;
    area_spans: AreaSpans(AreaSpanListRequest) -> AreaSpanPage;
}
