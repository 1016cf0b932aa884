use proptest::prelude::*;

use super::*;
use crate::analysis::sample;
use crate::protocol::{
    AnyRequest, Arrangement, BusiestRequest, CardRequest, ChartsRequest, ColorBy, CompareColumn,
    CompareRequest, CompareRunsGroupRequest, CompareRunsRequest, CompareView, CompareWith, ComparedRunList,
    CriticalPathRequest, DetailsRequest, ExecutionList, ExecutionListRequest, FindQueryRequest,
    FindingsRequest, FocusMove, FrameArgumentsRequest, FrameCardRequest, FrameDimension, FrameWeight,
    GroupBy, HeatRequest, ImportReportRequest, IssueTextRequest, ItemTrackRequest, LegendRequest,
    LocateRequest, LockWaitsRequest, MergedDifference, MergedFrameRequest, MergedSpec, MinimapRequest,
    NeighbourRequest, ParallelRequest, PathMarksRequest, PivotChoicesRequest, PivotColumn, PivotCsvRequest,
    PivotRequest, PivotSpec, PivotView, QueryColumn, QueryList, QueryListRequest, QueryPositionRequest,
    RangeRequest, ReconcileRequest, ReportPlaceRequest, RunComparisonSpec, RunSelection, RunSummariesRequest,
    SceneBytes, SceneRequest, SearchRequest, SearchStepRequest, ShapeDetailRequest, ShapeList,
    ShapeListRequest, ShapePathRequest, StackForm, SubsetChoicesRequest, TableListRequest, TablePageRequest,
    TableView, TrackKey, TrackKeyRequest, TransactionList, TransactionListRequest, ViewKind, ViewSpec,
    Viewport,
};
use crate::view::Scene;

fn session() -> Session {
    Session { trace: sample::trace(), ..Session::default() }
}

#[test]
fn pages_are_cut_from_one_order() {
    // The default order is longest first.
    let list = QueryList::default();
    for (first, count, durations) in
        [(0, 2, &[10, 8][..]), (2, 2, &[4]), (9, 2, &[]), (0, u32::MAX, &[10, 8, 4])]
    {
        let page = session().answer(&QueryListRequest { list: list.clone(), first, count });
        assert_eq!(page.rows.iter().map(|row| row.duration / 1_000_000).collect::<Vec<_>>(), durations);
        assert_eq!((page.total, page.matched, page.longest), (3, 3, 10_000_000));
    }
}

#[test]
fn a_bad_filter_is_answered_with_its_reason() {
    let list = QueryList { filter: "length > 5".to_owned(), ..QueryList::default() };
    let page = session().answer(&QueryListRequest { list, first: 0, count: 9 });
    assert!(page.filter_error.is_some_and(|error| error.contains("unknown field “length”")));
}

#[test]
fn an_item_stands_where_its_query_does() {
    let mut session = session();
    let list = QueryList { descending: false, ..QueryList::default() };
    for (item, position) in [(1, Some(2)), (3, Some(2)), (0, Some(2)), (1 << 31, Some(2)), (99, None)] {
        let request = QueryPositionRequest { list: list.clone(), item };
        assert_eq!(session.answer(&request), position, "{item}");
    }
}

#[test]
fn a_search_outlives_the_trace() {
    let mut session = session();
    let text = "spill".to_owned();
    let found = session.answer(&SearchRequest { text });
    assert_eq!((found.items, found.queries), (1, 1));
    session.answers.forget();
    let step = SearchStepRequest { from: None, backwards: false };
    assert_eq!(session.answer(&step), Some(1 << 31 | 2));
    session.answer(&SearchRequest { text: " ".to_owned() });
    assert_eq!(session.answer(&step), None);
}

/// Pinned tracks are rows in their own order, whatever is above them in the trace; unknown and repeated keys do no harm.
#[test]
fn pinned_tracks_are_rows_one_below_the_other() {
    let mut session = session();
    let mut keys: Vec<TrackKey> =
        (0..20).filter_map(|item| session.answer(&ItemTrackRequest { item })).rev().collect();
    keys.dedup();
    assert!(keys.len() > 1 && session.answer(&ItemTrackRequest { item: u32::MAX }).is_none());
    let mut scene = |keys: &[TrackKey], top: f64| {
        let view = ViewSpec::new(ViewKind::Pinned(keys.to_vec()), ColorBy::Kind);
        let viewport = Viewport { start: 0, end: 1_000, width: 800.0, top, height: 60.0 };
        let SceneBytes(bytes) = session.answer(&SceneRequest { view, viewport, filter: String::new() });
        Scene::from_bytes(&bytes).expect("a scene")
    };
    let one: Vec<f64> = keys.iter().map(|key| scene(&[*key], 0.0).content_height).collect();
    let all = scene(&keys, 0.0);
    assert!(one.iter().all(|height| *height > 0.0));
    assert_eq!(all.content_height, one.iter().sum::<f64>());
    let tops = one.iter().scan(0.0, |top, height| Some(std::mem::replace(top, *top + height)));
    let expected: Vec<f32> = tops.map(|top| top as f32).take(all.rows.len()).collect();
    assert_eq!(all.rows.iter().map(|row| row.y).collect::<Vec<_>>(), expected);
    assert!(!all.rects.is_empty());
    // Scrolled by its height, the first row is above the viewport.
    assert_eq!(scene(&keys, one[0]).rows[0].y, -one[0] as f32);
    let unknown: TrackKey = "00000000ff.7.7".parse().expect("a key");
    assert_eq!(scene(&[unknown], 0.0).rows.len(), 0);
    assert_eq!(scene(&[keys[0], unknown, keys[0]], 0.0).content_height, 2.0 * one[0]);
}

#[test]
fn frames_are_asked_for_by_their_ids() {
    let mut session = session();
    let (path, weight) = (vec![FrameDimension::Connector, FrameDimension::Datasource], FrameWeight::Time);
    let spec = MergedSpec { path, weight, ..MergedSpec::default() };
    session.answer(&SearchRequest { text: "js".to_owned() });
    let Some(frame) = session.answer(&MergedFrameRequest { spec: spec.clone(), frame: Some(2), step: None })
    else {
        panic!("there is a frame")
    };
    assert_eq!((frame.path.join(" "), frame.value.as_str()), ("js-conn OrdersAPI".to_owned(), "10.00 ms"));
    assert_eq!(frame.matched, Some((1, 12.0 / 22.0)));
    assert_eq!(session.answer(&FrameCardRequest { spec, frame: 99 }), None);
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![-30_i64..30, Just(i64::MIN), Just(i64::MAX), any::<i64>()]
}

fn code() -> impl Strategy<Value = u32> {
    prop_oneof![0_u32..20, (0_u32..20).prop_map(|id| id | 1 << 31), any::<u32>()]
}

fn view() -> impl Strategy<Value = ViewSpec> {
    let kind = prop_oneof![
        Just(ViewKind::Gantt(Arrangement::ByQuery)),
        Just(ViewKind::Gantt(Arrangement::Packed)),
        proptest::option::of(code()).prop_map(|query| ViewKind::FlameTime { query }),
        (code(), code()).prop_map(|(a, b)| ViewKind::SideBySide { a, b }),
        merged().prop_map(ViewKind::FlameMerged),
        proptest::collection::vec(key(), 0..4).prop_map(ViewKind::Pinned),
    ];
    let colors = [ColorBy::Kind, ColorBy::Connector, ColorBy::Datasource, ColorBy::Outcome, ColorBy::Query];
    (kind, proptest::sample::select(colors.to_vec())).prop_map(|(kind, color)| ViewSpec::new(kind, color))
}

fn key() -> impl Strategy<Value = TrackKey> {
    let text = (0_u64..1 << 40, 0..3_u32, any::<u32>());
    text.prop_map(|(names, nth, below)| format!("{names:010x}.{nth}.{below}").parse().expect("a key"))
}

fn merged() -> impl Strategy<Value = MergedSpec> {
    let dimensions = vec![
        FrameDimension::Run,
        FrameDimension::SqlShape,
        FrameDimension::Query,
        FrameDimension::Database,
        FrameDimension::Connector,
        FrameDimension::Datasource,
        FrameDimension::CommandType,
        FrameDimension::BufferType,
        FrameDimension::Outcome,
        FrameDimension::Process,
        FrameDimension::Thread,
        FrameDimension::Category,
        FrameDimension::Name,
        FrameDimension::Argument(0),
        FrameDimension::Argument(9),
        FrameDimension::Stack,
    ];
    let path = proptest::collection::vec(proptest::sample::select(dimensions), 0..5);
    let weights = vec![
        FrameWeight::Time,
        FrameWeight::SelfTime,
        FrameWeight::RowsRead,
        FrameWeight::RowsReturned,
        FrameWeight::Bytes,
        FrameWeight::Count,
        FrameWeight::Argument(0),
        FrameWeight::Argument(1),
    ];
    let arguments = proptest::collection::vec("elements|error|x", 0..3);
    let focus = proptest::collection::vec("SELECT 1|OrdersAPI|x?", 0..3);
    let range = proptest::option::of((time(), time()));
    let names = proptest::collection::vec("SELECT 1|OrdersAPI|x?|~0123456789", 0..3);
    let stacks = (any::<bool>(), proptest::option::of("SELECT 1|OrdersAPI|x"));
    let stacks = stacks.prop_map(|(is_inverted, root)| StackForm::new(is_inverted, root));
    let settings = (path, proptest::sample::select(weights), focus, range, arguments);
    let sides = (side(), side(), any::<bool>()).prop_map(|(base, new, width_by_base)| MergedDifference {
        base,
        new,
        width_by_base,
    });
    let difference = proptest::option::of(sides.prop_map(Box::new));
    (settings, stacks, names, any::<bool>(), difference).prop_map(
        |((path, weight, focus, range, arguments), stacks, hidden, collapse_recursion, difference)| {
            MergedSpec {
                path,
                weight,
                focus,
                range,
                arguments,
                stacks,
                hidden,
                collapse_recursion,
                difference,
            }
        },
    )
}

fn viewport() -> impl Strategy<Value = Viewport> {
    let width = prop_oneof![-5_f32..2_000.0, Just(f32::NAN), Just(f32::INFINITY)];
    let top = prop_oneof![-50_f64..1_000.0, Just(f64::NAN), Just(f64::INFINITY)];
    (time(), time(), width, top, -5_f32..900.0).prop_map(|(start, end, width, top, height)| Viewport {
        start,
        end,
        width,
        top,
        height,
    })
}

fn list() -> impl Strategy<Value = QueryList> {
    let columns = vec![
        QueryColumn::Sql,
        QueryColumn::Ratio,
        QueryColumn::Score,
        QueryColumn::Outcome,
        QueryColumn::RowsRead,
    ];
    let filter = "|select|duration > 5ms|ratio < 2|connector != a|outcome = ok x|\"";
    let range = proptest::option::of((time(), time()));
    (proptest::sample::select(columns), any::<bool>(), filter, range).prop_map(
        |(sort, descending, filter, range)| QueryList {
            sort,
            descending,
            filter,
            range,
            ..QueryList::default()
        },
    )
}

fn pivot() -> impl Strategy<Value = PivotView> {
    let by = "|name|kind,name|in datasource, SQL\\[shape\\]|start\\[9ns\\]|x|name\\[";
    let measures = "|count|sum,p50|avg\\(bytes\\), max\\(self\\)|sum\\(";
    let range = proptest::option::of((time(), time()));
    let open = proptest::collection::vec(proptest::collection::vec("query|slice||x", 0..3), 0..3);
    let filter = "|select|duration > 5ms|kind = query|\"";
    let across = "|thread|kind|duration\\[log\\]|name|x|name,kind";
    let column = prop_oneof![
        Just(PivotColumn::All),
        Just(PivotColumn::Others),
        "query|slice||x".prop_map(PivotColumn::Value)
    ];
    let sort = (proptest::option::of(0_u32..4), column, any::<bool>());
    (by, across, measures, filter, range, sort, open).prop_map(
        |(by, across, measures, filter, range, (sort, column, descending), open)| PivotView {
            spec: PivotSpec { by, across, measures, filter, range },
            sort,
            column,
            descending,
            open,
        },
    )
}

fn comparison() -> impl Strategy<Value = CompareView> {
    let b = prop_oneof![
        Just(CompareWith::Typical),
        Just(CompareWith::Others),
        code().prop_map(CompareWith::Item)
    ];
    let columns = vec![
        CompareColumn::Step,
        CompareColumn::A,
        CompareColumn::B,
        CompareColumn::Difference,
        CompareColumn::Ratio,
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (proptest::option::of(code()), b, flags, proptest::sample::select(columns)).prop_map(
        |(a, b, (fold, inclusive, ascending), sort)| CompareView { a, b, fold, inclusive, sort, ascending },
    )
}

fn side() -> impl Strategy<Value = RunSelection> {
    (prop::collection::vec(0..4_u32, 0..3), proptest::option::of((time(), time())), any::<bool>())
        .prop_map(|(runs, within, outside)| RunSelection { runs, within, outside })
}

fn compared_runs() -> impl Strategy<Value = AnyRequest> {
    let by = proptest::sample::select(vec![GroupBy::Shape, GroupBy::Kind, GroupBy::Connector]);
    (side(), side(), by, code(), code()).prop_map(|(base, new, by, first, count)| {
        let spec = RunComparisonSpec { base, new, by };
        match first % 2 {
            0 => AnyRequest::CompareRunsGroup(CompareRunsGroupRequest { spec, group: count }),
            _ => {
                let list = ComparedRunList { spec, ..ComparedRunList::default() };
                AnyRequest::CompareRuns(CompareRunsRequest { list, first, count })
            }
        }
    })
}

fn shapes() -> impl Strategy<Value = AnyRequest> {
    prop_oneof![
        (proptest::option::of((time(), time())), any::<bool>(), code(), code()).prop_map(
            |(range, reversed, first, count)| {
                let list = ShapeList { range, reversed, ..ShapeList::default() };
                AnyRequest::ShapeList(ShapeListRequest { list, first, count })
            }
        ),
        (0..40_u32, proptest::option::of((time(), time())))
            .prop_map(|(shape, range)| AnyRequest::ShapePath(ShapePathRequest { shape, range })),
        (proptest::option::of((time(), time())), proptest::option::of(code()))
            .prop_map(|(range, item)| AnyRequest::CriticalPath(CriticalPathRequest { range, item })),
        (code(), proptest::option::of((time(), time()))).prop_map(|(shape, range)| AnyRequest::ShapeDetail(
            ShapeDetailRequest { shape, range, filter: String::new() }
        )),
        (code(), proptest::option::of((time(), time())), any::<bool>(), code()).prop_map(
            |(shape, between, by_start, first)| {
                let list = ExecutionList { shape, between, by_start, ..ExecutionList::default() };
                AnyRequest::ExecutionList(ExecutionListRequest { list, first, count: first })
            }
        ),
    ]
}

fn focus_move() -> impl Strategy<Value = FocusMove> {
    let moves =
        vec![FocusMove::Previous, FocusMove::Next, FocusMove::Parent, FocusMove::Child, FocusMove::Beneath];
    proptest::sample::select(moves)
}

fn request() -> impl Strategy<Value = AnyRequest> {
    prop_oneof![
        (view(), viewport()).prop_map(|(view, viewport)| AnyRequest::Scene(SceneRequest {
            view,
            viewport,
            filter: String::new()
        })),
        any::<u16>().prop_map(|width| AnyRequest::Minimap(MinimapRequest { width: width.into() })),
        code().prop_map(|track| AnyRequest::TrackKey(TrackKeyRequest { track })),
        code().prop_map(|item| AnyRequest::ItemTrack(ItemTrackRequest { item })),
        (code(), view()).prop_map(|(item, view)| AnyRequest::PathMarks(PathMarksRequest { item, view })),
        (code(), view(), any::<bool>()).prop_map(|(item, view, open)| AnyRequest::Locate(LocateRequest {
            item,
            view,
            open
        })),
        (proptest::option::of(code()), focus_move())
            .prop_map(|(item, step)| AnyRequest::Neighbour(NeighbourRequest { item, step })),
        code().prop_map(|item| AnyRequest::Card(CardRequest { item })),
        (merged(), code()).prop_map(|(spec, frame)| AnyRequest::FrameCard(FrameCardRequest { spec, frame })),
        (merged(), proptest::option::of(code()), proptest::option::of(focus_move())).prop_map(
            |(spec, frame, step)| AnyRequest::MergedFrame(MergedFrameRequest { spec, frame, step })
        ),
        code().prop_map(|item| AnyRequest::Details(DetailsRequest { item })),
        proptest::option::of((time(), time()))
            .prop_map(|range| AnyRequest::Findings(FindingsRequest { range, thresholds: Vec::new() })),
        code().prop_map(|item| AnyRequest::IssueText(IssueTextRequest::Item(item))),
        (time(), time()).prop_map(|(start, end)| AnyRequest::IssueText(IssueTextRequest::Range(start, end))),
        (list(), code(), code()).prop_map(|(list, first, count)| AnyRequest::QueryList(QueryListRequest {
            list,
            first,
            count
        })),
        (list(), code())
            .prop_map(|(list, item)| AnyRequest::QueryPosition(QueryPositionRequest { list, item })),
        code().prop_map(|record| AnyRequest::FindQuery(FindQueryRequest { record })),
        (code(), any::<u64>())
            .prop_map(|(file, offset)| AnyRequest::ReportPlace(ReportPlaceRequest { file, offset })),
        (time(), time()).prop_map(|(start, end)| AnyRequest::Range(RangeRequest { start, end })),
        "|orders|select|<b>|ü".prop_map(|text| AnyRequest::Search(SearchRequest { text })),
        (proptest::option::of(code()), any::<bool>())
            .prop_map(|(from, backwards)| AnyRequest::SearchStep(SearchStepRequest { from, backwards })),
        (pivot(), code(), code()).prop_map(|(view, first, count)| AnyRequest::Pivot(PivotRequest {
            view,
            first,
            count
        })),
        pivot().prop_map(|view| AnyRequest::PivotCsv(PivotCsvRequest { view })),
        Just(AnyRequest::PivotChoices(PivotChoicesRequest)),
        (proptest::option::of((time(), time())), proptest::option::of(code()))
            .prop_map(|(range, item)| AnyRequest::Parallel(ParallelRequest { range, item })),
        (proptest::option::of((time(), time())), any::<u32>())
            .prop_map(|(range, most)| AnyRequest::Busiest(BusiestRequest { range, most })),
        comparison().prop_map(|view| AnyRequest::Compare(CompareRequest { view })),
        (proptest::option::of((time(), time())), proptest::option::of(code()), any::<u32>())
            .prop_map(|(range, item, columns)| AnyRequest::Heat(HeatRequest { range, item, columns })),
        Just(AnyRequest::FrameArguments(FrameArgumentsRequest)),
        (proptest::option::of((time(), time())), any::<bool>(), code(), code()).prop_map(
            |(range, reversed, first, count)| {
                let list = TransactionList { range, reversed, ..TransactionList::default() };
                AnyRequest::TransactionList(TransactionListRequest { list, first, count })
            }
        ),
        Just(AnyRequest::LockWaits(LockWaitsRequest)),
        shapes(),
        compared_runs(),
        Just(AnyRequest::Reconcile(ReconcileRequest)),
        Just(AnyRequest::RunSummaries(RunSummariesRequest)),
        Just(AnyRequest::ImportReport(ImportReportRequest)),
        Just(AnyRequest::SubsetChoices(SubsetChoicesRequest)),
        Just(AnyRequest::TableList(TableListRequest)),
        (code(), proptest::option::of(code()), code()).prop_map(|(table, sort, first)| {
            let view = TableView { table, sort, ..TableView::default() };
            AnyRequest::TablePage(TablePageRequest { view, first, count: first })
        }),
        view().prop_map(|view| AnyRequest::Legend(LegendRequest { color: view.color })),
        (time(), time(), any::<u32>()).prop_map(|(start, end, buckets)| AnyRequest::Charts(ChartsRequest {
            start,
            end,
            buckets
        })),
    ]
}

proptest! {
    #[test]
    fn no_request_about_any_trace_panics(
        items in sample::odd_items(),
        requests in proptest::collection::vec(request(), 1..12),
    ) {
        let mut session = Session { trace: sample::odd_trace(&items), ..Session::default() };
        for request in &requests {
            session.answer_any(request);
        }
    }

    #[test]
    fn what_is_made_ahead_changes_no_answer(
        items in sample::odd_items(),
        requests in proptest::collection::vec(request(), 1..12),
        ahead in 0_usize..12,
        steps in 0_usize..40,
    ) {
        let new = || Session { trace: sample::odd_trace(&items), ..Session::default() };
        let (mut session, mut other) = (new(), new());
        for (at, request) in requests.iter().enumerate() {
            if at == ahead % requests.len() {
                other.draw_ahead();
                (0..steps).take_while(|_| other.look_ahead()).for_each(drop);
            }
            prop_assert_eq!(format!("{:?}", session.answer_any(request)), format!("{:?}", other.answer_any(request)));
        }
    }
}
