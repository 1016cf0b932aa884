//! Starts the engine in its own thread, a web worker.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{
    Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Url, Worker, WorkerOptions, WorkerType,
};

/// Where a worker's program comes from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineProgram {
    /// Address of the engine's script and module, without `.js` and `_bg.wasm`. With a compiled module, the text of a classic
    /// script that expects the module as its first message.
    pub script: String,
    /// The compiled module, for a page that can fetch no file; undefined if the script has an address.
    pub module: JsValue,
}

impl EngineProgram {
    /// Whether script and module are at hand and nothing is fetched.
    pub fn is_inline(&self) -> bool {
        !self.module.is_undefined()
    }

    /// The text of the worker's script.
    fn source(&self) -> Result<String, JsValue> {
        let address = &self.script;
        if self.is_inline() {
            return Ok(address.clone());
        }
        let (glue, wasm) = (literal(&format!("{address}.js"))?, literal(&format!("{address}_bg.wasm"))?);
        // A rejected promise has no handler: throwing its error again outside of the promise reports it as the worker's error.
        Ok(format!(
            "import init from {glue}; init({{ module_or_path: {wasm} }}).catch(error => setTimeout(() => {{ throw error; }}));"
        ))
    }
}

/// A running worker; dropping this ends the worker and removes its listeners.
pub struct Engine {
    worker: Worker,
    /// Address of the script that the worker was started with.
    script: String,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Engine {
    /// Starts a worker that runs `program`. `hear` is called with every message and `fail` with every error, until the engine
    /// is dropped.
    ///
    /// # Errors
    /// If the browser refuses to start a worker (a sandbox without scripts, no memory).
    pub fn start(
        program: &EngineProgram,
        mut hear: impl FnMut(JsValue) + 'static,
        mut fail: impl FnMut(String) + 'static,
    ) -> Result<Self, JsValue> {
        let script = script(&program.source()?)?;
        let worker = Worker::new_with_options(&script, &options(program.is_inline()))
            .inspect_err(|_| revoke(&script))?;
        if program.is_inline() {
            worker.post_message(&program.module)?;
        }
        let on_message =
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(event.data()));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            fail(event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default());
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, script, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a message to the worker.
    ///
    /// # Errors
    /// If the message cannot be copied.
    pub fn post(&self, message: &JsValue) -> Result<(), JsValue> {
        self.worker.post_message(message)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        revoke(&self.script);
    }
}

/// Creates a blob URL for a script: a sandboxed frame may not start a worker from an address of the site.
fn script(source: &str) -> Result<String, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&source.into()), &bag)?;
    Url::create_object_url_with_blob(&blob)
}

/// A page from `file://` can start classic workers only.
fn options(is_classic: bool) -> WorkerOptions {
    let options = WorkerOptions::new();
    options.set_type(if is_classic { WorkerType::Classic } else { WorkerType::Module });
    options.set_name("engine");
    options
}

fn revoke(script: &str) {
    // A URL that cannot be revoked no longer exists.
    let _ = Url::revoke_object_url(script);
}

/// Formats a text as a JavaScript string literal.
fn literal(text: &str) -> Result<String, JsValue> {
    Ok(js_sys::JSON::stringify(&text.into())?.into())
}
