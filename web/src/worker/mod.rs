//! The worker: the only holder of the session. It reads files, answers questions, and never draws.

mod feed;
mod load;
mod raw;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use js_sys::Uint8Array;
use queryscope::protocol::Reply;
use queryscope::session::Session;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope as Scope, MessageEvent};

use crate::messages::{FromWorker, Source, ToWorker, decode, encode};

/// Listens to the page for as long as the worker lives.
pub fn start(scope: Scope) {
    let desk = Rc::new(Desk::new(scope));
    let listener = desk.clone();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| match decode(event.data()) {
        Some(message) => listener.receive(message),
        None => {
            web_sys::console::error_2(&"a message that the worker does not understand:".into(), &event.data())
        }
    });
    desk.scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    desk.say(&FromWorker::Ready);
}

/// What the worker holds.
struct Desk {
    scope: Scope,
    session: RefCell<Session>,
    /// What is to be read still; files that are dropped while others are read join them.
    waiting: RefCell<VecDeque<Source>>,
    /// What was read, by the session's number of the file: to look at a record again.
    files: RefCell<HashMap<u32, Blob>>,
    /// Counts up when reading starts anew: whoever reads for an older number stops.
    job: Cell<u32>,
    reading: Cell<bool>,
    cancelled: Cell<bool>,
}

impl Desk {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            session: RefCell::default(),
            waiting: RefCell::default(),
            files: RefCell::default(),
            job: Cell::new(0),
            reading: Cell::new(false),
            cancelled: Cell::new(false),
        }
    }

    fn receive(self: &Rc<Self>, message: ToWorker) {
        match message {
            ToWorker::Open { sources, fresh } => self.open(sources, fresh),
            ToWorker::Cancel => self.cancelled.set(self.reading.get()),
            ToWorker::Ask { id, request } => {
                let reply = self.session.borrow_mut().handle(&request);
                self.say(&answer(id, reply));
            }
            ToWorker::Raw { id, place } => {
                let desk = self.clone();
                spawn_local(async move {
                    let record = raw::read(&desk, &place).await;
                    desk.say(&FromWorker::Raw { id, record });
                });
            }
        }
    }

    fn open(self: &Rc<Self>, sources: Vec<Source>, fresh: bool) {
        if fresh {
            self.waiting.take();
            self.files.take();
            self.session.replace(Session::default());
            self.reading.set(false);
        }
        self.cancelled.set(false);
        self.waiting.borrow_mut().extend(sources);
        if !self.reading.replace(true) {
            self.job.set(self.job.get() + 1);
            spawn_local(load::run(self.clone(), fresh));
        }
    }

    fn say(&self, message: &FromWorker) {
        if let Err(error) = self.scope.post_message_with_transfer(&encode(message), &message.transfers()) {
            web_sys::console::error_1(&error);
        }
    }
}

fn answer(id: u32, reply: Reply) -> FromWorker {
    match reply {
        Reply::Scene(bytes) => FromWorker::Scene { id, bytes: Uint8Array::from(&bytes[..]) },
        reply => FromWorker::Answer { id, reply },
    }
}
