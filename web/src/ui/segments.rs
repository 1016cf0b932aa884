//! Groups of adjacent buttons, each of them on or off.

use yew::prelude::*;

/// A group of buttons made by [`segment`].
pub fn segments(label: &'static str, buttons: impl Iterator<Item = Html>) -> Html {
    html! { <span class="segments" role="group" aria-label={label}>{ for buttons }</span> }
}

/// A button of a group, with a tooltip if its name needs one.
pub fn segment(
    name: impl Into<AttrValue>,
    title: Option<&'static str>,
    is_on: bool,
    onclick: Callback<MouseEvent>,
) -> Html {
    button(name.into(), title, is_on, onclick)
}

#[inline(never)]
fn button(name: AttrValue, title: Option<&'static str>, is_on: bool, onclick: Callback<MouseEvent>) -> Html {
    html! { <button type="button" data-label={name.clone()} {title} aria-pressed={is_on.to_string()} {onclick}>{ name }</button> }
}
