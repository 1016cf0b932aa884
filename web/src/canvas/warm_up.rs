//! Paints an invisible scene while no trace is open: on first use, a browser compiles code, loads fonts and allocates
//! canvases, which would all delay the first visible frame.

use queryscope::internal::view::{BarStyle, Rect, Scene, SceneMark, Transform};
use queryscope::protocol::Viewport;
use web_sys::Element;

use super::scene::{Highlights, Layer, paint_labels, paint_scene};
use super::surface::Surface;
use super::text::Writer;
use super::theme::CanvasTheme;
use crate::host::page;

const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 120.0;
const BAR: f32 = 20.0;

/// A scene with a labelled bar of every style, and a mark.
fn scene() -> Scene {
    let viewport = Viewport { start: 0, end: 1, width: WIDTH, top: 0.0, height: HEIGHT };
    let styles =
        [BarStyle::default(), BarStyle::FAILED, BarStyle::OPEN_END, BarStyle::INFERRED, BarStyle::DENSITY];
    let bar = |(at, style)| Rect {
        x: 0.0,
        y: BAR * at as f32,
        width: WIDTH / 2.0,
        height: BAR,
        split: 0.5,
        room: WIDTH,
        id: at as u32,
        label: 0,
        color: at as u16,
        style,
        alpha: 255,
    };
    let mark = |diamond| SceneMark {
        x: WIDTH - BAR,
        y: BAR,
        radius: BAR / 4.0,
        id: 0,
        count: 1,
        color: 0,
        style: BarStyle::default(),
        diamond,
    };
    let rects = styles.into_iter().enumerate().map(bar).collect();
    let texts = vec!["SELECT name, sum(amount) FROM orders 0123456789 ms µs µ%".to_owned()];
    Scene { rects, texts, marks: [false, true].map(mark).to_vec(), ..Scene::empty(viewport) }
}

/// Paints the scene to a hidden canvas, in the colours of an element.
pub fn warm_up(element: &Element) {
    let (surface, theme) = (page::canvas().and_then(Surface::new), CanvasTheme::read(element));
    let (Some(mut surface), Some(theme)) = (surface, theme) else { return };
    surface.resize(WIDTH.into(), HEIGHT.into());
    let scene = scene();
    let transform = Transform::between(&scene.viewport, &scene.viewport);
    let layer = Layer { scene: &scene, transform, theme: &theme, ends_behind: false };
    paint_scene(&mut surface, &layer, &Highlights::default());
    surface.show();
    paint_labels(&surface, &Writer::default(), &layer);
}
