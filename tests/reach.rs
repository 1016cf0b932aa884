//! Everything can be reached: by the arrow keys, and by clicks where several things lie on each other.

use crate::support;

use std::collections::HashSet;

use queryscope::internal::testing::{self, items};
use queryscope::internal::view::{Scene, SceneCache, Transform, neighbour};
use queryscope::protocol::{Arrangement, ColorBy, FocusMove, ViewKind, ViewSpec, Viewport};
use queryscope::session::Session;
use queryscope::trace::{Item, Kind, SpanId, Trace};

const WHOLE: Viewport = Viewport { start: 0, end: 500_000, width: 800.0, top: 0.0, height: 600.0 };

fn draw(trace: &Trace, kind: ViewKind, viewport: &Viewport) -> Scene {
    SceneCache::default().scene(trace, &ViewSpec::new(kind, ColorBy::Kind), viewport, None)
}

#[test]
fn steps_lead_to_every_query_and_back() {
    let trace = testing::trace(support::SMALL);
    let walk = |mut at: Option<Item>, step: FocusMove| {
        let mut seen = Vec::new();
        while let Some(item) = at {
            seen.push(item);
            at = neighbour(&trace, Some(item), step, None);
        }
        seen
    };
    let first = neighbour(&trace, None, FocusMove::Next, None);
    let mut forward = walk(first, FocusMove::Next);
    assert_eq!(forward.len(), 4, "four queries");
    let backward = walk(forward.last().copied(), FocusMove::Previous);
    forward.reverse();
    assert_eq!(forward, backward);
    let down = walk(first, FocusMove::Child);
    let kinds: Vec<Kind> = down.iter().map(|item| trace.kind(*item)).collect();
    assert_eq!(kinds[..5], [Kind::Query, Kind::Source, Kind::Execution, Kind::Source, Kind::Execution]);
    assert_eq!(walk(down.get(2).copied(), FocusMove::Parent).len(), 4, "up to the request");
    assert_eq!(neighbour(&trace, Some(Item::Span(SpanId(9999))), FocusMove::Next, None), None);
}

#[test]
fn a_point_has_all_that_is_drawn_there() {
    let trace = testing::trace(support::SMALL);
    let now = Viewport { end: 400, ..WHOLE };
    let scene = draw(&trace, ViewKind::Gantt(Arrangement::ByQuery), &now);
    let transform = Transform::between(&now, &now);
    let query = scene.rects.iter().find(|rect| rect.id == 1).expect("the first query");
    let middle = (f64::from(query.x + query.width / 2.0), f64::from(query.y + query.height / 2.0));
    assert_eq!(
        scene.stacked_items(middle.0, middle.1, &transform),
        [1, 0],
        "the query, and behind it its request"
    );
    assert_eq!(scene.stacked_items(-50.0, middle.1, &transform), [0; 0]);
}

/// From wherever one begins, the keys lead to everything.
#[test]
fn steps_lead_everywhere() {
    let check = |name: &str, trace: &Trace| {
        let mut left: Vec<Item> = neighbour(trace, None, FocusMove::Next, None).into_iter().collect();
        let mut seen: HashSet<Item> = left.iter().copied().collect();
        while let Some(item) = left.pop() {
            for step in [FocusMove::Previous, FocusMove::Next, FocusMove::Parent, FocusMove::Child] {
                left.extend(neighbour(trace, Some(item), step, None).filter(|next| seen.insert(*next)));
            }
        }
        let lost: Vec<Item> = items(trace).filter(|item| !seen.contains(item)).collect();
        assert!(
            lost.is_empty(),
            "{name}: {} of {}: {:?}",
            lost.len(),
            items(trace).count(),
            &lost[..lost.len().min(9)]
        );
    };
    check("small", &testing::trace(support::SMALL));
    for path in support::fixtures() {
        let bytes = std::fs::read(&path).expect("a file");
        if bytes.len() < 100_000 {
            let name = path.display().to_string();
            check(&name, support::open([(&name, bytes)]).trace());
        }
    }
}

fn chrome(events: &[&str]) -> Session {
    let event = |event: &&str| format!(r#"{{"pid":1,{event}}}"#);
    let text = format!("[{}]", events.iter().map(event).collect::<Vec<_>>().join(","));
    support::open([("a.json", text)])
}

#[test]
fn steps_lead_to_the_nearest_of_the_next_track() {
    let session = chrome(&[
        r#""tid":1,"ph":"X","name":"a","ts":0,"dur":40"#,
        r#""tid":1,"ph":"X","name":"b","ts":60,"dur":30"#,
        r#""tid":1,"ph":"X","name":"c","ts":70,"dur":10"#,
        r#""tid":2,"ph":"X","name":"d","ts":0,"dur":10"#,
        r#""tid":2,"ph":"X","name":"e","ts":50,"dur":10"#,
        r#""tid":2,"ph":"i","name":"f","ts":75,"s":"t""#,
    ]);
    let trace = session.trace();
    let named = |name: &str| items(trace).find(|item| trace.str(trace.name(*item)) == name);
    for (from, step, to) in [
        ("a", FocusMove::Child, Some("d")),
        ("b", FocusMove::Child, Some("c")),
        ("c", FocusMove::Child, Some("f")),
        ("e", FocusMove::Child, None),
        ("d", FocusMove::Parent, Some("a")),
        ("e", FocusMove::Parent, Some("b")),
        ("f", FocusMove::Parent, Some("c")),
        ("a", FocusMove::Parent, None),
        ("e", FocusMove::Next, Some("f")),
    ] {
        assert_eq!(neighbour(trace, named(from), step, None), to.and_then(named), "{from} {step:?}");
    }
}

#[test]
fn what_lies_on_each_other_is_counted_and_reached() {
    let zero = |name: &str| format!(r#""tid":1,"ph":"X","name":"{name}","ts":5,"dur":0"#);
    let point = |name: &str| format!(r#""tid":1,"ph":"i","name":"{name}","ts":7,"s":"t""#);
    let all = [zero("a"), zero("b"), zero("c"), point("d"), point("e")];
    let outer = r#""tid":1,"ph":"X","name":"outer","ts":0,"dur":9"#;
    let session = chrome(&all.iter().map(String::as_str).chain([outer]).collect::<Vec<_>>());
    let trace = session.trace();
    let name = |item: Item| trace.str(trace.name(item));
    let stacked_items = |named: &str| {
        let item = items(trace).find(|item| name(*item) == named).expect("it is in the trace");
        trace
            .stacked_items(item)
            .map(|stacked_items| (stacked_items.at, stacked_items.of, stacked_items.next.map(name)))
    };
    for (of, expected) in [
        ("outer", None),
        // Of slices that are alike in all else, the last that was written lies around the others.
        ("c", Some((1, 3, Some("b")))),
        ("b", Some((2, 3, Some("a")))),
        ("a", Some((3, 3, None))),
        ("d", Some((1, 2, Some("e")))),
    ] {
        assert_eq!(stacked_items(of), expected, "{of}");
    }
}

#[test]
fn the_topmost_row_of_a_flame_says_where_it_belongs() {
    let spans: Vec<String> = (0..200)
        .map(|at| format!(r#""tid":7,"ph":"X","name":"{at}","ts":{at},"dur":{}"#, 500 - 2 * at))
        .collect();
    let session = chrome(&spans.iter().map(String::as_str).collect::<Vec<_>>());
    for top in [0.0, 18.0, 1_000.0, 3_000.0] {
        let at = Viewport { top, ..WHOLE };
        let scene = draw(session.trace(), ViewKind::FlameTime { query: None }, &at);
        let named = scene.rows.iter().filter(|row| !scene.texts[row.label as usize].is_empty());
        let named: Vec<&str> = named.map(|row| scene.texts[row.label as usize].as_str()).collect();
        assert_eq!(named, ["thread 7"], "{top}");
    }
}
