//! The filter of all views in the answers that follow it, compared with spans that are looked at one by one.

use super::*;
use crate::protocol::{
    BufferActivityRequest, BufferMeasure, BufferQueryList, BufferQueryListRequest, FilterCompletions,
    SourceDimension, SourceExecutionList, SourceExecutionListRequest, SourceList, SourceListRequest,
};
use crate::testing;
use crate::trace::{EventId, Flags, Item, Key, Kind, SpanId, Trace, key};

/// Whether a span or event itself meets a condition.
type Test = fn(&Trace, Item) -> bool;

fn has_text(trace: &Trace, item: Item, key: Key, part: &str) -> bool {
    trace.text(item, key).is_some_and(|text| trace.str(text).to_lowercase().contains(part))
}

fn is_failed(trace: &Trace, item: Item) -> bool {
    match item {
        Item::Span(id) => trace.spans.flags(id).has(Flags::FAILED),
        Item::Event(id) => trace.events.flags(id).has(Flags::FAILED),
    }
}

/// Filters of one condition, its test without the negation, and whether it is negated.
const FILTERS: [(&str, Test, bool); 10] = [
    ("sql ~ t1", |trace, item| has_text(trace, item, key::SQL, "t1"), false),
    ("sql !~ t1", |trace, item| has_text(trace, item, key::SQL, "t1"), true),
    ("connector = js-conn", |trace, item| has_text(trace, item, key::CONNECTOR, "js-conn"), false),
    ("connector != js-conn", |trace, item| has_text(trace, item, key::CONNECTOR, "js-conn"), true),
    ("status = failed", is_failed, false),
    ("kind = \"source execution\"", |trace, item| trace.kind(item) == Kind::Execution, false),
    ("name = SPILL", |trace, item| trace.str(trace.name(item)) == "SPILL", false),
    ("span_id = 1,4-6", |_, item| matches!(item, Item::Span(SpanId(1 | 4..=6))), false),
    ("span_id != 1,4-6", |_, item| matches!(item, Item::Span(SpanId(1 | 4..=6))), true),
    ("event_id = 0", |_, item| item == Item::Event(EventId(0)), false),
];

struct Checked {
    session: Session,
    test: Test,
    is_negated: bool,
}

impl Checked {
    fn up(&self, item: Item) -> impl Iterator<Item = Item> + '_ {
        let trace = &self.session.trace;
        std::iter::successors(Some(item), move |&item| trace.parent(item).map(Item::Span))
    }

    fn spans(&self) -> impl Iterator<Item = SpanId> + use<> {
        (0..self.session.trace.spans.len() as u32).map(SpanId)
    }

    /// Whether an item or a span around it meets the condition; for a negated one, whether neither does.
    fn has_stack(&self, item: Item) -> bool {
        self.up(item).any(|item| (self.test)(&self.session.trace, item)) != self.is_negated
    }

    /// Whether a query or something inside it meets the condition; for a negated one, whether neither does.
    fn lists(&self, query: SpanId) -> bool {
        let trace = &self.session.trace;
        let spans = self.spans().map(Item::Span);
        let mut all = spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))));
        let is_met = |item| (self.test)(trace, item) && self.up(item).any(|up| up == Item::Span(query));
        all.any(is_met) != self.is_negated
    }

    fn passing(&self, kind: Kind) -> Vec<SpanId> {
        let trace = &self.session.trace;
        let passes = |id: &SpanId| match kind {
            Kind::Query => self.lists(*id),
            _ => self.has_stack(Item::Span(*id)),
        };
        self.spans().filter(|id| trace.spans.kind(*id) == kind).filter(passes).collect()
    }

    fn buffers(&self) -> Vec<EventId> {
        let trace = &self.session.trace;
        let events = (0..trace.events.len() as u32).map(EventId);
        let is_buffer = |id: &EventId| trace.events.kind(*id) == Kind::Buffer;
        events.filter(is_buffer).filter(|id| self.has_stack(Item::Event(*id))).collect()
    }
}

fn check(ask: impl Fn(&mut Checked, &str)) {
    for (text, test, is_negated) in FILTERS {
        let session = Session { trace: testing::queries(24), ..Session::default() };
        ask(&mut Checked { session, test, is_negated }, text);
    }
}

#[test]
fn sources_are_those_whose_stack_matches() {
    check(|checked, text| {
        let by = vec![SourceDimension::Connector];
        let list = SourceList { by: by.clone(), filter: text.to_owned(), ..SourceList::default() };
        let page = checked.session.answer(&SourceListRequest { list, first: 0, count: 100 });
        let expected = checked.passing(Kind::Execution);
        assert_eq!(page.executions + page.unfinished, expected.len() as u64, "{text}");
        let read = |id: &SpanId| checked.session.trace.num(Item::Span(*id), key::ROWS_READ);
        let rows: i64 = expected.iter().filter_map(read).sum();
        assert_eq!(page.rows.iter().filter_map(|row| row.rows_read).sum::<i64>(), rows, "{text}");
        let mut items = Vec::new();
        for row in &page.rows {
            let filter = text.to_owned();
            let list = SourceExecutionList {
                by: by.clone(),
                group: row.group,
                filter,
                ..SourceExecutionList::default()
            };
            let request = SourceExecutionListRequest { list, first: 0, count: 1_000 };
            items.extend(checked.session.answer(&request).rows.iter().map(|row| row.item));
        }
        items.sort_unstable();
        assert_eq!(items, expected.iter().map(|id| Item::Span(*id).code()).collect::<Vec<_>>(), "{text}");
    });
}

#[test]
fn buffer_events_are_those_whose_stack_matches() {
    check(|checked, text| {
        let filter = text.to_owned();
        let measure = BufferMeasure::Events;
        let request = BufferActivityRequest { range: None, buckets: 9, measure, cumulative: false, filter };
        let found = checked.session.answer(&request);
        let expected = checked.buffers();
        let count: u64 = found.types.iter().map(|row| row.events).sum();
        assert_eq!(count, expected.len() as u64, "{text}");
        let charted: i64 = found.charts.buffers.iter().flat_map(|(_, series)| series).sum();
        assert_eq!(charted, expected.len() as i64, "{text}");
        let list = BufferQueryList { filter: text.to_owned(), ..BufferQueryList::default() };
        let page = checked.session.answer(&BufferQueryListRequest { list, first: 0, count: 100 });
        let listed: u64 = page.rows.iter().map(|row| row.events).sum();
        assert_eq!(listed + page.without_query, expected.len() as u64, "{text}");
    });
}

#[test]
fn charts_show_the_queries_of_the_list() {
    check(|checked, text| {
        let end = checked.session.trace.end();
        let request = ChartsRequest { start: 0, end, buckets: 20, filter: text.to_owned() };
        let charts = checked.session.answer(&request);
        let is_whole = |id: &&SpanId| !checked.session.trace.spans.flags(**id).has(Flags::OPEN_END);
        let queries = checked.passing(Kind::Query);
        let durations: u32 = charts.durations.iter().map(|(_, count)| count).sum();
        assert_eq!(durations as usize, queries.iter().filter(is_whole).count(), "{text}");
        let list = QueryList { filter: text.to_owned(), ..QueryList::default() };
        let listed = checked.session.answer(&QueryListRequest { list, first: 0, count: 100 });
        assert_eq!(listed.matched as usize, queries.len(), "{text}");
        let bytes = |id: &EventId| checked.session.trace.num(Item::Event(*id), key::BYTES);
        let bytes: i64 = checked.buffers().iter().filter_map(bytes).sum();
        let charted: i64 = charts.buffers.iter().flat_map(|(_, series)| series).sum();
        assert_eq!(charted, bytes, "{text}");
    });
}

#[test]
fn critical_paths_of_a_shape_are_those_of_the_executions_that_pass() {
    check(|checked, text| {
        let is_whole = |id: &SpanId| !checked.session.trace.spans.flags(*id).has(Flags::OPEN_END);
        let queries: Vec<SpanId> = checked.passing(Kind::Query).into_iter().filter(is_whole).collect();
        let total: i64 = queries.iter().map(|id| checked.session.trace.duration(*id)).sum();
        let list = ShapeListRequest { list: ShapeList::default(), first: 0, count: 100 };
        let shapes = checked.session.answer(&list).rows;
        let requests = shapes.iter().map(|row| ShapePathRequest {
            shape: row.shape,
            range: None,
            filter: text.to_owned(),
        });
        let requests: Vec<_> = requests.collect();
        let paths = requests.iter().map(|request| checked.session.answer(request).expect("a shape"));
        // Paths by nesting are as long as their executions.
        let found = paths.fold((0, 0), |sum, path| (sum.0 + path.executions as usize, sum.1 + path.time));
        assert_eq!(found, (queries.len(), total), "{text}");
    });
}

#[test]
fn findings_are_about_what_passes() {
    check(|checked, text| {
        let request = FindingsRequest { filter: text.to_owned(), ..FindingsRequest::default() };
        let found = checked.session.answer(&request);
        let whole = checked.session.answer(&FindingsRequest::default());
        for group in &whole.groups {
            assert!(group.worst.len() as u64 == group.count, "the trace is small enough to list all");
            let passes = |item: Item| match item {
                Item::Span(id) if checked.session.trace.spans.kind(id) == Kind::Query => checked.lists(id),
                item => checked.has_stack(item),
            };
            let items = group.worst.iter().filter_map(|finding| finding.item);
            let expected: Vec<u32> = items.filter(|code| passes(Item::from_code(*code))).collect();
            let own = found.groups.iter().find(|own| own.key == group.key);
            let own: Vec<u32> =
                own.map_or(Vec::new(), |own| own.worst.iter().filter_map(|f| f.item).collect());
            assert_eq!(own, expected, "{text} {}", group.key);
        }
    });
}

#[test]
fn frames_count_what_has_a_match_in_its_stack() {
    let paths = [vec![FrameDimension::Connector], vec![FrameDimension::Stack]];
    check(|checked, text| {
        let counted = |id: &SpanId| !matches!(checked.session.trace.spans.kind(*id), Kind::Request);
        let passing = checked.spans().filter(counted).filter(|id| checked.has_stack(Item::Span(*id)));
        let spans: Vec<SpanId> = passing.collect();
        let all =
            crate::analysis::self_times(&checked.session.trace, 0..checked.session.trace.spans.len() as u32);
        let self_time: i64 = spans.iter().map(|id| all[id.0 as usize]).sum();
        let events = checked.buffers().len();
        for path in &paths {
            for (weight, expected) in [
                (FrameWeight::Count, (spans.len() + events).to_string()),
                (FrameWeight::SelfTime, crate::base::text::duration(self_time)),
            ] {
                let (path, filter) = (path.clone(), text.to_owned());
                let spec = MergedSpec { path, weight, filter, ..MergedSpec::default() };
                let root = MergedFrameRequest { spec, frame: Some(0), step: None };
                let found = checked.session.answer(&root).map(|frame| frame.value.replace(',', ""));
                assert_eq!(found, Some(expected.replace(',', "")), "{text} {weight:?}");
            }
        }
    });
}

#[test]
fn alternating_filters_answer_alike() {
    let mut session = session();
    let texts = ["select", "kind = query", "x >", "failed", "connector = js-conn", "ratio > 1", ""];
    let first: Vec<_> = texts.map(|text| session.answer(&FilterRequest { text: text.to_owned() })).into();
    for (text, first) in texts.iter().zip(&first).rev() {
        assert_eq!(session.answer(&FilterRequest { text: (*text).to_owned() }), *first, "{text}");
    }
}

#[test]
fn a_filter_counts_single_spans_and_whole_queries_and_names_what_nothing_meets() {
    for (text, matched, listed, hinted, hint) in [
        ("failed connector = js-conn", 0, 1, "", ""),
        ("kind = query", 3, 3, "", ""),
        ("kind = query failed", 1, 1, "", ""),
        ("connector = js-conn unfinished", 0, 0, "", ""),
        (
            "failed kind:queri select",
            0,
            0,
            "kind:queri",
            "no span or event meets kind:queri; values include ",
        ),
        ("kind = queries", 0, 0, "kind = queries", "\"source execution\""),
        ("failed nowhere", 0, 0, "nowhere", "no name, text or status contains “nowhere”"),
        ("-orders", 0, 0, "-orders", "write name !~ orders"),
        ("duration > 5s", 0, 0, "", ""),
    ] {
        let found = session().answer(&FilterRequest { text: text.to_owned() });
        assert_eq!((found.matched, found.listed, found.error), (matched, listed, None), "{text}");
        let (sentence, from, until) = found.hint.unwrap_or_default();
        assert_eq!(text.get(from as usize..until as usize), Some(hinted), "{text}");
        assert!(sentence.contains(hint) && sentence.is_empty() == hint.is_empty(), "{text}: {sentence}");
        let list = QueryList { filter: text.to_owned(), ..QueryList::default() };
        assert_eq!(
            session().answer(&QueryListRequest { list, first: 0, count: 0 }).matched,
            listed,
            "{text}"
        );
    }
}

#[test]
fn only_a_valid_filter_is_said_to_apply() {
    for (text, is_filtered) in [("", false), ("failed", true), ("nowhere", true), ("not failed", false)] {
        let filter = text.to_owned();
        let findings = FindingsRequest { filter: filter.clone(), ..FindingsRequest::default() };
        assert_eq!(session().answer(&findings).is_filtered, is_filtered, "{text}");
        let area = AreaRequest { area: AreaSpec { filter, ..AreaSpec::default() } };
        assert_eq!(session().answer(&area).is_filtered, is_filtered, "{text}");
    }
}

/// Checks what may be written at `|`, and the part that it replaces.
fn check_completions(marked: &str, replaced: &str, expected: &[(&str, Option<u32>)]) {
    let caret = marked.find('|').expect("a caret");
    let text = marked.replacen('|', "", 1);
    let request = FilterCompletionRequest { text: text.clone(), caret: caret as u32 };
    let FilterCompletions { from, until, list } = session().answer(&request);
    assert_eq!(text.get(from as usize..until as usize), Some(replaced), "{marked}");
    let found: Vec<_> = list.iter().map(|one| (one.text.as_str(), one.count)).collect();
    assert_eq!(found, expected, "{marked}");
}

#[test]
fn names_operators_and_values_are_completed_anywhere() {
    let operators = ["=", "!=", "~", "!~"].map(|text| (text, None));
    check_completions("kin|", "kin", &[("kind", None)]);
    check_completions("x connector | y", "", &operators);
    check_completions("duration |", "", &[">", ">=", "<", "<=", "=", "!="].map(|text| (text, None)));
    let trace = sample::trace();
    let items = || {
        let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
        spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))))
    };
    let failed = items().filter(|item| is_failed(&trace, *item)).count() as u32;
    check_completions("status=fa|il kind = query", "fail", &[("failed", Some(failed))]);
    let has_js = |item: &Item| has_text(&trace, *item, key::CONNECTOR, "js-conn");
    let js = items().filter(has_js).count() as u32;
    check_completions("connector = \"j|s x\" y", "\"js x\"", &[("js-conn", Some(js))]);
    let mut kinds: Vec<(&str, u32)> = Vec::new();
    for item in items() {
        let name = trace.kind(item).name();
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((name, 1)),
        }
    }
    kinds.sort_by_key(|&(name, count)| (u32::MAX - count, name));
    let kinds: Vec<(String, u32)> =
        kinds.into_iter().map(|(name, count)| (crate::base::filter_text::value(name), count)).collect();
    let kinds: Vec<_> = kinds.iter().map(|(name, count)| (name.as_str(), Some(*count))).collect();
    check_completions("kind = |", "", &kinds);
    let two =
        ["\"SELECT a FROM t WHERE x = 'two'\"", "\"SELECT a FROM t WHERE x = 1\""].map(|sql| (sql, Some(1)));
    check_completions("sql ~ \"x =| \"", "\"x = \"", &two);
    check_completions("duration > 5|", "5", &["5ms", "5s", "5us", "5ns"].map(|text| (text, None)));
    check_completions("ratio > |", "", &[]);
    check_completions("nothing = |", "", &[]);
}

proptest! {
    #[test]
    fn no_completion_panics_and_each_is_a_valid_filter(
        text in "[a-z:<>=!~\" 0-9ä]{0,12}|(kind|sql|name|status) ?(=|!~) ?.{0,5}",
        caret in 0..24_u32,
    ) {
        let mut session = session();
        let found = session.answer(&FilterCompletionRequest { text: text.clone(), caret });
        prop_assert!(found.list.len() <= FilterCompletions::MOST);
        prop_assert!(text.get(found.from as usize..found.until as usize).is_some());
        for one in found.list.iter().filter(|one| one.count.is_some()) {
            let before = &text[..found.from as usize];
            let reply = session.answer(&FilterRequest { text: format!("{before}{}", one.text) });
            prop_assert!(reply.error.is_none() && !reply.conditions.is_empty(), "{text} {one:?} {reply:?}");
        }
    }
}
