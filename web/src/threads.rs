//! The threads of the page: its own, the engine's, and one that reads for the engine.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, Url, Worker, WorkerOptions, WorkerType};

/// What a thread beside the page's own is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Holds the session.
    Engine,
    /// Hands the bytes of files to the engine.
    Reader,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Role::Engine => "engine",
            Role::Reader => "reader",
        }
    }

    /// The role of a worker that was spawned under this name.
    pub fn named(name: &str) -> Self {
        if name == Role::Reader.name() { Role::Reader } else { Role::Engine }
    }
}

#[wasm_bindgen]
extern "C" {
    type ImportMeta;
    #[wasm_bindgen(method, getter)]
    fn url(this: &ImportMeta) -> String;
    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static IMPORT_META: ImportMeta;
}

/// The engine, in a worker: a program of its own, which is fetched when something is to be read. Where it stands, the
/// script that started the page tells.
///
/// # Errors
/// Where the browser refuses to (a sandbox without scripts, no memory).
pub fn start_engine() -> Result<Worker, JsValue> {
    let script = engine_address().ok_or("the page does not say where its engine is")?;
    let (glue, wasm) = (literal(&format!("{script}.js"))?, literal(&format!("{script}_bg.wasm"))?);
    // What a promise throws reaches nobody: thrown again outside, it is the worker's error.
    start(
        Role::Engine,
        &format!(
            "import init from {glue}; init({{ module_or_path: {wasm} }}).catch(error => setTimeout(() => {{ throw error; }}));"
        ),
    )
}

/// A thread that runs this program once more, in another role. It takes the compiled module: nothing is fetched or compiled
/// twice.
///
/// # Errors
/// Where the browser refuses to.
pub fn start_beside(role: Role) -> Result<Worker, JsValue> {
    let glue = literal(&IMPORT_META.with(ImportMeta::url))?;
    let worker = start(
        role,
        &format!(
            "import init from {glue}; onmessage = event => {{ onmessage = null; init({{ module_or_path: event.data }}); }};"
        ),
    )?;
    worker.post_message(&wasm_bindgen::module())?;
    Ok(worker)
}

/// A thread that has ended: what is transferred to it is nobody's any more.
///
/// # Errors
/// Where the browser refuses to start one.
pub fn ended() -> Result<Worker, JsValue> {
    let worker = start(Role::Reader, "")?;
    worker.terminate();
    Ok(worker)
}

/// A module worker. From a blob, since a sandboxed frame may not start one from an address.
fn start(role: Role, source: &str) -> Result<Worker, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&source.into()), &bag)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(role.name());
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
