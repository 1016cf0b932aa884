//! The page's connection to the worker that runs SQL.
//!
//! The worker is started when the SQL tab is shown. It works on one thing at a time: a statement, or a question about a data set; the
//! others wait here. Neither can be interrupted, so cancelling one ends the worker. If others wait, another worker is started for them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use queryscope::protocol::{
    DatasetOrder, DatasetQuestion, DatasetReply, FilterCompletions, SqlChart, SqlFailure, SqlOrder,
    SqlPlannedReads, SqlReadyStatement, SqlResult, TrackKey,
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
    /// Whether the program works on a question about the data set. A statement then waits for the answer.
    pub is_answering: bool,
    /// The last statement with its outcome.
    pub outcome: Option<Rc<(String, SqlOutcome)>>,
    /// The statements that come with the program.
    pub ready: Rc<Vec<SqlReadyStatement>>,
    /// What may be written, and the statement in which.
    pub found: Option<Rc<(String, FilterCompletions)>>,
    /// Statements that were run, or replaced after they were typed, the newest first.
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

/// An answer about a data set, and the file of a trace; or a sentence that says why there is none.
type DatasetAnswered = Result<(DatasetReply, JsValue), &'static str>;

/// The statement that runs, or waits for the program.
struct PendingStatement {
    order: SqlOrder,
    /// When it was ordered.
    begun: f64,
    is_sent: bool,
}

/// A question about the data set that has no answer yet.
struct PendingQuestion {
    order: DatasetOrder,
    is_sent: bool,
    answer: oneshot::Sender<DatasetAnswered>,
}

impl PendingQuestion {
    /// Whether it is about trends and waits for the program.
    fn is_waiting_trend(&self) -> bool {
        !self.is_sent && matches!(self.order.question, DatasetQuestion::Trend(_))
    }
}

/// A handle to the SQL program of a viewer; cheap to clone.
#[derive(Clone)]
pub struct SqlClient(Rc<SqlConnection>);

struct SqlConnection {
    /// `None` if it was not built.
    program: Option<EngineProgram>,
    worker: RefCell<Option<Engine>>,
    /// Number of workers, to ignore late replies.
    workers: Cell<u32>,
    /// Number of the last statement, to ignore late timers and replies to earlier statements.
    started: Cell<u32>,
    ready: Cell<bool>,
    order: RefCell<Option<PendingStatement>>,
    relay: RefCell<Option<Relay>>,
    /// Hands the request for a track on to the engine, and hears of the track's key.
    track: RefCell<Option<(Relay, Callback<TrackKey>)>>,
    /// The data set that statements read instead of the trace.
    source: RefCell<Option<DatasetSource>>,
    /// Questions about the data set, in their order.
    questions: RefCell<VecDeque<PendingQuestion>>,
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
            questions: RefCell::default(),
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

    /// Runs a statement in place of the one that runs, if any: that one is ended, unless it is the same. `relay` hands requests on to
    /// the engine.
    pub fn run(&self, order: SqlOrder, relay: Relay) {
        let connection = &self.0;
        let running = connection.order.take();
        if running.as_ref().is_some_and(|running| running.order == order) {
            connection.order.replace(running);
            return;
        }
        if running.is_some_and(|running| running.is_sent) {
            connection.end();
        }
        connection.relay.replace(Some(relay));
        connection.started.set(connection.started.get().wrapping_add(1));
        connection.order.replace(Some(PendingStatement { order, begun: page::now(), is_sent: false }));
        connection.change(|status| (status.is_running, status.planned) = (true, None));
        connection.wake();
        connection.advance();
    }

    /// Sets the statements of the history, the newest first.
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
    /// runs. `is_asked` also lists names where no letter was typed yet. The answer is in [`SqlStatus::found`].
    pub fn complete(&self, order: &SqlOrder, is_asked: bool, relay: Relay) {
        let connection = &self.0;
        if !connection.ready.get() || connection.order.borrow().is_some() {
            return;
        }
        connection.relay.replace(Some(relay));
        let bytes = postcard::to_allocvec(order).unwrap_or_default();
        connection.post_all(&Array::of3(&COMPLETION.into(), &Uint8Array::from(&bytes[..]), &is_asked.into()));
    }

    /// Sets the data set that statements read; `None` for the trace.
    pub fn set_source(&self, source: Option<DatasetSource>) {
        self.0.source.replace(source);
        if self.0.ready.get() {
            self.0.send_source();
        }
    }

    /// Asks about the data set, once no statement runs. The file is that of a trace. A question about trends replaces earlier ones that
    /// still wait.
    pub async fn ask(&self, order: DatasetOrder) -> DatasetAnswered {
        let (answer, reply) = oneshot::channel();
        let question = PendingQuestion { order, is_sent: false, answer };
        if question.is_waiting_trend() {
            self.0.drop_waiting_trends();
        }
        self.0.questions.borrow_mut().push_back(question);
        self.0.wake();
        self.0.advance();
        reply.await.unwrap_or(Err(words::trends::STOPPED))
    }

    /// Stops the statement that runs.
    pub fn cancel(&self) {
        self.0.stop(SqlOutcome::Cancelled);
    }

    /// Cancels the questions about trends. Statements go on, and so do other questions.
    pub fn cancel_trends(&self) {
        let is_trend =
            |sent: &PendingQuestion| sent.is_sent && matches!(sent.order.question, DatasetQuestion::Trend(_));
        if self.0.questions.borrow().front().is_some_and(is_trend) {
            self.0.end();
            self.0.change(|status| status.is_starting = false);
        }
        self.0.drop_waiting_trends();
        self.0.wake_again();
    }

    /// Forgets what was read of the open trace of the data set, because another trace replaces it.
    pub fn forget_stored(&self) {
        if self.0.order.borrow().as_ref().is_some_and(|running| running.order.stored.is_some()) {
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
        self.0.questions.take();
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
        self.status.borrow_mut().is_answering = self.is_answering();
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
                connection.fail(&reason);
            }
        };
        self.worker.replace(Some(Engine::start(program, "sql", hear, fail)));
        self.change(|status| status.is_starting = true);
    }

    /// Ends the worker. Questions wait for the next one.
    fn end(&self) {
        drop(self.worker.take());
        self.workers.set(self.workers.get().wrapping_add(1));
        self.ready.set(false);
        self.relay.take();
        self.questions.borrow_mut().iter_mut().for_each(|question| question.is_sent = false);
    }

    /// The worker crashed, or could not be started.
    fn fail(self: &Rc<Self>, reason: &str) {
        let is_started = self.ready.get();
        let text = if is_started { words::sql::crashed(reason) } else { words::sql::not_started(reason) };
        let running = self.order.take();
        self.end();
        if !is_started || running.as_ref().is_none_or(|running| !running.is_sent) {
            // Another worker would fail as well.
            self.questions.take();
        }
        self.change(|status| status.is_starting = false);
        self.finish(running.map(|running| running.order.sql).unwrap_or_default(), failed(text));
    }

    fn is_answering(&self) -> bool {
        self.questions.borrow().front().is_some_and(|question| question.is_sent)
    }

    /// Cancels questions about trends that were not sent.
    fn drop_waiting_trends(&self) {
        let questions = self.questions.take();
        let (dropped, kept): (VecDeque<_>, _) =
            questions.into_iter().partition(PendingQuestion::is_waiting_trend);
        self.questions.replace(kept);
        for question in dropped {
            // Whoever asked may be gone.
            let _ = question.answer.send(Err(words::common::CANCELLED));
        }
    }

    /// Sends the statement, or else the first question, if the program works on nothing.
    fn advance(self: &Rc<Self>) {
        let statement = self.order.borrow().as_ref().map(|of| of.is_sent);
        if !self.ready.get() || self.is_answering() || statement == Some(true) {
            return;
        }
        if statement.is_some() {
            return self.send();
        }
        let bytes = match self.questions.borrow_mut().front_mut() {
            Some(question) => {
                question.is_sent = true;
                postcard::to_allocvec(&question.order).unwrap_or_default()
            }
            None => return,
        };
        self.post(DATASET, &Uint8Array::from(&bytes[..]));
        self.change(|status| status.fetched = (0, 0));
    }

    /// Goes on with what waits, in another worker if there is none.
    fn wake_again(self: &Rc<Self>) {
        if self.order.borrow().is_some() || !self.questions.borrow().is_empty() {
            self.wake();
        }
        self.advance();
    }

    fn send_source(&self) {
        let source = self.source.borrow();
        let (address, files) = source.as_ref().map_or(("", None), |of| (&of.address, of.files.as_ref()));
        let bytes = Uint8Array::from(address.as_bytes());
        self.post_all(&Array::of3(&SOURCE.into(), &bytes, &files.map_or(JsValue::NULL, JsValue::from)));
    }

    /// Ends the statement with an outcome, and the worker if it runs the statement.
    fn stop(self: &Rc<Self>, outcome: SqlOutcome) {
        let Some(running) = self.order.take() else { return };
        if running.is_sent {
            self.end();
        }
        self.finish(running.order.sql, outcome);
    }

    fn finish(self: &Rc<Self>, sql: String, outcome: SqlOutcome) {
        self.change(|status| {
            status.is_running = false;
            (status.chart, status.refusal) = (None, None);
            status.outcome = Some(Rc::new((sql, outcome)));
        });
        self.wake_again();
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
        let bytes = match &mut *self.order.borrow_mut() {
            Some(waiting) => {
                waiting.is_sent = true;
                postcard::to_allocvec(&waiting.order).unwrap_or_default()
            }
            None => return,
        };
        let number = self.started.get().into();
        self.post_all(&Array::of3(&STATEMENT.into(), &Uint8Array::from(&bytes[..]), &number));
        self.change(|status| status.fetched = (0, 0));
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
                self.advance();
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
                let question = self.questions.borrow_mut().pop_front();
                if let (Some(question), Ok(reply)) = (question, postcard::from_bytes(&bytes.to_vec())) {
                    // Whoever asked may be gone.
                    let _ = question.answer.send(Ok((reply, message.get(2))));
                }
                self.change(|_| ());
                self.advance();
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
            // The result of an earlier statement is dropped.
            _ if message.get(2).as_f64() != Some(self.started.get().into()) => {}
            _ => {
                let Some(PendingStatement { order, begun, .. }) = self.order.take() else { return };
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
