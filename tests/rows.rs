//! What the rows of the views show of each format's traces: headings, what is open at first, levels, and where points lie.

use crate::support;

use queryscope::internal::testing;
use queryscope::internal::view::{BarStyle, Fold, Rect, Scene, SceneCache, SceneRow};
use queryscope::protocol::{Arrangement, ColorBy, TrackKey, ViewKind, ViewSpec, Viewport};
use queryscope::session::Session;
use queryscope::trace::{Item, Kind, SpanId, Trace, TrackId, TrackKind};

const BY_QUERY: ViewKind = ViewKind::Gantt(Arrangement::ByQuery);

fn spec(kind: ViewKind) -> ViewSpec {
    ViewSpec::new(kind, ColorBy::Kind)
}

fn viewport(trace: &Trace) -> Viewport {
    Viewport { start: 0, end: trace.end().max(1), width: 800.0, top: 0.0, height: 4000.0 }
}

fn draw(trace: &Trace, kind: ViewKind) -> Scene {
    SceneCache::default().scene(trace, &spec(kind), &viewport(trace), None)
}

/// A trace in Chrome's format, of these events.
fn chrome(events: &[&str]) -> Session {
    support::open([("a.json", format!("[{}]", events.join(",")))])
}

fn heading<'a>(scene: &'a Scene, row: &SceneRow) -> &'a str {
    &scene.texts[row.label as usize]
}

/// The headings of rows with their details, and whether they are open.
fn headings(scene: &Scene) -> Vec<String> {
    let line = |row: &SceneRow| {
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
    let (session, mut pictures) = (chrome(&both), SceneCache::default());
    let (trace, mut view) = (session.trace(), spec(BY_QUERY));
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    assert_eq!(headings(&scene)[1..], ["process 1 Closed", "process 2 Closed"]);
    let row = &scene.rows[1];
    let bars = scene.rects.iter().filter(|rect| rect.y >= row.y && rect.y < row.y + row.height);
    let bars: Vec<_> = bars.map(|rect| (rect.x.round() as i64, rect.width.round() as i64)).collect();
    assert_eq!(bars, [(0, 480), (640, 160)], "busy from 0 to 6 and from 8 to 10 of 10 µs");

    let inside = (0..trace.spans.len() as u32).map(SpanId).find(|id| trace.spans.get(*id).start == 8_000);
    let inside = Item::Span(inside.expect("the third slice"));
    let located = pictures.locate(trace, &view, inside, true).expect("the third slice is in the view");
    located.expanded.into_iter().for_each(|track| view.expansion.set(track, true));
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    assert_eq!(
        headings(&scene)[1..4],
        ["process 1 Open", "thread 1 Leaf", "thread 2 Leaf"],
        "what is revealed is seen"
    );
    assert_eq!(headings(&scene)[4], "process 2 Closed");
}

#[test]
fn a_closed_process_is_not_busy_while_its_threads_are_idle() {
    let node = |id: u32, name: &str, parent: &str| {
        format!(r#"{{"id":{id}{parent},"callFrame":{{"functionName":"{name}","scriptId":"0"}}}}"#)
    };
    let nodes =
        [node(1, "(root)", ""), node(2, "work", r#","parent":1"#), node(3, "(idle)", r#","parent":1"#)];
    // At work from 0 to 10 and from 60 to 70.
    let profile = format!(
        r#"{{"ph":"P","pid":1,"tid":1,"id":1,"name":"ProfileChunk","ts":0,"args":{{"data":{{"startTime":0,"cpuProfile":{{"nodes":[{}],"samples":[2,3,2,3]}},"timeDeltas":[0,10,50,10]}}}}}}"#,
        nodes.join(",")
    );
    let other = r#"{"ph":"X","pid":2,"tid":2,"name":"a","ts":0,"dur":100}"#;
    let start =
        r#"{"ph":"P","pid":1,"tid":1,"id":1,"name":"Profile","ts":0,"args":{"data":{"startTime":0}}}"#;
    let session = chrome(&[start, &profile, other]);
    let scene = draw(session.trace(), BY_QUERY);
    let row = scene.rows.iter().find(|row| heading(&scene, row).contains('1')).expect("the first process");
    let bars =
        scene.rects.iter().filter(|rect| rect.y >= row.y && rect.y < row.y + row.height && rect.width > 1.0);
    let widths: Vec<f32> = bars.map(|rect| rect.width).collect();
    assert!(widths.iter().all(|width| *width < 200.0), "work of 10 in 100: {widths:?} of 800 pixels");
    assert_eq!(widths.len(), 2, "{widths:?}");

    // The run as a whole, closed, likewise.
    let alone = chrome(&[start, &profile]);
    let trace = alone.trace();
    let mut pictures = SceneCache::default();
    let mut view = spec(BY_QUERY);
    view.expansion.set(TrackKey::of(trace, trace.runs[0].track).expect("the run's own track"), false);
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    let bars = scene.rects.iter().filter(|rect| rect.y >= scene.rows[0].y);
    let busy: f32 = bars.map(|rect| rect.width).sum();
    assert!(busy < 500.0, "{busy} of 800 pixels: {:?}", scene.rects);
}

#[test]
fn short_levels_of_a_thread_fold_away_until_something_in_them_is_looked_for() {
    // Two long levels, and eight that are busy for a hundredth of the time.
    let slice =
        |ts: u32, dur: u32| format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"at {ts}","ts":{ts},"dur":{dur}}}"#);
    let deep = (0..8).map(|level| slice(100 + level, 10 - level));
    let events: Vec<String> = [slice(0, 1_000), slice(1, 990)].into_iter().chain(deep).collect();
    let session = chrome(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let trace = session.trace();
    let mut pictures = SceneCache::default();
    let mut view = spec(BY_QUERY);
    let levels = |scene: &Scene| {
        let ids = scene.rects.iter().map(|rect| Item::from_code(rect.id));
        let depths = ids.filter_map(|item| match item {
            Item::Span(id) => Some(trace.spans.depth(id)),
            Item::Event(_) => None,
        });
        depths.max().map_or(0, |deepest| deepest + 1)
    };
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    assert_eq!((headings(&scene).pop().as_deref(), levels(&scene)), (Some("thread 1 (7 more) Closed"), 3));
    let deepest = (0..trace.spans.len() as u32).map(SpanId).max_by_key(|id| trace.spans.depth(*id));
    let deepest = Item::Span(deepest.expect("a span"));
    let aside = pictures.locate(trace, &view, deepest, false).expect("its last level stands for it");
    let located = pictures.locate(trace, &view, deepest, true).expect("it is in this view");
    assert!(located.top > aside.top && located.expanded.len() == 1);
    located.expanded.into_iter().for_each(|track| view.expansion.set(track, true));
    let scene = pictures.scene(trace, &view, &viewport(trace), None);
    assert_eq!((headings(&scene).pop().as_deref(), levels(&scene)), (Some("thread 1 Open"), 10));
}

#[test]
fn queries_are_named_by_their_statements_and_opened_when_they_are_revealed() {
    let text: String =
        (0..40).map(|n| format!("query id{n} {n}0..{n}9 : SELECT  {n}\n source {n}1..{n}8 js d\n")).collect();
    let (trace, mut pictures) =
        (testing::trace(&format!("run a 400\n{text}query bare 398..399")), SceneCache::default());
    let mut view = spec(BY_QUERY);
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
    let located = pictures.locate(&trace, &view, query(3), true).expect("the query is in the view");
    assert_eq!(located.expanded.len(), 1);
    located.expanded.into_iter().for_each(|track| view.expansion.set(track, true));
    let scene = pictures.scene(&trace, &view, &viewport(&trace), None);
    assert_eq!(folds(&scene), 1);
    assert_eq!(headings(&scene)[4..6], ["SELECT 3 (id3) Open", "js · d Leaf"]);
}

/// The files of a folder of `tests/traces`.
fn fixtures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(folder);
    let files = std::fs::read_dir(folder).expect("a folder of traces").flatten().map(|entry| entry.path());
    files.map(|path| (path.display().to_string(), std::fs::read(path).expect("a file"))).collect()
}

#[test]
fn idle_spans_are_marked_and_hide_no_work() {
    let files = fixtures("mysql/thread");
    let lines = |name: &str| {
        let file = files.iter().find(|(path, _)| path.ends_with(name)).expect("the fixture has it");
        let text = String::from_utf8_lossy(&file.1).into_owned();
        text.lines().filter(|line| line.contains("\tidle\t")).count()
    };
    let expected = lines("events_waits_history_long.tsv") + lines("events_waits_current.tsv");
    let session = support::open(files.iter().map(|(name, bytes)| (name, bytes)));
    let trace = session.trace();
    let is_idle = |code: u32| trace.kind(Item::from_code(code)) == Kind::Idle;
    let idle = || (0..trace.spans.len() as u32).map(SpanId).filter(|id| trace.spans.kind(*id) == Kind::Idle);
    assert_eq!(idle().count(), expected, "one span for each wait that is called idle");
    for kind in [BY_QUERY, ViewKind::Gantt(Arrangement::Packed), ViewKind::FlameTime { query: None }] {
        for id in idle() {
            let (start, end) = trace.spans.bounds(id);
            let at = Viewport { start, end: end.max(start + 1000), ..viewport(trace) };
            let scene = SceneCache::default().scene(trace, &spec(kind.clone()), &at, None);
            let bar = scene.rects.iter().find(|rect| rect.id == Item::Span(id).code()).expect("it is drawn");
            assert!(bar.style.has(BarStyle::IDLE) && bar.label == u32::MAX, "{bar:?}");
            let place = SceneCache::default().locate(trace, &spec(kind.clone()), Item::Span(id), true);
            let place = place.expect("it is in this view");
            assert!(
                (place.top..place.top + f64::from(place.height)).contains(&f64::from(bar.y)),
                "{place:?} {bar:?}"
            );
        }
        let scene = draw(trace, kind);
        // The pause of a transaction stands for the transaction.
        assert!(scene.rects.iter().all(|rect| rect.style.has(BarStyle::IDLE) == is_idle(rect.id)));
        assert!(scene.rects.iter().any(|rect| rect.style.has(BarStyle::IDLE)));
    }
}

#[test]
fn a_column_counts_work_and_not_what_is_idle() {
    // Of each millisecond a thread works for a tenth, and is idle for the rest.
    let n_samples = 4_000;
    let samples: Vec<String> =
        (0..n_samples).map(|n| if n % 2 == 0 { "2" } else { "3" }.to_owned()).collect();
    let deltas: Vec<String> =
        (0..n_samples).map(|n| if n % 2 == 0 { "900" } else { "100" }.to_owned()).collect();
    let nodes: Vec<String> = [(1, "(root)"), (2, "work"), (3, "(idle)")]
        .map(|(id, name)| {
            let parent = if id == 1 { "" } else { r#""parent":1,"# };
            format!(r#"{{"id":{id},{parent}"callFrame":{{"functionName":"{name}"}}}}"#)
        })
        .to_vec();
    let profile = format!(
        r#"{{"ph":"I","pid":1,"tid":1,"name":"CpuProfile","ts":0,"args":{{"data":{{"cpuProfile":{{"startTime":0,"nodes":[{}],"samples":[{}],"timeDeltas":[{}]}}}}}}}}"#,
        nodes.join(","),
        samples.join(","),
        deltas.join(","),
    );
    let session = chrome(&[&profile]);
    let trace = session.trace();
    let at = Viewport { width: 200.0, ..viewport(trace) };
    let scene = SceneCache::default().scene(trace, &spec(BY_QUERY), &at, None);
    let work = |rect: &&Rect| trace.str(trace.name(Item::from_code(rect.id))) == "work";
    let work: Vec<&Rect> = scene.rects.iter().filter(work).collect();
    assert!(work.len() >= 190, "{} columns", work.len());
    assert!(work.iter().all(|rect| rect.split > 0.05 && rect.split < 0.2), "a tenth of the time");
}

#[test]
fn the_legend_of_a_plan_names_modules() {
    let files = fixtures("monetdb");
    let mut seen = 0;
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with("ndjson")) {
        let session = support::open([(name, bytes)]);
        let trace = session.trace();
        let slices =
            || (0..trace.spans.len() as u32).map(SpanId).filter(|id| trace.spans.kind(*id) == Kind::Slice);
        let module = |id: SpanId| {
            trace.str(trace.spans.name(id)).split_once('.').map_or("control", |(module, _)| module)
        };
        let mut modules: Vec<&str> = slices().map(module).collect();
        modules.sort_unstable();
        modules.dedup();
        let mut pictures = SceneCache::default();
        let legend = pictures.legend(trace, ColorBy::Kind);
        let kinds: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
        let mut named =
            legend.entries.iter().filter(|(_, name)| !kinds.contains(&name.as_str())).collect::<Vec<_>>();
        named.sort_unstable_by(|a, b| a.1.cmp(&b.1));
        assert_eq!(named.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), modules, "{name}");
        for id in slices() {
            let slot = named.iter().find(|(_, name)| name == module(id)).map(|(slot, _)| *slot);
            assert_eq!(
                Some(pictures.color(trace, Item::Span(id))),
                slot,
                "{name}: {:?}",
                trace.spans.get(id)
            );
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn instants_of_threads_lie_in_the_row_of_what_they_are_in() {
    let slice = |tid: u32, name: &str, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{ts},"dur":{dur}}}"#)
    };
    let instant = |tid: u32, name: &str, ts: u32, scope: &str| {
        format!(r#"{{"ph":"I","pid":1,"tid":{tid},"name":"{name}","ts":{ts},"s":"{scope}"}}"#)
    };
    let events = [
        r#"{"ph":"M","pid":1,"name":"process_name","args":{"name":"browser"}}"#.to_owned(),
        r#"{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"main"}}"#.to_owned(),
        slice(2, "outer", 0, 100),
        slice(2, "inner", 10, 50),
        slice(3, "other", 200, 10),
        instant(2, "in inner", 30, "t"),
        instant(2, "in outer", 80, "t"),
        instant(2, "in nothing", 150, "t"),
        instant(4, "alone", 50, "t"),
    ];
    let session = chrome(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let trace = session.trace();
    for (kind, header) in [(BY_QUERY, 2), (ViewKind::FlameTime { query: None }, 0)] {
        let scene = draw(trace, kind.clone());
        let mark = |name: &str| {
            let mark =
                scene.marks.iter().find(|mark| trace.str(trace.name(Item::from_code(mark.id))) == name);
            mark.unwrap_or_else(|| panic!("{name} is drawn: {}", scene.to_text()))
        };
        let bar = |name: &str| {
            let named = |code: u32| trace.str(trace.name(Item::from_code(code))) == name;
            scene.rects.iter().find(|rect| named(rect.id)).expect("it is drawn")
        };
        for (point, span) in [("in inner", "inner"), ("in outer", "outer"), ("in nothing", "outer")] {
            let (mark, bar) = (mark(point), bar(span));
            assert!(bar.y <= mark.y && mark.y < bar.y + bar.height, "{point} {mark:?} {bar:?}");
            let place =
                SceneCache::default().locate(trace, &spec(kind.clone()), Item::from_code(mark.id), true);
            let place = place.expect("it is in this view");
            assert!(
                (place.top..place.top + f64::from(place.height)).contains(&f64::from(mark.y)),
                "{place:?} {mark:?}"
            );
        }
        // A row of each thread, and no row for points alone; threads that never run together have rows of their own.
        let names: Vec<String> = headings(&scene)[header..].to_vec();
        let expected: &[&str] = match header {
            0 => &[
                "main 2 (browser 1) Leaf",
                " Leaf",
                "thread 4 (browser 1) Leaf",
                "thread 3 (browser 1) Leaf",
            ],
            _ => &["main 2 Leaf", "thread 3 Leaf", "thread 4 Leaf"],
        };
        assert_eq!(names, expected);
        let row =
            scene.rows.iter().find(|row| heading(&scene, row).starts_with("thread 4")).expect("it has a row");
        assert!((row.y..row.y + row.height).contains(&mark("alone").y));
    }
}

#[test]
fn rows_of_the_flame_graph_are_called_after_one_thread_of_one_process() {
    // Two processes that never run together, and a thread behind something asynchronous that has ended.
    let slice =
        |pid: u32, ts: u32| format!(r#"{{"ph":"X","pid":{pid},"tid":{pid},"name":"a","ts":{ts},"dur":5}}"#);
    let asynchronous =
        |ph: &str, ts: u32| format!(r#"{{"ph":"{ph}","pid":2,"cat":"c","id":1,"name":"b","ts":{ts}}}"#);
    let events = [slice(1, 0), slice(2, 50), asynchronous("b", 30), asynchronous("e", 40)];
    let session = chrome(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let scene = draw(session.trace(), ViewKind::FlameTime { query: None });
    let expected = ["thread 1 (process 1) Leaf", "b · c (process 2) Leaf", "thread 2 (process 2) Leaf"];
    assert_eq!(headings(&scene), expected);
}
