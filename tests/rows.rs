//! What the rows of the views show of each format's traces: headings, what is open at first, levels, and where points lie.

#[path = "support/mod.rs"]
mod support;

use queryscope::session::Session;
use queryscope::testing;
use queryscope::trace::{Item, Kind, SpanId, Trace, TrackId, TrackKind};
use queryscope::view::{Arrangement, ColorBy, Fold, Pictures, Row, Scene, ViewKind, ViewSpec, Viewport};

const BY_QUERY: ViewKind = ViewKind::Gantt(Arrangement::ByQuery);

fn spec(kind: ViewKind) -> ViewSpec {
    ViewSpec { kind, color: ColorBy::Kind }
}

fn viewport(trace: &Trace) -> Viewport {
    Viewport { start: 0, end: trace.end().max(1), width: 800.0, top: 0.0, height: 4000.0 }
}

fn draw(trace: &Trace, kind: ViewKind) -> Scene {
    Pictures::default().scene(trace, &spec(kind), &viewport(trace), None)
}

/// A trace in Chrome's format, of these events.
fn chrome(events: &[&str]) -> Session {
    support::open([("a.json", format!("[{}]", events.join(",")))])
}

fn heading<'a>(scene: &'a Scene, row: &Row) -> &'a str {
    &scene.texts[row.label as usize]
}

/// The headings of rows with their details, and whether they are open.
fn headings(scene: &Scene) -> Vec<String> {
    let line = |row: &Row| {
        let detail = scene.texts.get(row.detail as usize).map_or(String::new(), |text| format!(" ({text})"));
        format!("{}{detail} {:?}", heading(scene, row), row.fold)
    };
    scene.rows.iter().map(line).collect()
}

#[test]
fn several_processes_are_a_row_each_until_they_are_opened() {
    let slice = |pid: u32, tid: u32, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"a","ts":{ts},"dur":{dur}}}"#)
    };
    // Two threads whose slices overlap, and a gap behind them.
    let first = [slice(1, 1, 0, 4), slice(1, 2, 2, 4), slice(1, 2, 8, 2)];
    let second = [slice(2, 3, 0, 1)];
    let one = chrome(&first.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        headings(&draw(one.trace(), BY_QUERY))[1..],
        ["process 1 Open", "thread 1 Leaf", "thread 2 Leaf"]
    );

    let both: Vec<&str> = first.iter().chain(&second).map(String::as_str).collect();
    let (session, mut pictures) = (chrome(&both), Pictures::default());
    let (trace, view) = (session.trace(), spec(BY_QUERY));
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    assert_eq!(headings(&scene)[1..], ["process 1 Closed", "process 2 Closed"]);
    let row = &scene.rows[1];
    let bars = scene.rects.iter().filter(|rect| rect.y >= row.y && rect.y < row.y + row.height);
    let bars: Vec<_> = bars.map(|rect| (rect.x.round() as i64, rect.width.round() as i64)).collect();
    assert_eq!(bars, [(0, 480), (640, 160)], "busy from 0 to 6 and from 8 to 10 of 10 µs");

    let inside = (0..trace.spans.len() as u32).map(SpanId).find(|id| trace.spans.get(*id).start == 8_000);
    let inside = Item::Span(inside.expect("the third slice"));
    assert!(pictures.locate(trace, &view, inside, true).is_some());
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    assert_eq!(
        headings(&scene)[1..4],
        ["process 1 Open", "thread 1 Leaf", "thread 2 Leaf"],
        "what is revealed is seen"
    );
    assert_eq!(headings(&scene)[4], "process 2 Closed");
}

#[test]
fn queries_are_named_by_their_statements_and_opened_when_they_are_revealed() {
    let text: String =
        (0..40).map(|n| format!("query id{n} {n}0..{n}9 : SELECT  {n}\n source {n}1..{n}8 js d\n")).collect();
    let (trace, mut pictures) =
        (testing::trace(&format!("run a 400\n{text}query bare 398..399")), Pictures::default());
    let view = spec(BY_QUERY);
    let scene = pictures.scene(&trace, &view, &viewport(&trace), None);
    assert_eq!(headings(&scene)[1..3], ["SELECT 0 (id0) Closed", "SELECT 1 (id1) Closed"]);
    assert_eq!(
        headings(&scene).last().map(String::as_str),
        Some("bare Leaf"),
        "without SQL the id is all there is"
    );
    let query = |n: u32| {
        let queries = (0..trace.tracks.len() as u32).map(TrackId);
        let track = queries.filter(|id| trace.tracks.kind(*id) == TrackKind::Query).nth(n as usize);
        let spans = trace.tracks.spans(track.expect("a query")).map(SpanId);
        Item::Span(spans.into_iter().find(|id| trace.spans.kind(*id) == Kind::Query).expect("its span"))
    };
    assert!(pictures.locate(&trace, &view, query(3), false).is_some());
    let folds = |scene: &Scene| scene.rows[1..].iter().filter(|row| row.fold == Fold::Open).count();
    assert_eq!(
        folds(&pictures.scene(&trace, &view, &viewport(&trace), None)),
        0,
        "looking for an item opens nothing"
    );
    assert!(pictures.locate(&trace, &view, query(3), true).is_some());
    let scene = pictures.scene(&trace, &view, &viewport(&trace), None);
    assert_eq!(folds(&scene), 1);
    assert_eq!(headings(&scene)[4..6], ["SELECT 3 (id3) Open", "js · d Leaf"]);
}
