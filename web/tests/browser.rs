//! What only a browser can show: messages as JavaScript values, and the painter's pixels.

use queryscope::internal::view::{BarStyle, Rect, Scene, Transform};
use queryscope::internal::view::{LABEL_CONTRAST, Paint};
use queryscope::internal::word_hash::{hash, hash_of_name};
use queryscope::protocol::{
    AnyReply, AnyRequest, Arrangement, ColorBy, CompareColumn, CompareView, CompareWith, FrameDimension,
    FrameWeight, Located, MergedSpec, PivotColumn, QueryColumn, QueryList, SceneRequest, ViewKind, ViewSpec,
    Viewport,
};
use queryscope_web::canvas::color::{Color, blend};
use queryscope_web::canvas::pixels::{Area, Pixels};
use queryscope_web::canvas::{CanvasTheme, Highlights, Layer, Surface, paint_scene, shapes};
use queryscope_web::messages::{FromWorker, ToWorker, decode, encode};
use queryscope_web::state::{Flame, Nav, Tab};
use queryscope_web::url::{Address, Items, VERSION, fragment};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Beyond what a JavaScript number holds exactly.
const BEYOND: i64 = (1 << 53) + 1;

#[wasm_bindgen_test]
fn times_beyond_two_to_the_53_arrive_exactly() {
    for time in [BEYOND, i64::MAX, i64::MIN + 1, -BEYOND, 0] {
        let viewport = Viewport { start: time, end: i64::MAX, width: 900.5, top: 1e9, height: 40.0 };
        let kind = ViewKind::Gantt(Arrangement::Packed);
        let view = ViewSpec::new(kind, ColorBy::Kind);
        let request = AnyRequest::from(SceneRequest { view, viewport });
        match decode(encode(&ToWorker::Ask { id: u32::MAX, request: request.clone() })) {
            Some(ToWorker::Ask { id: u32::MAX, request: back }) => assert_eq!(back, request),
            _ => panic!("{time} did not arrive"),
        }
        let reply = AnyReply::Locate(Some(Located {
            start: time,
            end: time,
            around: Some((time, i64::MAX)),
            top: 0.5,
            height: 20.0,
            expanded: Vec::new(),
            unhidden: Vec::new(),
            unfiltered: false,
            dims_again: false,
        }));
        match decode(encode(&FromWorker::Answer { id: 7, reply: reply.clone() })) {
            Some(FromWorker::Answer { id: 7, reply: back }) => assert_eq!(back, reply),
            _ => panic!("{time} did not come back"),
        }
    }
}

#[wasm_bindgen_test]
fn a_message_that_is_none_is_refused() {
    for text in ["null", "{}", "{\"Ask\":{}}", "\"Nonsense\"", "[1]"] {
        let value = js_sys::JSON::parse(text).expect("the cases are JSON");
        assert!(decode::<ToWorker>(value).is_none(), "{text}");
    }
}

#[wasm_bindgen_test]
fn a_span_covers_exactly_its_pixels() {
    let mut pixels = Pixels::default();
    pixels.resize(10, 3);
    pixels.clear(Color::WHITE);
    pixels.span(1, 2.0, 4.5, Color::new(0, 0, 0), 255);
    pixels.span(7, 0.0, 9.0, Color::new(0, 0, 0), 255);
    pixels.span(2, -50.0, 5_000.0, Color::new(9, 9, 9), 255);
    let row: Vec<_> = (0..6).filter_map(|x| pixels.get(x, 1)).map(|color| color.red).collect();
    assert_eq!((row[1], row[2], row[3], row[5]), (255, 0, 0, 255));
    assert!((120..136).contains(&row[4]), "half covered: {}", row[4]);
    assert_eq!(pixels.get(9, 2), Some(Color::new(9, 9, 9)));
    assert_eq!(pixels.bytes().len(), 120);
}

#[wasm_bindgen_test]
fn blending_keeps_its_ends() {
    let (white, black) = (Color::WHITE.pixel(), Color::new(0, 0, 0));
    assert_eq!(blend(white, black, 0), white);
    assert_eq!(blend(white, black, 255), black.pixel());
    assert_eq!(blend(black.pixel(), Color::new(200, 100, 50), 255), Color::new(200, 100, 50).pixel());
}

#[wasm_bindgen_test]
fn shapes_far_outside_paint_nothing_and_end() {
    let mut pixels = Pixels::default();
    pixels.resize(20, 20);
    pixels.clear(Color::WHITE);
    let far = Area { left: -1e15, right: -1e14, top: -40, bottom: -10 };
    let wide = Area { left: -1e15, right: 1e15, top: 5, bottom: 10 };
    shapes::hatch(&mut pixels, far, 6, Color::INK, Color::INK);
    shapes::fade(&mut pixels, far, true, Color::INK);
    shapes::outline(&mut pixels, wide, 3.0, 1, Color::INK, Some(3.0));
    shapes::bar(&mut pixels, wide, 3.0, Color::INK, 255);
    assert_eq!(pixels.get(0, 0), Some(Color::WHITE));
    assert_eq!(pixels.get(10, 7), Some(Color::INK));
}

#[wasm_bindgen_test]
fn labels_can_be_read_on_every_colour() {
    for value in (0..=255_u8).step_by(15) {
        for fill in [Color::new(value, 110, 224), Color::new(230, value, 30), Color::new(value, value, value)]
        {
            let paint = Paint::new(fill, fill.mix(Color::new(0, 0, 0), 50));
            assert!(paint.fill.contrast(paint.ink) >= LABEL_CONTRAST, "{}", fill.css());
            assert!(paint.dark.contrast(paint.ink) >= LABEL_CONTRAST, "dark part of {}", fill.css());
        }
    }
}

/// A canvas of 200 by 40 pixels in the page.
fn surface() -> Surface {
    let document = web_sys::window().and_then(|window| window.document()).expect("tests run in a page");
    let canvas: web_sys::HtmlCanvasElement =
        document.create_element("canvas").expect("a canvas").unchecked_into();
    let style = "position:fixed;left:0;top:0;width:200px;height:40px";
    canvas.set_attribute("style", style).expect("a valid name");
    document.body().expect("a page").append_child(&canvas).expect("an element");
    let mut surface = Surface::new(canvas).expect("a 2d context");
    assert!(surface.fit());
    surface
}

/// The theme of a page with a style sheet of two colours.
fn theme() -> CanvasTheme {
    let body = web_sys::window().and_then(|window| window.document()?.body()).expect("tests run in a page");
    body.set_attribute("style", "--panel: light-dark(#ffffff, #ffffff); --query: #3f74e0")
        .expect("a valid name");
    CanvasTheme::read(&body).expect("the body is in its document")
}

/// A bar of these edges.
fn bar((x, y, width, height): (f32, f32, f32, f32)) -> Rect {
    let (id, label, color, alpha) = (3, u32::MAX, 1, 255);
    let (style, split, room) = (BarStyle::default(), 0.0, 0.0);
    Rect { x, y, width, height, split, room, id, label, color, style, alpha }
}

#[wasm_bindgen_test]
fn a_bar_is_where_the_transform_puts_it() {
    let mut surface = surface();
    let viewport = Viewport { start: 0, end: 1000, width: 200.0, top: 0.0, height: 40.0 };
    let mut scene = Scene::empty(viewport);
    scene.rects.push(bar((10.0, 10.0, 40.0, 15.0)));
    let theme = theme();
    let later = Viewport { start: 100, end: 600, ..viewport };
    let transform = Transform::between(&viewport, &later);
    let layer = Layer { scene: &scene, transform, theme: &theme, ends_behind: false };
    paint_scene(&mut surface, &layer, &Highlights::default());
    surface.show();
    // 10..50 px were 50..250 ns: under the new transform that is −20..60 px.
    let at = |x: f64| surface.pixels.get((x * surface.density) as usize, (17.0 * surface.density) as usize);
    assert_eq!(at(2.0), at(55.0));
    assert_ne!(at(55.0), Some(theme.panel));
    assert_eq!(at(65.0), Some(theme.panel));
}

#[wasm_bindgen_test]
fn a_busier_column_is_higher_and_only_a_full_one_reaches_the_top() {
    let mut surface = surface();
    let viewport = Viewport { start: 0, end: 1000, width: 200.0, top: 0.0, height: 40.0 };
    let mut scene = Scene::empty(viewport);
    let shares = [0.01, 0.1, 0.5, 0.9, 1.0];
    for (x, split) in (0_u8..).map(|at| f32::from(at) * 20.0).zip(shares) {
        scene.rects.push(Rect { split, style: BarStyle::DENSITY, ..bar((x, 10.0, 10.0, 20.0)) });
    }
    scene.rects.push(Rect { split: 1e-9, style: BarStyle::DENSITY, ..bar((150.5, 10.0, 1.0, 14.0)) });
    let theme = theme();
    let transform = Transform::between(&viewport, &viewport);
    let layer = Layer { scene: &scene, transform, theme: &theme, ends_behind: false };
    paint_scene(&mut surface, &layer, &Highlights::default());
    // Rows that look like the lowest one, in the middle of each column.
    let at = |x: usize, y: usize| {
        let place = |pixels: usize| ((pixels as f64 + 0.5) * surface.density) as usize;
        surface.pixels.get(place(x), place(y))
    };
    let high = |x: usize| (10..30).filter(|&y| at(x, y) == at(x, 29)).count();
    let found: Vec<_> = (0..shares.len()).map(|column| high(column * 20 + 5)).collect();
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    assert_eq!((found[0], found[4]), (5, 20));
    assert_ne!(at(5, 10), Some(theme.panel), "hardly busy is to be seen");
    // What takes no time, alone and between two pixels: as strong as what is never idle.
    assert_eq!((10..30).filter(|&y| at(151, y) == at(85, 29)).count(), 3);
}

#[wasm_bindgen_test]
fn an_address_leads_back_to_what_it_was_made_of() {
    // Arguments go by the hashes of their names: an address tells no words of the trace.
    let merged = MergedSpec {
        path: vec![FrameDimension::Run, FrameDimension::Argument(0)],
        weight: FrameWeight::Argument(1),
        arguments: vec!["a,b:c".to_owned(), "bytes & more".to_owned()],
        difference: None,
        ..Nav::default().merged
    };
    let nav = Nav {
        tab: Tab::Flame,
        flame: Flame::Merged,
        merged,
        color: ColorBy::Outcome,
        arrangement: Arrangement::Packed,
        arrangement_chosen: true,
        range: Some((-5, BEYOND)),
        viewport: Some(Viewport { start: BEYOND, end: i64::MAX, width: 1.0, top: 0.0, height: 1.0 }),
        compare: CompareView {
            b: CompareWith::Others,
            fold: true,
            inclusive: true,
            sort: CompareColumn::A,
            ascending: true,
            ..CompareView::default()
        },
        queries: Some(QueryList { sort: QueryColumn::RowsRead, descending: true, ..QueryList::default() }),
        filter: "a = b & c".to_owned(),
        search: "größer #1".to_owned(),
        ..Nav::default()
    };
    let traces = ["https://example.org/a b.json?x=1&y=#2".to_owned()];
    let items =
        Items { selection: Some((9, BEYOND, 0)), flame: None, compared: [Some((4, -1, BEYOND)), None] };
    let back = Address::parse("embed", &fragment(&nav, &items, &traces, false));
    let hashes = nav.merged.arguments.iter().map(|name| hash_of_name(name)).collect();
    let nav = Nav { merged: MergedSpec { arguments: hashes, ..nav.merged.clone() }, ..nav };
    assert_eq!((&back.traces[..], back.embedded, back.items), (&traces[..], true, items));
    assert_eq!((back.nav, back.version), (nav, VERSION));
    let flame = Items { flame: Some((3, 0, 7)), ..Items::default() };
    let back = Address::parse("", &fragment(&Nav::default(), &flame, &[], true));
    assert_eq!((back.nav, back.items, back.embedded), (Nav::default(), flame, true));
}

/// What earlier viewers wrote, without a version, opens as it did.
#[wasm_bindgen_test]
fn addresses_of_earlier_viewers_open() {
    let address = Address::parse(
        "",
        "trace=a.json&view=pivot&rows=packed&by=kind,%20name&where=failed&sort=-2&open=a%1Fb&t=5,9&range=6,8&item=1,2,3&a=4,5,6",
    );
    let nav = &address.nav;
    assert_eq!(
        (address.version, address.is_newer(), &address.traces[..]),
        (0, false, &["a.json".to_owned()][..])
    );
    assert_eq!((nav.tab, nav.arrangement, nav.arrangement_chosen), (Tab::Pivot, Arrangement::Packed, true));
    assert_eq!((&*nav.pivot.spec.by, &*nav.pivot.spec.filter), ("kind, name", "failed"));
    assert_eq!((nav.pivot.sort, nav.pivot.descending, nav.pivot.open.len()), (Some(2), true, 1));
    assert_eq!((nav.range, address.items.selection), (Some((6, 8)), Some((1, 2, 3))));
    assert_eq!(address.items.compared, [Some((4, 5, 6)), None]);
}

/// The dimension across, and the columns that order the rows; values stand in an address as hashes.
#[wasm_bindgen_test]
fn columns_of_values_stand_in_an_address() {
    for (column, expected) in [
        (PivotColumn::All, PivotColumn::All),
        (PivotColumn::Others, PivotColumn::Others),
        (PivotColumn::Value("a, b".to_owned()), PivotColumn::Value(hash("a, b"))),
    ] {
        let mut nav = Nav { tab: Tab::Pivot, ..Nav::default() };
        nav.pivot.spec.across = "thread".to_owned();
        (nav.pivot.sort, nav.pivot.descending, nav.pivot.column) = (Some(2), true, column);
        let back = Address::parse("", &fragment(&nav, &Items::default(), &[], false)).nav;
        nav.pivot.column = expected;
        assert_eq!(back.pivot, nav.pivot);
    }
}

#[wasm_bindgen_test]
fn nonsense_in_an_address_spoils_nothing() {
    let prototype = "__proto__=1&constructor=2&toString=3&hasOwnProperty=4";
    let broken = "view=moon&t=5,1&range=a,b&item=1,2&path=sql,moon&list=moon&v=x&table=-1&color=outcome&=&%";
    let address = Address::parse("", &format!("{broken}&{prototype}"));
    let expected = Nav { color: ColorBy::Outcome, ..Nav::default() };
    assert_eq!((address.nav, address.items), (expected, Items::default()));
    let newer = Address::parse("", "v=99&view=moon&color=outcome&unheard=of");
    assert!(newer.is_newer() && newer.nav.color == ColorBy::Outcome);
    let long = Address::parse("trace=a.json", &format!("find={}", "x".repeat(1 << 20)));
    assert!(long.is_too_long && long.nav == Nav::default() && long.traces == ["a.json"]);
}
