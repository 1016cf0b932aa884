//! Hints at the edge of rows without visible spans: how far away the nearest span is; a click on the hint goes there.

use queryscope::internal::view::{SceneRow, Transform};
use queryscope::protocol::Viewport;
use yew::prelude::*;

use super::elements::flight_time;
use super::{Axis, Timeline};
use crate::canvas::text::{LabelPlace, Writer};
use crate::canvas::{CanvasTheme, Surface};
use crate::words;

/// Width in CSS pixels of the clickable area at either edge; [`SHORT_REACH`] in a timeline narrower than [`ROOMY`].
const REACH: f64 = 176.0;
const SHORT_REACH: f64 = 92.0;
/// Timeline width in CSS pixels from which hints are written in full.
const ROOMY: f64 = 3.0 * REACH;
const MARGIN: f64 = 7.0;

/// A span outside of the visible range, and its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OffscreenHint {
    /// The last span of the row ended this long before the visible range.
    Ended(i64),
    /// The next span of the row starts this long after the visible range.
    Starts(i64),
}

/// The hints of a row.
fn offscreen_hints(row: &SceneRow, view: &Viewport) -> impl Iterator<Item = OffscreenHint> {
    let before = row.before.filter(|time| *time < view.start).map(|time| view.start.saturating_sub(time));
    let behind = row.after.filter(|time| *time > view.end).map(|time| time.saturating_sub(view.end));
    // The view may have moved since the scene was made, so that a span is inside of it now and is drawn.
    let gone = row.before.is_some() != before.is_some() || row.after.is_some() != behind.is_some();
    let both = [before.map(OffscreenHint::Ended), behind.map(OffscreenHint::Starts)];
    both.into_iter().flatten().filter(move |_| !gone)
}

/// Paints the hints of all rows.
pub fn paint(
    surface: &Surface,
    writer: &Writer,
    theme: &CanvasTheme,
    rows: &[SceneRow],
    shown: (&Transform, &Viewport),
) {
    let (transform, view) = shown;
    let context = &surface.context;
    writer.style(context, &format!("11px {}", theme.ui), theme.muted);
    for row in rows {
        let y = transform.y(row.y) + f64::from(row.height) / 2.0 + 4.0;
        for hint in offscreen_hints(row, view) {
            let (texts, left) = match hint {
                OffscreenHint::Ended(far) => (words::timeline::ended_earlier(far), true),
                OffscreenHint::Starts(far) => (words::timeline::starts_later(far), false),
            };
            let text = &texts[usize::from(surface.width < ROOMY)];
            let width = writer.width(context, text);
            // The scroll bar covers the right edge.
            let x = if left { MARGIN } else { surface.width - MARGIN - width - 8.0 };
            writer.write(context, text, LabelPlace { x, y, width: width + 1.0 });
        }
    }
}

impl Timeline {
    /// Moves to the span of the hint at a point of the timeline, at the same zoom; `false` if there is no hint.
    pub(super) fn follow_hint(&mut self, ctx: &Context<Self>, (x, y): (f64, f64)) -> bool {
        let Some(hint) = self.hint_at(ctx, x, y) else { return false };
        let view = self.time.target();
        let half = view.end.saturating_sub(view.start) / 2;
        // The edge of the span that is nearest to the view moves to the middle.
        let moved = match hint {
            OffscreenHint::Ended(far) => far.saturating_add(half).saturating_neg(),
            OffscreenHint::Starts(far) => far.saturating_add(half),
        };
        self.time.fly(
            view.start.saturating_add(moved),
            view.end.saturating_add(moved),
            view.top,
            flight_time(),
        );
        self.moved(ctx);
        true
    }

    /// Whether there is a hint at a point of the timeline.
    pub(super) fn is_hint_at(&self, ctx: &Context<Self>, x: f64, y: f64) -> bool {
        self.hint_at(ctx, x, y).is_some()
    }

    fn hint_at(&self, ctx: &Context<Self>, x: f64, y: f64) -> Option<OffscreenHint> {
        if self.axis(ctx) != Axis::Time {
            return None;
        }
        let (scene, transform) = self.scene(ctx).zip(self.transform(ctx))?;
        let row = scene.rows.get(scene.row_at(y, &transform)?)?;
        let width = f64::from(self.time.view.width);
        let reach = if width < ROOMY { SHORT_REACH } else { REACH };
        offscreen_hints(row, &self.time.view).find(|hint| match hint {
            OffscreenHint::Ended(_) => x <= reach,
            OffscreenHint::Starts(_) => x >= width - reach,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queryscope::internal::view::Fold;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn only_what_is_out_of_view_is_told() {
        let view = Viewport { start: 100, end: 200, width: 100.0, top: 0.0, height: 10.0 };
        for (before, after, expected) in [
            (None, None, vec![]),
            (Some(40), None, vec![OffscreenHint::Ended(60)]),
            (Some(40), Some(230), vec![OffscreenHint::Ended(60), OffscreenHint::Starts(30)]),
            (None, Some(230), vec![OffscreenHint::Starts(30)]),
            (Some(40), Some(150), vec![]),
        ] {
            let row = SceneRow {
                y: 0.0,
                height: 9.0,
                depth: 1,
                label: 0,
                detail: u32::MAX,
                note: 0,
                track: 0,
                fold: Fold::Leaf,
                header: false,
                before,
                after,
            };
            assert_eq!(offscreen_hints(&row, &view).collect::<Vec<_>>(), expected);
        }
    }
}
