//! The page's connection to the worker: requests become futures.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures_channel::oneshot;
use queryscope::internal::view::Scene;
use queryscope::protocol::{
    AnyReply, AnyRequest, RawPlace, RawRecord, Request, SceneRequest, Subset, SubsetChoicesRequest, ViewSpec,
    Viewport,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::messages::{
    FromWorker, Progress, ReadOptions, Source, ToWorker, TraceInfo, TrackedItems, decode, encode,
};
use crate::spawn_engine::Engine;
use crate::words;

/// What the worker says unasked.
pub enum EngineEvent {
    /// Reading goes on.
    Progress(Progress),
    /// There is a (new) trace; `true` while reading goes on; the tracked items with their codes in it.
    Opened(TraceInfo, bool, TrackedItems),
    /// The picture of all that was read is made.
    Drawn,
    /// What was pointed at in the build before, as it is called in this one.
    Remapped(u32, TrackedItems),
    /// Nothing could be opened: headline and advice, and what else can be done.
    Failed(String, String, Option<RecoveryAction>),
    /// Something to know beside what is shown: headline, a sentence, and what else can be done.
    Warning(String, String, RecoveryAction),
}

/// A way on after a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryAction {
    /// To load a part of what is too much.
    Part,
    /// To look at the import report.
    Report,
    /// To open the same files once more: the engine is gone, and the trace with it.
    Again,
}

/// The engine takes memory and never gives it back: with more than this, another one is started for the next trace.
const MUCH: u64 = 512 << 20;

/// A browser may end a worker and tell nobody. While something is expected of it, its silence is counted in such steps: in
/// steps, and not by the clock, since the machine may sleep.
const STEP: Duration = Duration::from_secs(5);
/// Steps of silence after which a worker that is reading is asked for a sign of life: an address may be slow.
const ASKED: u32 = 6;
/// Steps of silence after which the user is informed. The longest answers of ten million events take a third of it.
const SILENT: u32 = 12;

/// A handle to the worker; cheap to clone.
#[derive(Clone)]
pub struct Client(Rc<Connection>);

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Connection {
    /// Where the engine is, but for its endings.
    address: String,
    /// Started with the first message, and again when it is gone.
    worker: RefCell<Option<Engine>>,
    /// How many were started: what one said before it was ended may come later.
    started: Cell<u32>,
    /// Whether the viewer is gone: nothing is started any more.
    ended: Cell<bool>,
    ready: Cell<bool>,
    cancelled: Cell<u32>,
    /// Everything that belongs to the trace, and how it is read: to read it again.
    given: RefCell<Vec<Source>>,
    options: RefCell<ReadOptions>,
    /// Bytes of memory that the worker has taken, as it told last.
    memory: Cell<u64>,
    /// Whether it reads, and for how many steps nothing was heard of it though something is expected.
    reads: Cell<bool>,
    silent: Cell<u32>,
    /// What was said before the worker listened.
    early: RefCell<Vec<ToWorker>>,
    next: Cell<u32>,
    replies: RefCell<HashMap<u32, oneshot::Sender<AnyReply>>>,
    scenes: RefCell<HashMap<u32, oneshot::Sender<Vec<u8>>>>,
    records: RefCell<HashMap<u32, oneshot::Sender<Result<RawRecord, String>>>>,
    listener: RefCell<Callback<EngineEvent>>,
}

impl Client {
    /// A worker that starts when it is first told something. `address` is where the engine is, but for its endings.
    pub fn new(address: String) -> Self {
        Self(Rc::new(Connection {
            address,
            worker: RefCell::default(),
            started: Cell::new(0),
            ended: Cell::new(false),
            ready: Cell::new(false),
            cancelled: Cell::new(0),
            given: RefCell::default(),
            options: RefCell::default(),
            memory: Cell::new(0),
            reads: Cell::new(false),
            silent: Cell::new(0),
            early: RefCell::default(),
            next: Cell::new(0),
            replies: RefCell::default(),
            scenes: RefCell::default(),
            records: RefCell::default(),
            listener: RefCell::new(Callback::noop()),
        }))
    }

    /// Reports the events of the worker to `listener` from now on.
    pub fn listen(&self, listener: Callback<EngineEvent>) {
        self.0.listener.replace(listener);
    }

    /// Ends the worker for good: the viewer is gone.
    pub fn end(&self) {
        let connection = &self.0;
        connection.ended.set(true);
        connection.listener.replace(Callback::noop());
        connection.forget();
        connection.end();
    }

    /// Fetches and starts the engine, if it does not run yet: something will be read soon.
    pub fn wake(&self) {
        self.0.wake();
    }

    /// Reads files and addresses, one after the other. `fresh` closes the trace that is open.
    pub fn open(&self, sources: Vec<Source>, fresh: bool) {
        let connection = &self.0;
        if fresh {
            connection.forget();
            connection.renew();
        }
        connection.given.borrow_mut().extend(sources.iter().cloned());
        connection.send(ToWorker::Open { sources, fresh, options: connection.options.borrow().clone() });
    }

    /// Closes the trace, also while it is read: nobody waits for what the engine is at, and another one is there for the
    /// next trace.
    pub fn close(&self) {
        let connection = &self.0;
        connection.cancelled.set(connection.cancelled.get() + 1);
        if !connection.given.borrow().is_empty() {
            connection.forget();
            connection.end();
            connection.wake();
        }
    }

    /// Reading ends with so many bytes of memory.
    pub fn limit(&self, memory: Option<u64>) {
        self.0.options.borrow_mut().memory = memory;
    }

    /// Reads everything again, one of the files as the format that is chosen for it; `None` lets its content decide.
    pub fn read_as(&self, file: u32, format: Option<String>) {
        let mut options = self.0.options.borrow_mut();
        options.formats.retain(|(known, _)| *known != file);
        options.formats.extend(format.map(|format| (file, format)));
        drop(options);
        self.again();
    }

    /// Reads everything again, and keeps this part of it.
    pub fn read_part(&self, part: Subset) {
        self.0.options.borrow_mut().part = part;
        self.again();
    }

    /// Reads everything again.
    pub fn again(&self) {
        let connection = &self.0;
        if connection.silent.get() >= SILENT {
            connection.end();
        }
        connection.renew();
        let (sources, options) = (connection.given.borrow().clone(), connection.options.borrow().clone());
        connection.send(ToWorker::Open { sources, fresh: true, options });
    }

    /// Bytes of everything that was given, as far as that is known before it is read.
    pub fn given(&self) -> u64 {
        self.0.given.borrow().iter().filter_map(Source::bytes).sum()
    }

    /// Stops reading. What was read so far stays.
    pub fn cancel(&self) {
        self.0.cancelled.set(self.0.cancelled.get() + 1);
        self.0.send(ToWorker::Cancel);
    }

    /// How often reading was stopped: for those who look for files before they are read.
    pub fn cancelled(&self) -> u32 {
        self.0.cancelled.get()
    }

    /// Holds on to items of a build while the trace grows.
    pub fn watch(&self, build: u32, items: TrackedItems) {
        self.0.send(ToWorker::TrackItems { build, items });
    }

    /// The session's reply; `None` where no engine is there, or it ends before it could give one.
    pub async fn ask<R: Request>(&self, request: R) -> Option<R::Reply> {
        R::reply(self.ask_any(request.into()).await?)
    }

    /// The session's reply to a request of any type.
    pub async fn ask_any(&self, request: AnyRequest) -> Option<AnyReply> {
        let (answer, reply) = oneshot::channel();
        let id = self.0.id();
        self.0.replies.borrow_mut().insert(id, answer);
        self.0.send(ToWorker::Ask { id, request });
        reply.await.ok()
    }

    /// A picture.
    pub async fn scene(&self, view: ViewSpec, viewport: Viewport) -> Option<Scene> {
        let (answer, bytes) = oneshot::channel();
        let id = self.0.id();
        self.0.scenes.borrow_mut().insert(id, answer);
        self.0.send(ToWorker::Ask { id, request: SceneRequest { view, viewport }.into() });
        Scene::from_bytes(&bytes.await.ok()?)
    }

    /// A record as it stands in its file, which is read again.
    pub async fn raw(&self, place: RawPlace) -> Result<RawRecord, String> {
        let (answer, record) = oneshot::channel();
        let id = self.0.id();
        self.0.records.borrow_mut().insert(id, answer);
        self.0.send(ToWorker::Raw { id, place });
        record.await.unwrap_or_else(|_| Err(words::engine::STOPPED.to_owned()))
    }
}

impl Connection {
    fn id(&self) -> u32 {
        self.next.set(self.next.get().wrapping_add(1));
        self.next.get()
    }

    fn send(self: &Rc<Self>, message: ToWorker) {
        match message {
            _ if self.ended.get() => return self.nobody(),
            ToWorker::Open { .. } => {
                self.reads.set(true);
                self.wake();
            }
            // Nothing was ever opened: nobody is there to answer, and none is needed.
            _ if self.worker.borrow().is_none() => return self.nobody(),
            _ => {}
        }
        match self.worker.borrow().as_ref().filter(|_| self.ready.get()) {
            Some(worker) => {
                if let Err(error) = worker.post(&encode(&message)) {
                    web_sys::console::error_1(&error);
                }
            }
            None => self.early.borrow_mut().push(message),
        }
    }

    fn wake(self: &Rc<Self>) {
        if self.ended.get() || self.worker.borrow().is_some() {
            return;
        }
        let number = self.started.get().wrapping_add(1);
        self.started.set(number);
        match self.start(number) {
            Ok(worker) => {
                self.worker.replace(Some(worker));
                spawn_local(watch_over(Rc::downgrade(self), number));
            }
            Err(error) => self.lost(&words::engine::not_started(&format!("{error:?}"))),
        }
    }

    /// Starts a worker. Its listeners hold on to nothing: the connection owns the worker.
    fn start(self: &Rc<Self>, number: u32) -> Result<Engine, JsValue> {
        let current = move |connection: &Weak<Self>| {
            connection.upgrade().filter(|connection| connection.is_current(number))
        };
        let (hearing, failing) = (Rc::downgrade(self), Rc::downgrade(self));
        let hear = move |data| {
            if let (Some(connection), Some(message)) = (current(&hearing), decode(data)) {
                connection.receive(message);
            }
        };
        let fail =
            move |reason: String| current(&failing).iter().for_each(|connection| connection.lost(&reason));
        Engine::start(&self.address, hear, fail)
    }

    /// Forgets what was given, and how it was read.
    fn forget(&self) {
        self.given.take();
        let memory = self.options.borrow().memory;
        self.options.replace(ReadOptions { memory, ..ReadOptions::default() });
    }

    /// Lets the worker go if it has taken much memory: the next message starts another one.
    fn renew(&self) {
        let much = self.options.borrow().memory.map_or(MUCH, |memory| memory / 2);
        if self.memory.get() > much {
            self.end();
        }
    }

    /// Ends the worker. Whoever waits for an answer learns that none comes.
    fn end(&self) {
        drop(self.worker.take());
        self.ready.set(false);
        self.early.take();
        self.memory.set(0);
        self.reads.set(false);
        self.silent.set(0);
        self.nobody();
    }

    /// Whether the worker of this number is the one of now.
    fn is_current(&self, number: u32) -> bool {
        self.started.get() == number && self.worker.borrow().is_some()
    }

    fn report(&self, event: EngineEvent) {
        // Taken out first: the listener may end the connection.
        let listener = self.listener.borrow().clone();
        listener.emit(event);
    }

    fn receive(self: &Rc<Self>, message: FromWorker) {
        self.silent.set(0);
        match message {
            FromWorker::Ready => {
                self.ready.set(true);
                self.early.take().into_iter().for_each(|early| self.send(early));
            }
            FromWorker::Answer { id, reply } => answer(&self.replies, id, reply),
            FromWorker::Scene { id, bytes } => answer(&self.scenes, id, bytes.to_vec()),
            FromWorker::Raw { id, record } => answer(&self.records, id, record),
            FromWorker::Progress(progress) => {
                self.memory.set(progress.memory);
                self.report(EngineEvent::Progress(progress));
            }
            FromWorker::Opened { info, partial, items } => {
                self.memory.set(info.memory);
                self.reads.set(partial);
                self.report(EngineEvent::Opened(info, partial, items));
            }
            FromWorker::Drawn => self.report(EngineEvent::Drawn),
            FromWorker::Remapped { build, items } => self.report(EngineEvent::Remapped(build, items)),
            FromWorker::Failed { title, text, full } => {
                self.reads.set(false);
                self.report(EngineEvent::Failed(title, text, full.then_some(RecoveryAction::Part)));
            }
            FromWorker::Warning { title, text } => {
                self.report(EngineEvent::Warning(title, text, RecoveryAction::Report))
            }
        }
    }

    /// Whoever waits for an answer learns that none comes.
    fn nobody(&self) {
        self.replies.take();
        self.scenes.take();
        self.records.take();
    }

    /// Whether somebody waits for an answer.
    fn is_asked(&self) -> bool {
        let Self { replies, scenes, records, .. } = self;
        !(replies.borrow().is_empty() && scenes.borrow().is_empty() && records.borrow().is_empty())
    }

    /// Another step in which nothing was heard.
    fn hears_nothing(self: &Rc<Self>) {
        let is_expected = self.is_asked() || self.reads.get();
        if !is_expected || !self.ready.get() || self.given.borrow().is_empty() {
            return self.silent.set(0);
        }
        self.silent.set(self.silent.get().saturating_add(1));
        if self.silent.get() == ASKED && !self.is_asked() {
            let id = self.id();
            self.replies.borrow_mut().insert(id, oneshot::channel().0);
            self.send(ToWorker::Ask { id, request: SubsetChoicesRequest.into() });
        }
        if self.silent.get() == SILENT && self.is_asked() {
            let title = words::engine::NOT_RESPONDING.to_owned();
            let text = words::engine::NOT_RESPONDING_TEXT.to_owned();
            self.report(EngineEvent::Warning(title, text, RecoveryAction::Again));
        }
    }

    /// The worker is gone: nobody waits for ever.
    fn lost(&self, reason: &str) {
        self.end();
        // Before anything was to be read, nobody misses it: it is started again when something is.
        if self.given.borrow().is_empty() {
            return;
        }
        let (title, text) = (words::engine::CRASHED.to_owned(), words::engine::crashed(reason));
        self.report(EngineEvent::Failed(title, text, Some(RecoveryAction::Again)));
    }
}

fn answer<T>(waiting: &RefCell<HashMap<u32, oneshot::Sender<T>>>, id: u32, value: T) {
    let sender = waiting.borrow_mut().remove(&id);
    if let Some(sender) = sender {
        // Whoever asked may be gone: then nobody needs the answer.
        let _ = sender.send(value);
    }
}

/// Counts the silence of a worker for as long as it is the one of now.
async fn watch_over(connection: Weak<Connection>, number: u32) {
    loop {
        yew::platform::time::sleep(STEP).await;
        match connection.upgrade().filter(|connection| connection.is_current(number)) {
            Some(connection) => connection.hears_nothing(),
            None => return,
        }
    }
}
