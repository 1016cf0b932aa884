//! A chip: a short fact or choice in a frame. A button may remove a chip; keys and drag and drop may move a chip in a list.

use yew::prelude::*;

use crate::components::icon::{Icon, icon};

/// Event handlers of a chip that can be moved or edited.
#[derive(Clone, PartialEq)]
pub struct ChipHandle {
    /// A key was pressed while the chip had the focus.
    pub onkeydown: Callback<KeyboardEvent>,
    /// A drag of the chip began.
    pub ondragstart: Callback<DragEvent>,
    /// A drag of the chip ended, with or without a drop.
    pub ondragend: Callback<DragEvent>,
    /// The chip was double-clicked.
    pub ondblclick: Callback<MouseEvent>,
}

/// Properties of a [`Chip`].
#[derive(Properties, PartialEq)]
pub struct ChipProps {
    /// Tooltip of the chip.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Additional CSS classes.
    #[prop_or_default]
    pub class: Classes,
    /// Whether the chip is shown as selected.
    #[prop_or_default]
    pub on: bool,
    /// Whether the chip is an item of a list.
    #[prop_or_default]
    pub is_listed: bool,
    /// Label of the button that removes the chip, and its click handler. `None` for a chip without such a button.
    #[prop_or_default]
    pub remove: Option<(AttrValue, Callback<MouseEvent>)>,
    /// Event handlers that make the chip itself focusable. `None` if only its button takes the focus.
    #[prop_or_default]
    pub handle: Option<ChipHandle>,
    /// Content of the chip.
    pub children: Children,
}

/// A short fact or choice in a frame, with an optional button that removes it.
#[component]
pub fn Chip(props: &ChipProps) -> Html {
    let class = classes!(
        if props.is_listed { "chip-step" } else { "chip" },
        props.on.then_some("on"),
        props.class.clone()
    );
    let (handle, is_handled) = (props.handle.as_ref(), props.handle.is_some());
    html! {
        <div {class} title={props.title.clone()} role={props.is_listed.then_some("listitem")}
            tabindex={is_handled.then_some("0")} draggable={is_handled.then_some("true")}
            onkeydown={handle.map(|of| of.onkeydown.clone())} ondragstart={handle.map(|of| of.ondragstart.clone())}
            ondragend={handle.map(|of| of.ondragend.clone())} ondblclick={handle.map(|of| of.ondblclick.clone())}>
            { for props.children.iter() }
            if let Some((label, onclick)) = &props.remove {
                { chip_button(icon(Icon::Close), label, is_handled, onclick.clone()) }
            }
        </div>
    }
}

/// A button in a chip. `is_passed` takes the button out of the Tab order, for actions that keys on the chip also offer.
pub fn chip_button(sign: Html, label: &AttrValue, is_passed: bool, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <button type="button" class="chip-button" tabindex={is_passed.then_some("-1")} aria-label={label.clone()} title={label.clone()} {onclick}>{ sign }</button>
    }
}
