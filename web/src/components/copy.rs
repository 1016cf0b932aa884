//! A button that copies.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::icon::{Icon, icon};
use crate::host::page::{Timer, copy};

/// How long it says so, in milliseconds.
const SAID: i32 = 1_200;

/// What a copy button needs.
#[derive(Properties, PartialEq)]
pub struct CopyProps {
    /// What is copied.
    pub text: AttrValue,
    /// What it is: "Copy SQL".
    pub label: AttrValue,
}

/// A button that copies a text and says so for a moment.
#[component]
pub fn Copy(props: &CopyProps) -> Html {
    let done = use_state(|| false);
    let said = done.setter();
    use_effect_with(*done, move |done| {
        let timer = done.then(|| Timer::start(SAID, move || said.set(false)));
        move || drop(timer)
    });
    let onclick = use_callback((props.text.clone(), done.setter()), |_: MouseEvent, (text, done)| {
        let (text, done) = (text.to_string(), done.clone());
        spawn_local(async move {
            if copy(&text).await {
                done.set(true);
            }
        });
    });
    let label = if *done { AttrValue::from("Copied") } else { props.label.clone() };
    html! {
        <button type="button" class="btn quiet small icon-only" title={label.clone()} aria-label={label} {onclick}>
            { icon(if *done { Icon::Check } else { Icon::Copy }) }
        </button>
    }
}
