//! Pictures, compared as text with `tests/scenes/*.txt` (`QUERYSCOPE_BLESS=1` writes them anew), and the laws that hold
//! for every picture.

use crate::support;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use queryscope::internal::analysis::Hits;
use queryscope::internal::testing::{self, items};
use queryscope::internal::view::{BarStyle, Rect, Scene, SceneCache, SceneRow, Transform};
use queryscope::protocol::{
    Arrangement, ColorBy, DetailsRequest, SceneBytes, SceneRequest, TrackKey, ViewKind, ViewSpec, Viewport,
    slot,
};
use queryscope::trace::{Item, Kind, SpanId, Trace, TrackId, TrackKind};

fn track_key(trace: &Trace, track: TrackId) -> TrackKey {
    TrackKey::of(trace, track).expect("a track of the trace")
}

fn spec(kind: ViewKind) -> ViewSpec {
    ViewSpec::new(kind, ColorBy::Kind)
}

fn viewport(start: i64, end: i64) -> Viewport {
    Viewport { start, end, width: 800.0, top: 0.0, height: 600.0 }
}

const BY_QUERY: ViewKind = ViewKind::Gantt(Arrangement::ByQuery);
const PACKED: ViewKind = ViewKind::Gantt(Arrangement::Packed);
const FLAME: ViewKind = ViewKind::FlameTime { query: None };

fn draw(trace: &Trace, kind: ViewKind, viewport: &Viewport) -> Scene {
    SceneCache::default().scene(trace, &spec(kind), viewport, None)
}

/// Compares with the picture in `tests/scenes`.
fn check(name: &str, scene: &Scene) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name).with_extension("txt");
    let text = scene.to_text();
    if std::env::var_os("QUERYSCOPE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("joined above")).expect("the folder can be made");
        std::fs::write(&path, &text).expect("the picture can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{} differs: look, then QUERYSCOPE_BLESS=1", path.display());
}

#[test]
fn pictures() {
    let trace = testing::trace(support::SMALL);
    check("by-query", &draw(&trace, BY_QUERY, &viewport(0, 400)));
    check("by-query-deep", &draw(&trace, BY_QUERY, &viewport(20, 40)));
    check("packed", &draw(&trace, PACKED, &viewport(0, 400)));
    check("flame", &draw(&trace, FLAME, &viewport(0, 400)));
    check("flame-of-a-query", &draw(&trace, ViewKind::FlameTime { query: Some(2) }, &viewport(0, 100)));
    check("density", &draw(&testing::queries(100), PACKED, &viewport(0, 40_000_000)));
}

#[test]
fn folds_hide_and_show() {
    let trace = testing::trace(support::SMALL);
    let mut pictures = SceneCache::default();
    let mut view = spec(BY_QUERY);
    let rows = |pictures: &mut SceneCache, view: &ViewSpec| {
        pictures.scene(&trace, view, &viewport(0, 400), None).rows.len()
    };
    let all = rows(&mut pictures, &view);
    assert_eq!(all, trace.tracks.len());
    view.expansion.all = Some(false);
    assert_eq!(rows(&mut pictures, &view), 6, "two runs and four queries");
    view.expansion.set(track_key(&trace, TrackId(0)), false);
    assert_eq!(rows(&mut pictures, &view), 4, "a closed run has a row for its activity");
    // Whatever is located is shown.
    for item in items(&trace) {
        let located = pictures.locate(&trace, &view, item, true).expect("every item is in this view");
        located.expanded.iter().for_each(|track| view.expansion.set(*track, true));
    }
    assert_eq!(rows(&mut pictures, &view), all);
}

#[test]
fn every_item_is_where_it_is_located() {
    let trace = testing::trace(support::SMALL);
    for kind in [BY_QUERY, PACKED, FLAME] {
        let mut pictures = SceneCache::default();
        for item in items(&trace) {
            let place =
                pictures.locate(&trace, &spec(kind.clone()), item, true).expect("all is in these views");
            assert_eq!((place.start, place.end), trace.interval(item));
            let at = Viewport {
                top: place.top,
                height: place.height,
                ..viewport(place.start - 50, place.end + 50)
            };
            let scene = pictures.scene(&trace, &spec(kind.clone()), &at, None);
            let inside = |y: f32| y >= 0.0 && y <= place.height;
            let bar = scene.rects.iter().any(|rect| rect.id == item.code() && inside(rect.y));
            let mark = scene.marks.iter().any(|mark| mark.id == item.code() && inside(mark.y));
            assert!(bar || mark, "{item:?} in {kind:?}");
        }
    }
}

/// The files of a folder of `tests/traces`.
fn fixtures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(folder);
    let files = std::fs::read_dir(folder).expect("a folder of traces").flatten().map(|entry| entry.path());
    let read = |path: PathBuf| (path.display().to_string(), std::fs::read(path).expect("a file"));
    files.filter(|path| path.is_file()).map(read).collect()
}

#[test]
fn what_lies_inside_is_below_in_the_flame_graph() {
    let mut seen = 0;
    let alone = ["kubling", "monetdb"].into_iter().flat_map(fixtures).map(|file| vec![file]);
    for files in alone.chain([fixtures("mysql/thread")]) {
        let (name, session) = (files[0].0.clone(), support::open(files));
        let (trace, mut pictures) = (session.trace(), SceneCache::default());
        let mut top = |id| pictures.locate(trace, &spec(FLAME), Item::Span(id), true).map(|place| place.top);
        for id in (0..trace.spans.len() as u32).map(SpanId) {
            // The transaction of a single statement begins inside of it, and is more than it.
            let Some(parent) = trace.spans.parent(id) else { continue };
            if trace.tracks.of_span(id) == trace.tracks.of_span(parent)
                && trace.spans.kind(id) != Kind::Transaction
            {
                assert!(
                    top(parent) < top(id),
                    "{name}: {:?} in {:?}",
                    trace.spans.get(id),
                    trace.spans.get(parent)
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn the_search_is_seen_in_every_column() {
    let trace = testing::queries(2000);
    let hits = Hits::of(&trace, "FROM t7 ");
    let scene = SceneCache::default().scene(&trace, &spec(PACKED), &viewport(0, trace.end()), Some(&hits));
    let matched = |rect: &&Rect| rect.style.has(BarStyle::MATCH);
    assert!(scene.rects.iter().any(|rect| matched(&rect)));
    assert!(scene.rects.iter().all(|rect| rect.style.has(BarStyle::MATCH) != rect.style.has(BarStyle::DIM)));
}

#[test]
fn a_closed_query_tells_what_it_hides() {
    let trace = testing::trace(support::SMALL);
    let (mut pictures, mut view) = (SceneCache::default(), spec(BY_QUERY));
    view.expansion.all = Some(false);
    let scene = pictures.scene(&trace, &view, &viewport(0, 400), None);
    let marked = scene.rects.iter().filter(|rect| rect.style.has(BarStyle::OVER_FETCH));
    assert_eq!(marked.map(|rect| rect.id).collect::<Vec<_>>(), [1], "the query whose execution over-fetches");
    for (text, expected) in
        [("ordersdb", &[1][..]), ("spill", &[1]), ("pods", &[11]), ("nothing of the kind", &[])]
    {
        let hits = Hits::of(&trace, text);
        let scene = pictures.scene(&trace, &view, &viewport(0, 400), Some(&hits));
        let marked = scene.rects.iter().filter(|rect| rect.style.has(BarStyle::MATCH));
        assert_eq!(marked.map(|rect| rect.id).collect::<Vec<_>>(), expected, "what hides or is {text}");
        assert!(
            scene.rects.iter().all(|rect| rect.style.has(BarStyle::MATCH) != rect.style.has(BarStyle::DIM))
        );
    }
}

#[test]
fn the_minimap_counts_what_runs_at_the_same_time() {
    let trace = testing::trace(support::SMALL);
    let (busy, failed) = SceneCache::default().minimap(&trace, 4);
    // Pixels of 100 ns: q1 80 and r1 100; q2 40, q3 80 and r1 100; q3 and r1; q3.
    assert_eq!(busy, [209, 255, 232, 116]);
    assert_eq!(failed, [0, 1, 0, 0]);
    let (busy, failed) = SceneCache::default().minimap(&testing::trace(""), 0);
    assert_eq!((busy, failed), (vec![0], vec![0]));
}

#[test]
fn legends_name_what_occurs() {
    let trace = testing::trace(support::SMALL);
    let entries = |by| SceneCache::default().legend(&trace, by).entries;
    let names = |by| -> Vec<String> { entries(by).into_iter().map(|(_, name)| name).collect() };
    assert_eq!(names(ColorBy::Kind), ["request", "query", "source", "source execution", "buffer"]);
    assert_eq!(names(ColorBy::Connector), ["js-conn", "pg-conn"]);
    assert_eq!(names(ColorBy::Datasource), ["OrdersAPI", "OrdersDB"]);
    assert_eq!(names(ColorBy::Query).len(), 4);
    // In every colouring, the slot of a bar is in the legend or is the one for "no name".
    for by in [ColorBy::Kind, ColorBy::Connector, ColorBy::Datasource, ColorBy::Outcome, ColorBy::Query] {
        let slots: HashSet<u16> = entries(by).into_iter().map(|(slot, _)| slot).collect();
        let spec = ViewSpec::new(BY_QUERY, by);
        let scene = SceneCache::default().scene(&trace, &spec, &viewport(0, 400), None);
        assert!(scene.rects.iter().all(|r| slots.contains(&r.color) || r.color == slot::NONE), "{by:?}");
    }
}

/// What happened to all of a process is a line through the rows of its threads, and through no others.
#[test]
fn instants_are_drawn_at_their_scope() {
    let event = |ph: &str, pid: u32, tid: u32, more: &str| {
        format!(r#"{{"ph":"{ph}","pid":{pid},"tid":{tid},"name":"{ph}","ts":{pid},{more}}}"#)
    };
    let threads = [(1, 1), (1, 2), (2, 3)].map(|(pid, tid)| event("X", pid, tid, r#""dur":9"#));
    let instants = ["g", "p", "t"].map(|scope| event("I", 1, 2, &format!(r#""s":"{scope}""#)));
    let text = format!("[{},{}]", threads.join(","), instants.join(","));
    let session = support::open([("a.json", text)]);
    let trace = session.trace();
    let mut pictures = SceneCache::default();
    let mut view = spec(BY_QUERY);
    let mut lines = |top: f64, open: bool| {
        let processes = (0..trace.tracks.len() as u32).map(TrackId);
        let processes = processes.filter(|id| trace.tracks.kind(*id) == TrackKind::Process);
        processes.for_each(|id| view.expansion.set(track_key(trace, id), open));
        let at = Viewport { top, ..viewport(0, 20_000) };
        let scene = pictures.scene(trace, &view, &at, None);
        let lines = scene.rects.iter().filter(|rect| matches!(Item::from_code(rect.id), Item::Event(_)));
        let covers = |line: &Rect| {
            let inside = |row: &&SceneRow| row.y >= line.y && row.y + row.height <= line.y + line.height;
            let names = scene.rows.iter().filter(inside).map(|row| scene.texts[row.label as usize].clone());
            names.collect::<Vec<_>>().join(", ")
        };
        lines.map(covers).collect::<Vec<_>>()
    };
    let all = "run, process 1, thread 1, thread 2, process 2, thread 3";
    assert_eq!(lines(0.0, true), ["process 1, thread 1, thread 2", all]);
    assert_eq!(lines(70.0, true), ["process 1, thread 1, thread 2", all], "its heading is above the picture");
    assert_eq!(lines(0.0, false), ["process 1", "run, process 1, process 2"]);
}

/// Rows of the flame graph in which nothing has a length.
#[test]
fn rows_of_events_are_named_for_what_they_hold() {
    let buffer = "run a 9\n buffer 5 READ 1000";
    let counter = r#"[{"ph":"C","name":"c","ts":1,"pid":1,"args":{"x":1}}]"#;
    let instant = r#"[{"ph":"I","name":"a","ts":1,"pid":1,"tid":1}]"#;
    let chrome = |text: &str| draw(support::open([("a.json", text)]).trace(), FLAME, &viewport(0, 2000));
    for (scene, expected) in [
        (draw(&testing::trace(buffer), FLAME, &viewport(0, 9)), &["buffer"][..]),
        (chrome(instant), &["thread 1"]),
        (chrome(counter), &[]),
    ] {
        let names = scene.rows.iter().filter(|row| !row.header).map(|row| &scene.texts[row.label as usize]);
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }
}

/// A span without a length is as wide as a pixel, and high enough to be seen.
#[test]
fn what_takes_no_time_is_drawn() {
    let trace = testing::trace("run a 400\n query q1 100..100 : SELECT 1\n query q2 200..201 : SELECT 2");
    let scene = draw(&trace, FLAME, &viewport(0, 4_000_000));
    assert!(scene.rects.iter().all(|rect| rect.split > 0.0 && rect.solid_rows(18) == 4));
    assert!(!scene.rects.is_empty());
}

#[test]
fn details_have_the_colours_of_the_bars() {
    let event =
        |name: &str, dur: u32| format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","ts":1,"dur":{dur}}}"#);
    let text = format!("[{},{},{}]", event("outer", 9), event("middle", 6), event("inner", 3));
    let mut session = support::open([("a.json", text)]);
    let request = SceneRequest { view: spec(FLAME), viewport: viewport(0, 9_000) };
    let SceneBytes(bytes) = session.answer(&request);
    let scene = Scene::from_bytes(&bytes).expect("a whole scene");
    let colors: Vec<(u32, u16)> = scene.rects.iter().map(|rect| (rect.id, rect.color)).collect();
    assert_eq!(colors.iter().map(|(_, color)| color).collect::<HashSet<_>>().len(), 3);
    for &(item, color) in &colors {
        let Some(details) = session.answer(&DetailsRequest { item }) else { panic!("details") };
        assert_eq!(details.color, color);
        let links = details.parents.iter().chain(&details.children);
        assert!(links.clone().all(|link| colors.contains(&(link.item, link.color))), "{links:?}");
    }
}

#[test]
fn a_point_hits_what_is_on_top() {
    let trace = testing::trace(support::SMALL);
    let now = viewport(0, 400);
    let scene = draw(&trace, BY_QUERY, &now);
    let zoomed = Viewport { start: 0, end: 200, top: 10.0, ..now };
    for to in [now, zoomed] {
        let transform = Transform::between(&scene.viewport, &to);
        for rect in scene.rects.iter().filter(|rect| !rect.style.has(BarStyle::BACKDROP)) {
            let (x, y) = (transform.x(rect.x + rect.width / 2.0), transform.y(rect.y + rect.height / 2.0));
            assert_eq!(scene.hit(x, y, &transform).id, Some(rect.id));
        }
        for mark in &scene.marks {
            assert_eq!(
                scene.hit(transform.x(mark.x) + 3.0, transform.y(mark.y), &transform).id,
                Some(mark.id)
            );
        }
        assert_eq!(scene.hit(-50.0, 5.0, &transform).id, None);
    }
}

#[test]
fn a_hundred_thousand_queries_are_drawn_by_the_pixel() {
    let trace = testing::queries(100_000);
    let mut pictures = SceneCache::default();
    for kind in [BY_QUERY, PACKED, FLAME] {
        let scene = pictures.scene(&trace, &spec(kind.clone()), &viewport(0, trace.end()), None);
        assert!(scene.rects.len() <= most_rects(&scene), "{kind:?}: {}", scene.rects.len());
        assert!(!scene.rects.is_empty());
    }
    assert_eq!(draw(&trace, BY_QUERY, &viewport(0, 1)).content_height, 28.0 + 24.0 * 100_000.0);
}

/// The law: two for each pixel of each row, as far as is drawn (half a width at both sides); and a query's row holds
/// the request as well.
fn most_rects(scene: &Scene) -> usize {
    let pixels = scene.viewport.width * 2.0;
    scene.rows.iter().map(|row| (row.height / 18.0).ceil() as usize * 2).sum::<usize>()
        * (2.0 * pixels + 4.0) as usize
}

fn any_viewport() -> impl Strategy<Value = Viewport> {
    (-100_000_i64..2_000_000, 1_i64..3_000_000, 1.0_f32..2000.0, 0.0_f64..5000.0, 0.0_f32..1500.0).prop_map(
        |(start, length, width, top, height)| Viewport { start, end: start + length, width, top, height },
    )
}

fn any_view() -> impl Strategy<Value = ViewSpec> {
    let sides = ViewKind::SideBySide { a: 1, b: 8 };
    let kinds = vec![BY_QUERY, PACKED, FLAME, ViewKind::FlameTime { query: Some(7) }, sides];
    let colors =
        vec![ColorBy::Kind, ColorBy::Connector, ColorBy::Datasource, ColorBy::Outcome, ColorBy::Query];
    (prop::sample::select(kinds), prop::sample::select(colors))
        .prop_map(|(kind, color)| ViewSpec::new(kind, color))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn laws_of_scenes(n in 0_u32..400, view in any_view(), viewport in any_viewport()) {
        let trace = testing::queries(n);
        let scene = SceneCache::default().scene(&trace, &view, &viewport, None);
        prop_assert!(scene.rects.len() <= most_rects(&scene));
        let (low, high) = (-viewport.width * 0.5 - 70.0, viewport.width * 1.5 + 70.0);
        for rect in &scene.rects {
            prop_assert!(rect.width >= 1.0 && rect.x >= low && rect.x + rect.width <= high + 2.0, "{:?}", rect);
            prop_assert!(rect.label == u32::MAX || rect.width >= 26.0);
            prop_assert!((0.0..=1.0).contains(&rect.split));
            prop_assert!(trace.contains(Item::from_code(rect.id)));
        }
        prop_assert_eq!(Scene::from_bytes(&scene.to_bytes()), Some(scene));
    }

    #[test]
    fn all_that_is_visible_is_drawn(n in 1_u32..200, at in 0_usize..1000) {
        // Wide enough for every span to be a bar of its own.
        let trace = testing::queries(n);
        let all: Vec<Item> = items(&trace).collect();
        let (start, end) = trace.interval(all[at % all.len()]);
        let view = Viewport { start: start - 10, end: end + 10, width: 1000.0, top: 0.0, height: 30_000.0 };
        let scene = draw(&trace, PACKED, &view);
        let ids: HashSet<u32> = scene.rects.iter().map(|r| r.id).chain(scene.marks.iter().map(|m| m.id)).collect();
        let spans = all.iter().filter(|item| matches!(item, Item::Span(_)));
        for item in spans {
            let (from, to) = trace.interval(*item);
            let wide = (to - from) as f64 >= view.nanos_per_pixel().ceil();
            if from < view.end && to > view.start && wide {
                prop_assert!(ids.contains(&item.code()), "{:?}", item);
            }
        }
        let inside = |mark: &&queryscope::internal::view::SceneMark| (0.0..1000.0).contains(&mark.x);
        let drawn: u32 = scene.marks.iter().filter(inside).map(|mark| mark.count).sum();
        prop_assert!(drawn as usize <= trace.events.len());
    }

    #[test]
    fn arbitrary_bytes_are_no_scene_or_a_whole_one(
        bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0_usize..5000, value in any::<u8>(),
    ) {
        prop_assert!(Scene::from_bytes(&bytes).is_none());
        let mut made = draw(&testing::queries(3), PACKED, &viewport(0, 5000)).to_bytes();
        let at = at % made.len();
        made[at] = value;
        if let Some(scene) = Scene::from_bytes(&made) {
            prop_assert_eq!(scene.to_bytes(), made.clone());
        }
        prop_assert!(Scene::from_bytes(&made[..at]).is_none());
    }

    #[test]
    fn no_viewport_panics(start: i64, end: i64, width: f32, top: f64, height in -10.0_f32..5000.0, view in any_view()) {
        let scene = draw(&testing::queries(20), view.kind, &Viewport { start, end, width, top, height });
        prop_assert!(Scene::from_bytes(&scene.to_bytes()).is_some());
    }
}
