//! Listeners for events that Yew does not deliver; a listener ends when it is dropped.

use wasm_bindgen::prelude::*;
use web_sys::{AddEventListenerOptions, Event, EventTarget};

/// An event listener, removed when it is dropped.
pub struct Listener {
    target: EventTarget,
    name: &'static str,
    call: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Adds a listener. It is not passive, so `call` may prevent the browser's default action.
    pub fn new(target: EventTarget, name: &'static str, call: impl FnMut(Event) + 'static) -> Option<Self> {
        let call = Closure::<dyn FnMut(Event)>::new(call);
        let options = AddEventListenerOptions::new();
        options.set_passive(false);
        let function = call.as_ref().unchecked_ref();
        target
            .add_event_listener_with_callback_and_add_event_listener_options(name, function, &options)
            .ok()?;
        Some(Self { target, name, call })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Removal fails only for a listener that does not exist.
        let _ =
            self.target.remove_event_listener_with_callback(self.name, self.call.as_ref().unchecked_ref());
    }
}
