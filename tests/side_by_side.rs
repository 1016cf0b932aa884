//! Two executions in timelines, one below the other: what is drawn where, compared with the spans themselves.

use std::collections::HashSet;

use queryscope::internal::testing::{self, items};
use queryscope::internal::view::{BarStyle, Scene, SceneCache, Transform};
use queryscope::protocol::{ColorBy, FocusMove, SideBySideSummary, ViewKind, ViewSpec, Viewport};
use queryscope::trace::{Item, Kind, SpanId, Trace};

fn spec(a: SpanId, b: SpanId) -> ViewSpec {
    let kind = ViewKind::SideBySide { a: Item::Span(a).code(), b: Item::Span(b).code() };
    ViewSpec::new(kind, ColorBy::Kind)
}

fn draw(trace: &Trace, [a, b]: [SpanId; 2], length: i64, width: f32) -> Scene {
    let viewport = Viewport { start: 0, end: length, width, top: 0.0, height: 2_000.0 };
    SceneCache::default().scene(trace, &spec(a, b), &viewport, None)
}

fn summary(trace: &Trace, [a, b]: [SpanId; 2], item: Option<Item>) -> SideBySideSummary {
    let codes = [a, b].map(|id| Item::Span(id).code());
    SceneCache::default().side_by_side(trace, codes, item).expect("both exist")
}

fn queries(trace: &Trace) -> Vec<SpanId> {
    let all = items(trace).filter_map(|item| if let Item::Span(id) = item { Some(id) } else { None });
    all.filter(|id| trace.spans.kind(*id) == Kind::Query).collect()
}

/// All spans below `root`, and `root` itself, by walking up from every span.
fn below(trace: &Trace, root: SpanId) -> Vec<SpanId> {
    let is_below =
        |id: SpanId| std::iter::successors(Some(id), |id| trace.spans.parent(*id)).any(|id| id == root);
    (0..trace.spans.len() as u32).map(SpanId).filter(|id| is_below(*id)).collect()
}

#[test]
fn every_span_of_both_executions_is_drawn_at_its_distance_from_the_start() {
    let trace = testing::queries(60);
    let queries = queries(&trace);
    for at in 0..queries.len() - 1 {
        let both = [queries[at], queries[at + 1]];
        let length = both.map(|id| trace.spans.bounds(id).1 - trace.spans.bounds(id).0).into_iter().max();
        let length = length.expect("two executions").max(1) * 2;
        // One nanosecond is one pixel or more.
        let scene = draw(&trace, both, length, 30_000.0);
        let scale = 30_000.0 / length as f64;
        for root in both {
            let start = trace.spans.bounds(root).0;
            for id in below(&trace, root) {
                let rect = scene.rects.iter().find(|rect| rect.id == Item::Span(id).code());
                let rect = rect.unwrap_or_else(|| panic!("{id:?} is drawn"));
                let (from, to) = trace.spans.bounds(id);
                let x = (from - start) as f64 * scale;
                let width = ((to - from) as f64 * scale).max(1.0);
                assert!((f64::from(rect.x) - x).abs() < 0.1, "{id:?}: {rect:?}, {x}");
                assert!((f64::from(rect.width) - width).abs() < 0.1, "{id:?}: {rect:?}, {width}");
                let (x, y) = (f64::from(rect.x + rect.width / 2.0), f64::from(rect.y + rect.height / 2.0));
                let still = Transform { scale: 1.0, dx: 0.0, dy: 0.0 };
                assert!(scene.stacked_items(x, y, &still).contains(&rect.id), "{id:?} is hit");
            }
        }
        // Nothing of another query.
        let own: HashSet<SpanId> = both.into_iter().flat_map(|root| below(&trace, root)).collect();
        let is_own = |code: u32| match Item::from_code(code) {
            Item::Span(id) => own.contains(&id),
            Item::Event(id) => trace.events.parent(id).is_some_and(|parent| own.contains(&parent)),
        };
        assert!(
            scene.rects.iter().map(|rect| rect.id).chain(scene.marks.iter().map(|mark| mark.id)).all(is_own)
        );
    }
}

#[test]
fn partners_are_mutual_and_counted() {
    let trace = testing::queries(40);
    let queries = queries(&trace);
    for both in queries.windows(2).map(|pair| [pair[0], pair[1]]) {
        let [a, b] = both.map(|root| below(&trace, root));
        let all = summary(&trace, both, None);
        let mut common = 0;
        for &id in &a {
            let step = summary(&trace, both, Some(Item::Span(id))).step.expect("a step of A");
            let Some(code) = step.items[1] else { continue };
            let Item::Span(partner) = Item::from_code(code) else { panic!("a span") };
            common += 1;
            assert!(b.contains(&partner));
            assert_eq!(trace.spans.kind(partner), trace.spans.kind(id));
            assert_eq!(step.durations, [Some(trace.duration(id)), Some(trace.duration(partner))]);
            assert_eq!(
                summary(&trace, both, Some(Item::Span(partner))).step.expect("a step of B").items,
                step.items
            );
        }
        assert_eq!(all.common as usize, common);
        assert_eq!(all.only.map(|n| n as usize), [a.len() - common, b.len() - common]);
    }
}

/// No key leads out of the two executions; from outside, and without a selection, it leads to the first.
#[test]
fn keys_stay_within_the_two_executions() {
    let trace = testing::queries(40);
    let queries = queries(&trace);
    let [a, b] = [queries[3], queries[7]];
    let codes = [a, b].map(|id| Item::Span(id).code());
    let within = [below(&trace, a), below(&trace, b)].concat();
    let is_within = |item: Item| match item {
        Item::Span(id) => within.contains(&id),
        Item::Event(_) => trace.parent(item).is_some_and(|id| within.contains(&id)),
    };
    let mut cache = SceneCache::default();
    for step in [FocusMove::Parent, FocusMove::Child, FocusMove::Previous, FocusMove::Next] {
        let mut moves = 0;
        for item in items(&trace) {
            let found = cache.neighbour_within(&trace, codes, Some(item), step);
            match (is_within(item), found) {
                (false, found) => assert_eq!(found, Some(Item::Span(a)), "{step:?} from {item:?}"),
                (true, Some(found)) => {
                    assert!(is_within(found), "{step:?} from {item:?} to {found:?}");
                    moves += 1;
                }
                (true, None) => {}
            }
        }
        assert!(moves > 0, "{step:?}");
        assert_eq!(cache.neighbour_within(&trace, codes, None, step), Some(Item::Span(a)));
    }
    assert_eq!(cache.neighbour_within(&trace, [u32::MAX; 2], None, FocusMove::Next), None);
}

const PAIR: &str = "
    run alpha 100
    query q1 10..50 : SELECT 1
    source 12..40 js-conn Orders
    execution 13..20
    execution 21..39
    query q2 60..61 : SELECT 1
    source 60..61 js-conn Orders
    execution 60..61
";

#[test]
fn steps_that_only_one_execution_has_say_so() {
    let trace = testing::trace(PAIR);
    let [a, b] = queries(&trace)[..] else { panic!("two queries") };
    let scene = draw(&trace, [a, b], 45, 4_500.0);
    let unmatched: Vec<String> = scene
        .rects
        .iter()
        .filter(|rect| rect.style.has(BarStyle::UNMATCHED))
        .map(|rect| scene.texts[rect.label as usize].clone())
        .collect();
    assert_eq!(unmatched.len(), 1, "{unmatched:?}");
    assert!(unmatched[0].starts_with("only in new: "), "{unmatched:?}");
    let found = summary(&trace, [a, b], None);
    assert_eq!((found.common, found.only, found.durations, found.length), (3, [1, 0], [40, 1], 40));
    // The line between partners begins and ends at their starts.
    let source = below(&trace, b)[1];
    let arrows = SceneCache::default().arrows(&trace, &spec(a, b), Item::Span(source));
    assert_eq!(arrows.list.iter().map(|arrow| (arrow.leaves, arrow.arrives)).collect::<Vec<_>>(), [(0, 2)]);
    let place = SceneCache::default().locate(&trace, &spec(a, b), Item::Span(source), false).expect("drawn");
    assert_eq!((place.start, place.end), (0, 1));
}

#[test]
fn the_same_execution_twice_nothing_and_very_different_lengths() {
    let trace = testing::trace(PAIR);
    let [a, _] = queries(&trace)[..] else { panic!("two queries") };
    let twice = summary(&trace, [a, a], None);
    assert!(twice.is_same && twice.only == [0, 0]);
    for codes in [[u32::MAX, u32::MAX], [Item::Span(a).code(), 4_000]] {
        assert_eq!(SceneCache::default().side_by_side(&trace, codes, None), None);
        let spec = ViewSpec::new(ViewKind::SideBySide { a: codes[0], b: codes[1] }, ColorBy::Kind);
        let viewport = Viewport { start: 0, end: 100, width: 800.0, top: 0.0, height: 600.0 };
        let scene = SceneCache::default().scene(&trace, &spec, &viewport, None);
        assert!(scene.rects.is_empty() && scene.rows.is_empty());
        assert_eq!(Scene::from_bytes(&scene.to_bytes()), Some(scene));
    }
    let hour = testing::trace(
        "run alpha 4000000000000\nquery q1 0..3600000000000 : SELECT 1\nquery q2 5..1005 : SELECT 1",
    );
    let [long, short] = queries(&hour)[..] else { panic!("two queries") };
    for (length, width) in [(3_600_000_000_000, 1.0), (1_000, 800.0)] {
        let scene = draw(&hour, [long, short], length, 800.0);
        let bar = scene.rects.iter().find(|rect| rect.id == Item::Span(short).code()).expect("drawn");
        assert!(bar.x.abs() < 0.01 && (bar.width - width).abs() < 0.01, "{bar:?}");
    }
    assert_eq!(summary(&hour, [long, short], None).length, 3_600_000_000_000);
}

#[test]
fn headings_name_the_runs_of_executions_of_two_runs() {
    for (second, expected) in [
        ("", ["Base: ", "New: "]),
        ("run beta 100", ["Base · beta: ", "New · alpha: "]),
        ("run alpha 100", ["Base · alpha (run 2): ", "New · alpha: "]),
    ] {
        let query = "query q1 10..50 : SELECT 1";
        let trace = testing::trace(&format!("run alpha 100\n{query}\n{second}\n{query}"));
        let [a, b] = queries(&trace)[..] else { panic!("two queries") };
        let scene = draw(&trace, [a, b], 45, 4_500.0);
        let heads: Vec<&String> =
            scene.rows.iter().filter(|row| row.header).map(|row| &scene.texts[row.label as usize]).collect();
        assert_eq!(heads.len(), 2);
        for (head, begin) in heads.iter().zip(expected) {
            assert!(head.starts_with(begin), "{head}");
        }
    }
}
