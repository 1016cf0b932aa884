//! Starts the engine in its own thread, a web worker.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Url, Worker, WorkerOptions, WorkerType,
};

/// Files of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineFiles {
    /// Address of the script.
    pub script: String,
    /// The program.
    pub program: EngineProgram,
}

/// Where the engine's program comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineProgram {
    /// An address, from which each worker fetches and compiles it.
    Address(String),
    /// A function that returns a promise of the compiled module, which all workers of the page then share: five workers start
    /// in half of the time in Chromium, in a fifth of it in Firefox.
    Module(Function),
}

impl Default for EngineProgram {
    fn default() -> Self {
        Self::Address(String::new())
    }
}

impl EngineFiles {
    /// The files at an address that is given without `.js` and `_bg.wasm`.
    pub fn at(address: &str) -> Self {
        let program = EngineProgram::Address(format!("{address}_bg.wasm"));
        Self { script: format!("{address}.js"), program }
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
    /// Starts a worker with a WebAssembly instance of its own. `hear` is called with every message and `fail` with every error, until the engine is dropped.
    ///
    /// # Errors
    /// If the browser refuses to start a worker (a sandbox without scripts, no memory).
    pub fn start(
        files: &EngineFiles,
        mut hear: impl FnMut(JsValue) + 'static,
        mut fail: impl FnMut(String) + 'static,
    ) -> Result<Self, JsValue> {
        // A rejected promise has no handler: throwing its error again outside of the promise reports it as the worker's error.
        let start =
            "program => init({ module_or_path: program }).catch(error => setTimeout(() => { throw error; }))";
        let program = match &files.program {
            EngineProgram::Address(address) => format!("start({});", literal(address)?),
            EngineProgram::Module(_) => {
                "onmessage = ({ data }) => { onmessage = null; start(data); };".to_owned()
            }
        };
        let glue = literal(&files.script)?;
        let script = script(&format!("import init from {glue}; const start = {start}; {program}"))?;
        let worker = Worker::new_with_options(&script, &options()).inspect_err(|_| revoke(&script))?;
        let on_message =
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(event.data()));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            fail(event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default());
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        if let EngineProgram::Module(compile) = &files.program {
            give_module(&worker, compile)?;
        }
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

/// Sends the worker the compiled module once it is there. A worker is told of a failure by the error, which is no module.
fn give_module(worker: &Worker, compile: &Function) -> Result<(), JsValue> {
    let module: Promise = compile.call0(&JsValue::NULL)?.dyn_into()?;
    let worker = worker.clone();
    spawn_local(async move {
        let given = match JsFuture::from(module).await {
            Ok(module) => worker.post_message(&module),
            Err(error) => worker.post_message(&String::from(js_sys::Object::from(error).to_string()).into()),
        };
        // A worker that was ended needs nothing.
        drop(given);
    });
    Ok(())
}

/// Creates a blob URL for a script: a sandboxed frame may not start a worker from an address of the site.
fn script(source: &str) -> Result<String, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&source.into()), &bag)?;
    Url::create_object_url_with_blob(&blob)
}

fn options() -> WorkerOptions {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
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
