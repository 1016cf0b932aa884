//! Reports what happens in a viewer to a function of the page.

use std::cell::RefCell;

use js_sys::{Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::client::RecoveryAction;
use crate::host::ViewerEvent;
use crate::js_values::value;
use crate::messages::{Progress, TraceInfo};
use crate::state::Notice;

/// The function of the page to which the events of a viewer are reported, and the state of the views that was last reported.
#[derive(Default)]
pub struct Reporter {
    /// Called with the name of an event and an object with its details.
    listener: Option<Function>,
    fragment: RefCell<String>,
}

impl Reporter {
    /// Takes the function from the option `listener`. Without a function, nothing is reported.
    pub fn of(options: &JsValue) -> Self {
        Self { listener: value(options, "listener").dyn_into().ok(), ..Self::default() }
    }

    /// Stores the state of the views, and reports it if it changed.
    pub fn set_fragment(&self, fragment: &str) {
        if self.fragment.replace(fragment.to_owned()) != fragment {
            self.report(&ViewerEvent::Viewed(fragment));
        }
    }

    /// The state that was last stored.
    pub fn fragment(&self) -> String {
        self.fragment.borrow().clone()
    }

    /// Calls the page's function. An exception of the function is logged to the console and has no other effect.
    pub fn report(&self, event: &ViewerEvent<'_>) {
        if let ViewerEvent::Opening { .. } | ViewerEvent::Closed = event {
            // The state of one trace is never reported for another.
            self.fragment.take();
        }
        let Some(listener) = &self.listener else { return };
        let (name, detail) = described(event);
        if let Err(error) = listener.call2(&JsValue::NULL, &name.into(), &detail) {
            web_sys::console::error_1(&error);
        }
    }
}

/// Name and details of an event.
fn described(event: &ViewerEvent<'_>) -> (&'static str, JsValue) {
    match *event {
        ViewerEvent::Ready => ("ready", object(&[])),
        ViewerEvent::Opening { by_user } => ("opening", object(&[("byUser", by_user.into())])),
        ViewerEvent::Progress(progress) => ("progress", progress_object(progress)),
        ViewerEvent::Loaded(info) => ("loaded", info_object(info)),
        ViewerEvent::Closed => ("closed", object(&[])),
        ViewerEvent::Selected(None) => ("selection", JsValue::NULL),
        ViewerEvent::Selected(Some(((item, start, duration), name))) => (
            "selection",
            object(&[
                ("item", item.into()),
                ("start", start.to_string().into()),
                ("duration", duration.to_string().into()),
                ("name", name.into()),
            ]),
        ),
        ViewerEvent::Viewed(fragment) => ("view", object(&[("state", fragment.into())])),
        ViewerEvent::Failed(notice) => ("error", notice_object(notice)),
        ViewerEvent::Warned(notice) => ("warning", notice_object(notice)),
    }
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A new object takes every field.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

/// Converts a size or count, which is below 2⁵³, to a JavaScript number. Times are decimal strings instead.
fn number(value: u64) -> JsValue {
    (value as f64).into()
}

fn progress_object(progress: &Progress) -> JsValue {
    object(&[
        ("name", progress.name.as_str().into()),
        ("loaded", number(progress.bytes)),
        ("total", progress.total.map_or(JsValue::NULL, number)),
        ("events", number(progress.events)),
        ("phase", if progress.complete { "draw" } else { "read" }.into()),
    ])
}

fn info_object(info: &TraceInfo) -> JsValue {
    object(&[
        ("name", info.name.as_str().into()),
        ("files", info.files.into()),
        ("bytes", number(info.bytes)),
        ("runs", info.runs.into()),
        ("queries", info.queries.into()),
        ("events", number(info.events)),
        ("items", number(info.items)),
        ("problems", info.problems.into()),
        ("end", info.end.to_string().into()),
    ])
}

fn notice_object(notice: &Notice) -> JsValue {
    let code = match notice.recovery {
        Some(RecoveryAction::Part) => "memory",
        Some(RecoveryAction::Again) => "engine",
        Some(RecoveryAction::Report) | None => "read",
    };
    object(&[
        ("code", code.into()),
        ("title", notice.title.as_str().into()),
        ("text", notice.text.as_str().into()),
    ])
}
