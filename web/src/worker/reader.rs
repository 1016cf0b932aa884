//! A thread that does nothing but hand over bytes. A browser passes the bytes of a file on in small pieces, in the thread
//! that asks for them: one that parses meanwhile would let the browser wait, and then wait itself.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Function, Promise};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope as Scope, FileReaderSync, MessageEvent, Worker};

use crate::threads::{self, Role};

/// Reads what it is sent, for as long as it lives: the answer to a part of a file is its bytes, or the exception.
pub fn start(scope: Scope) {
    let answers = scope.clone();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let part: Blob = event.data().unchecked_into();
        let bytes = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(&part));
        let posted = match &bytes {
            Ok(bytes) => answers.post_message_with_transfer(bytes, &Array::of1(bytes)),
            Err(exception) => answers.post_message(exception),
        };
        if let Err(error) = posted {
            web_sys::console::error_1(&error);
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    if let Err(error) = scope.post_message(&JsValue::TRUE) {
        web_sys::console::error_1(&error);
    }
}

/// The reader, as the worker sees it.
pub struct Reader {
    /// `None` where a worker may not start another.
    worker: Option<Worker>,
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    /// Whether it listens: until then, and if it dies, whoever wants bytes asks for them without it.
    listens: Cell<bool>,
    /// Who waits for which answer: they come in the order of the questions.
    waiting: RefCell<VecDeque<(Function, Function)>>,
}

impl Reader {
    /// Starts the thread.
    pub fn spawn() -> Self {
        let state = Rc::<State>::default();
        let worker = threads::spawn(Role::Reader).ok();
        if let Some(worker) = &worker {
            listen(worker, &state);
        }
        Self { worker, state }
    }

    /// The bytes of a part of a file: an `ArrayBuffer`.
    pub fn read(&self, part: &Blob) -> Promise {
        let Some(worker) = self.worker.as_ref().filter(|_| self.state.listens.get()) else {
            return part.array_buffer().unchecked_into();
        };
        if let Err(error) = worker.post_message(part) {
            return Promise::reject(&error);
        }
        Promise::new(&mut |resolve, reject| self.state.waiting.borrow_mut().push_back((resolve, reject)))
    }
}

/// The thread and its listeners live as long as the worker.
fn listen(worker: &Worker, state: &Rc<State>) {
    let of = state.clone();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        if !of.listens.replace(true) {
            return;
        }
        let data = event.data();
        let Some((resolve, reject)) = of.waiting.borrow_mut().pop_front() else { return };
        let way = if data.is_instance_of::<ArrayBuffer>() { resolve } else { reject };
        // Settling a promise cannot fail.
        drop(way.call1(&JsValue::NULL, &data));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let of = state.clone();
    let on_error = Closure::<dyn FnMut(_)>::new(move |error: JsValue| {
        of.listens.set(false);
        for (_, reject) in of.waiting.take() {
            drop(reject.call1(&JsValue::NULL, &error));
        }
    });
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    on_error.forget();
}
