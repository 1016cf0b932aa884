//! Request handlers of a session. They look results up or compute them, and cache them until the trace changes.
//!
//! Item codes in requests are validated here; tracks, tables and frames are validated by the modules that look them up.

use super::parallelism::scope;
use super::{Anchor, Session};
use crate::analysis::{ChildSpans, Queries};
use crate::export;
use crate::pivot;
use crate::protocol::{
    AreaNameListRequest, AreaNamePage, AreaRequest, AreaSpanListRequest, AreaSpanPage, AreaSummary,
    AreaTrack, AreaTracksRequest, Arrows, ArrowsRequest, BufferActivity, BufferActivityRequest,
    BufferQueryListRequest, BufferQueryPage, BusiestRequest, BusyThreads, Card, CardRequest, Charts,
    ChartsRequest, Compare, CompareRequest, CompareRunsGroupRequest, CompareRunsRequest, ComparedRunGroup,
    ComparedRuns, CriticalPath, CriticalPathRequest, Details, DetailsRequest, ExecutionListRequest,
    ExecutionPage, ExecutionSiblings, ExportPreview, ExportPreviewRequest, FileReport,
    FilterCompletionRequest, FilterCompletions, FilterReply, FilterRequest, FindQueryRequest, Finding,
    FindingList, FindingsRequest, FrameArguments, FrameArgumentsRequest, FrameCardRequest, FrameDimension,
    Heat, HeatRequest, ImportReportRequest, IssueTextRequest, ItemTrackRequest, Legend, LegendRequest,
    LocateRequest, Located, LockWaits, LockWaitsRequest, MergedFrame, MergedFrameRequest, MinimapPixels,
    MinimapRequest, NeighbourRequest, Parallel, ParallelRequest, PathMarks, PathMarksRequest, Picture,
    PictureRequest, PivotChoices, PivotChoicesRequest, PivotCsvRequest, PivotPage, PivotRequest, PivotRows,
    PivotRowsRequest, QueryListRequest, QueryPage, QueryPositionRequest, RangeRequest, RangeSummary,
    ReconcileRequest, Reconciled, RecordAtPlace, ReportPlaceRequest, RequestHandler, ResultTrackRequest,
    RuleFindingsRequest, RunSummariesRequest, RunSummary, RunTablePage, RunTableRequest, SceneBytes,
    SceneRequest, SearchRequest, SearchResult, SearchStepRequest, ShapeDetail, ShapeDetailRequest,
    ShapeListRequest, ShapePage, ShapePath, ShapePathRequest, SiblingsRequest, SideBySideRequest,
    SideBySideSummary, SourceExecutionListRequest, SourceExecutionPage, SourceListRequest, SourcePage,
    SpanJump, SpanJumpRequest, SqlColumns, SqlColumnsRequest, SqlTableList, SqlTableListRequest,
    SqlTokensRequest, SubsetChoices, SubsetChoicesRequest, TableList, TableListRequest, TablePage,
    TablePageRequest, TokenKind, TrackCounts, TrackCountsRequest, TrackKey, TrackKeyRequest,
    TrackMoveRequest, TrackMoved, TransactionListRequest, TransactionPage,
};
use crate::reconcile;
use crate::stats::{self, ParallelScope};
use crate::trace::{Item, Trace, TrackId};
use crate::view;

/// Maximum number of rows in a page of the query list.
const MAX_ROWS: u32 = 1_000;

impl RequestHandler for Session {
    fn scene(&mut self, request: &SceneRequest) -> SceneBytes {
        self.scene_bytes(request)
    }

    fn minimap(&mut self, request: &MinimapRequest) -> MinimapPixels {
        let (busy, failed) = self.scenes.minimap(&self.trace, request.width);
        MinimapPixels { busy, failed }
    }

    fn track_key(&mut self, request: &TrackKeyRequest) -> Option<TrackKey> {
        self.result.key_of(request.track).or_else(|| TrackKey::of(&self.trace, TrackId(request.track)))
    }

    fn item_track(&mut self, request: &ItemTrackRequest) -> Option<TrackKey> {
        let item = known(&self.trace, request.item)?;
        TrackKey::of(&self.trace, self.trace.track_of(item))
    }

    fn locate(&mut self, request: &LocateRequest) -> Option<Located> {
        let item = known(&self.trace, request.item)?;
        self.filter_view(&request.view);
        self.scenes.locate(&self.trace, &request.view, item, request.open)
    }

    fn arrows(&mut self, request: &ArrowsRequest) -> Arrows {
        let Some(item) = known(&self.trace, request.item) else { return Arrows::default() };
        self.filter_view(&request.view);
        self.scenes.arrows(&self.trace, &request.view, item)
    }

    fn neighbour(&mut self, request: &NeighbourRequest) -> Option<u32> {
        self.neighbour_of(request).map(Item::code)
    }

    #[inline(never)]
    fn span_jump(&mut self, request: &SpanJumpRequest) -> SpanJump {
        self.jump_from(request)
    }

    fn track_counts(&mut self, request: &TrackCountsRequest) -> TrackCounts {
        view::track_counts(&self.trace, &request.layout)
    }

    fn track_move(&mut self, request: &TrackMoveRequest) -> Option<TrackMoved> {
        view::track_move(&self.trace, request)
    }

    fn card(&mut self, request: &CardRequest) -> Option<Card> {
        let item = known(&self.trace, request.item)?;
        Some(stats::card(&self.trace, self.answers.queries(&self.trace), item))
    }

    #[inline(never)]
    fn frame_card(&mut self, request: &FrameCardRequest) -> Option<Card> {
        self.filter_merged(&request.spec);
        let trace = &self.trace;
        let (merged, shapes) = self.scenes.merged(trace, &request.spec);
        let focus = merged.find(trace, shapes, &request.spec.focus);
        stats::frame_card(trace, shapes, merged, request.frame, focus)
    }

    #[inline(never)]
    fn merged_frame(&mut self, request: &MergedFrameRequest) -> Option<MergedFrame> {
        let MergedFrameRequest { spec, frame, step } = request;
        self.filter_merged(spec);
        let trace = &self.trace;
        let (merged, shapes) = self.scenes.merged(trace, spec);
        let focus = merged.find(trace, shapes, &spec.focus);
        let id = step.iter().fold(frame.unwrap_or(focus), |id, &step| merged.neighbour(id, step));
        let found = merged.get(id)?;
        let is_call = found.dimension == Some(FrameDimension::Stack);
        let text = Some(self.answers.search.as_str()).filter(|text| !text.is_empty());
        Some(MergedFrame {
            path: merged.path(trace, shapes, id),
            call: is_call.then(|| found.label.text(trace, shapes)),
            stacks: merged.stacks().clone(),
            hidden: merged.hidden().to_vec(),
            value: merged.written(found.value),
            matched: text.and_then(|text| merged.matched(trace, shapes, focus, text)),
        })
    }

    #[inline(never)]
    fn details(&mut self, request: &DetailsRequest) -> Option<Box<Details>> {
        let item = known(&self.trace, request.item)?;
        let mut details = stats::details(&self.trace, self.answers.queries(&self.trace), item);
        let color = |code| self.scenes.color(&self.trace, Item::from_code(code));
        details.color = color(request.item);
        let Details { parents, children, sources, targets, .. } = &mut details;
        for link in [parents, children, sources, targets].into_iter().flatten() {
            link.color = color(link.item);
        }
        details.filters = pivot::named_by_filter(&self.trace, stats::filters(&self.trace, item));
        details.records = stats::records(&self.trace, item).filter_map(|record| self.place(record)).collect();
        Some(Box::new(details))
    }

    fn issue_text(&mut self, request: &IssueTextRequest) -> Option<String> {
        self.write_issue_text(request)
    }

    #[inline(never)]
    fn query_list(&mut self, request: &QueryListRequest) -> QueryPage {
        let QueryListRequest { list, first, count } = request;
        let trace = &self.trace;
        let (queries, order) = self.answers.order(trace, list);
        let rows = order.rows.iter().skip(*first as usize).take((*count).min(MAX_ROWS) as usize);
        QueryPage {
            total: queries.len(),
            matched: order.rows.len() as u32,
            filter_error: order.error.clone(),
            longest: order.longest,
            empty: queries.empty_columns(),
            first: *first,
            rows: rows.map(|&row| queries.row_in(trace, row, list)).collect(),
        }
    }

    #[inline(never)]
    fn query_position(&mut self, request: &QueryPositionRequest) -> Option<u32> {
        let item = known(&self.trace, request.item)?;
        let (queries, order) = self.answers.order(&self.trace, &request.list);
        let row = queries.row_of(&self.trace, item)?;
        order.rows.iter().position(|&found| found == row).map(|at| at as u32)
    }

    fn find_query(&mut self, request: &FindQueryRequest) -> Option<u32> {
        self.find(Anchor::of_query(request.record))
    }

    fn range(&mut self, request: &RangeRequest) -> RangeSummary {
        self.range_summary(request)
    }

    fn filter(&mut self, request: &FilterRequest) -> FilterReply {
        self.answers.check(&self.trace, &request.text)
    }

    fn filter_completions(&mut self, request: &FilterCompletionRequest) -> FilterCompletions {
        let (trace, pivot) = self.pivot();
        pivot.completions(trace, &request.text, request.caret as usize)
    }

    #[inline(never)]
    fn search(&mut self, request: &SearchRequest) -> SearchResult {
        let Self { trace, answers, .. } = self;
        request.text.trim().clone_into(&mut answers.search);
        answers.hits = None;
        answers.queries(trace);
        answers.hits(trace);
        let found = answers.hits.as_ref().zip(answers.queries.as_ref());
        found.map(|(hits, queries)| hits.found(trace, queries)).unwrap_or_default()
    }

    fn search_step(&mut self, request: &SearchStepRequest) -> Option<u32> {
        let Self { trace, answers, .. } = self;
        let from = request.from.and_then(|code| known(trace, code));
        let hits = answers.hits(trace)?;
        hits.step(trace, from, request.backwards).map(Item::code)
    }

    fn legend(&mut self, request: &LegendRequest) -> Legend {
        self.scenes.legend(&self.trace, request.color)
    }

    fn run_summaries(&mut self, _: &RunSummariesRequest) -> Vec<RunSummary> {
        self.answers.run_summaries(&self.trace).to_vec()
    }

    fn import_report(&mut self, _: &ImportReportRequest) -> Vec<FileReport> {
        self.report()
    }

    fn report_place(&mut self, request: &ReportPlaceRequest) -> RecordAtPlace {
        self.record_at(request.file, request.offset).unwrap_or_default()
    }

    fn charts(&mut self, request: &ChartsRequest) -> Charts {
        let filter = self.answers.filtered(&self.trace, &request.filter);
        stats::charts(&self.trace, self.answers.queries(&self.trace), request, filter.as_ref())
    }

    #[inline(never)]
    fn pivot_page(&mut self, request: &PivotRequest) -> PivotPage {
        let (trace, pivot) = self.pivot();
        pivot.page(trace, &request.view, request.first, request.count)
    }

    #[inline(never)]
    fn pivot_csv(&mut self, request: &PivotCsvRequest) -> Option<String> {
        let (trace, pivot) = self.pivot();
        pivot.csv(trace, &request.view).ok()
    }

    #[inline(never)]
    fn pivot_rows(&mut self, request: &PivotRowsRequest) -> Option<PivotRows> {
        let (trace, pivot) = self.pivot();
        pivot.rows(trace, &request.view).ok()
    }

    fn pivot_choices(&mut self, _: &PivotChoicesRequest) -> PivotChoices {
        self.answers.choices(&self.trace).clone()
    }

    #[inline(never)]
    fn parallel(&mut self, request: &ParallelRequest) -> Option<Box<Parallel>> {
        let item = request.item.and_then(|code| known(&self.trace, code));
        let (queries, scope) = scope(&self.trace, &mut self.answers, request.range, item)?;
        Some(Box::new(stats::parallel(&self.trace, queries, scope, item)))
    }

    #[inline(never)]
    fn critical_path(&mut self, request: &CriticalPathRequest) -> Option<Box<CriticalPath>> {
        let Self { trace, answers, .. } = self;
        if !stats::has_critical_path(trace) {
            return None;
        }
        let item = request.item.and_then(|code| known(trace, code));
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        let children = answers.children.get_or_insert_with(|| ChildSpans::of(trace));
        let scope = ParallelScope::of(trace, queries, request.range, item);
        // The item of a time range chooses the run.
        let key = (scope, item.filter(|_| request.range.is_some()));
        if answers.critical.as_ref().is_none_or(|(of, _)| *of != key) {
            let path = stats::critical_path(trace, queries, children, scope, item);
            answers.critical = Some((key, path));
        }
        answers.critical.as_ref().map(|(_, path)| Box::new(path.clone()))
    }

    #[inline(never)]
    fn path_marks(&mut self, request: &PathMarksRequest) -> PathMarks {
        let item = known(&self.trace, request.item);
        item.map_or_else(PathMarks::default, |item| self.marks_of_path(item, &request.view))
    }

    #[inline(never)]
    fn shape_path(&mut self, request: &ShapePathRequest) -> Option<Box<ShapePath>> {
        let Self { trace, answers, .. } = self;
        if !stats::has_critical_path(trace) {
            return None;
        }
        answers.shape_path(trace, request).map(Box::new)
    }

    #[inline(never)]
    fn findings(&mut self, request: &FindingsRequest) -> FindingList {
        let Self { trace, answers, import, .. } = self;
        answers.findings(trace, &|| import.report(), request).clone()
    }

    #[inline(never)]
    fn rule_findings(&mut self, request: &RuleFindingsRequest) -> Vec<Finding> {
        let Self { trace, answers, import, .. } = self;
        answers.rule_findings(trace, &|| import.report(), request)
    }

    #[inline(never)]
    fn busiest(&mut self, request: &BusiestRequest) -> Box<BusyThreads> {
        Box::new(stats::busiest(&self.trace, request.range, request.most as usize))
    }

    fn frame_arguments(&mut self, _: &FrameArgumentsRequest) -> FrameArguments {
        stats::arguments(&self.trace)
    }

    #[inline(never)]
    fn reconcile(&mut self, _: &ReconcileRequest) -> Vec<Reconciled> {
        reconcile::reconcile(&self.trace)
    }

    #[inline(never)]
    fn compare(&mut self, request: &CompareRequest) -> Box<Compare> {
        let Self { trace, answers, .. } = self;
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        let children = answers.children.get_or_insert_with(|| ChildSpans::of(trace));
        Box::new(answers.compare.compare(trace, queries, children, request))
    }

    #[inline(never)]
    fn side_by_side(&mut self, request: &SideBySideRequest) -> Option<Box<SideBySideSummary>> {
        let item = request.item.and_then(|code| known(&self.trace, code));
        self.scenes.side_by_side(&self.trace, request.executions, item).map(Box::new)
    }

    #[inline(never)]
    fn siblings(&mut self, request: &SiblingsRequest) -> Option<Box<ExecutionSiblings>> {
        let Self { trace, answers, .. } = self;
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        let children = answers.children.get_or_insert_with(|| ChildSpans::of(trace));
        answers.compare.siblings(trace, queries, children, request.item).map(Box::new)
    }

    #[inline(never)]
    fn compare_runs(&mut self, request: &CompareRunsRequest) -> Box<ComparedRuns> {
        let filter = self.answers.filtered(&self.trace, &request.list.spec.filter);
        let (trace, queries, comparison) = self.run_comparison();
        Box::new(comparison.compare_runs(trace, queries, filter, request))
    }

    #[inline(never)]
    fn run_table(&mut self, request: &RunTableRequest) -> Box<RunTablePage> {
        let filter = self.answers.filtered(&self.trace, &request.filter);
        let (trace, queries, comparison) = self.run_comparison();
        Box::new(comparison.run_table(trace, queries, filter, request))
    }

    #[inline(never)]
    fn compare_runs_group(&mut self, request: &CompareRunsGroupRequest) -> Option<Box<ComparedRunGroup>> {
        let filter = self.answers.filtered(&self.trace, &request.spec.filter);
        let (trace, queries, comparison) = self.run_comparison();
        comparison.compared_group(trace, queries, filter, request).map(Box::new)
    }

    #[inline(never)]
    fn transaction_list(&mut self, request: &TransactionListRequest) -> TransactionPage {
        let Self { trace, answers, .. } = self;
        let transactions = answers.transactions.get_or_insert_with(|| stats::Transactions::of(trace));
        transactions.page(trace, &request.list, request.first, request.count)
    }

    fn lock_waits(&mut self, _: &LockWaitsRequest) -> LockWaits {
        stats::lock_waits(&self.trace)
    }

    #[inline(never)]
    fn shape_list(&mut self, request: &ShapeListRequest) -> ShapePage {
        let Self { trace, answers, .. } = self;
        let (queries, shapes, passing) = answers.shapes(trace, &request.list.filter);
        shapes.page(trace, queries, (&request.list, passing), request.first, request.count)
    }

    #[inline(never)]
    fn shape_detail(&mut self, request: &ShapeDetailRequest) -> Option<Box<ShapeDetail>> {
        let Self { trace, answers, .. } = self;
        let (queries, shapes, passing) = answers.shapes(trace, &request.filter);
        shapes.detail(trace, queries, (request, passing)).map(Box::new)
    }

    #[inline(never)]
    fn execution_list(&mut self, request: &ExecutionListRequest) -> ExecutionPage {
        let Self { trace, answers, .. } = self;
        let (queries, shapes, passing) = answers.shapes(trace, &request.list.filter);
        shapes.executions(trace, queries, (&request.list, passing), (request.first, request.count))
    }

    #[inline(never)]
    fn source_list(&mut self, request: &SourceListRequest) -> SourcePage {
        let Self { trace, answers, .. } = self;
        let filter = answers.filtered(trace, &request.list.filter);
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        answers.sources.page(trace, queries, (&request.list, filter.as_ref()), request.first, request.count)
    }

    #[inline(never)]
    fn source_execution_list(&mut self, request: &SourceExecutionListRequest) -> Box<SourceExecutionPage> {
        let Self { trace, answers, .. } = self;
        let filter = answers.filtered(trace, &request.list.filter);
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        let (list, rows) = ((&request.list, filter.as_ref()), (request.first, request.count));
        Box::new(answers.sources.executions(trace, queries, list, rows))
    }

    #[inline(never)]
    fn buffer_activity(&mut self, request: &BufferActivityRequest) -> Box<BufferActivity> {
        let filter = self.answers.filtered(&self.trace, &request.filter);
        Box::new(stats::buffer_activity(&self.trace, request, filter.as_ref()))
    }

    #[inline(never)]
    fn buffer_query_list(&mut self, request: &BufferQueryListRequest) -> BufferQueryPage {
        let Self { trace, answers, .. } = self;
        let filter = answers.filtered(trace, &request.list.filter);
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        let list = (&request.list, filter.as_ref());
        answers.buffer_queries.page(trace, queries, list, (request.first, request.count))
    }

    #[inline(never)]
    fn heat(&mut self, request: &HeatRequest) -> Option<Box<Heat>> {
        let item = request.item.and_then(|code| known(&self.trace, code));
        let (queries, scope) = scope(&self.trace, &mut self.answers, request.range, item)?;
        Some(Box::new(stats::heat(&self.trace, queries, scope, request.columns)))
    }

    fn subset_choices(&mut self, _: &SubsetChoicesRequest) -> SubsetChoices {
        Session::subset_choices(self)
    }

    fn table_list(&mut self, _: &TableListRequest) -> TableList {
        stats::tables(&self.trace)
    }

    fn sql_table_list(&mut self, _: &SqlTableListRequest) -> SqlTableList {
        self.sql_tables().list()
    }

    fn sql_tokens(&mut self, request: &SqlTokensRequest) -> Vec<(TokenKind, String)> {
        crate::sql::tokens(&request.sql)
    }

    fn sql_columns(&mut self, request: &SqlColumnsRequest) -> SqlColumns {
        self.sql_tables().answer(request)
    }

    fn result_track(&mut self, request: &ResultTrackRequest) -> Option<TrackKey> {
        self.result.replace(request)
    }

    #[inline(never)]
    fn export_preview(&mut self, request: &ExportPreviewRequest) -> Box<ExportPreview> {
        Box::new(export::preview(&self.trace, &request.spec))
    }

    fn table_page(&mut self, request: &TablePageRequest) -> TablePage {
        self.answers.tables.page(&self.trace, &request.view, request.first, request.count)
    }

    fn area_tracks(&mut self, request: &AreaTracksRequest) -> Vec<AreaTrack> {
        self.tracks_of_rows(request)
    }

    fn area(&mut self, request: &AreaRequest) -> Box<AreaSummary> {
        let (areas, mut scope) = self.areas(&request.area);
        Box::new(areas.area(&mut scope, &request.area))
    }

    fn area_names(&mut self, request: &AreaNameListRequest) -> AreaNamePage {
        let (areas, mut scope) = self.areas(&request.list.area);
        areas.names(&mut scope, &request.list, (request.first, request.count))
    }

    fn area_spans(&mut self, request: &AreaSpanListRequest) -> AreaSpanPage {
        let (areas, mut scope) = self.areas(&request.list.area);
        areas.spans(&mut scope, &request.list, (request.first, request.count))
    }

    fn picture(&mut self, request: &PictureRequest) -> Picture {
        self.draw_picture(request)
    }
}

/// The item with this code; `None` if the trace has no such item.
pub(super) fn known(trace: &Trace, code: u32) -> Option<Item> {
    Some(Item::from_code(code)).filter(|&item| trace.contains(item))
}
