//! Starts the engine, or another program, in its own thread, a web worker.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use js_sys::{Array, Promise, Reflect, WebAssembly};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Response, Url, Worker, WorkerOptions};

use crate::host::page;
use crate::js_values::{message, text, value};
use crate::words;

/// The engine's program: the text of a classic script for a worker, and the compiled module that this script expects as its
/// first message.
///
/// The page fetches both, not the worker: a worker of a page in a sandbox or from `file://` can fetch nothing, and in Firefox, a
/// module that a worker requests does not come from the service worker. The content security policy of the page also applies in the
/// worker, because the script becomes a blob URL.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineProgram {
    /// The addresses of the script and of the module. All viewers of a page share what was fetched and compiled once.
    Addresses(String, String),
    /// The program itself, an object with `script` and `module`.
    Loaded(JsValue),
}

impl Default for EngineProgram {
    fn default() -> Self {
        Self::Addresses(String::new(), String::new())
    }
}

thread_local! {
    /// Promises of programs by the address of their module. Each resolves to an object with `script` and `module`.
    static LOADED: RefCell<HashMap<String, Promise>> = RefCell::default();
}

impl EngineProgram {
    /// The script's text and the compiled module.
    async fn load(&self) -> Result<(String, JsValue), JsValue> {
        let program = match self {
            Self::Loaded(program) => program.clone(),
            Self::Addresses(script, module) => {
                let load = || future_to_promise(fetched(script.clone(), module.clone()));
                let promise =
                    LOADED.with_borrow_mut(|known| known.entry(module.clone()).or_insert_with(load).clone());
                let program = JsFuture::from(promise).await;
                // A failure is not remembered: the network may be back at the next attempt.
                program.inspect_err(|_| drop(LOADED.with_borrow_mut(|known| known.remove(module))))?
            }
        };
        Ok((text(&program, "script").unwrap_or_default(), value(&program, "module")))
    }
}

/// Fetches the script and compiles the module; both arrive at the same time.
async fn fetched(script: String, module: String) -> Result<JsValue, JsValue> {
    let script = page::fetch(&script)?;
    let module = page::fetch(&module)?;
    let script: Response = JsFuture::from(script).await?.unchecked_into();
    let module: Response = JsFuture::from(module).await?.unchecked_into();
    if let Some(failed) = [&script, &module].into_iter().find(|response| !response.ok()) {
        return Err(js_sys::Error::new(&words::reading::answered(failed.status(), &failed.url())).into());
    }
    let is_named = module.headers().get("content-type")?.as_deref() == Some("application/wasm");
    // A host that gives the file another type allows no compilation while it arrives.
    let module = match is_named {
        true => WebAssembly::compile_streaming(Promise::resolve(&module).unchecked_ref()),
        false => WebAssembly::compile(&JsFuture::from(module.array_buffer()?).await?),
    };
    let program = js_sys::Object::new();
    Reflect::set(&program, &"script".into(), &JsFuture::from(script.text()?).await?)?;
    Reflect::set(&program, &"module".into(), &JsFuture::from(module).await?)?;
    Ok(program.into())
}

/// A worker that is being started or runs; dropping this ends it.
pub struct Engine {
    running: Rc<RefCell<Option<RunningWorker>>>,
}

impl Engine {
    /// Starts a worker of this name that runs `program`. `hear` is called with every message and `fail` with the reason of every failure, until
    /// the engine is dropped.
    pub fn start(
        program: EngineProgram,
        name: &'static str,
        hear: impl FnMut(JsValue) + 'static,
        mut fail: impl FnMut(String) + 'static,
    ) -> Self {
        let running: Rc<RefCell<Option<RunningWorker>>> = Rc::default();
        let engine = Rc::downgrade(&running);
        spawn_local(async move {
            let loaded = program.load().await;
            // The engine may have been dropped meanwhile.
            let Some(running) = Weak::upgrade(&engine) else { return };
            match loaded.and_then(|(script, module)| StartedWorker::start(&script, &module, name)) {
                Ok(started) => drop(running.replace(Some(started.listen(hear, fail)))),
                Err(error) => fail(words::engine::not_started(&message(&error))),
            }
        });
        Self { running }
    }

    /// Sends a message to the worker, which must have sent one itself before.
    ///
    /// # Errors
    /// If the message cannot be copied.
    pub fn post(&self, message: &JsValue) -> Result<(), JsValue> {
        match &*self.running.borrow() {
            Some(running) => running.started.worker.post_message(message),
            None => Ok(()),
        }
    }
}

/// A worker without listeners.
struct StartedWorker {
    worker: Worker,
    /// Address of the script that the worker was started with.
    address: String,
}

impl StartedWorker {
    fn start(script: &str, module: &JsValue, name: &str) -> Result<Self, JsValue> {
        let bag = BlobPropertyBag::new();
        bag.set_type("text/javascript");
        let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&script.into()), &bag)?;
        let address = Url::create_object_url_with_blob(&blob)?;
        let options = WorkerOptions::new();
        options.set_name(name);
        let worker = Worker::new_with_options(&address, &options).inspect_err(|_| revoke(&address))?;
        let started = Self { worker, address };
        started.worker.post_message(module)?;
        Ok(started)
    }

    fn listen(
        self,
        mut hear: impl FnMut(JsValue) + 'static,
        mut fail: impl FnMut(String) + 'static,
    ) -> RunningWorker {
        let on_message =
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(event.data()));
        self.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            fail(event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default());
        });
        self.worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        RunningWorker { started: self, _on_message: on_message, _on_error: on_error }
    }
}

impl Drop for StartedWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        revoke(&self.address);
    }
}

/// A worker with its listeners.
struct RunningWorker {
    started: StartedWorker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

fn revoke(address: &str) {
    // A URL that cannot be revoked no longer exists.
    let _ = Url::revoke_object_url(address);
}
