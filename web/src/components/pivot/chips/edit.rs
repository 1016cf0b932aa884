//! The field in which a chip is written by hand: any projections, one after the other, and percentiles of any kind.

use std::cell::Cell;

use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What the field needs.
#[derive(Properties, PartialEq)]
pub struct EditProps {
    /// What it begins with.
    pub value: String,
    /// What it is called.
    pub label: String,
    /// The id of the list of what may be meant.
    pub list: String,
    /// What was written, or nothing.
    pub ondone: Callback<Option<String>>,
}

/// The field.
#[component]
pub fn Edit(props: &EditProps) -> Html {
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with((), move |()| {
            if let Some(field) = field.cast::<HtmlInputElement>() {
                // An element that is there can take the focus.
                let _ = field.focus();
                field.select();
            }
        });
    }
    // A field that is taken away loses the focus as well: it answers once.
    let is_done = use_memo((), |()| Cell::new(false));
    let done = {
        let (ondone, is_done) = (props.ondone.clone(), is_done.clone());
        Callback::from(move |text: Option<String>| {
            if !is_done.replace(true) {
                ondone.emit(text);
            }
        })
    };
    let written = {
        let field = field.clone();
        move || field.cast::<HtmlInputElement>().map(|field| field.value())
    };
    let onblur = {
        let (done, written) = (done.clone(), written.clone());
        move |_: FocusEvent| done.emit(written())
    };
    let onkeydown = move |event: KeyboardEvent| {
        // The views have keys of their own: typing is not for them.
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => done.emit(written()),
            "Escape" => done.emit(None),
            _ => {}
        }
    };
    let size = props.value.chars().count().clamp(10, 40).to_string();
    html! {
        <input class="chip-edit" ref={field} value={props.value.clone()} aria-label={props.label.clone()} list={props.list.clone()}
            {size} autocomplete="off" spellcheck="false" {onblur} {onkeydown} />
    }
}
