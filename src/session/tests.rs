mod compared_executions;
mod filters;
mod hidden_items;
mod requests;
mod result_track;

use proptest::prelude::*;

use super::*;
use crate::analysis::sample;
use crate::protocol::{
    AnyRequest, AreaRequest, AreaSpec, Arrangement, BusiestRequest, CardRequest, ChartsRequest, ColorBy,
    CompareColumn, CompareRequest, CompareRunsGroupRequest, CompareRunsRequest, CompareView, CompareWith,
    ComparedRunList, CounterView, CriticalPathRequest, DetailsRequest, ExecutionList, ExecutionListRequest,
    FilterCompletionRequest, FilterRequest, FindQueryRequest, FindingsRequest, FocusMove,
    FrameArgumentsRequest, FrameCardRequest, FrameDimension, FrameWeight, GroupBy, HeatRequest,
    ImportReportRequest, IssueTextRequest, ItemTrackRequest, JumpTarget, LegendRequest, LocateRequest,
    LockWaitsRequest, MergedDifference, MergedFrameRequest, MergedSpec, MinimapRequest, NeighbourRequest,
    ParallelRequest, PathMarksRequest, PivotChoicesRequest, PivotColumn, PivotCsvRequest, PivotRequest,
    PivotRowsRequest, PivotSpec, PivotView, QueryColumn, QueryList, QueryListRequest, QueryPositionRequest,
    RangeRequest, ReconcileRequest, ReportPlaceRequest, RuleFindingsRequest, RunComparisonSpec, RunSelection,
    RunSummariesRequest, RunTableOrder, RunTableRequest, SceneBytes, SceneRequest, SearchRequest,
    SearchStepRequest, ShapeDetailRequest, ShapeList, ShapeListRequest, ShapePathRequest, SpanJumpRequest,
    StackForm, SubsetChoicesRequest, TableListRequest, TablePageRequest, TableView, TrackCountsRequest,
    TrackKey, TrackKeyRequest, TrackLayout, TrackMove, TrackMoveRequest, TransactionList,
    TransactionListRequest, ViewKind, ViewSpec, Viewport,
};
use crate::view::Scene;
use requests::request;

impl Session {
    /// Opens a text as a file with this name.
    pub(crate) fn of_text(name: &str, text: &str) -> Self {
        let mut session = Self::default();
        session.open(name);
        session.push(text.as_bytes());
        session.close(None);
        session.build();
        session
    }
}

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
    assert_eq!((page.matched, page.rows.len()), (3, 3), "an invalid filter hides nothing");
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
        let SceneBytes(bytes) = session.answer(&SceneRequest { view, viewport });
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
    assert_eq!(frame.matched, Some((1, "12.00 ms, 55 % of 22.00 ms".to_owned())));
    assert_eq!(session.answer(&FrameCardRequest { spec, frame: 99 }), None);
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
        steps in 0_usize..48,
    ) {
        let new = || Session { trace: sample::odd_trace(&items), ..Session::default() };
        let (mut session, mut other) = (new(), new());
        for (at, request) in requests.iter().enumerate() {
            if at == ahead % requests.len() {
                other.draw_ahead();
                (0..steps).take_while(|_| other.look_ahead(true)).for_each(drop);
            }
            prop_assert_eq!(format!("{:?}", session.answer_any(request)), format!("{:?}", other.answer_any(request)));
        }
    }
}
