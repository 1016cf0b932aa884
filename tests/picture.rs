//! Images as SVG: compared with `tests/pictures/*.svg` (`BLESS=1` writes them), read back by an XML reader, and bounded in size.

use crate::support;

use std::fs;
use std::path::Path;

use queryscope::internal::picture::{self, PictureParts};
use queryscope::internal::testing;
use queryscope::internal::view::{SceneCache, TOKENS};
use queryscope::protocol::{
    Arrangement, ColorBy, FrameDimension, MERGED_WIDTH, MergedSpec, Picture, PictureRequest, ViewKind,
    ViewSpec, Viewport,
};
use queryscope::trace::Trace;
use roxmltree::Document;

const GANTT: ViewKind = ViewKind::Gantt(Arrangement::ByQuery);
const PACKED: ViewKind = ViewKind::Gantt(Arrangement::Packed);
const FLAME: ViewKind = ViewKind::FlameTime { query: None };

fn merged(path: &[FrameDimension]) -> ViewKind {
    ViewKind::FlameMerged(MergedSpec { path: path.to_vec(), ..MergedSpec::default() })
}

/// A request for all of a trace, in an image of this width.
fn request(trace: &Trace, kind: ViewKind, width: f32) -> PictureRequest {
    let is_merged = matches!(kind, ViewKind::FlameMerged(_));
    let end = if is_merged { MERGED_WIDTH } else { trace.end().max(1) };
    let headings = if is_merged { 0.0 } else { (width * 0.3).min(242.0) };
    PictureRequest {
        view: ViewSpec::new(kind, ColorBy::Kind),
        viewport: Viewport { start: 0, end, width: width - headings, top: 0.0, height: 700.0 },
        headings,
        title: "trace.json".to_owned(),
        dark: false,
        only: Vec::new(),
        selection: None,
        range: None,
        arrows: None,
    }
}

/// Draws a trace that has every feature of a bar.
fn draw(trace: &Trace, request: &PictureRequest) -> Picture {
    let mut scenes = SceneCache::default();
    let scene = scenes.scene(trace, &request.view, &request.viewport, None);
    let legend = scenes.legend(trace, request.view.color);
    let parts =
        PictureParts { scene: &scene, legend: &legend, arrows: &[], end: trace.end(), ends_later: false };
    picture::draw(request, &parts)
}

/// Asserts that an image is XML which refers to nothing outside and holds no program, and returns its texts.
fn texts(picture: &Picture) -> Vec<String> {
    let document = Document::parse(&picture.svg).expect("a picture is XML");
    let known =
        ["svg", "title", "desc", "rect", "path", "text", "circle", "linearGradient", "stop", "pattern"];
    for node in document.descendants().filter(|node| node.is_element()) {
        assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && !name.ends_with("href") && name != "style", "{name}={value}");
            assert!(!value.contains("url(") || value.starts_with("url(#q"), "{name}={value}");
        }
    }
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

/// Compares with the image in `tests/pictures`.
fn check_golden(name: &str, picture: &Picture) {
    texts(picture);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(name).with_extension("svg");
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("joined above")).expect("the folder can be made");
        fs::write(&path, &picture.svg).expect("the picture can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(picture.svg == expected, "{} differs: look, then BLESS=1", path.display());
}

#[test]
fn pictures_of_fixtures() {
    let trace = testing::trace(support::SMALL);
    let gantt = request(&trace, GANTT, 1000.0);
    check_golden("gantt", &draw(&trace, &gantt));
    let dark = PictureRequest { dark: true, range: Some((100, 200)), selection: Some(2), ..gantt };
    check_golden("gantt-dark", &draw(&trace, &dark));
    check_golden("packed-narrow", &draw(&trace, &request(&trace, PACKED, 400.0)));
    check_golden("flame", &draw(&trace, &request(&trace, FLAME, 800.0)));
    let frames = merged(&[FrameDimension::SqlShape, FrameDimension::Connector]);
    check_golden("merged", &draw(&trace, &request(&trace, frames, 800.0)));
    let many = testing::queries(100);
    check_golden("columns", &draw(&many, &request(&many, PACKED, 800.0)));
}

/// Every view of every trace of the tests is an image, at any width.
#[test]
fn every_trace_has_pictures() {
    for path in support::fixtures() {
        let bytes = fs::read(&path).expect("a file");
        let mut session = support::open([("trace", bytes)]);
        for (kind, width) in
            [(GANTT, 1200.0), (PACKED, 400.0), (FLAME, 900.0), (merged(&[FrameDimension::Stack]), 300.0)]
        {
            let picture = session.answer(&request(session.trace(), kind, width));
            let shown = texts(&picture);
            assert!(shown.iter().any(|text| text == "trace.json"), "{}: {shown:?}", path.display());
            assert_eq!(picture.width, width);
        }
    }
}

/// The end of a value would read as another value; the end of an ID names it.
#[test]
fn values_of_headings_are_whole_or_left_out() {
    let long = "0123456789-abcdefghijklmnopqrstuvwxyz";
    for (id, width, is_whole, is_cut) in [
        ("q-1234567890", 1000.0, true, false),
        ("q-1234567890", 400.0, false, false),
        (long, 1000.0, false, true),
    ] {
        let trace = testing::trace(&format!("run r 400\nquery {id} 10..90 : SELECT a"));
        let shown = texts(&draw(&trace, &request(&trace, GANTT, width)));
        let cut = |text: &String| text.strip_prefix('…').is_some_and(|end| id.ends_with(end));
        assert_eq!(
            (shown.iter().any(|text| text == id), shown.iter().any(cut)),
            (is_whole, is_cut),
            "{id} {shown:?}"
        );
    }
}

#[test]
fn hostile_names_are_text() {
    let names = [
        "<script>alert(1)</script>",
        "]]><svg onload=alert(1)>",
        "\\u0000\\u0008\\u001b[31m",
        "\\u202e gnp.exe",
        "&lt;&#x41;&unknown;",
        "--> <!-- %3Cimg%3E",
        "\\ud83d\\ude00 日本語 עברית",
    ];
    for name in names {
        let event = format!(r#"[{{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"{name}","args":{{}}}}]"#);
        let mut session = support::open([("t.json", event)]);
        let mut request = request(session.trace(), FLAME, 1000.0);
        request.title = format!("{name}\0\u{202e}\u{ffff}");
        let picture = session.answer(&request);
        let shown = texts(&picture).concat();
        let is_plain = |c: char| !c.is_control() && !('\u{202a}'..='\u{202e}').contains(&c);
        assert!(shown.chars().all(is_plain), "{shown:?}");
        if !name.contains('\\') {
            assert!(shown.contains(name), "{name} in {shown:?}");
        }
    }
}

#[test]
fn a_picture_of_180_000_spans_is_small() {
    let mut events = String::from("[");
    for at in 0..60_000 {
        let name = at % 7;
        for (tid, length) in [(1, 3), (2, 9), (3, 1)] {
            events += &format!(
                r#"{{"ph":"X","pid":1,"tid":{tid},"ts":{},"dur":{length},"name":"n{name}"}},"#,
                at * 10
            );
        }
    }
    events += "{}]";
    let mut session = support::open([("t.json", events)]);
    for kind in [GANTT, PACKED, FLAME, merged(&[FrameDimension::Stack])] {
        let picture = session.answer(&request(session.trace(), kind.clone(), 1200.0));
        texts(&picture);
        assert!(picture.svg.len() < 400_000, "{kind:?}: {} bytes", picture.svg.len());
    }
}

/// Rows below the image take no room in it.
#[test]
fn a_picture_is_as_high_as_its_rows() {
    let trace = testing::trace(support::SMALL);
    let mut asked = request(&trace, GANTT, 1000.0);
    let whole = draw(&trace, &asked);
    asked.viewport.height = 40.0;
    let cut = draw(&trace, &asked);
    assert_eq!((whole.hidden, cut.hidden), (0.0, f64::from(whole.height - cut.height)));
    asked.viewport.height = 70.0;
    assert_eq!(draw(&trace, &asked).height - cut.height, 12.0);
}

/// The page's style sheet and the images have the same colours.
#[test]
fn colours_are_those_of_the_style_sheet() {
    let sheet = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/assets/tokens.css");
    let sheet = fs::read_to_string(sheet).expect("the style sheet is there");
    for (name, light, dark) in TOKENS {
        let line = format!("--{name}: light-dark(#{light:06x}, #{dark:06x})");
        assert!(sheet.contains(&line), "the style sheet has no {line}");
    }
}
