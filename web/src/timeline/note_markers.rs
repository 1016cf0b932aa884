//! Markers of the user's notes on the ruler.

use queryscope::protocol::Viewport;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::elements::set_style;
use super::pointer::Zone;
use super::{Axis, Timeline};
use crate::canvas::{CanvasTheme, Surface};
use crate::state::UserNote;

/// Width and height of a marker's flag in CSS pixels.
const FLAG: (f64, f64) = (8.0, 7.0);
/// Distance in CSS pixels within which the pointer is at a marker.
const NEAR: f64 = 5.0;

/// Paints a flag at the start of each note's range or item, and a line along a range.
pub fn paint(surface: &mut Surface, theme: &CanvasTheme, notes: &[UserNote], view: &Viewport) {
    for (start, end) in notes.iter().filter_map(|note| note.target.interval()) {
        let (left, right) = (view.x_from_time(start), view.x_from_time(end));
        if right < -FLAG.0 || left > surface.width {
            continue;
        }
        let line = surface.area(left, surface.height - 4.0, (right - left).max(1.0), 2.0);
        surface.pixels.fill(line, theme.warn, 150);
        let pole = surface.area(left.round(), 0.0, 1.5, surface.height);
        surface.pixels.fill(pole, theme.warn, 255);
        let flag = surface.area(left.round(), 0.0, FLAG.0, FLAG.1);
        surface.pixels.fill(flag, theme.warn, 255);
    }
}

impl Timeline {
    /// The note whose marker is at a position on the ruler, in CSS pixels.
    pub(super) fn note_at(&self, ctx: &Context<Self>, x: f64) -> Option<UserNote> {
        if self.axis(ctx) != Axis::Time {
            return None;
        }
        let distance = |note: &UserNote| {
            let (start, _) = note.target.interval()?;
            Some((self.time.view.x_from_time(start) + FLAG.0 / 2.0 - x).abs()).filter(|far| *far <= NEAR)
        };
        let near = ctx.props().state.nav.notes.iter().filter_map(|note| Some((distance(note)?, note)));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, note)| note.clone())
    }

    /// Shows the text of the note under the pointer as the ruler's tooltip.
    pub(super) fn point_at_note(&self, ctx: &Context<Self>, x: f64) {
        let Some(ruler) = self.elements.element(Zone::Ruler) else { return };
        let note = self.note_at(ctx, x);
        let text = note.as_ref().map_or("", |note| &note.text);
        if ruler.get_attribute("title").as_deref().unwrap_or_default() != text {
            // The attribute's name is valid.
            let _ = ruler.set_attribute("title", text);
        }
        if let Some(ruler) = wasm_bindgen::JsCast::dyn_ref::<HtmlElement>(&ruler) {
            set_style(ruler, "cursor", if note.is_some() { "pointer" } else { "" });
        }
    }
}
