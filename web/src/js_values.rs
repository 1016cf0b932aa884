//! Reads JavaScript values that other programs give: options of a viewer, and errors.

use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};

/// A field of an object; undefined if it is missing.
pub fn value(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or_default()
}

/// A field that is a string; `None` if it is missing or something else.
pub fn text(object: &JsValue, name: &str) -> Option<String> {
    value(object, name).as_string()
}

/// The elements of a field that is an array; empty if it is missing or something else.
pub fn list(object: &JsValue, name: &str) -> Vec<JsValue> {
    let value = value(object, name);
    if Array::is_array(&value) { Array::from(&value).to_vec() } else { Vec::new() }
}

/// The message of an error, or its name if the message is empty; of another value, its description for developers.
pub fn message(error: &JsValue) -> String {
    let Some(error) = error.dyn_ref::<js_sys::Error>() else { return format!("{error:?}") };
    let message = String::from(error.message());
    if message.is_empty() { error.name().into() } else { message }
}
