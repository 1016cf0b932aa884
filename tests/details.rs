//! The details of an item, as the page asks for them.

#[path = "support/mod.rs"]
mod support;

use queryscope::internal::analysis::Queries;
use queryscope::internal::stats::details;
use queryscope::internal::testing;
use queryscope::protocol::Details;
use queryscope::trace::{Item, Kind, SpanId, Trace};

fn of(trace: &Trace, is_it: impl Fn(SpanId) -> bool) -> Details {
    let id = (0..trace.spans.len() as u32).map(SpanId).find(|id| is_it(*id)).expect("the trace has it");
    details(trace, &Queries::of(trace), Item::Span(id))
}

#[test]
fn children_stand_by_their_share_of_the_time() {
    // Name, start, duration; an instant has none.
    let children =
        [("a", 5, Some(10)), ("b", 20, Some(30)), ("c", 60, Some(20)), ("d", 85, Some(10)), ("i", 1, None)];
    let event = |(name, ts, dur): (&str, i64, Option<i64>)| match dur {
        Some(dur) => format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","ts":{ts},"dur":{dur}}}"#),
        None => format!(r#"{{"ph":"I","pid":1,"tid":1,"name":"{name}","ts":{ts},"s":"t"}}"#),
    };
    let events: Vec<String> = [("parent", 0, Some(100))].into_iter().chain(children).map(event).collect();
    let session = support::open([("a.json", format!("[{}]", events.join(",")))]);
    let trace = session.trace();
    let details = of(trace, |id| trace.str(trace.spans.name(id)) == "parent");
    let mut expected = children;
    expected.sort_by_key(|(_, start, duration)| (-duration.unwrap_or(-1), *start));
    let found: Vec<&str> = details.children.iter().map(|link| link.title.as_str()).collect();
    assert_eq!(found, expected.map(|(name, ..)| name));
    assert_eq!((details.n_children, details.buffers), (5, None));
}

#[test]
fn buffer_events_are_one_line_with_their_number_and_bytes() {
    let sizes: Vec<i64> = (1..=300).map(|n| n * n).collect();
    let lines: String = sizes.iter().map(|size| format!("buffer {} READ {size}\n", size % 97 + 1)).collect();
    let trace = testing::trace(&format!("run a 400\nquery q 0..400 : SELECT 1\nsource 1..2 js d\n{lines}"));
    let details = of(&trace, |id| trace.spans.kind(id) == Kind::Query);
    assert_eq!(details.children.iter().map(|link| link.title.as_str()).collect::<Vec<_>>(), ["js · d"]);
    assert_eq!(details.n_children, 1);
    let buffers = details.buffers.expect("buffer events");
    assert_eq!((buffers.count, buffers.bytes), (300, Some(sizes.iter().sum())));
    assert_eq!(buffers.links.len(), 200, "the rest is counted");
    assert!(buffers.links.is_sorted_by_key(|link| link.start));
}
