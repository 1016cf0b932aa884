//! The page's connection to the worker that runs SQL.
//!
//! The worker is started when the SQL tab is shown. A statement cannot be interrupted, so cancelling it ends the worker; the
//! next statement starts another one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use queryscope::protocol::{
    DatasetOrder, DatasetReply, FilterCompletions, SqlChart, SqlFailure, SqlOrder, SqlPlannedReads,
    SqlReadyStatement, SqlResult, TrackKey,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::host::page;
use crate::spawn_engine::{Engine, EngineProgram};
use crate::words;

/// Kinds of messages: see `sql/page/src/worker.rs`.
const READY: f64 = 0.0;
const STATEMENT: f64 = 1.0;
const ENGINE: f64 = 2.0;
const COMPLETION: f64 = 3.0;
const CHART: f64 = 4.0;
const FILE: f64 = 5.0;
const REFUSAL: f64 = 6.0;
const TRACK: f64 = 7.0;
/// Name and media type of a saved Parquet file.
const PARQUET: (&str, &str) = ("result.parquet", "application/vnd.apache.parquet");
const DATASET: f64 = 8.0;
const SOURCE: f64 = 9.0;
const PROGRESS: f64 = 10.0;
const PLANNED: f64 = 11.0;
/// Time after which a statement is stopped, over a trace and over a data set, which may have to be fetched.
const LIMITS: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(600)];

/// Hands a packed request on to the engine.
pub type Relay = Rc<dyn Fn(Uint8Array) -> Pin<Box<dyn Future<Output = Option<Uint8Array>>>>>;

/// How the last statement ended.
#[derive(Clone, PartialEq, Debug)]
pub enum SqlOutcome {
    /// Rows, and the time in milliseconds from the order to the rows.
    Rows(SqlResult, f64),
    /// No result: the reason, and its place in the statement.
    Failed(SqlFailure),
    /// The user stopped it.
    Cancelled,
}

/// State of the SQL program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SqlStatus {
    /// Whether a statement runs.
    pub is_running: bool,
    /// Whether the program is being downloaded or started.
    pub is_starting: bool,
    /// The last statement with its outcome.
    pub outcome: Option<Rc<(String, SqlOutcome)>>,
    /// The statements that come with the program.
    pub ready: Rc<Vec<SqlReadyStatement>>,
    /// What may be written, and the statement in which.
    pub found: Option<Rc<(String, FilterCompletions)>>,
    /// Statements that were run, the newest first.
    pub history: Rc<Vec<String>>,
    /// The chart of the result that was asked for last.
    pub chart: Option<Rc<SqlChart>>,
    /// Why there is no chart or no file of the result.
    pub refusal: Option<String>,
    /// Number of reads and bytes that the current step has fetched of the data set.
    pub fetched: (u64, u64),
    /// What the statement that runs reads of the data set at most.
    pub planned: Option<SqlPlannedReads>,
}

/// Where a data set is.
#[derive(Clone)]
pub struct DatasetSource {
    /// Absolute address of its folder or manifest; empty for dropped files.
    pub address: String,
    /// The path and the handle of each dropped file in turn.
    pub files: Option<Array>,
}

/// An answer about a data set, and the file of a trace.
type DatasetAnswered = (DatasetReply, JsValue);

/// A handle to the SQL program of a viewer; cheap to clone.
#[derive(Clone)]
pub struct SqlClient(Rc<SqlConnection>);

struct SqlConnection {
    /// `None` if it was not built.
    program: Option<EngineProgram>,
    worker: RefCell<Option<Engine>>,
    /// Number of workers, to ignore late replies.
    workers: Cell<u32>,
    /// Number of statements, to ignore late timers.
    started: Cell<u32>,
    ready: Cell<bool>,
    /// The statement that runs, or waits for the program, and when it was ordered.
    order: RefCell<Option<(SqlOrder, f64)>>,
    relay: RefCell<Option<Relay>>,
    /// Hands the request for a track on to the engine, and hears of the track's key.
    track: RefCell<Option<(Relay, Callback<TrackKey>)>>,
    /// The data set that statements read instead of the trace.
    source: RefCell<Option<DatasetSource>>,
    /// Questions about the data set that wait for the program.
    early: RefCell<Vec<Uint8Array>>,
    /// Where the answers about the data set go, in the order of the questions.
    asked: RefCell<VecDeque<oneshot::Sender<DatasetAnswered>>>,
    status: RefCell<SqlStatus>,
    listener: RefCell<Callback<SqlStatus>>,
}

impl SqlClient {
    /// A connection that starts `program` when it is needed; `None` if it was not built.
    pub fn new(program: Option<EngineProgram>) -> Self {
        Self(Rc::new(SqlConnection {
            program,
            worker: RefCell::default(),
            workers: Cell::default(),
            started: Cell::default(),
            ready: Cell::default(),
            order: RefCell::default(),
            relay: RefCell::default(),
            track: RefCell::default(),
            source: RefCell::default(),
            early: RefCell::default(),
            asked: RefCell::default(),
            status: RefCell::default(),
            listener: RefCell::new(Callback::noop()),
        }))
    }

    /// Whether the program was built.
    pub fn is_built(&self) -> bool {
        self.0.program.is_some()
    }

    /// The current state.
    pub fn status(&self) -> SqlStatus {
        self.0.status.borrow().clone()
    }

    /// Sends every later state to `listener`.
    pub fn listen(&self, listener: Callback<SqlStatus>) {
        self.0.listener.replace(listener);
    }

    /// Downloads and starts the program, because a statement will be run soon.
    pub fn wake(&self) {
        self.0.wake();
    }

    /// Runs a statement. `relay` hands requests on to the engine.
    pub fn run(&self, order: SqlOrder, relay: Relay) {
        let connection = &self.0;
        connection.relay.replace(Some(relay));
        connection.started.set(connection.started.get().wrapping_add(1));
        connection.order.replace(Some((order, page::now())));
        connection.wake();
        if connection.ready.get() {
            connection.send();
        }
        connection.change(|status| (status.is_running, status.planned) = (true, None));
    }

    /// Sets the statements that were run, the newest first.
    pub fn remember(&self, history: Vec<String>) {
        self.0.change(|status| status.history = Rc::new(history));
    }

    /// Asks for a chart of two columns of the result, which is then in [`SqlStatus::chart`].
    pub fn chart(&self, columns: (u32, u32)) {
        self.0.about_rows(CHART, &postcard::to_allocvec(&columns).unwrap_or_default());
    }

    /// Draws the result as a track of the timeline. `relay` hands the request on to the engine; `then` hears of the key under
    /// which the track is to be pinned.
    pub fn track(&self, relay: Relay, then: Callback<TrackKey>) {
        self.0.track.replace(Some((relay, then)));
        self.0.about_rows(TRACK, &[]);
    }

    /// Saves the result as a Parquet file.
    pub fn save(&self) {
        self.0.about_rows(FILE, &[]);
    }

    /// Asks what may be written in a statement, at the place that stands for its number of rows; does nothing while a statement
    /// runs. The answer is in [`SqlStatus::found`].
    pub fn complete(&self, order: &SqlOrder, relay: Relay) {
        let connection = &self.0;
        if !connection.ready.get() || connection.order.borrow().is_some() {
            return;
        }
        connection.relay.replace(Some(relay));
        let bytes = postcard::to_allocvec(order).unwrap_or_default();
        connection.post(COMPLETION, &Uint8Array::from(&bytes[..]));
    }

    /// Sets the data set that statements read; `None` for the trace.
    pub fn set_source(&self, source: Option<DatasetSource>) {
        self.0.source.replace(source);
        if self.0.ready.get() {
            self.0.send_source();
        }
    }

    /// Asks about the data set; `None` if the program ends before it answers. The file is that of a trace.
    pub async fn ask(&self, order: &DatasetOrder) -> Option<DatasetAnswered> {
        let connection = &self.0;
        let (answer, reply) = oneshot::channel();
        let bytes = Uint8Array::from(&postcard::to_allocvec(order).unwrap_or_default()[..]);
        connection.asked.borrow_mut().push_back(answer);
        connection.wake();
        match connection.ready.get() {
            true => connection.post(DATASET, &bytes),
            false => connection.early.borrow_mut().push(bytes),
        }
        reply.await.ok()
    }

    /// Stops the statement that runs.
    pub fn cancel(&self) {
        self.0.stop(SqlOutcome::Cancelled);
    }

    /// Forgets what was read of the open trace of the data set, because another trace replaces it.
    pub fn forget_stored(&self) {
        if self.0.order.borrow().as_ref().is_some_and(|(order, _)| order.stored.is_some()) {
            self.cancel();
        }
        let is_stored = |outcome: &(String, SqlOutcome)| matches!(&outcome.1, SqlOutcome::Rows(result, _) if result.stored.is_some());
        if self.status().outcome.is_some_and(|outcome| is_stored(&outcome)) {
            self.0.change(|status| status.outcome = None);
        }
    }

    /// Forgets the result and ends the program, because the trace was closed or the viewer removed.
    pub fn end(&self) {
        self.0.end();
        self.0.order.take();
        self.0.change(|status| {
            let SqlStatus { ready, history, .. } = std::mem::take(status);
            *status = SqlStatus { ready, history, ..SqlStatus::default() };
        });
    }
}

fn failed(text: String) -> SqlOutcome {
    SqlOutcome::Failed(SqlFailure { text, ..SqlFailure::default() })
}

impl SqlConnection {
    fn change(&self, change: impl FnOnce(&mut SqlStatus)) {
        change(&mut self.status.borrow_mut());
        let (listener, status) = (self.listener.borrow().clone(), self.status.borrow().clone());
        listener.emit(status);
    }

    fn wake(self: &Rc<Self>) {
        let Some(program) = self.program.clone().filter(|_| self.worker.borrow().is_none()) else { return };
        let (hearing, failing) = (Rc::downgrade(self), Rc::downgrade(self));
        let hear = move |data: JsValue| {
            if let Some(connection) = hearing.upgrade() {
                connection.receive(&data.unchecked_into());
            }
        };
        let fail = move |reason: String| {
            if let Some(connection) = failing.upgrade() {
                let is_running = connection.ready.get();
                let text =
                    if is_running { words::sql::crashed(&reason) } else { words::sql::not_started(&reason) };
                connection.stop(failed(text));
            }
        };
        self.worker.replace(Some(Engine::start(program, "sql", hear, fail)));
        self.change(|status| status.is_starting = true);
    }

    /// Ends the worker.
    fn end(&self) {
        drop(self.worker.take());
        self.workers.set(self.workers.get().wrapping_add(1));
        self.ready.set(false);
        self.relay.take();
        self.early.take();
        // Whoever waits for an answer gets none.
        self.asked.take();
    }

    fn send_source(&self) {
        let source = self.source.borrow();
        let (address, files) = source.as_ref().map_or(("", None), |of| (&of.address, of.files.as_ref()));
        let bytes = Uint8Array::from(address.as_bytes());
        self.post_all(&Array::of3(&SOURCE.into(), &bytes, &files.map_or(JsValue::NULL, JsValue::from)));
    }

    /// Ends the worker, with an outcome for the statement that runs.
    fn stop(&self, outcome: SqlOutcome) {
        self.end();
        let sql = self.order.take().map(|(order, _)| order.sql).unwrap_or_default();
        self.finish(sql, outcome);
    }

    fn finish(&self, sql: String, outcome: SqlOutcome) {
        self.change(|status| {
            (status.is_running, status.is_starting) = (false, false);
            (status.chart, status.refusal) = (None, None);
            status.outcome = Some(Rc::new((sql, outcome)));
        });
    }

    /// Sends a request about the rows of the result, unless they are about to be replaced.
    fn about_rows(&self, kind: f64, bytes: &[u8]) {
        if self.ready.get() && self.order.borrow().is_none() {
            self.post(kind, &Uint8Array::from(bytes));
        }
    }

    fn post(&self, kind: f64, bytes: &Uint8Array) {
        self.post_all(&Array::of2(&kind.into(), bytes));
    }

    fn post_all(&self, message: &Array) {
        if let Some(worker) = &*self.worker.borrow()
            && let Err(error) = worker.post(message)
        {
            web_sys::console::error_1(&error);
        }
    }

    /// Sends the statement that waits, and stops it after a while.
    fn send(self: &Rc<Self>) {
        let Some(order) = self.order.borrow().as_ref().map(|(order, _)| postcard::to_allocvec(order)) else {
            return;
        };
        self.post(STATEMENT, &Uint8Array::from(&order.unwrap_or_default()[..]));
        let (connection, number) = (Rc::downgrade(self), self.started.get());
        let limit = LIMITS[usize::from(self.source.borrow().is_some())];
        spawn_local(async move {
            yew::platform::time::sleep(limit).await;
            let running = connection.upgrade().filter(|connection| connection.started.get() == number);
            if let Some(connection) = running.filter(|connection| connection.order.borrow().is_some()) {
                connection.stop(failed(words::sql::timed_out(limit.as_secs())));
            }
        });
    }

    fn receive(self: &Rc<Self>, message: &Array) {
        let bytes: Uint8Array = message.get(1).unchecked_into();
        match message.get(0).as_f64() {
            Some(READY) => {
                self.ready.set(true);
                let ready = postcard::from_bytes(&bytes.to_vec()).unwrap_or_default();
                self.change(|status| (status.is_starting, status.ready) = (false, Rc::new(ready)));
                self.send_source();
                self.early.take().iter().for_each(|order| self.post(DATASET, order));
                self.send();
            }
            Some(ENGINE) => {
                let Some(relay) = self.relay.borrow().clone() else { return };
                let (connection, number): (Weak<Self>, u32) = (Rc::downgrade(self), self.workers.get());
                spawn_local(async move {
                    let reply = relay(bytes).await.unwrap_or_default();
                    // The worker may have been ended meanwhile; a later statement waits for the reply.
                    if let Some(connection) = connection.upgrade().filter(|now| now.workers.get() == number) {
                        connection.post(ENGINE, &reply);
                    }
                });
            }
            Some(PROGRESS) => {
                let fetched = postcard::from_bytes(&bytes.to_vec()).unwrap_or_default();
                self.change(|status| status.fetched = fetched);
            }
            Some(PLANNED) => {
                let planned = postcard::from_bytes(&bytes.to_vec()).ok();
                self.change(|status| (status.planned, status.fetched) = (planned, (0, 0)));
            }
            Some(DATASET) => {
                let sender = self.asked.borrow_mut().pop_front();
                if let (Some(sender), Ok(reply)) = (sender, postcard::from_bytes(&bytes.to_vec())) {
                    // Whoever asked may be gone.
                    let _ = sender.send((reply, message.get(2)));
                }
            }
            Some(COMPLETION) => {
                let found = postcard::from_bytes(&bytes.to_vec()).ok();
                self.change(|status| status.found = found.map(Rc::new));
            }
            Some(CHART) => {
                let chart = postcard::from_bytes(&bytes.to_vec()).ok().map(Rc::new);
                self.change(|status| (status.chart, status.refusal) = (chart, None));
            }
            Some(FILE) => {
                page::download_bytes(PARQUET, &bytes);
                self.change(|status| status.refusal = None);
            }
            Some(TRACK) => {
                let Some((relay, then)) = self.track.take() else { return };
                spawn_local(async move {
                    let reply = relay(bytes).await.unwrap_or_default();
                    let key: Option<TrackKey> = postcard::from_bytes(&reply.to_vec()).ok().flatten();
                    key.into_iter().for_each(|key| then.emit(key));
                });
            }
            Some(REFUSAL) => {
                let reason = postcard::from_bytes(&bytes.to_vec()).ok();
                self.change(|status| status.refusal = reason);
            }
            _ => {
                let Some((order, begun)) = self.order.take() else { return };
                self.relay.take();
                let result = postcard::from_bytes::<Result<SqlResult, SqlFailure>>(&bytes.to_vec());
                let outcome = match result {
                    Ok(Ok(result)) => SqlOutcome::Rows(result, page::now() - begun),
                    Ok(Err(failure)) => SqlOutcome::Failed(failure),
                    Err(error) => failed(error.to_string()),
                };
                self.finish(order.sql, outcome);
            }
        }
    }
}
