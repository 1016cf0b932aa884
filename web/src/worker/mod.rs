//! The worker: the only owner of the session. It reads files, answers requests, and never draws.

mod download;
mod idle;
mod load;
mod raw;
mod save;
mod source_reader;
mod stream;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use js_sys::{Function, Promise, Uint8Array};
use queryscope::protocol::{AnyReply, AnyRequest, FindQueryRequest, SceneBytes};
use queryscope::session::{Anchor, Session, WarmUpTables};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DedicatedWorkerGlobalScope as Scope, MessageChannel, MessageEvent};

use crate::messages::{FromWorker, ReadOptions, Source, ToWorker, TrackedItems, decode, encode};
use stream::CancelHandle;

/// Delay of low-priority requests in milliseconds: the page requests a scene only with its next frame, other data at once.
const FRAME_MS: i32 = 16;

/// Handles messages of the page for as long as the worker lives.
pub fn start(scope: Scope) {
    let worker = Rc::new(WorkerState::new(scope));
    let listener = worker.clone();
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| match decode(event.data()) {
        Some(message) => listener.receive(message),
        None => {
            web_sys::console::error_2(&"a message that the worker does not understand:".into(), &event.data())
        }
    });
    worker.scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    worker.say(&FromWorker::Ready);
    spawn_local(idle::warm_up(worker));
}

/// State of the worker.
struct WorkerState {
    scope: Scope,
    /// Handle that stops the current reading.
    cancel: RefCell<Rc<CancelHandle>>,
    session: RefCell<Session>,
    /// Sources that wait to be read; files dropped while others are read are added.
    waiting: RefCell<VecDeque<Source>>,
    /// Sources that were waiting when reading was cancelled, and are not read any more.
    given_up: RefCell<Vec<Source>>,
    /// Total size of all sources of this load in bytes, as far as it is known.
    expected: Cell<u64>,
    /// Number of sources whose size is not known yet.
    unmeasured: Cell<u32>,
    /// How files are read.
    options: RefCell<ReadOptions>,
    /// Number of files opened.
    opened: Cell<u32>,
    /// Content of each file by its number in the session, to read a record again.
    files: RefCell<HashMap<u32, Blob>>,
    /// Name of each file that was opened, by its number in the session.
    names: RefCell<Vec<String>>,
    /// Number of the current load: code that reads for an older load stops.
    job: Cell<u32>,
    reading: Cell<bool>,
    cancelled: Cell<bool>,
    /// Number of the current build of the trace, incremented by every build.
    build: Cell<u32>,
    /// Items that are found again in the next build: the selection, and the item of the flame graph.
    tracked: Cell<[Option<Anchor>; 2]>,
    /// Pivot tables that are still to be warmed up.
    tables: RefCell<WarmUpTables>,
    /// Time of the page's latest message, in milliseconds since 1970; `None` before the first.
    heard: Cell<Option<f64>>,
    /// Total time spent on answering requests, in milliseconds.
    answering: Cell<f64>,
    /// Number of the latest order to save: a writer with an older number stops.
    save: Cell<u32>,
    /// Content counts of the file that the save dialog described last.
    counted: RefCell<Option<save::CountedContent>>,
    /// Low-priority requests with their ids, answered after scene requests.
    later: RefCell<VecDeque<(u32, AnyRequest)>>,
}

impl WorkerState {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            cancel: RefCell::default(),
            session: RefCell::default(),
            waiting: RefCell::default(),
            given_up: RefCell::default(),
            expected: Cell::default(),
            unmeasured: Cell::default(),
            options: RefCell::default(),
            opened: Cell::default(),
            files: RefCell::default(),
            names: RefCell::default(),
            job: Cell::new(0),
            reading: Cell::new(false),
            cancelled: Cell::new(false),
            build: Cell::new(0),
            tracked: Cell::default(),
            tables: RefCell::default(),
            heard: Cell::new(None),
            answering: Cell::default(),
            save: Cell::default(),
            counted: RefCell::default(),
            later: RefCell::default(),
        }
    }

    fn receive(self: &Rc<Self>, message: ToWorker) {
        self.heard.set(Some(js_sys::Date::now()));
        match message {
            ToWorker::Open { sources, fresh, options } => self.open(sources, fresh, options),
            ToWorker::TrackItems { build, items } => self.watch(build, items),
            ToWorker::Cancel => {
                self.cancelled.set(self.reading.get());
                self.give_up();
                // Reading has already ended: the scene that the page waits for is ready.
                if !self.reading.get() {
                    self.say(&FromWorker::Drawn);
                }
            }
            ToWorker::Ask { id, request } if can_wait(&request) => self.ask_later(id, request),
            ToWorker::Ask { id, request } => self.reply(id, &request),
            ToWorker::Save { order, template } => {
                self.save.set(self.save.get().wrapping_add(1));
                if let Some(order) = order {
                    spawn_local(save::run(self.clone(), order, template));
                }
            }
            ToWorker::Relay { id, request } => {
                let bytes = Uint8Array::from(&self.relayed(&request.to_vec())[..]);
                self.say(&FromWorker::Relayed { id, bytes });
            }
            ToWorker::Raw { id, place } => {
                let worker = self.clone();
                spawn_local(async move {
                    let record = raw::read(&worker, &place).await;
                    worker.say(&FromWorker::Raw { id, record });
                });
            }
        }
    }

    fn reply(&self, id: u32, request: &AnyRequest) {
        if let AnyRequest::FindQuery(FindQueryRequest { record }) = request {
            // The query is about to be selected, and the next build may come before the page reports the selection.
            let [_, flame] = self.tracked.get();
            self.tracked.set([Some(Anchor::of_query(*record)), flame]);
        }
        let before = js_sys::Date::now();
        let reply = self.session.borrow_mut().answer_any(request);
        self.answering.set(self.answering.get() + js_sys::Date::now() - before);
        self.say(&answer(id, reply));
    }

    /// The packed reply to a packed request of the SQL program; empty for any other request.
    fn relayed(&self, request: &[u8]) -> Vec<u8> {
        let Ok(request) = postcard::from_bytes::<AnyRequest>(request) else { return Vec::new() };
        let mut session = self.session.borrow_mut();
        let packed = match &request {
            AnyRequest::SqlTableList(request) => postcard::to_allocvec(&session.answer(request)),
            AnyRequest::SqlColumns(request) => postcard::to_allocvec(&session.answer(request)),
            AnyRequest::ResultTrack(request) => postcard::to_allocvec(&session.answer(request)),
            _ => return Vec::new(),
        };
        packed.unwrap_or_default()
    }

    fn ask_later(self: &Rc<Self>, id: u32, request: AnyRequest) {
        self.later.borrow_mut().push_back((id, request));
        if self.later.borrow().len() > 1 {
            return;
        }
        let worker = self.clone();
        spawn_local(async move {
            loop {
                pause(FRAME_MS).await;
                let Some((id, request)) = worker.later.borrow().front().cloned() else { return };
                worker.reply(id, &request);
                worker.later.borrow_mut().pop_front();
            }
        });
    }

    /// Tracks items of the current or the previous build; codes of older builds cannot be resolved.
    fn watch(&self, build: u32, items: TrackedItems) {
        let session = self.session.borrow();
        let (items, now) = ([items.selection, items.flame], self.build.get());
        match now.wrapping_sub(build) {
            0 => self.tracked.set(items.map(|item| session.anchor(item?))),
            1 => {
                self.tracked.set(items.map(|item| session.anchor_before(item?)));
                self.say(&FromWorker::Remapped { build: now, items: self.named(&session) });
            }
            _ => {}
        }
    }

    /// Builds the trace from everything read so far, and returns the tracked items with their codes in it.
    fn build(&self) -> TrackedItems {
        self.session.borrow_mut().build();
        self.build.set(self.build.get().wrapping_add(1));
        self.named(&self.session.borrow())
    }

    /// The tracked items with their codes in the current build.
    fn named(&self, session: &Session) -> TrackedItems {
        let [selection, flame] = self.tracked.get().map(|anchor| session.find(anchor?));
        TrackedItems { selection, flame }
    }

    fn open(self: &Rc<Self>, sources: Vec<Source>, fresh: bool, options: ReadOptions) {
        if fresh {
            self.waiting.take();
            self.opened.take();
            self.files.take();
            self.names.take();
            self.session.replace(Session::default());
            self.tracked.take();
            self.reading.set(false);
            self.cancel.borrow().stop();
        }
        self.session.borrow_mut().choose(options.part.clone());
        self.options.replace(options);
        if !self.reading.get() {
            self.waiting.borrow_mut().extend(sources);
            self.read(fresh);
        } else {
            if !self.cancelled.get() {
                self.expect(&sources);
            }
            self.waiting.borrow_mut().extend(sources);
        }
    }

    /// Starts reading the waiting sources.
    fn read(self: &Rc<Self>, fresh: bool) {
        self.expected.set(0);
        self.unmeasured.set(0);
        self.expect(self.waiting.borrow_mut().make_contiguous());
        self.cancelled.set(false);
        self.given_up.take();
        self.reading.set(true);
        self.job.set(self.job.get() + 1);
        spawn_local(load::run(self.clone(), fresh));
    }

    fn expect(&self, sources: &[Source]) {
        let bytes: u64 = sources.iter().filter_map(Source::bytes).sum();
        let unknown = sources.iter().filter(|source| source.bytes().is_none()).count();
        self.expected.set(self.expected.get() + bytes);
        self.unmeasured.set(self.unmeasured.get() + unknown as u32);
    }

    /// Stops reading and drops the waiting sources. Files that are dropped later are read once reading has stopped.
    fn give_up(&self) {
        self.given_up.borrow_mut().extend(self.waiting.take());
        self.cancel.borrow().stop();
    }

    /// Opens a file in the session and returns its number.
    fn begin(&self, source: &Source) -> u32 {
        let mut session = self.session.borrow_mut();
        let number = self.opened.replace(self.opened.get() + 1);
        let options = self.options.borrow();
        let chosen = options.formats.iter().find(|(file, _)| *file == number).map(|(_, format)| format);
        // Without a chosen format, the format is detected from the content.
        let _ = session.read_as(chosen.or(options.format.as_ref()).map(String::as_str));
        self.names.borrow_mut().push(source.name());
        session.open(&source.name())
    }

    /// Adds the size of an address, which its server reported or which is known at its end.
    fn measure(&self, bytes: u64) {
        self.expected.set(self.expected.get() + bytes);
        self.unmeasured.set(self.unmeasured.get().saturating_sub(1));
    }

    /// Total bytes of this load; `None` while the size of an address is unknown.
    fn total(&self) -> Option<u64> {
        (self.unmeasured.get() == 0).then(|| self.expected.get())
    }

    fn say(&self, message: &FromWorker) {
        if let Err(error) = self.scope.post_message_with_transfer(&encode(message), &message.transfers()) {
            web_sys::console::error_1(&error);
        }
    }
}

/// Whether a request has low priority: lists take long in a large trace and would delay a scene that is requested just after
/// them. Requests that name items or change scenes keep their order.
fn can_wait(request: &AnyRequest) -> bool {
    matches!(request, AnyRequest::QueryList(_) | AnyRequest::Legend(_) | AnyRequest::Minimap(_))
}

/// Waits this number of milliseconds, during which messages are received.
async fn pause(milliseconds: i32) {
    let scope: Scope = js_sys::global().unchecked_into();
    called(|back| {
        scope.set_timeout_with_callback_and_timeout_and_arguments_0(back, milliseconds).map(|_timer| ())
    })
    .await;
}

/// Lets pending messages be received. A message channel is used because a timer would wait for some milliseconds.
struct Turn(Option<MessageChannel>);

impl Turn {
    async fn pass(&self) {
        let Some(channel) = &self.0 else { return pause(0).await };
        called(|back| {
            channel.port1().set_onmessage(Some(back));
            channel.port2().post_message(&JsValue::NULL)
        })
        .await;
    }
}

/// Waits until the browser calls the function that `ask` passes to it; returns at once if `ask` fails.
async fn called(ask: impl Fn(&Function) -> Result<(), JsValue>) {
    let wait = &mut |back: Function, _| {
        if ask(&back).is_err() {
            drop(back.call0(&JsValue::NULL));
        }
    };
    // The promise is never rejected.
    drop(JsFuture::from(Promise::new(wait)).await);
}

fn answer(id: u32, reply: AnyReply) -> FromWorker {
    match reply {
        AnyReply::Scene(SceneBytes(bytes)) => FromWorker::Scene { id, bytes: Uint8Array::from(&bytes[..]) },
        reply => FromWorker::Answer { id, reply },
    }
}
