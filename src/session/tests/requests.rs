//! Random requests of any type, about items that may not exist.

use super::*;
use crate::protocol::{DurationVerdict, ViewFilter};

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
    let counters = (any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(rate, common_scale, stacked)| CounterView { rate, common_scale, stacked });
    let filter = (filter(), any::<bool>()).prop_map(|(text, hides)| ViewFilter { text, hides });
    (kind, proptest::sample::select(colors.to_vec()), layout(), counters, filter).prop_map(
        |(kind, color, tracks, counters, filter)| ViewSpec {
            tracks: Box::new(tracks),
            counters,
            filter,
            ..ViewSpec::new(kind, color)
        },
    )
}

fn key() -> impl Strategy<Value = TrackKey> {
    let text = (0_u64..1 << 40, 0..3_u32, any::<u32>());
    text.prop_map(|(names, nth, below)| format!("{names:010x}.{nth}.{below}").parse().expect("a key"))
}

/// Layouts of tracks; the keys are those of tracks that do not exist.
fn layout() -> impl Strategy<Value = TrackLayout> {
    let hidden = proptest::collection::vec(key(), 0..3);
    let moves = proptest::collection::vec((key(), any::<u32>()), 0..3);
    (hidden, moves, "|orders|q|1|ü").prop_map(|(hidden, moves, name)| TrackLayout { hidden, moves, name })
}

/// Requests about jumps and the layout of tracks.
fn workbench() -> impl Strategy<Value = AnyRequest> {
    let targets = vec![
        JumpTarget::Longest,
        JumpTarget::NextFailed,
        JumpTarget::PreviousFailed,
        JumpTarget::NextOfName,
        JumpTarget::PreviousOfName,
        JumpTarget::LongestOfName,
        JumpTarget::LongerOfName,
    ];
    let jump = (proptest::option::of(code()), proptest::sample::select(targets), filter());
    let to = proptest::sample::select(vec![TrackMove::Stay, TrackMove::Up, TrackMove::Down]);
    prop_oneof![
        jump.prop_map(|(item, target, filter)| {
            AnyRequest::SpanJump(SpanJumpRequest { item, target, filter })
        }),
        layout().prop_map(|layout| AnyRequest::TrackCounts(TrackCountsRequest { layout })),
        (key(), to, layout()).prop_map(|(track, to, layout)| {
            AnyRequest::TrackMove(TrackMoveRequest { track, to, layout })
        }),
        area().prop_map(|area| AnyRequest::Area(AreaRequest { area })),
        area().prop_map(|area| AnyRequest::IssueText(IssueTextRequest::Area(area))),
    ]
}

/// Single items, some of which the trace does not have.
fn area() -> impl Strategy<Value = AreaSpec> {
    let items = proptest::collection::vec(code(), 1..5);
    (items, filter()).prop_map(|(items, filter)| AreaSpec { items, filter, ..AreaSpec::default() })
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
    (settings, stacks, names, any::<bool>(), difference, filter()).prop_map(
        |(
            (path, weight, focus, range, arguments),
            stacks,
            hidden,
            collapse_recursion,
            difference,
            filter,
        )| {
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
                filter,
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
    (side(), side(), by, filter(), code(), code()).prop_map(|(base, new, by, filter, first, count)| {
        let spec = RunComparisonSpec { base, new, by, filter };
        match first % 3 {
            2 => {
                let sort = if count % 2 == 0 { RunTableOrder::Group } else { RunTableOrder::Run(count) };
                let reversed = spec.base.outside;
                AnyRequest::RunTable(RunTableRequest {
                    base: first / 3 % 5,
                    by,
                    filter: spec.filter,
                    sort,
                    reversed,
                    only: (count % 3 == 0).then_some((count / 3, DurationVerdict::Slower)),
                    first,
                    count,
                    ..RunTableRequest::default()
                })
            }
            0 => AnyRequest::CompareRunsGroup(CompareRunsGroupRequest { spec, group: count.into() }),
            _ => {
                let only = (count % 2 == 0).then_some(DurationVerdict::Slower);
                let list = ComparedRunList { spec, only, ..ComparedRunList::default() };
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
        (0..40_u32, proptest::option::of((time(), time()))).prop_map(|(shape, range)| AnyRequest::ShapePath(
            ShapePathRequest { shape, range, filter: String::new() }
        )),
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

/// Requests about a time range.
fn of_times() -> impl Strategy<Value = AnyRequest> {
    prop_oneof![
        (proptest::option::of((time(), time())), filter()).prop_map(|(range, filter)| {
            AnyRequest::Findings(FindingsRequest { range, filter, ..FindingsRequest::default() })
        }),
        ("(failed|gaps|lost|x)", filter(), any::<u32>()).prop_map(|(rule, filter, count)| {
            let all = FindingsRequest { filter, ..FindingsRequest::default() };
            AnyRequest::RuleFindings(RuleFindingsRequest { all, rule, count })
        }),
        (time(), time(), filter()).prop_map(|(start, end, filter)| {
            AnyRequest::IssueText(IssueTextRequest::Range(RangeRequest { start, end, filter }))
        }),
        (time(), time(), filter()).prop_map(|(start, end, filter)| AnyRequest::Range(RangeRequest {
            start,
            end,
            filter
        })),
        (proptest::option::of((time(), time())), any::<u32>())
            .prop_map(|(range, most)| AnyRequest::Busiest(BusiestRequest { range, most })),
        (proptest::option::of((time(), time())), any::<bool>(), code(), code()).prop_map(
            |(range, reversed, first, count)| {
                let list = TransactionList { range, reversed, ..TransactionList::default() };
                AnyRequest::TransactionList(TransactionListRequest { list, first, count })
            }
        ),
        (time(), time(), any::<u32>(), filter()).prop_map(|(start, end, buckets, filter)| {
            AnyRequest::Charts(ChartsRequest { start, end, buckets, filter })
        }),
    ]
}

/// Filters, valid and not.
fn filter() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "(orders|failed|duration > 1ms|sql !~ a|kind = query|x >|\\|)( [a-z]{0,3})?"
    ]
}

pub fn request() -> impl Strategy<Value = AnyRequest> {
    prop_oneof![
        (view(), viewport()).prop_map(|(view, viewport)| AnyRequest::Scene(SceneRequest { view, viewport })),
        filter().prop_map(|text| AnyRequest::Filter(FilterRequest { text })),
        (filter(), 0..20_u32).prop_map(|(text, caret)| {
            AnyRequest::FilterCompletions(FilterCompletionRequest { text, caret })
        }),
        any::<u16>().prop_map(|width| AnyRequest::Minimap(MinimapRequest { width: width.into() })),
        code().prop_map(|track| AnyRequest::TrackKey(TrackKeyRequest { track })),
        code().prop_map(|item| AnyRequest::ItemTrack(ItemTrackRequest { item })),
        (code(), view()).prop_map(|(item, view)| AnyRequest::PathMarks(PathMarksRequest { item, view })),
        (code(), view(), any::<bool>()).prop_map(|(item, view, open)| AnyRequest::Locate(LocateRequest {
            item,
            view,
            open
        })),
        (proptest::option::of(code()), focus_move(), filter()).prop_map(|(item, step, filter)| {
            let within = item.filter(|item| item % 2 == 0).map(|item| [item, item / 2]);
            AnyRequest::Neighbour(NeighbourRequest { item, step, within, filter })
        }),
        code().prop_map(|item| AnyRequest::Card(CardRequest { item })),
        (merged(), code()).prop_map(|(spec, frame)| AnyRequest::FrameCard(FrameCardRequest { spec, frame })),
        (merged(), proptest::option::of(code()), proptest::option::of(focus_move())).prop_map(
            |(spec, frame, step)| AnyRequest::MergedFrame(MergedFrameRequest { spec, frame, step })
        ),
        code().prop_map(|item| AnyRequest::Details(DetailsRequest { item })),
        code().prop_map(|item| AnyRequest::IssueText(IssueTextRequest::Item(item))),
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
        "|orders|select|<b>|ü".prop_map(|text| AnyRequest::Search(SearchRequest { text })),
        (proptest::option::of(code()), any::<bool>())
            .prop_map(|(from, backwards)| AnyRequest::SearchStep(SearchStepRequest { from, backwards })),
        (pivot(), code(), code()).prop_map(|(view, first, count)| AnyRequest::Pivot(PivotRequest {
            view,
            first,
            count
        })),
        pivot().prop_map(|view| AnyRequest::PivotCsv(PivotCsvRequest { view })),
        pivot().prop_map(|view| AnyRequest::PivotRows(PivotRowsRequest { view })),
        Just(AnyRequest::PivotChoices(PivotChoicesRequest)),
        (proptest::option::of((time(), time())), proptest::option::of(code()))
            .prop_map(|(range, item)| AnyRequest::Parallel(ParallelRequest { range, item })),
        (comparison(), proptest::option::of(code()), proptest::option::of((side(), side()))).prop_map(
            |(view, selection, sides)| {
                let sides = sides.map(|(base, new)| [base, new]);
                AnyRequest::Compare(CompareRequest { view, selection, sides })
            }
        ),
        (proptest::option::of((time(), time())), proptest::option::of(code()), any::<u32>())
            .prop_map(|(range, item, columns)| AnyRequest::Heat(HeatRequest { range, item, columns })),
        Just(AnyRequest::FrameArguments(FrameArgumentsRequest)),
        Just(AnyRequest::LockWaits(LockWaitsRequest)),
        shapes(),
        workbench(),
        compared_runs(),
        of_times(),
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
    ]
}
