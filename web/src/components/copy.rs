//! Copying to the clipboard.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use super::icon::{Icon, icon};

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
    let onclick = use_callback((props.text.clone(), done.setter()), |_: MouseEvent, (text, done)| {
        let (text, done) = (text.to_string(), done.clone());
        spawn_local(async move {
            if copy(&text).await {
                done.set(true);
                later(1_200, move || done.set(false));
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

/// Copies; `false` where the browser refuses (no permission, no secure context).
pub async fn copy(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let navigator = window.navigator();
    // Outside a secure context there is no clipboard, whatever the interface promises.
    let has = js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|found| !found.is_undefined());
    has && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Calls `then` after a while.
pub fn later(milliseconds: i32, then: impl FnOnce() + 'static) {
    let callback = Closure::once_into_js(then);
    if let Some(window) = web_sys::window() {
        // A timer that cannot be set is one that never fires: nothing else depends on it.
        let _ = window
            .set_timeout_with_callback_and_timeout_and_arguments_0(callback.unchecked_ref(), milliseconds);
    }
}
