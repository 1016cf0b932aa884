//! The page's connection to the worker that runs the engine: each request is a future.

mod watch;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};

use futures_channel::oneshot;
use js_sys::Uint8Array;
use queryscope::internal::view::Scene;
use queryscope::protocol::{
    AnyReply, AnyRequest, RawPlace, RawRecord, Request, SceneRequest, SqlOrder, Subset, TrackKey, ViewSpec,
    Viewport,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::messages::{
    FromWorker, Progress, ReadOptions, SaveForm, SaveOrder, Source, ToWorker, TraceInfo, TrackedItems,
    decode, encode,
};
use crate::spawn_engine::{Engine, EngineProgram};
use crate::sql_client::{DatasetSource, Relay, SqlClient};
use crate::words;

/// An event that the worker sends without a request.
pub enum EngineEvent {
    /// Reading made progress.
    Progress(Progress),
    /// A trace can be shown: its summary, whether reading continues, and the tracked items with their codes in it.
    Opened(TraceInfo, bool, TrackedItems),
    /// The scene of the complete trace is ready.
    Drawn,
    /// Whether a reply takes long.
    Computing(bool),
    /// Number of the current build, and the codes in it of tracked items that were requested with codes of the previous
    /// build.
    Remapped(u32, TrackedItems),
    /// A source could not be read, or there is nothing to show: headline, text, and a recovery action.
    Failed(String, String, Option<RecoveryAction>),
    /// A warning that does not prevent showing the trace: headline, text, and recovery action.
    Warning(String, String, RecoveryAction),
}

/// An action offered to the user after a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryAction {
    /// Load a subset of files that are too large.
    Part,
    /// Show the import report.
    Report,
    /// Open the same files again, because the engine ended and the trace was lost.
    Again,
}

/// Memory in bytes above which the next trace gets a new engine, because an engine never frees memory.
const MUCH: u64 = 512 << 20;

/// A handle to the worker; cheap to clone.
#[derive(Clone)]
pub struct Client(Rc<Connection>);

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Connection {
    program: EngineProgram,
    /// The running worker: started with the first message, and again after it was ended.
    worker: RefCell<Option<Engine>>,
    /// Number of workers started, to ignore late messages of a worker that was ended.
    started: Cell<u32>,
    /// Whether the viewer was removed: no further worker is started.
    ended: Cell<bool>,
    ready: Cell<bool>,
    cancelled: Cell<u32>,
    /// All sources of the trace, kept to read them again.
    given: RefCell<Vec<Source>>,
    options: RefCell<ReadOptions>,
    /// Memory in bytes that the worker last reported.
    memory: Cell<u64>,
    /// Whether the worker is reading.
    reads: Cell<bool>,
    silent: Cell<u32>,
    /// Messages that wait until the worker is ready.
    early: RefCell<Vec<ToWorker>>,
    next: Cell<u32>,
    replies: RefCell<HashMap<u32, oneshot::Sender<AnyReply>>>,
    scenes: RefCell<HashMap<u32, oneshot::Sender<Vec<u8>>>>,
    records: RefCell<HashMap<u32, oneshot::Sender<Result<RawRecord, String>>>>,
    relayed: RefCell<HashMap<u32, oneshot::Sender<Uint8Array>>>,
    /// Whether pending requests are being looked at.
    looks: Cell<bool>,
    sql: SqlClient,
    listener: RefCell<Callback<EngineEvent>>,
    /// Receives the dialog that saves the trace, and the written file.
    saver: RefCell<Callback<(SaveForm, JsValue)>>,
}

impl Client {
    /// Creates a client whose worker starts `program` with the first message. `sql` is the program that runs SQL; `None` if it
    /// was not built.
    pub fn new(program: EngineProgram, sql: Option<EngineProgram>) -> Self {
        Self(Rc::new(Connection {
            program,
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
            relayed: RefCell::default(),
            looks: Cell::new(false),
            sql: SqlClient::new(sql),
            listener: RefCell::new(Callback::noop()),
            saver: RefCell::new(Callback::noop()),
        }))
    }

    /// Sends the worker's events to `listener` from now on.
    pub fn listen(&self, listener: Callback<EngineEvent>) {
        self.0.listener.replace(listener);
    }

    /// Ends the worker for good, because the viewer was removed.
    pub fn end(&self) {
        let connection = &self.0;
        connection.ended.set(true);
        connection.listener.replace(Callback::noop());
        connection.forget();
        connection.end();
    }

    /// Downloads and starts the engine if it is not running, because files will be read soon.
    pub fn wake(&self) {
        self.0.wake();
    }

    /// Reads files and addresses, one after the other. `fresh` closes the open trace first.
    pub fn open(&self, sources: Vec<Source>, fresh: bool) {
        let connection = &self.0;
        if fresh {
            connection.forget();
            connection.renew();
        }
        connection.given.borrow_mut().extend(sources.iter().cloned());
        connection.send(ToWorker::Open { sources, fresh, options: connection.options.borrow().clone() });
    }

    /// Closes the trace and the data set, and opens another data set.
    pub fn open_dataset(&self, source: DatasetSource) {
        self.close();
        self.0.sql.set_source(Some(source));
    }

    /// Reads a trace of the open data set in place of the open trace.
    pub fn open_stored(&self, source: Source) {
        let connection = &self.0;
        connection.sql.forget_stored();
        connection.forget_trace();
        connection.renew();
        connection.given.borrow_mut().push(source.clone());
        let options = connection.options.borrow().clone();
        connection.send(ToWorker::Open { sources: vec![source], fresh: true, options });
    }

    /// Closes the trace, even while it is being read: the engine is ended without waiting, and another engine is started for
    /// the next trace.
    pub fn close(&self) {
        let connection = &self.0;
        connection.cancelled.set(connection.cancelled.get() + 1);
        if !connection.given.borrow().is_empty() {
            connection.end();
            connection.wake();
        }
        connection.forget();
    }

    /// Sets how all traces are read: the memory at which reading ends, `None` for the default; the number of bytes read, `None`
    /// for no limit; and the format of all files, `None` to detect it.
    pub fn limit(&self, memory: Option<u64>, max_bytes: Option<u64>, format: Option<String>) {
        let mut options = self.0.options.borrow_mut();
        options.memory = memory;
        options.max_bytes = max_bytes;
        options.format = format;
    }

    /// Reads everything again, with `format` for one file; `None` detects the format from its content.
    pub fn read_as(&self, file: u32, format: Option<String>) {
        let mut options = self.0.options.borrow_mut();
        options.formats.retain(|(known, _)| *known != file);
        options.formats.extend(format.map(|format| (file, format)));
        drop(options);
        self.again();
    }

    /// Reads everything again and keeps only this subset.
    pub fn read_part(&self, part: Subset) {
        self.0.options.borrow_mut().part = part;
        self.again();
    }

    /// Reads all sources of the trace again.
    pub fn again(&self) {
        let connection = &self.0;
        connection.sql.end();
        if connection.silent.get() >= watch::SILENT {
            connection.end();
        }
        connection.renew();
        let (sources, options) = (connection.given.borrow().clone(), connection.options.borrow().clone());
        connection.send(ToWorker::Open { sources, fresh: true, options });
    }

    /// All sources of the trace.
    pub fn sources(&self) -> Vec<Source> {
        self.0.given.borrow().clone()
    }

    /// Total size of all sources in bytes, as far as it is known before they are read.
    pub fn given(&self) -> u64 {
        self.0.given.borrow().iter().filter_map(Source::bytes).sum()
    }

    /// Stops reading. Everything read so far stays.
    pub fn cancel(&self) {
        self.0.cancelled.set(self.0.cancelled.get() + 1);
        self.0.send(ToWorker::Cancel);
    }

    /// Number of times that reading was stopped. A search for files compares it with an earlier value to detect a
    /// cancellation.
    pub fn cancelled(&self) -> u32 {
        self.0.cancelled.get()
    }

    /// Tracks items of a build while the trace grows.
    pub fn watch(&self, build: u32, items: TrackedItems) {
        self.0.send(ToWorker::TrackItems { build, items });
    }

    /// Has the worker describe the dialog that saves the trace, or write the file; `saver` receives the dialog, its progress and
    /// the written file. `None` ends writing.
    pub fn save(&self, order: Option<SaveOrder>, template: JsValue, saver: Callback<(SaveForm, JsValue)>) {
        self.0.saver.replace(saver);
        self.0.send(ToWorker::Save { order, template });
    }

    /// Sends a request and returns the session's reply; `None` if no engine runs or it ends before it replies.
    pub async fn ask<R: Request>(&self, request: R) -> Option<R::Reply> {
        R::reply(self.ask_any(request.into()).await?)
    }

    /// Sends a request of any type and returns the session's reply; `None` if no engine runs or it ends before it replies.
    pub async fn ask_any(&self, request: AnyRequest) -> Option<AnyReply> {
        let (answer, reply) = oneshot::channel();
        let id = self.0.id();
        self.0.replies.borrow_mut().insert(id, answer);
        self.0.send(ToWorker::Ask { id, request });
        if !self.0.looks.replace(true) {
            spawn_local(watch::report_slow_replies(Rc::downgrade(&self.0)));
        }
        reply.await.ok()
    }

    /// Requests the scene of a view in a viewport. `None` if no engine runs or it ends before it replies.
    pub async fn scene(&self, view: ViewSpec, viewport: Viewport) -> Option<Scene> {
        let (answer, bytes) = oneshot::channel();
        let id = self.0.id();
        self.0.scenes.borrow_mut().insert(id, answer);
        self.0.send(ToWorker::Ask { id, request: SceneRequest { view, viewport }.into() });
        Scene::from_bytes(&bytes.await.ok()?)
    }

    /// The SQL program of this viewer.
    pub fn sql(&self) -> &SqlClient {
        &self.0.sql
    }

    /// Runs an SQL statement.
    pub fn run_sql(&self, order: SqlOrder) {
        self.0.sql.run(order, self.relay());
    }

    /// Requests the completions of an SQL statement. `order.rows` is not a number of rows here, but the position of the caret in bytes.
    /// `is_asked` also lists names where no letter was typed yet.
    pub fn complete_sql(&self, order: &SqlOrder, is_asked: bool) {
        self.0.sql.complete(order, is_asked, self.relay());
    }

    /// Draws the result of the last SQL statement as a track; `then` is called with the key of this track, to pin it.
    pub fn track_sql(&self, then: Callback<TrackKey>) {
        self.0.sql.track(self.relay(), then);
    }

    fn relay(&self) -> Relay {
        let connection = Rc::downgrade(&self.0);
        let relay = move |request: Uint8Array| -> Pin<Box<dyn Future<Output = Option<Uint8Array>>>> {
            let connection = connection.clone();
            Box::pin(async move { connection.upgrade()?.relay(request).await.ok() })
        };
        Rc::new(relay)
    }

    /// Requests a record as it is written in its file, which is read again. The error is a text for the user.
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

    /// Sends a packed request to the session. The receiver gets the packed reply.
    fn relay(self: &Rc<Self>, request: Uint8Array) -> oneshot::Receiver<Uint8Array> {
        let (answer, reply) = oneshot::channel();
        let id = self.id();
        self.relayed.borrow_mut().insert(id, answer);
        self.send(ToWorker::Relay { id, request });
        reply
    }

    fn send(self: &Rc<Self>, message: ToWorker) {
        match message {
            _ if self.ended.get() => return self.nobody(),
            ToWorker::Open { .. } => {
                self.reads.set(true);
                self.wake();
            }
            // Nothing was ever opened: no worker runs, and no answer is needed.
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
        self.worker.replace(Some(self.start(number)));
        spawn_local(watch::watch_over(Rc::downgrade(self), number));
    }

    /// Starts a worker. Its listeners hold weak references only, because the connection owns the worker.
    fn start(self: &Rc<Self>, number: u32) -> Engine {
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
        Engine::start(self.program.clone(), "engine", hear, fail)
    }

    /// Forgets the data set and the trace.
    fn forget(&self) {
        self.sql.end();
        self.sql.set_source(None);
        self.forget_trace();
    }

    /// Forgets the sources, and the options for reading them, except those of [`Client::limit`].
    fn forget_trace(&self) {
        self.given.take();
        let mut options = self.options.borrow_mut();
        options.part = Subset::default();
        options.formats.clear();
    }

    /// Ends the worker if it uses much memory. The next message starts a new worker.
    fn renew(&self) {
        let much = self.options.borrow().memory.map_or(MUCH, |memory| memory / 2);
        if self.memory.get() > much {
            self.end();
        }
    }

    /// Ends the worker. Pending requests end without an answer.
    fn end(&self) {
        drop(self.worker.take());
        self.ready.set(false);
        self.early.take();
        self.memory.set(0);
        self.reads.set(false);
        self.silent.set(0);
        self.nobody();
    }

    /// Whether the worker with this number is the current one.
    fn is_current(&self, number: u32) -> bool {
        self.started.get() == number && self.worker.borrow().is_some()
    }

    fn report(&self, event: EngineEvent) {
        // Cloned first, because the listener may end the connection.
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
            FromWorker::Relayed { id, bytes } => answer(&self.relayed, id, bytes),
            FromWorker::Save { form, file } => {
                let saver = self.saver.borrow().clone();
                saver.emit((form, file));
            }
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

    /// Ends all pending requests without an answer.
    fn nobody(&self) {
        self.replies.take();
        self.scenes.take();
        self.records.take();
        self.relayed.take();
    }

    /// Whether a request is pending.
    fn is_asked(&self) -> bool {
        let Self { replies, scenes, records, relayed, .. } = self;
        !(replies.borrow().is_empty()
            && scenes.borrow().is_empty()
            && records.borrow().is_empty()
            && relayed.borrow().is_empty())
    }

    /// Handles the loss of the worker: ends pending requests and reports the failure.
    fn lost(&self, reason: &str) {
        self.end();
        // If no files were opened, the loss does not matter: the worker is started again when files are opened.
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
        // The receiver may have been dropped, in which case the answer is not needed.
        let _ = sender.send(value);
    }
}
