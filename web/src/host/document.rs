//! Title and address of the document, for a shell that owns the whole document.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use web_sys::Location;

use super::{Step, page};
use crate::events::Listener;
use crate::words;

fn location() -> Option<Location> {
    web_sys::window().map(|window| window.location())
}

/// Sets the document's title.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// Makes the browser ask the user for confirmation before the page is left, until the listener is dropped. Without such a listener,
/// the browser may keep the page in its back/forward cache.
pub fn ask_before_leaving() -> Option<Listener> {
    Listener::new(page::events()?, "beforeunload", |event| {
        event.prevent_default();
        // Chromium before 119 and Safari ask only if a text is set, but show their own text.
        let _ = Reflect::set(&event, &"returnValue".into(), &words::topbar::LEAVE.into());
    })
}

/// The full address of the document.
pub fn address() -> Option<String> {
    location()?.href().ok()
}

/// The texts after `?` and after `#` in the address, both without that sign.
pub fn address_parts() -> (String, String) {
    let part =
        |text: Option<String>, sign: &str| text.unwrap_or_default().trim_start_matches(sign).to_owned();
    let location = location();
    let search = part(location.as_ref().and_then(|location| location.search().ok()), "?");
    let fragment = part(location.as_ref().and_then(|location| location.hash().ok()), "#");
    (search, fragment)
}

/// Writes the text after `#` to the address, as a new step of the history or replacing the current step, with `number`
/// as the step's state.
pub fn set_fragment(fragment: &str, number: u32, step: Step) {
    let Some(window) = web_sys::window() else { return };
    let text = format!("#{fragment}");
    let now = window.location().hash().unwrap_or_default();
    let is_same = now == text || now.is_empty() && text == "#";
    let url = Some(text.as_str()).filter(|_| !is_same);
    let number = JsValue::from(number);
    // Refused in a page without an address (a frame made from text), where links are not offered.
    let _ = window.history().and_then(|history| match step {
        Step::New => history.push_state_with_url(&number, "", url),
        Step::Same => history.replace_state_with_url(&number, "", url),
    });
}

/// Calls `call` after Back, Forward, or a typed address, with the number of the history step if it has one.
pub fn hear_steps(mut call: impl FnMut(Option<u32>) + 'static) -> Option<Listener> {
    Listener::new(page::events()?, "popstate", move |event| {
        let number = Reflect::get(&event, &"state".into()).ok().and_then(|state| state.as_f64());
        call(number.map(|number| number as u32));
    })
}
