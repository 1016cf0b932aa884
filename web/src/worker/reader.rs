//! A thread that does nothing but hand over bytes. A browser passes the bytes of a file on in small pieces, in the thread
//! that asks for them: one that parses meanwhile would let the browser wait, and then wait itself.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Function, Promise};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope as Scope, Event, File, FileReaderSync, MessageEvent, Worker};

use crate::threads::{self, Role};

/// Reads what it is told, for as long as it lives. A message is a file, or where a part of the last one begins and ends;
/// the answer to that is its bytes, or the exception. Bytes that come back are done with.
pub fn start(scope: Scope) {
    let (answers, file) = (scope.clone(), RefCell::new(None));
    let drain = threads::ended().ok();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let data = match event.data().dyn_into::<ArrayBuffer>() {
            Ok(done) => return hand_over(drain.as_ref(), &done),
            Err(data) => data,
        };
        let bytes = match data.dyn_into::<Blob>() {
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

/// Transfers bytes: the thread has them no more.
fn hand_over(to: Option<&Worker>, bytes: &ArrayBuffer) {
    if let Some(to) = to {
        // Whoever cannot be rid of them at once has to wait for the collector.
        drop(to.post_message_with_transfer(bytes, &Array::of1(bytes)));
    }
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
    stage: Cell<Stage>,
    /// Who waits for which answer: they come in the order of the questions.
    waiting: RefCell<VecDeque<Question>>,
    /// Answers that are on their way and that nobody waits for any more.
    late: Cell<usize>,
    /// The file that it has: to hand one over takes longer than to read a small one.
    file: RefCell<Option<File>>,
}

/// Whether the thread listens: until it does, and once it is gone, whoever wants bytes asks for them without it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Starts,
    Listens,
    Gone,
}

/// A part of a file that is waited for.
struct Question {
    file: File,
    part: (f64, f64),
    resolve: Function,
    reject: Function,
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
            Ok(None) => without_thread(file, start, end),
            Err(error) => Promise::reject(&error),
        }
    }

    /// Whoever waits learns that nothing comes: reading was stopped.
    pub fn stop(&self) {
        let waiting = self.state.waiting.take();
        self.state.late.set(self.state.late.get() + waiting.len());
        for question in waiting {
            drop(question.reject.call0(&JsValue::NULL));
        }
    }

    /// Gives the memory of bytes back at once. Browsers collect buffers only when there are many: all bytes of a file of
    /// 145 MB stayed until its end, more than the trace that was made of them. A transferred buffer is let go, and a thread
    /// that has ended keeps nothing. That takes a while, and the reader has time.
    pub fn give_back(&self, bytes: &ArrayBuffer) {
        hand_over(self.listener().or(self.drain.as_ref()), bytes);
    }

    /// The thread, where it listens.
    fn listener(&self) -> Option<&Worker> {
        self.worker.as_ref().filter(|_| self.state.stage.get() == Stage::Listens)
    }

    /// `None` while nobody listens.
    fn ask(&self, file: &File, start: f64, end: f64) -> Result<Option<Promise>, JsValue> {
        let Some(worker) = self.listener() else { return Ok(None) };
        if self.state.file.borrow().as_ref() != Some(file) {
            worker.post_message(file)?;
            self.state.file.replace(Some(file.clone()));
        }
        worker.post_message(&Array::of2(&start.into(), &end.into()))?;
        let wait = &mut |resolve, reject| {
            let question = Question { file: file.clone(), part: (start, end), resolve, reject };
            self.state.waiting.borrow_mut().push_back(question);
        };
        Ok(Some(Promise::new(wait)))
    }
}

/// The bytes of a part of a file, handed over by the browser to this thread.
fn without_thread(file: &File, start: f64, end: f64) -> Promise {
    // `slice` only names a part: it fails when it is read.
    match file.slice_with_f64_and_f64(start, end) {
        Ok(part) => part.array_buffer().unchecked_into(),
        Err(error) => Promise::reject(&error),
    }
}

/// The thread and its listeners live as long as the worker.
fn listen(worker: &Worker, state: &Rc<State>) {
    let of = state.clone();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| of.hear(&event.data()));
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let of = state.clone();
    let on_error = Closure::<dyn FnMut(_)>::new(move |event: Event| {
        // Nothing is lost with it, and nobody else need hear of it.
        event.prevent_default();
        of.is_gone();
    });
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    on_error.forget();
}

impl State {
    /// The thread says something: first that it listens, then answers.
    fn hear(&self, data: &JsValue) {
        match self.stage.get() {
            Stage::Starts => return self.stage.set(Stage::Listens),
            Stage::Gone => return,
            Stage::Listens => {}
        }
        if let Some(late) = self.late.get().checked_sub(1) {
            return self.late.set(late);
        }
        let Some(question) = self.waiting.borrow_mut().pop_front() else { return };
        let way = if data.is_instance_of::<ArrayBuffer>() { question.resolve } else { question.reject };
        // Settling a promise cannot fail.
        drop(way.call1(&JsValue::NULL, data));
    }

    /// What was asked of it is read without it.
    fn is_gone(&self) {
        self.stage.set(Stage::Gone);
        for Question { file, part, resolve, .. } in self.waiting.take() {
            drop(resolve.call1(&JsValue::NULL, &without_thread(&file, part.0, part.1)));
        }
    }
}
