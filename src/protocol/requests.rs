//! The requests that a session answers, each with the type of its reply.
//!
//! Every request is a type of its own, and [`Request::Reply`] is what answers it, so that a wrong pairing does not compile.
//! Between threads they cross as [`AnyRequest`] and [`AnyReply`]. One table, at the end of this file, makes all of that.

use serde::{Deserialize, Serialize};

use super::{
    Arrows, BusyThreads, Card, Charts, ColorBy, Compare, CompareView, Details, FileReport, FindingGroup,
    FocusMove, FrameArguments, Heat, Legend, Located, LockWaits, MergedFrame, MergedSpec, Parallel,
    PivotChoices, PivotPage, PivotView, QueryList, QueryPage, RangeSummary, RawPlace, Reconciled, RunSummary,
    SearchResult, SubsetChoices, TableList, TablePage, TableView, TrackKey, TransactionList, TransactionPage,
    ViewSpec, Viewport,
};

/// Asks for the scene of a view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SceneRequest {
    /// The view.
    pub view: ViewSpec,
    /// The part of it that is visible.
    pub viewport: Viewport,
}

/// Asks how busy the whole trace is, one value per pixel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MinimapRequest {
    /// Pixels.
    pub width: u32,
}

/// Asks under which key a track is expanded or collapsed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackKeyRequest {
    /// The track.
    pub track: u32,
}

/// Asks where an item is in a view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LocateRequest {
    /// The item.
    pub item: u32,
    /// The view.
    pub view: ViewSpec,
    /// Whether its collapsed parents are expanded (see [`Located::expanded`]); else the collapsed track stands for it.
    pub open: bool,
}

/// Asks for the arrows of an item.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArrowsRequest {
    /// The item.
    pub item: u32,
    /// The view in which they are drawn.
    pub view: ViewSpec,
}

/// Asks for the item next to another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NeighbourRequest {
    /// From where; the first item of the view if there is none.
    pub item: Option<u32>,
    /// Which way.
    pub step: FocusMove,
}

/// Asks for a few lines about an item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CardRequest {
    /// The item.
    pub item: u32,
}

/// Asks for a few lines about a frame of the merged flame graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FrameCardRequest {
    /// The view in which the frame is.
    pub spec: MergedSpec,
    /// The frame's id in the scene.
    pub frame: u32,
}

/// Asks where a frame of a merged flame graph is, and what the current search finds in the frame in focus.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MergedFrameRequest {
    /// The view.
    pub spec: MergedSpec,
    /// The frame's id in the scene.
    pub frame: u32,
}

/// Asks for all about an item, but for its raw records.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DetailsRequest {
    /// The item.
    pub item: u32,
}

/// Asks for a page of the query list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryListRequest {
    /// Order and filter.
    pub list: QueryList,
    /// The first row of the page.
    pub first: u32,
    /// Rows of the page, at most 1,000.
    pub count: u32,
}

/// Asks where an item's query is in the query list, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryPositionRequest {
    /// Order and filter.
    pub list: QueryList,
    /// The item.
    pub item: u32,
}

/// Asks for the item of a row of the query list that may be from an earlier build.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindQueryRequest {
    /// [`QueryRow::record`](super::QueryRow::record).
    pub record: u32,
}

/// Asks what lies inside a time range.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RangeRequest {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
}

/// Searches names, SQL, ids, connectors, threads, and marks the hits in all scenes; an empty text ends the search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchRequest {
    /// What to look for: case does not matter.
    pub text: String,
}

/// Asks for the next hit of the current search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchStepRequest {
    /// From where.
    pub from: Option<u32>,
    /// Towards the start.
    pub backwards: bool,
}

/// Asks which names the colours of the scenes stand for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LegendRequest {
    /// What colours tell apart.
    pub color: ColorBy,
}

/// Asks for the summary of every run, in the order of opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunSummariesRequest;

/// Asks for the import report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ImportReportRequest;

/// Asks which record stands at a place of the import report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportPlaceRequest {
    /// The file, counted from 0 in the order of the report.
    pub file: u32,
    /// [`ProblemPlace::offset`](super::ProblemPlace::offset).
    pub offset: u64,
}

/// Asks for the data of the small charts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChartsRequest {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// Steps along the time axis.
    pub buckets: u32,
}

/// Asks for a page of a pivot table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotRequest {
    /// The table.
    pub view: PivotView,
    /// The first row of the page.
    pub first: u32,
    /// Rows of the page.
    pub count: u32,
}

/// Asks for a whole pivot table as CSV, one line per finest group; `None` where its specification is invalid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotCsvRequest {
    /// The table.
    pub view: PivotView,
}

/// Asks by what this trace can be grouped, and what can be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotChoicesRequest;

/// Asks how well threads were used; `None` where there are no two of them, or the trace has no dependencies.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ParallelRequest {
    /// A time range, if the request is about one.
    pub range: Option<(i64, i64)>,
    /// Else the query of this item; else the longest query, or everything where there are none.
    pub item: Option<u32>,
}

/// Asks for statements worth investigating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingsRequest;

/// Asks where the time of a trace without statements went, by thread and by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BusiestRequest {
    /// A time range; else all.
    pub range: Option<(i64, i64)>,
    /// The most threads, and the most names, that are listed.
    pub most: u32,
}

/// Asks what spans and events carry, by which frames can be grouped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FrameArgumentsRequest;

/// Asks for the server's own sums compared with those of the exported events, one entry for each summary table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ReconcileRequest;

/// Asks for two executions of a statement, compared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CompareRequest {
    /// Which ones, and how.
    pub view: CompareView,
}

/// Asks for a page of the list of transactions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransactionListRequest {
    /// Order and part.
    pub list: TransactionList,
    /// The first row of the page.
    pub first: u32,
    /// Rows of the page.
    pub count: u32,
}

/// Asks who waited for whom, in the order of the tables that say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LockWaitsRequest;

/// Asks how busy each core and each thread was, in what [`ParallelRequest`] is about; `None` where that has no reply.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeatRequest {
    /// A time range, if the request is about one.
    pub range: Option<(i64, i64)>,
    /// Else the query of this item; else the longest query, or everything where there are none.
    pub item: Option<u32>,
    /// Steps along the time axis.
    pub columns: u32,
}

/// Asks for the part of the files that is shown, and what there is to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubsetChoicesRequest;

/// Asks which side tables there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TableListRequest;

/// Asks for a page of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TablePageRequest {
    /// Which one, and how.
    pub view: TableView,
    /// The first row of the page.
    pub first: u32,
    /// Rows of the page.
    pub count: u32,
}

/// A scene as bytes, bounded by the pixels of its viewport: plain numbers that a page paints.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SceneBytes(#[serde(with = "serde_bytes")] pub Vec<u8>);

/// How busy the whole trace is, per pixel.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MinimapPixels {
    /// Busy share of the lanes, from 0 to 255.
    pub busy: Vec<u8>,
    /// 1 where something failed.
    pub failed: Vec<u8>,
}

/// The record at a place of the import report.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RecordAtPlace {
    /// Where the record stands; `None` where there is none at the place.
    pub record: Option<RawPlace>,
    /// The first item that was made of the record, if any was.
    pub item: Option<u32>,
}

/// A request to a session: [`Session::answer`](crate::session::Session::answer) gives its reply.
pub trait Request: Into<AnyRequest> {
    /// The type of the answer.
    type Reply;

    /// Lets a handler answer.
    fn answered_by(&self, handler: &mut impl RequestHandler) -> Self::Reply;

    /// The request in an [`AnyRequest`], if it is one of this type.
    fn of(request: &AnyRequest) -> Option<&Self>;

    /// The reply in an [`AnyReply`], if it answers a request of this type.
    fn reply(reply: AnyReply) -> Option<Self::Reply>;

    /// A reference to the reply in an [`AnyReply`], if it answers a request of this type.
    fn reply_ref(reply: &AnyReply) -> Option<&Self::Reply>;
}

/// From rows `method: Name(Request) -> Reply` the enums of all requests and replies, the handler of all requests, and what
/// connects a request with its reply.
macro_rules! requests {
    ($($method:ident: $name:ident($request:ident) -> $reply:ty;)*) => {
        /// Any request, as it crosses between threads.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum AnyRequest {
            $(#[doc = concat!("A [`", stringify!($request), "`].")] $name($request),)*
        }

        /// Any reply, as it crosses between threads.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum AnyReply {
            $(#[doc = concat!("The reply to a [`", stringify!($request), "`].")] $name($reply),)*
        }

        /// Answers requests: [`Session`](crate::session::Session) does. It has one method for each of them.
        pub trait RequestHandler {
            $(#[doc = concat!("Answers a [`", stringify!($request), "`].")]
            fn $method(&mut self, request: &$request) -> $reply;)*
        }

        impl AnyRequest {
            /// Lets a handler answer.
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
    locate: Locate(LocateRequest) -> Option<Located>;
    arrows: Arrows(ArrowsRequest) -> Arrows;
    neighbour: Neighbour(NeighbourRequest) -> Option<u32>;
    card: Card(CardRequest) -> Option<Card>;
    frame_card: FrameCard(FrameCardRequest) -> Option<Card>;
    merged_frame: MergedFrame(MergedFrameRequest) -> Option<MergedFrame>;
    details: Details(DetailsRequest) -> Option<Box<Details>>;
    query_list: QueryList(QueryListRequest) -> QueryPage;
    query_position: QueryPosition(QueryPositionRequest) -> Option<u32>;
    find_query: FindQuery(FindQueryRequest) -> Option<u32>;
    range: Range(RangeRequest) -> RangeSummary;
    search: Search(SearchRequest) -> SearchResult;
    search_step: SearchStep(SearchStepRequest) -> Option<u32>;
    legend: Legend(LegendRequest) -> Legend;
    run_summaries: RunSummaries(RunSummariesRequest) -> Vec<RunSummary>;
    import_report: ImportReport(ImportReportRequest) -> Vec<FileReport>;
    report_place: ReportPlace(ReportPlaceRequest) -> RecordAtPlace;
    charts: Charts(ChartsRequest) -> Charts;
    pivot_page: Pivot(PivotRequest) -> PivotPage;
    pivot_csv: PivotCsv(PivotCsvRequest) -> Option<String>;
    pivot_choices: PivotChoices(PivotChoicesRequest) -> PivotChoices;
    parallel: Parallel(ParallelRequest) -> Option<Box<Parallel>>;
    findings: Findings(FindingsRequest) -> Vec<FindingGroup>;
    busiest: Busiest(BusiestRequest) -> Box<BusyThreads>;
    frame_arguments: FrameArguments(FrameArgumentsRequest) -> FrameArguments;
    reconcile: Reconcile(ReconcileRequest) -> Vec<Reconciled>;
    compare: Compare(CompareRequest) -> Box<Compare>;
    transaction_list: TransactionList(TransactionListRequest) -> TransactionPage;
    lock_waits: LockWaits(LockWaitsRequest) -> LockWaits;
    heat: Heat(HeatRequest) -> Option<Box<Heat>>;
    subset_choices: SubsetChoices(SubsetChoicesRequest) -> SubsetChoices;
    table_list: TableList(TableListRequest) -> TableList;
    table_page: TablePage(TablePageRequest) -> TablePage;
}
