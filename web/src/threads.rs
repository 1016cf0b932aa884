//! The threads of the page: all run this one program, each in its role.

use js_sys::Array;
use wasm_bindgen::prelude::*;

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

/// A module worker that imports our own (hashed) glue and takes the compiled module: nothing is fetched or compiled twice.
/// A blob, since a sandboxed frame may not start a worker from an address.
///
/// # Errors
/// Where the browser refuses to (a sandbox without scripts, no memory).
pub fn spawn(role: Role) -> Result<web_sys::Worker, JsValue> {
    let glue = js_sys::JSON::stringify(&IMPORT_META.with(ImportMeta::url).into())?;
    let source = format!(
        "import init from {glue}; onmessage = event => {{ onmessage = null; init({{ module_or_path: event.data }}); }};"
    );
    let bag = web_sys::BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&Array::of1(&source.into()), &bag)?;
    let options = web_sys::WorkerOptions::new();
    options.set_type(web_sys::WorkerType::Module);
    options.set_name(role.name());
    let worker =
        web_sys::Worker::new_with_options(&web_sys::Url::create_object_url_with_blob(&blob)?, &options)?;
    worker.post_message(&wasm_bindgen::module())?;
    Ok(worker)
}
