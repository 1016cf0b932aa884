//! Tests of the filter of the whole page against its definition, computed from spans one by one.

use std::ops::Range;

use super::filter::{PointFilter, Term};
use super::page::Pivot;
use super::parse::PivotError;
use crate::analysis::filter::TextMatch;
use crate::analysis::search::Needle;
use crate::analysis::{Queries, QueryFilter, sample};
use crate::base::filter_text;
use crate::base::interner::{Interner, StrId};
use crate::trace::{Flags, Item, Kind, RecordId, Span, SpanId, Trace, TraceBuilder, key};

/// The spans and events that match, and the spans that lists show.
type Selected = (Vec<u32>, Vec<u32>);

fn selected(trace: &Trace, text: &str) -> Result<Selected, (PivotError, Range<usize>)> {
    let found = Pivot::default().filtered(trace, &Queries::of(trace), text)?;
    Ok((found.points.iter().collect(), found.executions.iter().collect()))
}

/// Checks a filter by tests of single spans: those that match, and those that lists show.
fn check(text: &str, matches: impl Fn(&Trace, SpanId) -> bool, is_negated: bool) {
    let trace = sample::trace();
    let (points, executions) = selected(&trace, text).unwrap_or_default();
    let spans = || (0..trace.spans.len() as u32).map(SpanId);
    let expected: Vec<u32> = spans().filter(|&id| matches(&trace, id)).map(|id| id.0).collect();
    let of_spans: Vec<u32> = points.into_iter().filter(|&row| row < trace.spans.len() as u32).collect();
    assert_eq!(of_spans, expected, "{text:?}");
    let is_in = |outer: SpanId, inner: SpanId| {
        let mut up = std::iter::successors(Some(inner), |&id| trace.spans.parent(id));
        up.any(|id| id == outer)
    };
    let meets = |id: SpanId| matches(&trace, id) != is_negated;
    let shown = |&id: &SpanId| spans().any(|inner| is_in(id, inner) && meets(inner)) != is_negated;
    let shown: Vec<u32> = spans().filter(shown).map(|id| id.0).collect();
    assert_eq!(executions, shown, "{text:?}");
}

fn name(trace: &Trace, id: SpanId) -> String {
    trace.str(trace.spans.name(id)).to_ascii_lowercase()
}

#[test]
fn lists_show_what_meets_a_condition_or_holds_something_that_does() {
    check("", |_, _| true, false);
    check("name = ordersapi", |trace, id| name(trace, id) == "ordersapi", false);
    check("name ~ orders", |trace, id| name(trace, id).contains("orders"), false);
    check("name:orders", |trace, id| name(trace, id).contains("orders"), false);
    check("name!~orders", |trace, id| !name(trace, id).contains("orders"), true);
    check("name != ordersapi", |trace, id| name(trace, id) != "ordersapi", true);
    check("kind = \"source execution\"", |trace, id| trace.spans.kind(id) == Kind::Execution, false);
    check("nowhere", |_, _| false, false);
    check("span_id = 1,3-4", |_, id| matches!(id.0, 1 | 3 | 4), false);
    check("span_id != 1,3-4", |_, id| !matches!(id.0, 1 | 3 | 4), true);
}

#[test]
fn numbers_of_queries_are_the_columns_of_the_list() {
    let trace = sample::trace();
    let queries = Queries::of(&trace);
    let of_list = |text: &str| -> Vec<u32> {
        let executions = selected(&trace, text).unwrap_or_default().1;
        (0..queries.len()).filter(|&row| executions.contains(&queries.span(row).0)).collect()
    };
    for (text, rows) in [
        ("rows_read >= 1000", &[0][..]),
        ("ratio > 1", &[0]),
        ("sources = 1", &[0, 1, 2]),
        ("duration > 5ms select", &[0, 1]),
        ("bytes > 1.5kB", &[2]),
        ("status != failed", &[0, 2]),
        ("sql !~ select", &[2]),
        ("connector !~ js", &[2]),
    ] {
        assert_eq!(of_list(text), rows, "{text:?}");
    }
}

/// A trace whose query reports bytes of its own, next to a query whose execution reports rows.
fn own_numbers() -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    let run = builder.run(StrId::EMPTY, 0, 100, 0);
    builder.root(run);
    let shape = builder.shape(&[key::ROWS_READ, key::ROWS_RETURNED, key::BYTES], &[]);
    let mut add = |parent: Option<SpanId>, kind, start, numbers: [Option<i64>; 3]| {
        let (flags, depth) = (Flags::default(), u16::from(parent.is_some()));
        let (begin, end) = (RecordId(0), RecordId(1));
        let span = Span { start, duration: 10, parent, name: StrId::EMPTY, kind, flags, depth, begin, end };
        builder.span(span, shape, &numbers, &[])
    };
    add(None, Kind::Query, 0, [Some(3), None, Some(70)]);
    let query = add(None, Kind::Query, 20, [Some(1), Some(2), None]);
    add(Some(query), Kind::Execution, 20, [Some(40), None, Some(5)]);
    add(None, Kind::Query, 40, [None; 3]);
    builder.finish()
}

#[test]
fn numbers_of_queries_are_the_same_in_lists_and_in_the_timeline() {
    let fields =
        ["duration", "start", "self_time", "rows_read", "rows_returned", "bytes", "sources", "ratio"];
    for trace in [sample::trace(), crate::testing::queries(30), own_numbers()] {
        let queries = Queries::of(&trace);
        for (field, condition) in fields.iter().flat_map(|field| {
            [">= 0", "> 2", "= 41", "!= 0", "> 6", "< 9000", ">= 900000"].map(|condition| (field, condition))
        }) {
            let unit = if matches!(*field, "duration" | "start" | "self_time") { "ns" } else { "" };
            let text = format!("{field} {condition}{unit}");
            let found = Pivot::default().filtered(&trace, &queries, &text);
            let mut found = found.unwrap_or_else(|(error, _)| panic!("{text}: {error}"));
            let items = found.items(&trace, &mut Pivot::default());
            let filter = QueryFilter::parse(&trace, &text).expect("the query list has the field");
            let listed = filter.rows(&trace, &queries);
            for row in 0..queries.len() {
                let (id, is_listed) = (queries.span(row), listed.contains(&row));
                assert_eq!(found.executions.contains(id.0), is_listed, "list: {text}, {id:?}");
                assert_eq!(found.points.contains(id.0), is_listed, "timeline: {text}, {id:?}");
                assert!(items.has_stack(Item::Span(id)) || !is_listed, "stacks: {text}, {id:?}");
            }
        }
    }
    let trace = own_numbers();
    for (text, points) in [
        ("rows_read = 41", &[1][..]),
        ("rows_read >= 0", &[0, 1, 2]),
        ("rows_returned >= 0", &[1]),
        ("bytes >= 0", &[0, 2]),
    ] {
        assert_eq!(selected(&trace, text).unwrap_or_default().0, points, "{text}");
    }
}

#[test]
fn several_conditions_select_what_all_of_them_select() {
    let trace = sample::trace();
    let filters =
        ["select", "duration > 1ms", "status = failed", "name ~ orders", "kind != query", "sql !~ two"];
    for (a, b) in filters.iter().flat_map(|a| filters.iter().map(move |b| (a, b))) {
        let [one, other, both] =
            [a, b, &&*format!("{a} {b}")].map(|text| selected(&trace, text).unwrap_or_default());
        let common = |one: &[u32], other: &[u32]| -> Vec<u32> {
            one.iter().copied().filter(|id| other.contains(id)).collect()
        };
        assert_eq!(both, (common(&one.0, &other.0), common(&one.1, &other.1)), "{a} {b}");
    }
}

#[test]
fn errors_have_a_place() {
    let trace = sample::trace();
    for (text, wrong) in [
        ("select length > 5 failed", "length > 5"),
        ("ö duration > many x", "duration > many"),
        ("ok > 5", "ok > 5"),
        ("status = \"no such\" select", "status = \"no such\""),
        ("duration >", "duration >"),
        ("span_id = many ok", "span_id = many"),
        ("< 5", "<"),
        ("select sql ~ \"ö b ", "\"ö b "),
        ("\"", "\""),
        ("select not failed", "not"),
        ("ö -failed select", "-failed"),
        ("(failed)", "(failed)"),
        ("ok kind in (a, b) select", "kind in (a, b)"),
        ("kind not in(\"a\" , \"b\") select", "kind not in(\"a\" , \"b\")"),
        ("kind in (a", "kind in (a"),
    ] {
        let place = selected(&trace, text).err().and_then(|(_, place)| text.get(place));
        assert_eq!(place, Some(wrong), "{text:?}");
    }
}

#[test]
fn a_tilde_is_a_word_where_no_field_precedes_it() {
    let trace = sample::trace();
    for text in ["~/data", "a~b", "x !~y", "\"~\"", "~", "!~"] {
        assert!(selected(&trace, text).is_ok(), "{text:?}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[a-z:<>=!~\" 0-9ä.]{0,40}|(duration|name|status|sql)[ <>=:!~]{0,3}.{0,10}") {
        if let Err((_, place)) = selected(&sample::trace(), &text) {
            proptest::prop_assert!(text.get(place).is_some());
        }
    }
}

/// The terms of a filter; `None` if it is not valid.
fn terms(text: &str) -> Option<Vec<Term>> {
    PointFilter::parse_at(&sample::trace(), text).ok().map(|filter| filter.terms)
}

proptest::proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same_attribute_and_value(
        value in ".{0,12}|[\"\\\\\n and=~!:<>.]{0,6}|(kind|and|5|5ms|\"\"|a\"b)",
        name in "name|kind|SQL|query id|in connector|SQL\\[shape\\]|name\\[/2\\]|thread\\[#\\]",
        before in "|orders|\"a|kind = query|\"x\"\"|duration > 5ms|sql !~ \"y z\"",
        is_excluded in proptest::prelude::any::<bool>(),
    ) {
        let trace = sample::trace();
        let how = if is_excluded { TextMatch::IsNot } else { TextMatch::Is };
        let dimension = super::parse::dimension(&trace, &name).expect("the sample has it");
        let expected = Term::Text(dimension.clone(), how, Needle::new(&value));
        let written = filter_text::condition(&name, Some(&value), is_excluded);
        proptest::prop_assert_eq!(terms(&written), Some(vec![expected.clone()]), "{}", written);
        let all = terms(&filter_text::with(&before, "")).into_iter().flatten().chain([expected]).collect();
        let with = filter_text::with(&before, &written);
        proptest::prop_assert_eq!(terms(&with), Some(all), "{}", with);
        let none = filter_text::condition(&name, None, is_excluded);
        let how = if is_excluded { TextMatch::Contains } else { TextMatch::ContainsNot };
        proptest::prop_assert_eq!(terms(&none), Some(vec![Term::Text(dimension, how, Needle::new(""))]));
    }

    #[test]
    fn conditions_are_removed_and_turned_one_by_one(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "orders", "\"a \"\"b\"", "kind=query", "sql !~ \"x y\"", "duration > 5 ms", "rows_read:5", "name~x", "ratio <= 2",
        ]), 0..5),
        blank in "  ?",
    ) {
        let trace = sample::trace();
        let text = parts.join(&blank);
        let Ok(filter) = PointFilter::parse_at(&trace, &text) else { return Ok(()) };
        proptest::prop_assert_eq!(filter.conditions.len(), parts.len());
        for (at, condition) in filter.conditions.iter().enumerate() {
            let place = (condition.from as usize, condition.until as usize);
            proptest::prop_assert_eq!(text.get(place.0..place.1), Some(parts[at]));
            let without = terms(&filter_text::replaced(&text, place, ""));
            let mut expected = filter.terms.clone();
            let own = expected.remove(at);
            proptest::prop_assert_eq!(without, Some(expected));
            let Some(opposite) = &condition.opposite else { continue };
            let turned = terms(&filter_text::replaced(&text, place, opposite)).unwrap_or_default();
            proptest::prop_assert_ne!(&turned[at], &own);
            proptest::prop_assert_eq!(turned.len(), parts.len());
            let twice = PointFilter::parse_at(&trace, opposite).map(|filter| filter.conditions).unwrap_or_default();
            let back = twice.first().and_then(|one| one.opposite.clone()).unwrap_or_default();
            proptest::prop_assert_eq!(terms(&back), Some(vec![own]));
        }
    }
}

#[test]
fn a_missing_value_is_what_contains_nothing() {
    check("sql !~ \"\"", |trace, id| trace.text(Item::Span(id), key::SQL).is_none(), true);
    check("sql ~ \"\"", |trace, id| trace.text(Item::Span(id), key::SQL).is_some(), false);
}
