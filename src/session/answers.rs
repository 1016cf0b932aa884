//! Requests to replies: what is asked for is looked up or computed, and kept for as long as the trace stays as it is.
//!
//! Every id that comes in is checked here, once, so that nothing behind this door meets one that does not exist.

use super::{Anchor, Session};
use crate::analysis::{Hits, Order, Queries};
use crate::compare::Comparison;
use crate::pivot::Pivot;
use crate::protocol::{Details, MergedFrame, MergedSpec, QueryList, QueryPage, Reply, Request, TrackKey};
use crate::stats::{self, TableRows, Transactions};
use crate::trace::{Item, Trace, TrackId};
use crate::view::{self};

/// Orders of the query list that are kept: enough to go back and forth between two.
const ORDERS: usize = 4;
/// Rows of a page of the query list.
const MAX_ROWS: u32 = 1_000;

/// What was computed about the trace and may be asked for again.
#[derive(Default)]
pub(crate) struct Caches {
    pub(super) queries: Option<Queries>,
    /// The latest last.
    orders: Vec<(QueryList, Order)>,
    /// What is looked for; empty for nothing. Stays when the trace grows.
    search: String,
    hits: Option<Hits>,
    transactions: Option<Transactions>,
    tables: TableRows,
    pub(crate) pivot: Pivot,
    pub(super) compare: Comparison,
}

impl Caches {
    /// The trace changed: nothing but the text that is looked for is true any more.
    pub(crate) fn forget(&mut self) {
        *self = Self { search: std::mem::take(&mut self.search), ..Self::default() };
    }

    #[inline(never)]
    pub(super) fn queries(&mut self, trace: &Trace) -> &Queries {
        self.queries.get_or_insert_with(|| Queries::of(trace))
    }

    /// What the current search finds, if there is one.
    #[inline(never)]
    pub(super) fn hits(&mut self, trace: &Trace) -> Option<&Hits> {
        if self.hits.is_none() && !self.search.is_empty() {
            self.hits = Some(Hits::of(trace, &self.search));
        }
        self.hits.as_ref()
    }

    /// The query list in the order that is asked for.
    #[inline(never)]
    fn order(&mut self, trace: &Trace, list: &QueryList) -> (&Queries, &Order) {
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        let kept = self.orders.iter().position(|(of, _)| of == list);
        let order = match kept {
            Some(at) => self.orders.remove(at).1,
            None => queries.order(trace, list),
        };
        if self.orders.len() >= ORDERS {
            self.orders.remove(0);
        }
        self.orders.push((list.clone(), order));
        (queries, &self.orders[self.orders.len() - 1].1)
    }
}

impl Session {
    /// The answer to a request. Every request has one; one that names what does not exist is answered by
    /// [`Reply::Gone`].
    pub fn handle(&mut self, request: &Request) -> Reply {
        let Self { trace, pictures, answers, .. } = self;
        match request {
            Request::Scene { view, viewport } => {
                Reply::Scene(pictures.scene(trace, view, viewport, answers.hits(trace)).to_bytes())
            }
            Request::Minimap { width } => {
                let (busy, failed) = pictures.minimap(trace, *width);
                Reply::Minimap { busy, failed }
            }
            Request::TrackKey { track } => Reply::TrackKey(TrackKey::of(trace, TrackId(*track))),
            Request::Locate { item, view, open } => {
                let item = known(trace, *item);
                Reply::Located(item.and_then(|item| pictures.locate(trace, view, item, *open)))
            }
            Request::Arrows { item, view } => {
                Reply::Arrows(pictures.arrows(trace, view, Item::from_code(*item)))
            }
            Request::Neighbour { item, step } => {
                let item = item.map(Item::from_code);
                Reply::Moved(view::neighbour(trace, item, *step).map(Item::code))
            }
            Request::Legend { color } => Reply::Legend(pictures.legend(trace, *color)),
            Request::Card { item } => {
                Reply::Card(known(trace, *item).map(|item| stats::card(trace, answers.queries(trace), item)))
            }
            Request::Frame { spec, frame } => self.frame(spec, *frame),
            Request::Merged { spec, frame } => Reply::Merged(self.merged(spec, *frame)),
            Request::Details { item } => Reply::Details(self.details(*item).map(Box::new)),
            Request::Queries { list, first, count } => Reply::Queries(self.page(list, *first, *count)),
            Request::QueryPosition { list, item } => Reply::Position(self.position(list, *item)),
            Request::FindQuery { record } => Reply::Moved(self.find(Anchor::of_query(*record))),
            Request::Range { start, end } => Reply::Range(stats::range(trace, *start, *end)),
            Request::Search { text } => self.search(text),
            Request::SearchStep { from, backwards } => {
                let from = from.and_then(|code| known(trace, code));
                let step = answers.hits(trace).and_then(|hits| hits.step(trace, from, *backwards));
                Reply::Moved(step.map(Item::code))
            }
            Request::Summary => Reply::Summary(stats::summaries(trace)),
            Request::Findings => Reply::Findings(stats::findings(trace)),
            Request::Report => Reply::Report(self.report()),
            Request::Spot { file, offset } => self.spot(*file, *offset),
            Request::Parts => Reply::Parts(self.parts()),
            Request::Tables => Reply::Tables(stats::tables(trace)),
            Request::Table { view, first, count } => {
                Reply::Table(answers.tables.page(trace, view, *first, *count))
            }
            Request::Charts { start, end, buckets } => {
                Reply::Charts(stats::charts(trace, answers.queries(trace), *start, *end, *buckets))
            }
            Request::Parallel { .. } | Request::Heat { .. } => self.beside(request),
            Request::Compare { .. } | Request::Busiest { .. } => self.beside(request),
            Request::Arguments => Reply::Arguments(stats::arguments(trace)),
            Request::Transactions { .. } | Request::LockWaits => self.transactions(request),
            Request::Pivot { .. } | Request::PivotText { .. } => self.aggregates(request),
            Request::PivotChoices | Request::Reconcile => self.aggregates(request),
        }
    }

    #[inline(never)]
    fn transactions(&mut self, request: &Request) -> Reply {
        let Self { trace, answers, .. } = self;
        let Request::Transactions { list, first, count } = request else {
            return Reply::LockWaits(stats::lock_waits(trace));
        };
        let transactions = answers.transactions.get_or_insert_with(|| Transactions::of(trace));
        Reply::Transactions(transactions.page(trace, list, *first, *count))
    }

    #[inline(never)]
    fn frame(&mut self, spec: &MergedSpec, frame: u32) -> Reply {
        let trace = &self.trace;
        let (merged, shapes) = self.pictures.merged(trace, spec);
        let focus = merged.find(trace, shapes, &spec.focus);
        Reply::Card(stats::frame_card(trace, shapes, merged, frame, focus))
    }

    #[inline(never)]
    fn merged(&mut self, spec: &MergedSpec, id: u32) -> Option<MergedFrame> {
        let trace = &self.trace;
        let (merged, shapes) = self.pictures.merged(trace, spec);
        let value = merged.written(merged.get(id)?.value);
        let text = Some(self.answers.search.as_str()).filter(|text| !text.is_empty());
        let focus = merged.find(trace, shapes, &spec.focus);
        let matched = text.map(|text| merged.matched(trace, shapes, focus, text));
        let [path, focus] = [id, focus].map(|id| merged.path(trace, shapes, id));
        Some(MergedFrame { path, focus, value, matched })
    }

    #[inline(never)]
    fn details(&mut self, code: u32) -> Option<Details> {
        let item = known(&self.trace, code)?;
        let mut details = stats::details(&self.trace, self.answers.queries(&self.trace), item);
        let color = |code| self.pictures.color(&self.trace, Item::from_code(code));
        details.color = color(code);
        let Details { parents, children, sources, targets, .. } = &mut details;
        for link in [parents, children, sources, targets].into_iter().flatten() {
            link.color = color(link.item);
        }
        let places = stats::records(&self.trace, item).filter_map(|record| self.place(record));
        Some(Details { records: places.collect(), ..details })
    }

    #[inline(never)]
    fn page(&mut self, list: &QueryList, first: u32, count: u32) -> QueryPage {
        let trace = &self.trace;
        let (queries, order) = self.answers.order(trace, list);
        let rows = order.rows.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        QueryPage {
            total: queries.len(),
            matched: order.rows.len() as u32,
            filter_error: order.error.clone(),
            longest: order.longest,
            empty: queries.empty_columns(),
            first,
            rows: rows.map(|&row| queries.row_in(trace, row, list.range)).collect(),
        }
    }

    #[inline(never)]
    fn position(&mut self, list: &QueryList, code: u32) -> Option<u32> {
        let item = known(&self.trace, code)?;
        let (queries, order) = self.answers.order(&self.trace, list);
        let row = queries.row_of(&self.trace, item)?;
        order.rows.iter().position(|&found| found == row).map(|at| at as u32)
    }

    #[inline(never)]
    fn search(&mut self, text: &str) -> Reply {
        let Self { trace, answers, .. } = self;
        text.trim().clone_into(&mut answers.search);
        answers.hits = None;
        answers.queries(trace);
        answers.hits(trace);
        let found = answers.hits.as_ref().zip(answers.queries.as_ref());
        Reply::Found(found.map(|(hits, queries)| hits.found(trace, queries)).unwrap_or_default())
    }
}

/// The item behind a code, if the trace has it.
pub(super) fn known(trace: &Trace, code: u32) -> Option<Item> {
    Some(Item::from_code(code)).filter(|&item| trace.contains(item))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::sample;
    use crate::protocol::{
        Arrangement, Beside, ColorBy, CompareColumn, CompareView, FocusMove, FrameDimension, FrameWeight,
        PivotColumn, PivotSpec, PivotView, QueryColumn, TableView, TransactionList, ViewKind, ViewSpec,
        Viewport,
    };

    fn session() -> Session {
        Session { trace: sample::trace(), ..Session::default() }
    }

    #[test]
    fn pages_are_cut_from_one_order() {
        // The longest first, unless something else is asked for.
        let list = QueryList::default();
        for (first, count, durations) in
            [(0, 2, &[10, 8][..]), (2, 2, &[4]), (9, 2, &[]), (0, u32::MAX, &[10, 8, 4])]
        {
            let Reply::Queries(page) =
                session().handle(&Request::Queries { list: list.clone(), first, count })
            else {
                panic!("not a page")
            };
            assert_eq!(page.rows.iter().map(|row| row.duration / 1_000_000).collect::<Vec<_>>(), durations);
            assert_eq!((page.total, page.matched, page.longest), (3, 3, 10_000_000));
        }
    }

    #[test]
    fn a_bad_filter_is_answered_with_its_reason() {
        let list = QueryList { filter: "length > 5".to_owned(), ..QueryList::default() };
        let Reply::Queries(page) = session().handle(&Request::Queries { list, first: 0, count: 9 }) else {
            panic!("not a page")
        };
        assert!(page.filter_error.is_some_and(|error| error.contains("unknown field “length”")));
    }

    #[test]
    fn an_item_stands_where_its_query_does() {
        let mut session = session();
        let list = QueryList { descending: false, ..QueryList::default() };
        for (item, position) in [(1, Some(2)), (3, Some(2)), (0, Some(2)), (1 << 31, Some(2)), (99, None)] {
            let request = Request::QueryPosition { list: list.clone(), item };
            assert_eq!(session.handle(&request), Reply::Position(position), "{item}");
        }
    }

    #[test]
    fn a_search_outlives_the_trace() {
        let mut session = session();
        let text = "spill".to_owned();
        let Reply::Found(found) = session.handle(&Request::Search { text }) else { panic!("not found") };
        assert_eq!((found.items, found.queries), (1, 1));
        session.answers.forget();
        let step = Request::SearchStep { from: None, backwards: false };
        assert_eq!(session.handle(&step), Reply::Moved(Some(1 << 31 | 2)));
        session.handle(&Request::Search { text: " ".to_owned() });
        assert_eq!(session.handle(&step), Reply::Moved(None));
    }

    #[test]
    fn frames_are_asked_for_by_their_ids() {
        let mut session = session();
        let (path, weight) = (vec![FrameDimension::Connector, FrameDimension::Datasource], FrameWeight::Time);
        let spec = MergedSpec { path, weight, focus: Vec::new(), range: None, arguments: Vec::new() };
        session.handle(&Request::Search { text: "js".to_owned() });
        let Reply::Merged(Some(frame)) = session.handle(&Request::Merged { spec: spec.clone(), frame: 2 })
        else {
            panic!("there is a frame")
        };
        assert_eq!(
            (frame.path.join(" "), frame.value.as_str()),
            ("js-conn OrdersAPI".to_owned(), "10.00 ms")
        );
        assert_eq!(frame.matched, Some((1, 12.0 / 22.0)));
        assert_eq!(session.handle(&Request::Frame { spec, frame: 99 }), Reply::Card(None));
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
            merged().prop_map(ViewKind::FlameMerged),
        ];
        let colors =
            [ColorBy::Kind, ColorBy::Connector, ColorBy::Datasource, ColorBy::Outcome, ColorBy::Query];
        (kind, proptest::sample::select(colors.to_vec())).prop_map(|(kind, color)| ViewSpec::new(kind, color))
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
        (path, proptest::sample::select(weights), focus, range, arguments).prop_map(
            |(path, weight, focus, range, arguments)| MergedSpec { path, weight, focus, range, arguments },
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
        let columns = vec![QueryColumn::Sql, QueryColumn::Ratio, QueryColumn::Outcome, QueryColumn::RowsRead];
        let filter = "|select|duration > 5ms|ratio < 2|connector != a|outcome = ok x|\"";
        let range = proptest::option::of((time(), time()));
        (proptest::sample::select(columns), any::<bool>(), filter, range)
            .prop_map(|(sort, descending, filter, range)| QueryList { sort, descending, filter, range })
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
        let b = prop_oneof![Just(Beside::Typical), Just(Beside::Others), code().prop_map(Beside::Item)];
        let columns = vec![
            CompareColumn::Step,
            CompareColumn::A,
            CompareColumn::B,
            CompareColumn::Difference,
            CompareColumn::Ratio,
        ];
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        (proptest::option::of(code()), b, flags, proptest::sample::select(columns)).prop_map(
            |(a, b, (fold, inclusive, ascending), sort)| CompareView {
                a,
                b,
                fold,
                inclusive,
                sort,
                ascending,
            },
        )
    }

    fn request() -> impl Strategy<Value = Request> {
        let steps = vec![
            FocusMove::Previous,
            FocusMove::Next,
            FocusMove::Parent,
            FocusMove::Child,
            FocusMove::Beneath,
        ];
        prop_oneof![
            (view(), viewport()).prop_map(|(view, viewport)| Request::Scene { view, viewport }),
            any::<u16>().prop_map(|width| Request::Minimap { width: width.into() }),
            code().prop_map(|track| Request::TrackKey { track }),
            (code(), view(), any::<bool>()).prop_map(|(item, view, open)| Request::Locate {
                item,
                view,
                open
            }),
            (proptest::option::of(code()), proptest::sample::select(steps))
                .prop_map(|(item, step)| Request::Neighbour { item, step }),
            code().prop_map(|item| Request::Card { item }),
            (merged(), code()).prop_map(|(spec, frame)| Request::Frame { spec, frame }),
            (merged(), code()).prop_map(|(spec, frame)| Request::Merged { spec, frame }),
            code().prop_map(|item| Request::Details { item }),
            (list(), code(), code()).prop_map(|(list, first, count)| Request::Queries { list, first, count }),
            (list(), code()).prop_map(|(list, item)| Request::QueryPosition { list, item }),
            code().prop_map(|record| Request::FindQuery { record }),
            (code(), any::<u64>()).prop_map(|(file, offset)| Request::Spot { file, offset }),
            (time(), time()).prop_map(|(start, end)| Request::Range { start, end }),
            "|orders|select|<b>|ü".prop_map(|text| Request::Search { text }),
            (proptest::option::of(code()), any::<bool>())
                .prop_map(|(from, backwards)| Request::SearchStep { from, backwards }),
            (pivot(), code(), code()).prop_map(|(view, first, count)| Request::Pivot { view, first, count }),
            pivot().prop_map(|view| Request::PivotText { view }),
            Just(Request::PivotChoices),
            (proptest::option::of((time(), time())), proptest::option::of(code()))
                .prop_map(|(range, item)| Request::Parallel { range, item }),
            (proptest::option::of((time(), time())), any::<u32>())
                .prop_map(|(range, most)| Request::Busiest { range, most }),
            comparison().prop_map(|view| Request::Compare { view }),
            (proptest::option::of((time(), time())), proptest::option::of(code()), any::<u32>())
                .prop_map(|(range, item, columns)| Request::Heat { range, item, columns }),
            Just(Request::Arguments),
            (proptest::option::of((time(), time())), any::<bool>(), code(), code()).prop_map(
                |(range, reversed, first, count)| {
                    let list = TransactionList { range, reversed, ..TransactionList::default() };
                    Request::Transactions { list, first, count }
                }
            ),
            Just(Request::LockWaits),
            Just(Request::Reconcile),
            Just(Request::Summary),
            Just(Request::Report),
            Just(Request::Parts),
            Just(Request::Tables),
            (code(), proptest::option::of(code()), code()).prop_map(|(table, sort, first)| {
                let view = TableView { table, sort, ..TableView::default() };
                Request::Table { view, first, count: first }
            }),
            view().prop_map(|view| Request::Legend { color: view.color }),
            (time(), time(), any::<u32>()).prop_map(|(start, end, buckets)| Request::Charts {
                start,
                end,
                buckets
            }),
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
                session.handle(request);
            }
        }

        #[test]
        fn what_is_made_ahead_changes_no_answer(
            items in sample::odd_items(),
            requests in proptest::collection::vec(request(), 1..12),
            ahead in 0_usize..12,
        ) {
            let new = || Session { trace: sample::odd_trace(&items), ..Session::default() };
            let (mut session, mut other) = (new(), new());
            for (at, request) in requests.iter().enumerate() {
                if at == ahead % requests.len() {
                    other.draw_ahead();
                }
                prop_assert_eq!(format!("{:?}", session.handle(request)), format!("{:?}", other.handle(request)));
            }
        }
    }
}
