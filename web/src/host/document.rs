//! For a shell to which the whole document belongs: its title and its address.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use web_sys::Location;

use super::{Step, page};
use crate::events::Listener;
use crate::words;

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
        let _ = Reflect::set(&event, &"returnValue".into(), &words::topbar::LEAVE.into());
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

/// Writes what stands after `#` into the address, as a new step of the history or into the one that is there, under a
/// number.
pub fn set_fragment(fragment: &str, number: u32, step: Step) {
    let Some(window) = web_sys::window() else { return };
    let text = format!("#{fragment}");
    let now = window.location().hash().unwrap_or_default();
    let is_same = now == text || now.is_empty() && text == "#";
    let url = Some(text.as_str()).filter(|_| !is_same);
    let number = JsValue::from(number);
    // Refused where a page has no address of its own (a frame made from text): links are none there.
    let _ = window.history().and_then(|history| match step {
        Step::New => history.push_state_with_url(&number, "", url),
        Step::Same => history.replace_state_with_url(&number, "", url),
    });
}

/// Hears of Back, Forward, and of an address that somebody typed, with the number of the step if it has one.
pub fn hear_steps(mut call: impl FnMut(Option<u32>) + 'static) -> Option<Listener> {
    Listener::new(page::events()?, "popstate", move |event| {
        let number = Reflect::get(&event, &"state".into()).ok().and_then(|state| state.as_f64());
        call(number.map(|number| number as u32));
    })
}
