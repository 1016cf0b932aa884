//! Arrows of the selection, painted over the rows: they are few, and the canvas draws curves well. A control next to them
//! chooses which arrows are drawn.

use queryscope::protocol::{Arrow, Arrows, Viewport};

use web_sys::CanvasRenderingContext2d;
use yew::prelude::*;

use crate::canvas::{CanvasTheme, Surface};
use crate::state::{Action, ArrowsShown, Dispatch};
use crate::words;

/// Maximum distance in CSS pixels by which a curve leaves and arrives along its row.
const REACH: f64 = 48.0;
/// Length of an arrow head and half of its width, in CSS pixels.
const HEAD: (f64, f64) = (6.0, 3.5);
/// Width in CSS pixels of the line around a head, whose outer half is the head's rim.
const RIM: f64 = 3.0;
/// Maximum distance from the screen in CSS pixels to which ends of arrows are clamped, without a visible effect.
const FAR: f64 = 10_000.0;

/// Whether an arrow is drawn with this choice.
pub fn is_shown(arrow: &Arrow, chosen: ArrowsShown) -> bool {
    chosen == ArrowsShown::Chain || arrow.direct
}

/// Renders the choice of arrows with their numbers; empty if there are no arrows.
pub fn choice(arrows: &Arrows, chosen: ArrowsShown, dispatch: &Dispatch) -> Html {
    let direct = arrows.list.iter().filter(|arrow| arrow.direct).count() as u64;
    let all = arrows.list.len() as u64 + u64::from(arrows.more);
    if all == 0 {
        return Html::default();
    }
    let button = |shown: ArrowsShown, name: &str, n: u64| {
        let dispatch = dispatch.clone();
        let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Arrows(shown));
        let label = words::timeline::arrows(name, n);
        html! { <button type="button" data-label={label.clone()} aria-pressed={(shown == chosen).to_string()} {onclick}>{ label }</button> }
    };
    let capped = arrows.more > 0 && chosen == ArrowsShown::Chain;
    html! {
        <div class="arrows-note" id="arrows">
            <span class="kicker" id="arrows-label">{ words::timeline::ARROWS }</span>
            <span class="segments" role="group" aria-labelledby="arrows-label" title={words::timeline::ARROWS_KEY}>
                { button(ArrowsShown::Direct, words::timeline::DIRECT, direct) }
                { button(ArrowsShown::Chain, words::timeline::WHOLE_CHAIN, all) }
            </span>
            if capped { <span>{ words::timeline::nearest_arrows(arrows.list.len() as u64) }</span> }
        </div>
    }
}

/// Paints arrows, with the direct arrows on top. Heads have a rim, because bars may have the same colour.
pub fn paint<'a>(
    surface: &Surface,
    theme: &CanvasTheme,
    arrows: impl Iterator<Item = &'a Arrow> + Clone,
    view: &Viewport,
) {
    let context = &surface.context;
    for direct in [false, true] {
        let color = if direct { theme.accent } else { theme.muted };
        context.set_stroke_style_str(&color.css());
        context.set_fill_style_str(&color.css());
        context.set_line_width(if direct { 1.6 } else { 1.0 });
        let shown = arrows.clone().filter(|arrow| arrow.direct == direct).map(|arrow| ends(arrow, view));
        let shown = shown.filter(|ends| is_inside(*ends, surface));
        shown.clone().for_each(|ends| curve(context, ends));
        context.set_stroke_style_str(&theme.panel.css());
        context.set_line_width(RIM);
        shown.for_each(|[_, tip]| head(context, tip));
    }
}

/// Start and end of an arrow on the screen, in CSS pixels.
fn ends(arrow: &Arrow, view: &Viewport) -> [(f64, f64); 2] {
    let x = |time: i64| view.x_from_time(time).clamp(-FAR, FAR);
    [(x(arrow.leaves), arrow.from - view.top), (x(arrow.arrives), arrow.to - view.top)]
}

fn is_inside([from, to]: [(f64, f64); 2], surface: &Surface) -> bool {
    let inside = |a: f64, b: f64, size: f64| a.max(b) >= 0.0 && a.min(b) <= size;
    inside(from.0, to.0, surface.width) && inside(from.1, to.1, surface.height)
}

fn curve(context: &CanvasRenderingContext2d, [from, to]: [(f64, f64); 2]) {
    let reach = ((to.0 - from.0).abs() / 2.0).clamp(12.0, REACH);
    let tip = to.0 - HEAD.0;
    context.begin_path();
    context.move_to(from.0, from.1);
    context.bezier_curve_to(from.0 + reach, from.1, tip - reach, to.1, tip, to.1);
    context.stroke();
}

fn head(context: &CanvasRenderingContext2d, (x, y): (f64, f64)) {
    context.begin_path();
    context.move_to(x, y);
    context.line_to(x - HEAD.0, y - HEAD.1);
    context.line_to(x - HEAD.0, y + HEAD.1);
    context.close_path();
    context.stroke();
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
