//! A thread that does nothing but hand over bytes. A browser passes the bytes of a file on in small pieces, in the thread
//! that asks for them: one that parses meanwhile would let the browser wait, and then wait itself.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Function, Promise};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope as Scope, File, FileReaderSync, MessageEvent, Worker};

use crate::threads::{self, Role};

/// Reads what it is told, for as long as it lives. A message is a file, or where a part of the last one begins and ends;
/// the answer to that is its bytes, or the exception.
pub fn start(scope: Scope) {
    let (answers, file) = (scope.clone(), RefCell::new(None));
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let bytes = match event.data().dyn_into::<Blob>() {
            Ok(next) => return drop(file.replace(Some(next))),
            Err(part) => read(file.borrow().as_ref(), &part.unchecked_into()),
        };
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

fn read(file: Option<&Blob>, part: &Array) -> Result<ArrayBuffer, JsValue> {
    let file = file.ok_or("no file to read")?;
    let (start, end) = (part.get(0).as_f64(), part.get(1).as_f64());
    let part = file.slice_with_f64_and_f64(start.unwrap_or(0.0), end.unwrap_or(0.0))?;
    FileReaderSync::new()?.read_as_array_buffer(&part)
}

/// The reader, as the worker sees it.
pub struct Reader {
    /// `None` where a worker may not start another.
    worker: Option<Worker>,
    /// Where bytes go that were read.
    drain: Option<Worker>,
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    /// Whether it listens: until then, and if it dies, whoever wants bytes asks for them without it.
    listens: Cell<bool>,
    /// Who waits for which answer: they come in the order of the questions.
    waiting: RefCell<VecDeque<(Function, Function)>>,
    /// The file that it has: to hand one over takes longer than to read a small one.
    file: RefCell<Option<File>>,
}

impl Reader {
    /// Starts the thread.
    pub fn spawn() -> Self {
        let state = Rc::<State>::default();
        let worker = threads::start_beside(Role::Reader).ok();
        if let Some(worker) = &worker {
            listen(worker, &state);
        }
        Self { worker, drain: threads::ended().ok(), state }
    }

    /// The bytes of a part of a file: an `ArrayBuffer`.
    pub fn read(&self, file: &File, start: f64, end: f64) -> Promise {
        if end - start >= file.size() {
            return file.array_buffer().unchecked_into();
        }
        match self.ask(file, start, end) {
            Ok(Some(answer)) => answer,
            // `slice` only names a part: it fails when it is read.
            Ok(None) => match file.slice_with_f64_and_f64(start, end) {
                Ok(part) => part.array_buffer().unchecked_into(),
                Err(error) => Promise::reject(&error),
            },
            Err(error) => Promise::reject(&error),
        }
    }

    /// Gives the memory of bytes back at once. Browsers collect buffers only when there are many: all bytes of a file of
    /// 145 MB stayed until its end, more than the trace that was made of them. A transferred buffer is let go, and a thread
    /// that has ended keeps nothing.
    pub fn give_back(&self, bytes: &ArrayBuffer) {
        if let Some(drain) = &self.drain {
            // Whoever cannot be rid of them at once has to wait for the collector.
            drop(drain.post_message_with_transfer(bytes, &Array::of1(bytes)));
        }
    }

    /// `None` while nobody listens.
    fn ask(&self, file: &File, start: f64, end: f64) -> Result<Option<Promise>, JsValue> {
        let Some(worker) = self.worker.as_ref().filter(|_| self.state.listens.get()) else { return Ok(None) };
        if self.state.file.borrow().as_ref() != Some(file) {
            worker.post_message(file)?;
            self.state.file.replace(Some(file.clone()));
        }
        worker.post_message(&Array::of2(&start.into(), &end.into()))?;
        let wait = &mut |resolve, reject| self.state.waiting.borrow_mut().push_back((resolve, reject));
        Ok(Some(Promise::new(wait)))
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
