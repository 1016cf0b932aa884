//! The filter that hides: what is drawn, reached and connected is what matches, and rows stay where they are.

use std::collections::{BTreeSet, VecDeque};

use super::*;
use crate::protocol::{ArrowsRequest, ViewFilter};
use crate::testing;
use crate::trace::{EventId, Item, SpanId, Trace};
use crate::view::BarStyle;

/// Filters that are valid.
const FILTERS: [&str; 8] = [
    "sql ~ t1",
    "connector = js-conn",
    "connector != js-conn",
    "kind = \"source execution\"",
    "kind = query duration > 4us",
    "name = SPILL",
    "failed",
    "nothing-has-this-name",
];

const BY_QUERY: ViewKind = ViewKind::Gantt(Arrangement::ByQuery);
/// Wide and high enough for every span of the trace to be a bar.
const WHOLE: Viewport = Viewport { start: 0, end: 32_000, width: 32_000.0, top: 0.0, height: 32_000.0 };

/// A session with a filter, and the items that match it.
struct HidingFilter {
    session: Session,
    filter: ViewFilter,
    matching: BTreeSet<u32>,
}

impl HidingFilter {
    fn by(text: &str) -> Self {
        let mut session = Session { trace: testing::queries(24), ..Session::default() };
        let is_match = session.matching(text, None);
        let codes = items(&session.trace).map(Item::code).zip(is_match);
        let matching = codes.filter(|(_, is_match)| *is_match).map(|(code, _)| code).collect();
        Self { session, filter: ViewFilter { text: text.to_owned(), hides: true }, matching }
    }

    /// A view without a filter, and the same with the filter.
    fn scenes(&mut self, view: &ViewSpec, viewport: Viewport) -> (Scene, Scene) {
        let mut scene = |filter| {
            let view = ViewSpec { filter, ..view.clone() };
            let SceneBytes(bytes) = self.session.answer(&SceneRequest { view, viewport });
            Scene::from_bytes(&bytes).expect("a scene")
        };
        (scene(ViewFilter::default()), scene(self.filter.clone()))
    }

    /// Whether an item matches, or something inside it does.
    fn is_around(&self, code: u32) -> bool {
        let trace = &self.session.trace;
        let up = |code: u32| {
            std::iter::successors(Some(Item::from_code(code)), |item| trace.parent(*item).map(Item::Span))
        };
        self.matching.iter().any(|matching| up(*matching).any(|item| item.code() == code))
    }
}

fn items(trace: &Trace) -> impl Iterator<Item = Item> + use<> {
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))))
}

fn view(kind: ViewKind, expanded: bool) -> ViewSpec {
    let mut view = ViewSpec::new(kind, ColorBy::Kind);
    view.expansion.all = Some(expanded);
    view
}

/// Item, place, text and style of each bar for which `is_shown` is true.
fn bars(scene: &Scene, is_shown: impl Fn(u32) -> bool) -> Vec<(u32, String, Option<&String>, BarStyle)> {
    let shown = scene.rects.iter().filter(|rect| is_shown(rect.id));
    let place = |rect: &crate::view::Rect| format!("{} {} {} {}", rect.x, rect.y, rect.width, rect.height);
    shown.map(|rect| (rect.id, place(rect), scene.texts.get(rect.label as usize), rect.style)).collect()
}

#[test]
fn what_matches_stays_in_place_and_nothing_else_is_drawn() {
    for text in FILTERS {
        let mut of = HidingFilter::by(text);
        for (kind, expanded) in [
            (BY_QUERY, true),
            (BY_QUERY, false),
            (ViewKind::Gantt(Arrangement::Packed), true),
            (ViewKind::FlameTime { query: None }, true),
            (ViewKind::FlameTime { query: Some(7) }, true),
        ] {
            let (plain, scene) = of.scenes(&view(kind.clone(), expanded), WHOLE);
            let rows = |scene: &Scene| -> Vec<_> {
                scene
                    .rows
                    .iter()
                    .map(|row| (row.y, row.height, scene.texts[row.label as usize].clone()))
                    .collect()
            };
            assert_eq!(rows(&scene), rows(&plain), "{text}: {kind:?}");
            let is_shown = |code| if expanded { of.matching.contains(&code) } else { of.is_around(code) };
            assert_eq!(bars(&scene, |_| true), bars(&plain, is_shown), "{text}: {kind:?}, {expanded}");
            assert!(scene.marks.iter().all(|mark| of.matching.contains(&mark.id)), "{text}: {kind:?}");
            if expanded && kind == BY_QUERY {
                let events =
                    of.matching.iter().filter(|code| matches!(Item::from_code(**code), Item::Event(_)));
                let drawn: u32 = scene.marks.iter().map(|mark| mark.count).sum();
                assert_eq!(drawn as usize, events.count(), "{text}");
            }
        }
    }
}

/// However narrow the bars are, their columns show only what matches.
#[test]
fn columns_of_many_bars_show_what_matches() {
    for text in FILTERS {
        let mut of = HidingFilter::by(text);
        let run = TrackKey::of(&of.session.trace, crate::trace::TrackId(0)).expect("a run");
        let mut collapsed = view(BY_QUERY, false);
        collapsed.expansion.set(run, false);
        for width in [8.0, 60.0] {
            let viewport = Viewport { width, ..WHOLE };
            for view in [view(ViewKind::Gantt(Arrangement::Packed), true), collapsed.clone()] {
                let (_, scene) = of.scenes(&view, viewport);
                let shown =
                    scene.rects.iter().map(|rect| rect.id).chain(scene.marks.iter().map(|mark| mark.id));
                let shown: Vec<u32> = shown.collect();
                assert!(shown.iter().all(|code| of.matching.contains(code)), "{text}: {width}");
                let is_span = |code: &&u32| matches!(Item::from_code(**code), Item::Span(_));
                let has_spans = of.matching.iter().any(|code| is_span(&code));
                assert_eq!(shown.iter().any(|code| is_span(&code)), has_spans, "{text}: {width}");
            }
        }
    }
}

#[test]
fn a_search_highlights_among_what_is_shown() {
    let mut of = HidingFilter::by("kind = query");
    let found = HidingFilter::by("FROM t1").matching;
    of.session.answer(&SearchRequest { text: "FROM t1".to_owned() });
    let (_, scene) = of.scenes(&view(BY_QUERY, true), WHOLE);
    assert!(!scene.rects.is_empty());
    for rect in &scene.rects {
        let expected = if found.contains(&rect.id) { BarStyle::MATCH } else { BarStyle::DIM };
        assert!(of.matching.contains(&rect.id) && rect.style.has(expected), "{rect:?}");
    }
    assert!(scene.rects.iter().any(|rect| rect.style.has(BarStyle::MATCH)));
}

#[test]
fn neither_a_wrong_filter_nor_a_comparison_hides_anything() {
    let sides = ViewKind::SideBySide { a: 1, b: 8 };
    for (text, kind) in [("x >", BY_QUERY), ("", BY_QUERY), (" ", BY_QUERY), ("connector = js-conn", sides)] {
        let mut of = HidingFilter::by(text);
        for hides in [false, true] {
            of.filter.hides = hides;
            let (plain, scene) = of.scenes(&view(kind.clone(), true), WHOLE);
            assert_eq!(scene, plain, "{text}");
            assert!(!scene.rects.is_empty(), "{text}");
        }
    }
}

#[test]
fn keys_lead_to_all_that_matches_and_to_nothing_else() {
    for text in FILTERS {
        let mut of = HidingFilter::by(text);
        let (mut seen, mut next) = (BTreeSet::new(), VecDeque::from([None]));
        while let Some(item) = next.pop_front() {
            for step in [FocusMove::Previous, FocusMove::Next, FocusMove::Parent, FocusMove::Child] {
                let request = NeighbourRequest { item, step, within: None, filter: text.to_owned() };
                let found = of.session.answer(&request);
                next.extend(found.filter(|found| seen.insert(*found)).map(Some));
            }
        }
        assert_eq!(seen, of.matching, "{text}");
        // A selection that was hidden afterwards is left by the same keys.
        for item in items(&of.session.trace).map(Item::code).filter(|code| code % 7 == 0) {
            for step in [FocusMove::Previous, FocusMove::Parent, FocusMove::Child, FocusMove::Beneath] {
                let request =
                    NeighbourRequest { item: Some(item), step, within: None, filter: text.to_owned() };
                let found = of.session.answer(&request);
                assert!(found.is_none_or(|found| of.matching.contains(&found)), "{text}: {item}, {step:?}");
            }
        }
    }
}

#[test]
fn a_jump_to_a_hidden_item_shows_it_again() {
    for text in FILTERS {
        let mut of = HidingFilter::by(text);
        let shown = ViewSpec { filter: of.filter.clone(), ..view(BY_QUERY, true) };
        for item in items(&of.session.trace).map(Item::code).filter(|code| code % 5 == 0) {
            for open in [false, true] {
                let request = LocateRequest { item, view: shown.clone(), open };
                let place = of.session.answer(&request).expect("a place");
                assert_eq!(place.dims_again, open && !of.matching.contains(&item), "{text}: {item}");
            }
        }
    }
}

/// Arrows lead from and to what is drawn.
#[test]
fn arrows_connect_what_is_shown() {
    let slice = |tid: u32, name: &str, id: &str, ph: &str, ts: u32| {
        let slice = format!(r#"{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{ts},"dur":9}}"#);
        format!(
            r#"{slice},{{"ph":"{ph}","bp":"e","pid":1,"tid":{tid},"name":"f","id":"{id}","ts":{}}}"#,
            ts + 1
        )
    };
    let text = format!("[{},{}]", slice(1, "from", "1", "s", 0), slice(2, "to", "1", "f", 20));
    let mut session = Session::of_text("a.json", &text);
    for (filter, hides, arrows) in
        [("", true, 1), ("from", true, 0), ("from", false, 1), ("name ~ o", true, 1)]
    {
        let filter = ViewFilter { text: filter.to_owned(), hides };
        let request =
            ArrowsRequest { item: 0, view: ViewSpec { filter: filter.clone(), ..view(BY_QUERY, true) } };
        assert_eq!(session.answer(&request).list.len(), arrows, "{filter:?}");
    }
}

#[test]
fn a_critical_path_is_marked_in_what_is_shown() {
    for (text, hides, is_marked) in
        [("", true, true), ("nothing-has-this-name", true, false), ("nothing-has-this-name", false, true)]
    {
        let mut session = HidingFilter::by(text).session;
        let filter = ViewFilter { text: text.to_owned(), hides };
        let shown = ViewSpec { filter: filter.clone(), ..view(BY_QUERY, true) };
        let codes: Vec<u32> = items(&session.trace).map(Item::code).collect();
        let mut has_marks = |item: u32| {
            let request = PathMarksRequest { item, view: shown.clone() };
            !session.answer(&request).marks.is_empty()
        };
        assert_eq!(codes.into_iter().any(&mut has_marks), is_marked, "{filter:?}");
    }
}
