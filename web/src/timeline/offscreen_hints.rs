//! Hints at the edge of rows without visible spans: how far away the nearest span is; a click on the hint goes there.

use queryscope::internal::view::{LabelPlace, OffscreenHint, SceneRow, Transform};
use queryscope::protocol::Viewport;
use yew::prelude::*;

use super::elements::flight_time;
use super::{Axis, Timeline};
use crate::canvas::text::Writer;
use crate::canvas::{CanvasTheme, Surface};

/// Width in CSS pixels of the clickable area at either edge; [`SHORT_REACH`] in a timeline narrower than
/// [`OffscreenHint::ROOMY`].
const REACH: f64 = OffscreenHint::ROOMY / 3.0;
const SHORT_REACH: f64 = 92.0;
const MARGIN: f64 = 7.0;

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
        for hint in OffscreenHint::of(row, view) {
            let text = &hint.text(surface.width);
            let width = writer.width(context, text);
            // The scroll bar covers the right edge.
            let x = if hint.is_left() { MARGIN } else { surface.width - MARGIN - width - 8.0 };
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
        let reach = if width < OffscreenHint::ROOMY { SHORT_REACH } else { REACH };
        OffscreenHint::of(row, &self.time.view).find(|hint| match hint {
            OffscreenHint::Ended(_) => x <= reach,
            OffscreenHint::Starts(_) => x >= width - reach,
        })
    }
}
