//! The engine's thread, beside the page's own.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, Url, Worker, WorkerOptions, WorkerType};

/// The engine, in a worker: a program of its own, which is fetched when something is to be read. Where it stands, the
/// script that started the page tells.
///
/// # Errors
/// Where the browser refuses to (a sandbox without scripts, no memory).
pub fn start_engine() -> Result<Worker, JsValue> {
    let script = engine_address().ok_or("the page does not say where its engine is")?;
    let (glue, wasm) = (literal(&format!("{script}.js"))?, literal(&format!("{script}_bg.wasm"))?);
    // What a promise throws reaches nobody: thrown again outside, it is the worker's error.
    start(&format!(
        "import init from {glue}; init({{ module_or_path: {wasm} }}).catch(error => setTimeout(() => {{ throw error; }}));"
    ))
}

/// A module worker. From a blob, since a sandboxed frame may not start one from an address.
fn start(source: &str) -> Result<Worker, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&source.into()), &bag)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name("engine");
    Worker::new_with_options(&Url::create_object_url_with_blob(&blob)?, &options)
}

/// Where the engine is, but for its endings.
fn engine_address() -> Option<String> {
    let document = web_sys::window()?.document()?;
    let script = document.query_selector("script[data-engine]").ok()??;
    let base = document.base_uri().ok()??;
    let url = Url::new_with_base(&script.get_attribute("data-engine")?, &base).ok()?;
    Some(url.href())
}

/// A text as a literal of JavaScript.
fn literal(text: &str) -> Result<String, JsValue> {
    Ok(js_sys::JSON::stringify(&text.into())?.into())
}
