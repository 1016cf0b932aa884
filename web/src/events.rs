//! Listeners for what Yew does not deliver: they end when they are dropped.

use wasm_bindgen::prelude::*;
use web_sys::{AddEventListenerOptions, Event, EventTarget};

/// A listener; dropping it ends it.
pub struct Listener {
    target: EventTarget,
    name: &'static str,
    call: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Listens. Not passive: the call may prevent what the browser would do.
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
        // It fails only for a listener that is not there.
        let _ =
            self.target.remove_event_listener_with_callback(self.name, self.call.as_ref().unchecked_ref());
    }
}
