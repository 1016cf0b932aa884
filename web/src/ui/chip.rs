//! A chip: a short fact or choice in a frame. A button may remove it; one of a list may be moved by keys and pointer.

use yew::prelude::*;

use crate::components::icon::{Icon, icon};

/// What is done with a chip that can be moved or written anew.
#[derive(Clone, PartialEq)]
pub struct ChipHandle {
    /// A key on it.
    pub onkeydown: Callback<KeyboardEvent>,
    /// A drag begins.
    pub ondragstart: Callback<DragEvent>,
    /// A drag ended, wherever that was.
    pub ondragend: Callback<DragEvent>,
    /// A double click.
    pub ondblclick: Callback<MouseEvent>,
}

/// What a chip needs.
#[derive(Properties, PartialEq)]
pub struct ChipProps {
    /// Its tooltip.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Further classes of the style sheet.
    #[prop_or_default]
    pub class: Classes,
    /// Whether it says that something is chosen.
    #[prop_or_default]
    pub on: bool,
    /// Whether it is one of a list.
    #[prop_or_default]
    pub is_listed: bool,
    /// What its button is called, and what a click on it does; no button without that.
    #[prop_or_default]
    pub remove: Option<(AttrValue, Callback<MouseEvent>)>,
    /// What is done with it; nothing without that, and the button takes the focus instead.
    #[prop_or_default]
    pub handle: Option<ChipHandle>,
    /// What it says.
    pub children: Children,
}

/// A chip.
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

/// A button of a chip; where keys on the chip do the same, Tab passes it.
pub fn chip_button(sign: Html, label: &AttrValue, is_passed: bool, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <button type="button" class="chip-button" tabindex={is_passed.then_some("-1")} aria-label={label.clone()} title={label.clone()} {onclick}>{ sign }</button>
    }
}
