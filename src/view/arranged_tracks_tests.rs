//! Rows of hidden, moved and filtered tracks.

use super::{Scene, SceneCache, track_counts, track_move};
use crate::base::interner::Interner;
use crate::protocol::{
    Arrangement, ColorBy, CounterView, TrackKey, TrackLayout, TrackMove, TrackMoveRequest, ViewKind,
    ViewSpec, Viewport,
};
use crate::testing;
use crate::trace::{Event, Flags, Item, Kind, RecordId, Trace, TraceBuilder, TrackId, TrackKind, Unit};

const TRACE: &str = "
    run a 400
    query q1 0..100 : SELECT 1
    source 10..30 js-conn Orders
    query q2 100..200 : SELECT 2 FROM customers
    source 110..130 js-conn Orders
    source 140..150 pg-conn Stock
    query q3 200..300 : DELETE FROM t
    source 210..230 pg-conn Stock";

fn spec(layout: &TrackLayout) -> ViewSpec {
    let kind = ViewKind::Gantt(Arrangement::ByQuery);
    ViewSpec { tracks: Box::new(layout.clone()), ..ViewSpec::new(kind, ColorBy::Kind) }
}

fn name(trace: &Trace, id: TrackId) -> String {
    let name = trace.str(trace.tracks.get(id).name);
    name.split(' ').next().unwrap_or_default().to_owned()
}

/// Names of the tracks of the rows, from top to bottom.
fn rows(trace: &Trace, layout: &TrackLayout) -> Vec<String> {
    let viewport = Viewport { start: 0, end: 400, width: 800.0, top: 0.0, height: 4000.0 };
    let scene: Scene = SceneCache::default().scene(trace, &spec(layout), &viewport, None);
    let tracks = scene.rows.iter().filter(|row| row.track != u32::MAX);
    tracks.map(|row| name(trace, TrackId(row.track))).collect()
}

fn key(trace: &Trace, wanted: &str) -> TrackKey {
    let ids = (0..trace.tracks.len() as u32).map(TrackId);
    let id = ids.into_iter().find(|id| name(trace, *id) == wanted).expect("a track");
    TrackKey::of(trace, id).expect("a key")
}

#[test]
fn rows_follow_the_layout() {
    let trace = testing::trace(TRACE);
    let all = rows(&trace, &TrackLayout::default());
    assert_eq!(all, ["a", "q1", "js-conn", "q2", "js-conn", "pg-conn", "q3", "pg-conn"]);
    let layout = |hidden: &[&str], moves: &[(&str, u32)], text: &str| TrackLayout {
        hidden: hidden.iter().map(|name| key(&trace, name)).collect(),
        moves: moves.iter().map(|(name, index)| (key(&trace, name), *index)).collect(),
        name: text.to_owned(),
    };
    let none: [(&str, u32); 0] = [];
    for (layout, expected) in [
        (layout(&["q2"], &none, ""), "a q1 js-conn q3 pg-conn"),
        (layout(&["a"], &none, ""), ""),
        (layout(&[], &[("q3", 0)], ""), "a q3 pg-conn q1 js-conn q2 js-conn pg-conn"),
        (layout(&["q1"], &[("q3", 0), ("q1", 9)], ""), "a q3 pg-conn q2 js-conn pg-conn"),
        (layout(&[], &none, " PG-conn"), "a q2 pg-conn q3 pg-conn"),
        (layout(&[], &none, "q2"), "a q2 js-conn pg-conn"),
        // The heading of a query is its statement.
        (layout(&[], &none, "customers"), "a q2 js-conn pg-conn"),
        (layout(&["q2"], &none, "customers"), "a"),
        (layout(&[], &none, "nothing"), ""),
    ] {
        assert_eq!(rows(&trace, &layout).join(" "), expected, "{layout:?}");
    }
}

#[test]
fn numbers_of_tracks_are_those_of_the_rows() {
    let trace = testing::trace(TRACE);
    let mut layout = TrackLayout::default();
    layout.hide(key(&trace, "q2"), true);
    let counts = track_counts(&trace, &layout);
    assert_eq!((counts.total, counts.matching, counts.hidden), (7, 7, 3));
    assert_eq!(
        counts.list.iter().map(|of| of.name.as_str()).collect::<Vec<_>>(),
        ["SELECT 2 FROM customers"]
    );
    layout.name = "js".to_owned();
    assert_eq!(track_counts(&trace, &layout).matching, 2);
    assert_eq!(track_counts(&Trace::default(), &layout).total, 0);
}

#[test]
fn moves_pass_hidden_tracks() {
    let trace = testing::trace(TRACE);
    let mut layout = TrackLayout::default();
    let go = |layout: &TrackLayout, track: &str, to: TrackMove| {
        let request = TrackMoveRequest { track: key(&trace, track), to, layout: layout.clone() };
        track_move(&trace, &request).map(|moved| (moved.index, moved.position, moved.siblings))
    };
    assert_eq!(go(&layout, "q1", TrackMove::Up), Some((None, 1, 3)));
    assert_eq!(go(&layout, "q1", TrackMove::Down), Some((Some(1), 2, 3)));
    assert_eq!(go(&layout, "q1", TrackMove::Stay), Some((None, 1, 3)));
    layout.hide(key(&trace, "q2"), true);
    assert_eq!(go(&layout, "q1", TrackMove::Down), Some((Some(2), 2, 2)));
    layout.move_to(key(&trace, "q1"), 2);
    assert_eq!(rows(&trace, &layout).join(" "), "a q3 pg-conn q1 js-conn");
    assert_eq!(go(&layout, "q1", TrackMove::Up), Some((Some(1), 1, 2)));
    layout.move_to(key(&trace, "q1"), 1);
    assert_eq!(
        (layout.moves.len(), rows(&trace, &layout).join(" ").as_str()),
        (1, "a q1 js-conn q3 pg-conn")
    );
}

#[test]
fn what_is_to_be_seen_is_shown_again() {
    let trace = testing::trace(TRACE);
    let mut layout = TrackLayout { name: "q1".to_owned(), ..TrackLayout::default() };
    layout.hide(key(&trace, "q3"), true);
    layout.hide(key(&trace, "q1"), true);
    let last = Item::Span(crate::trace::SpanId(trace.spans.len() as u32 - 1));
    let mut scenes = SceneCache::default();
    assert_eq!(scenes.locate(&trace, &spec(&layout), last, false), None);
    let found = scenes.locate(&trace, &spec(&layout), last, true).expect("a place");
    assert_eq!((found.unhidden, found.unfiltered), (vec![key(&trace, "q3")], true));
    let mut after = TrackLayout::default();
    after.hide(key(&trace, "q1"), true);
    let again = scenes.locate(&trace, &spec(&after), last, true).expect("a place");
    assert_eq!((again.top, again.unhidden, again.unfiltered), (found.top, Vec::new(), false));
}

/// Rectangles of the strips of three counters, the third of a different unit: row, left, top, height.
fn strips(view: CounterView) -> (Vec<String>, Vec<(f32, f32, f32)>) {
    let mut builder = TraceBuilder::new(Interner::default());
    let name = builder.strings().intern("r");
    let run = builder.run(name, 0, 1000, 0);
    for (name, unit, samples) in [
        ("a", Unit::Count, [(0, 10), (500, 30)]),
        ("b", Unit::Count, [(0, 20), (500, 10)]),
        ("c", Unit::Bytes, [(0, 5), (500, 5)]),
    ] {
        let name = builder.strings().intern(name);
        builder.track(builder.root(run), name, TrackKind::Counter);
        let key = builder.key(if unit == Unit::Bytes { "size" } else { "value" }, unit);
        let shape = builder.shape(&[key], &[]);
        for (time, value) in samples {
            let kind = Kind::Sample;
            let flags = Flags::default();
            let record = RecordId::NONE;
            builder.event(Event { time, parent: None, name, kind, flags, record }, shape, &[Some(value)]);
        }
    }
    let trace = builder.finish();
    let viewport = Viewport { start: 0, end: 1000, width: 10.0, top: 0.0, height: 400.0 };
    let spec = ViewSpec { counters: view, ..spec(&TrackLayout::default()) };
    let scene = SceneCache::default().scene(&trace, &spec, &viewport, None);
    let rows = scene.rows.iter().filter(|row| !row.header && row.track != u32::MAX);
    let rows = rows.map(|row| {
        let text = |at: u32| scene.texts.get(at as usize).cloned().unwrap_or_default();
        format!("{} {} {}", text(row.label), text(row.detail), text(row.note)).replace("  ", " ")
    });
    (rows.collect(), scene.rects.iter().map(|rect| (rect.x, rect.y, rect.height)).collect())
}

#[test]
fn counters_of_one_unit_are_stacked_or_share_a_scale() {
    let (rows, _) = strips(CounterView::default());
    assert_eq!(rows, ["a 0 to 30", "b 0 to 20", "c 0 B to 5 B"]);
    let (rows, _) = strips(CounterView { common_scale: true, ..CounterView::default() });
    assert_eq!(rows, ["a 0 to 30", "b 0 to 30", "c 0 B to 5 B"]);
    let (rows, rects) = strips(CounterView { stacked: true, ..CounterView::default() });
    assert_eq!(rows, ["a 2 stacked 0 to 50", "c 0 B to 5 B"]);
    // Two counters, each with two values: the second one stands on the first.
    let [a, b, later_a, later_b] = rects[..4] else { panic!("{rects:?}") };
    let unit = a.2 / 10.0;
    for (rect, x, value) in [(a, 0.0, 10.0), (b, 0.0, 20.0), (later_a, 5.0, 30.0), (later_b, 5.0, 10.0)] {
        assert!((rect.0 - x).abs() < 1.0 && (rect.2 - value * unit).abs() < 0.01, "{rect:?} {rects:?}");
    }
    assert!((b.1 + b.2 - a.1).abs() < 0.01 && (later_b.1 + later_b.2 - later_a.1).abs() < 0.01, "{rects:?}");
    let (rows, _) = strips(CounterView { rate: true, ..CounterView::default() });
    assert_eq!(rows[0], "a 0/s to 40,000,000/s");
}
