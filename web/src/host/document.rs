//! For a shell to which the whole document belongs: its title and its address.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use web_sys::Location;

use super::page;
use crate::events::Listener;

fn location() -> Option<Location> {
    web_sys::window().map(|window| window.location())
}

/// Names the document.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// Has the browser ask before the page is left, by whatever way, until the listener is dropped. Without one the browser
/// may keep the page as it is, for a way back.
pub fn ask_before_leaving() -> Option<Listener> {
    Listener::new(page::events()?, "beforeunload", |event| {
        event.prevent_default();
        // Chromium before 119 and Safari ask where a text is set, and show their own.
        let _ = Reflect::set(&event, &"returnValue".into(), &"Close the trace?".into());
    })
}

/// The whole address.
pub fn address() -> Option<String> {
    location()?.href().ok()
}

/// What stands after `?` and after `#` in the address, each without that sign.
pub fn address_parts() -> (String, String) {
    let part =
        |text: Option<String>, sign: &str| text.unwrap_or_default().trim_start_matches(sign).to_owned();
    let location = location();
    let search = part(location.as_ref().and_then(|location| location.search().ok()), "?");
    let fragment = part(location.as_ref().and_then(|location| location.hash().ok()), "#");
    (search, fragment)
}

/// Writes what stands after `#` into the address, without a step of the history.
pub fn set_fragment(fragment: &str) {
    let Some(window) = web_sys::window() else { return };
    let text = format!("#{fragment}");
    let now = window.location().hash().unwrap_or_default();
    if now != text && !(now.is_empty() && text == "#") {
        // Refused where a page has no address of its own (a frame made from text): links are none there.
        let _ = window
            .history()
            .and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&text)));
    }
}
