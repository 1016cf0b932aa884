//! A slice among the others of its name and category.

use queryscope::protocol::SiblingsRequest;
use queryscope::trace::{Item, SpanId};

/// Number of spans, number of longer ones, median, and name and excess of a step; times in microseconds.
type Numbers = (u32, u32, i64, Option<(&'static str, i64)>);

/// Slices `task` one after the other, each with `(duration, time in the nested slice "read")` in microseconds. Checks for the
/// task at an index: its group's size, how many are longer, the median and the slower step with its excess, in microseconds.
fn check_siblings(tasks: &[(i64, i64)], more: &str, at: usize, expected: Option<Numbers>) {
    let mut events: Vec<String> = Vec::new();
    for (number, (duration, read)) in tasks.iter().enumerate() {
        let ts = number * 10_000;
        let slice = |name: &str, ts: usize, dur: i64| {
            format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}","cat":"c"}}"#)
        };
        events.extend([slice("task", ts, *duration), slice("read", ts + 1, *read)]);
    }
    events.extend((!more.is_empty()).then(|| more.to_owned()));
    let mut session = super::open("trace.json", format!("[{}]", events.join(",")).as_bytes());
    let trace = session.trace();
    let is_task = |id: &SpanId| trace.str(trace.spans.name(*id)) == "task";
    let task = (0..trace.spans.len() as u32).map(SpanId).filter(is_task).nth(at).expect("a task");
    let item = Item::Span(task).code();
    let found = session.answer(&SiblingsRequest { item });
    let step = |of: &queryscope::protocol::SlowerStep| (of.name.clone(), of.excess / 1_000);
    let numbers = found.as_ref().map(|of| {
        assert!(of.is_of_slices && of.execution == item);
        assert_eq!(of.typical == item, of.executions == 1, "the only one is typical");
        (of.executions, of.longer, of.median / 1_000, of.step.as_ref().map(step))
    });
    let expected = expected.map(|(n, longer, median, step)| {
        (n, longer, median, step.map(|(name, excess)| (name.to_owned(), excess)))
    });
    assert_eq!(numbers, expected, "{tasks:?} {more}");
}

#[test]
fn a_slice_stands_among_those_of_its_name_and_category() {
    let tasks = [(100, 10), (120, 20), (900, 700)];
    check_siblings(&tasks, "", 2, Some((3, 0, 120, Some(("read", 680)))));
    check_siblings(&tasks, "", 0, Some((3, 2, 120, None)));
    // Own time of the slice itself: 880 - 100.
    check_siblings(&[(120, 20), (900, 20)], "", 1, Some((2, 0, 120, Some(("task", 780)))));
    // Another category, and a slice without an end, are no siblings.
    let other = r#"{"ph":"X","pid":1,"tid":1,"ts":90000,"dur":5000,"name":"task","cat":"other"}"#;
    let open = r#"{"ph":"B","pid":1,"tid":2,"ts":0,"name":"task","cat":"c"}"#;
    check_siblings(&tasks, other, 2, Some((3, 0, 120, Some(("read", 680)))));
    check_siblings(&tasks, open, 2, Some((3, 0, 120, Some(("read", 680)))));
    check_siblings(&tasks, open, 3, None);
    // The only complete one.
    check_siblings(&[(5, 1)], "", 0, Some((1, 0, 5, None)));
    check_siblings(&[(5, 1)], open, 0, Some((1, 0, 5, None)));
}
