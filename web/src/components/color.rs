//! Colour slots, and their custom properties in the style sheets.

use queryscope::protocol::slot;

use queryscope::internal::view::SLOT_NAMES;

/// Returns the CSS colour of a slot, for a `style` attribute.
pub fn css(color: u16) -> String {
    match SLOT_NAMES.get(usize::from(color)) {
        Some(name) => format!("var(--{name})"),
        None => format!("var(--category-{})", (color - slot::CATEGORY) % slot::CATEGORIES),
    }
}

/// A small patch in the colour of a slot. Buffer events get a round patch, as in the canvases.
pub fn swatch(color: u16) -> yew::Html {
    let round = color == queryscope::trace::Kind::Buffer as u16;
    let class = yew::classes!("swatch", round.then_some("dot"));
    yew::html! { <i {class} style={format!("background:{}", css(color))} aria-hidden="true" /> }
}
