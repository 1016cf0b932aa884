//! Total time in pivot tables: each group has the durations of its outermost spans.

use std::collections::BTreeMap;
use std::path::Path;

use queryscope::protocol::{PivotCsvRequest, PivotRequest, PivotSpec, PivotView};
use queryscope::session::Session;

use crate::support;

/// Total time in nanoseconds by group.
fn totals(session: &mut Session, by: &str, filter: &str) -> BTreeMap<String, i64> {
    let (by, filter) = (by.to_owned(), filter.to_owned());
    let spec = PivotSpec { by, measures: "sum(total time)".to_owned(), filter, ..PivotSpec::default() };
    let csv = session.answer(&PivotCsvRequest { view: PivotView { spec, ..PivotView::default() } });
    let csv = csv.expect("a table");
    let row = |line: &str| {
        let (group, total) = line.rsplit_once(',')?;
        Some((group.trim_matches('"').to_owned(), total.parse().ok()?))
    };
    csv.lines().skip(1).filter_map(row).collect()
}

/// Slices of one thread: start, duration and name; nested where they lie in one another.
fn check(slices: &[(i64, i64, &str)], by: &str, filter: &str, expected: &[(&str, i64)]) {
    let event = |(ts, dur, name): &(i64, i64, &str)| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}"}}"#)
    };
    let events: Vec<String> = slices.iter().map(event).collect();
    let mut session = support::open([("t.json", format!("[{}]", events.join(",\n")))]);
    let found = totals(&mut session, by, filter);
    let found: Vec<(&str, i64)> =
        found.iter().map(|(group, total)| (group.as_str(), total / 1_000)).collect();
    assert_eq!(found, expected, "{slices:?} by {by}, {filter}");
}

#[test]
fn a_span_inside_one_of_its_group_does_not_count_again() {
    let nested = [(0, 10, "f"), (2, 6, "f"), (3, 3, "g"), (4, 1, "f"), (20, 5, "g"), (21, 2, "f")];
    check(&nested, "name", "", &[("f", 12), ("g", 8)]);
    // All spans of a thread are one group.
    check(&nested, "kind", "", &[("slice", 15)]);
    // A span that the filter leaves out is no ancestor.
    check(&nested, "name", "duration < 8us", &[("f", 8), ("g", 8)]);
    // What is left may not be nested.
    check(&nested, "kind", "name = g", &[("slice", 8)]);
}

#[test]
fn a_source_and_its_executions_count_once_for_their_connector() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/assets/sample/no-buffer.json.gz");
    let mut session = support::open_path(&path.to_string_lossy());
    let sources = totals(&mut session, "connector", "kind = source");
    assert!(!sources.is_empty());
    let all = totals(&mut session, "connector", "");
    let of_connectors: BTreeMap<_, _> =
        all.into_iter().filter(|(connector, _)| sources.contains_key(connector)).collect();
    assert_eq!(of_connectors, sources, "executions are inside their sources");
}

/// Notes about a sum.
fn notes(session: &mut Session, by: &str, measures: &str, filter: &str) -> Vec<String> {
    let by = by.to_owned();
    let measures = measures.to_owned();
    let filter = filter.to_owned();
    let spec = PivotSpec { by, measures, filter, ..PivotSpec::default() };
    let view = PivotView { spec, ..PivotView::default() };
    session.answer(&PivotRequest { view, first: 0, count: 0 }).notes
}

#[test]
fn spans_without_an_end_are_noted_with_their_time() {
    // `open` begins at 2 µs and lasts until the end of the trace at 10 µs; the other one inside it, at 4 µs, is in the same group.
    let begins = |ts: i64| format!(r#"{{"ph":"B","pid":1,"tid":2,"ts":{ts},"name":"open"}}"#);
    let whole = r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"whole"}"#;
    let mut session = support::open([("t.json", format!("[{whole},\n{},\n{}]", begins(2), begins(4)))]);
    assert_eq!(
        totals(&mut session, "name", ""),
        [("open".to_owned(), 8_000), ("whole".to_owned(), 10_000)].into()
    );
    for (measure, sentence) in [
        (
            "sum(total time)",
            "8.000 µs of the total time is from 1 span whose start or end is not in the trace.",
        ),
        ("sum", "14.00 µs of the duration is from 2 spans whose start or end is not in the trace."),
    ] {
        let found = notes(&mut session, "name", measure, "");
        assert_eq!(found.last().map(String::as_str), Some(sentence), "{measure}: {found:?}");
    }
    let mut session = support::open([("t.json", format!("[{whole}]"))]);
    assert_eq!(notes(&mut session, "name", "sum(total time)", ""), [""; 0]);
}

/// A thread with 600 µs of work, which includes a wait; and two asynchronous spans at the same time.
fn waiting(wait: i64, asynchronous: i64) -> Session {
    let text = format!(
        r#"{{"queryscope":"trace","version":1}}
{{"run":"run"}}
{{"track":"thread 1"}}
{{"span":"work","start":0,"duration":600000}}
{{"span":"lock","kind":"wait","start":1000,"duration":{wait}}}
{{"track":"promises","kind":"async"}}
{{"span":"PROMISE","start":0,"duration":{asynchronous},"row":0}}
{{"span":"PROMISE","start":0,"duration":{asynchronous},"row":1}}
"#
    );
    support::open([("t.jsonl", text)])
}

#[test]
fn waits_and_asynchronous_spans_are_noted_with_their_time() {
    const WAITS: &str = "200.0 µs of the self time is from waits.";
    const ASYNCHRONOUS: &str = "1.000 ms of the self time is from asynchronous spans, which may overlap.";
    let mut session = waiting(200_000, 500_000);
    for (by, filter, expected) in [
        ("name", "", &[WAITS, ASYNCHRONOUS][..]),
        // Waits are a group of their own.
        ("kind", "", &[ASYNCHRONOUS]),
        ("name", "kind = wait", &[]),
        ("name", "name = work", &[]),
        ("thread", "name = PROMISE", &[ASYNCHRONOUS]),
    ] {
        assert_eq!(notes(&mut session, by, "sum(self time)", filter), expected, "{by}, {filter}");
    }
    let of_total = notes(&mut session, "name", "sum(total time)", "");
    assert_eq!(
        of_total.last().map(String::as_str),
        Some("1.000 ms of the total time is from asynchronous spans, which may overlap.")
    );
    assert!(!of_total.iter().any(|note| note.contains("waits")), "{of_total:?}");
    // 1 % or less.
    assert_eq!(notes(&mut waiting(6_000, 3_000), "name", "sum(self time)", ""), [""; 0]);
}
