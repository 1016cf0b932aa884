//! Arrows of the selection, painted over the picture: they are few, and the canvas draws curves well.

use queryscope::view::{Arrow, Viewport};
use web_sys::CanvasRenderingContext2d;

use crate::canvas::{Surface, Theme};

/// How far a curve leaves and arrives along its row, at most.
const REACH: f64 = 48.0;
/// Length of the head, and half of its width.
const HEAD: (f64, f64) = (6.0, 3.5);
/// Further off the screen nothing changes what is seen.
const FAR: f64 = 10_000.0;

/// Paints all arrows, those of the selection itself over the others.
pub fn paint(surface: &Surface, theme: &Theme, arrows: &[Arrow], view: &Viewport) {
    let context = &surface.context;
    for direct in [false, true] {
        let color = if direct { theme.accent } else { theme.muted };
        context.set_stroke_style_str(&color.css());
        context.set_fill_style_str(&color.css());
        context.set_line_width(if direct { 1.6 } else { 1.0 });
        for arrow in arrows.iter().filter(|arrow| arrow.direct == direct) {
            curve(context, ends(arrow, view), surface);
        }
    }
}

/// From where to where on the screen.
fn ends(arrow: &Arrow, view: &Viewport) -> [(f64, f64); 2] {
    let x = |time: i64| view.x_from_time(time).clamp(-FAR, FAR);
    [(x(arrow.leaves), arrow.from - view.top), (x(arrow.arrives), arrow.to - view.top)]
}

fn curve(context: &CanvasRenderingContext2d, [from, to]: [(f64, f64); 2], surface: &Surface) {
    let outside = |a: f64, b: f64, size: f64| a.max(b) < 0.0 || a.min(b) > size;
    if outside(from.0, to.0, surface.width) || outside(from.1, to.1, surface.height) {
        return;
    }
    let reach = ((to.0 - from.0).abs() / 2.0).clamp(12.0, REACH);
    let tip = to.0 - HEAD.0;
    context.begin_path();
    context.move_to(from.0, from.1);
    context.bezier_curve_to(from.0 + reach, from.1, tip - reach, to.1, tip, to.1);
    context.stroke();
    context.begin_path();
    context.move_to(to.0, to.1);
    context.line_to(tip, to.1 - HEAD.1);
    context.line_to(tip, to.1 + HEAD.1);
    context.close_path();
    context.fill();
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn ends_follow_the_view() {
        let view = Viewport { start: 100, end: 300, width: 200.0, top: 50.0, height: 100.0 };
        let arrow = Arrow { leaves: 150, from: 60.0, arrives: i64::MAX, to: 40.0, direct: true };
        assert_eq!(ends(&arrow, &view), [(50.0, 10.0), (FAR, -10.0)]);
    }
}
