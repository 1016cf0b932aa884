//! The track of an SQL result: its bars against the rows, and the trace that does not know it.

use super::*;
use crate::protocol::{ResultSpan, ResultTrackRequest, TrackKey, TrackKeyRequest};
use crate::view::{BarStyle, Scene, Transform};

fn row(name: &str, start: i64, duration: i64, item: Option<u32>) -> ResultSpan {
    ResultSpan { name: name.to_owned(), start, duration, item }
}

fn scene(session: &mut Session, pins: Vec<TrackKey>, (start, end): (i64, i64)) -> Scene {
    let view = ViewSpec::new(ViewKind::Pinned(pins), ColorBy::Kind);
    let viewport = Viewport { start, end, width: 1_000.0, top: 0.0, height: 400.0 };
    let SceneBytes(bytes) = session.answer(&SceneRequest { view, viewport });
    Scene::from_bytes(&bytes).expect("a scene")
}

/// Bars as name, left edge, width and item.
fn bars(scene: &Scene) -> Vec<(&str, i64, i64, u32)> {
    let text = |at: u32| scene.texts.get(at as usize).map_or("", String::as_str);
    let bar = |rect: &crate::view::Rect| {
        (text(rect.label), rect.x.round() as i64, rect.width.round() as i64, rect.id)
    };
    scene.rects.iter().map(bar).collect()
}

#[test]
fn rows_are_bars_below_the_pinned_tracks() {
    let mut session = session();
    let pinned = session.answer(&TrackKeyRequest { track: 1 }).expect("a track");
    let alone = scene(&mut session, vec![pinned], (0, 1_000));
    let spans = vec![
        row("later", 500, 200, None),
        row("outer", 100, 300, Some(0)),
        row("inner", 150, 100, Some(7)),
        row("point", 900, 0, None),
    ];
    let key = session.answer(&ResultTrackRequest { name: "SQL result".to_owned(), spans }).expect("a track");
    let both = scene(&mut session, vec![pinned, key], (0, 1_000));
    assert_eq!(both.rows.len(), alone.rows.len() + 1);
    let own = &both.rows[alone.rows.len()];
    assert_eq!(f64::from(own.y), alone.content_height);
    assert_eq!(both.texts[own.label as usize], "SQL result");
    let expected = [
        ("outer", 100, 300, 0),
        ("later", 500, 200, Scene::NO_ITEM),
        ("", 900, 1, Scene::NO_ITEM),
        ("inner", 150, 100, 7),
    ];
    assert_eq!(bars(&both)[alone.rects.len()..], expected);
    let tops: Vec<f32> = both.rects[alone.rects.len()..].iter().map(|rect| rect.y).collect();
    assert!(tops[0] == tops[1] && tops[1] == tops[2] && tops[2] < tops[3], "{tops:?}");
    // A bar without an item is no target, and the heading leads to the key under which the track is pinned.
    let still = Transform { scale: 1.0, dx: 0.0, dy: 0.0 };
    let hit = |x: f64, y: f32| both.hit(x, f64::from(y) + 1.0, &still).id;
    assert_eq!((hit(600.0, tops[0]), hit(200.0, tops[3])), (None, Some(7)));
    assert_eq!(session.answer(&TrackKeyRequest { track: own.track }), Some(key));
    // No other view knows it.
    assert_eq!(scene(&mut session, vec![pinned], (0, 1_000)), alone);
    // Another result replaces it; a trace that is built again has none.
    let spans = vec![row("other", 0, 1_000, None)];
    let next = session.answer(&ResultTrackRequest { name: String::new(), spans }).expect("a track");
    assert_ne!(next, key);
    assert!(scene(&mut session, vec![key], (0, 1_000)).rects.is_empty());
    assert_eq!(bars(&scene(&mut session, vec![next], (0, 1_000))), [("other", 0, 1_000, Scene::NO_ITEM)]);
    assert_eq!(session.answer(&ResultTrackRequest::default()), None);
    assert!(scene(&mut session, vec![next], (0, 1_000)).rects.is_empty());
}

#[test]
fn many_rows_cost_pixels() {
    let mut session = session();
    let spans = (0..100_000).map(|at| row("x", at * 10, 9, None)).collect();
    let key = session.answer(&ResultTrackRequest { name: "many".to_owned(), spans }).expect("a track");
    let whole = scene(&mut session, vec![key], (0, 1_000_000));
    assert!(whole.rects.len() <= 4_000, "{}", whole.rects.len());
    assert!(whole.rects.iter().all(|rect| rect.style.has(BarStyle::DENSITY)));
    let near = scene(&mut session, vec![key], (500_000, 500_100));
    assert!(near.rects.iter().all(|rect| !rect.style.has(BarStyle::DENSITY)));
}
