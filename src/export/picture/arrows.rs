//! Arrows of the selection in an image.

use super::svg::{SvgText, number};
use crate::protocol::{Arrow, Viewport};
use crate::view::SceneTheme;

/// Maximum distance in CSS pixels by which a curve leaves and arrives along its row.
const REACH: f64 = 48.0;
/// Maximum distance from the viewport in CSS pixels to which ends of arrows are clamped, without a visible effect.
const FAR: f64 = 10_000.0;

/// Draws arrows, with the direct arrows on top. Heads have a rim, because bars may have the same colour.
pub(super) fn draw(arrows: &[Arrow], view: &Viewport, theme: &SceneTheme, out: &mut SvgText) {
    for direct in [false, true] {
        let (color, width) = if direct { (theme.accent, "1.6") } else { (theme.muted, "1") };
        let (color, rim) = (color.css(), theme.panel.css());
        for arrow in arrows.iter().filter(|arrow| arrow.direct == direct) {
            let x = |time: i64| view.x_from_time(time).clamp(-FAR, FAR);
            let (from, to) =
                ((x(arrow.leaves), arrow.from - view.top), (x(arrow.arrives), arrow.to - view.top));
            let reach = ((to.0 - from.0).abs() / 2.0).clamp(12.0, REACH);
            let tip = to.0 - 6.0;
            let [x0, y0, x1, x2, x3, y3] =
                [from.0, from.1, from.0 + reach, tip - reach, tip, to.1].map(number);
            out.path(
                &format!("M{x0} {y0}C{x1} {y0} {x2} {y3} {x3} {y3}"),
                &format!(r#"fill="none" stroke="{color}" stroke-width="{width}""#),
            );
            let head = format!("M{} {}l-6-3.5v7z", number(to.0), number(to.1));
            let style = r#"stroke-width="3" paint-order="stroke""#;
            out.path(&head, &format!(r#"fill="{color}" stroke="{rim}" {style}"#));
        }
    }
}
