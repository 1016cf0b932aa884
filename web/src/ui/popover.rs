//! Positions of popovers, whose CSS cannot refer to the buttons that open them.

use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::host::page;
use crate::input;

/// Distance between the button and the popover, in CSS pixels.
const GAP: f64 = 5.0;

/// Positions a popover below the button that was clicked, with their right edges aligned: sets `--below` and `--from-right`.
pub fn hang(popover: &NodeRef, event: &MouseEvent) {
    let button = input::origin(event).and_then(|inner| inner.closest("button").ok()?);
    if let Some((popover, button)) = popover.cast::<HtmlElement>().zip(button) {
        hang_below(&popover, &button);
    }
}

/// Positions a popover below an element, with their right edges aligned: sets `--below` and `--from-right`.
pub fn hang_below(popover: &HtmlElement, button: &Element) {
    let place = button.get_bounding_client_rect();
    let right = (page::window_width() - place.right()).max(0.0);
    for (name, value) in [("--below", place.bottom() + GAP), ("--from-right", right)] {
        // Property names and values are valid CSS, so this cannot fail.
        let _ = popover.style().set_property(name, &format!("{value}px"));
    }
}
