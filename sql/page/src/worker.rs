//! The program's messages. Each is an array of a kind and bytes, some with a file, files, a number or a choice.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use js_sys::{Array, Function, Reflect, Uint8Array};
use queryscope::protocol::{DatasetAnswer, DatasetOrder, SqlFailure, SqlOrder};
use queryscope_sql::dataset::DatasetFiles;
use wasm_bindgen::prelude::*;
use web_sys::File;

use crate::complete::CompletionPlace;
use crate::driver::Driver;
use crate::files::{AddressFiles, DroppedFiles};
use crate::planning::failure;
use crate::program::{self, SqlProgram, Step};

/// Kind of a message of the program: it is ready for statements, and has these of its own.
const READY: u32 = 0;
/// Kind of a message of the page: an order, and its number. Of the program: its result, and that number.
const STATEMENT: u32 = 1;
/// Kind of a message of the program: a request to the engine. Of the page: the reply to it.
const ENGINE: u32 = 2;
/// Kind of a message of the page: a statement, with a place in it instead of a number of rows, and whether the user asked for the
/// names. Of the program: its completions.
const COMPLETION: u32 = 3;
/// Kind of a message of the page: two columns of the result. Of the program: their chart.
const CHART: u32 = 4;
/// Kind of a message of the page without bytes, and of the program: the result as a Parquet file.
const FILE: u32 = 5;
/// Kind of a message of the page without bytes. Of the program: the request that draws the result as a track.
const TRACK: u32 = 7;
/// Kind of a message of the program: why there is no chart, file or track.
const REFUSAL: u32 = 6;
/// Kind of a message of the page: a question about the data set. Of the program: the answer, and a file if that is a trace.
const DATASET: u32 = 8;
/// Kind of a message of the page: the address of a data set, or empty and its files, or neither to close it.
const SOURCE: u32 = 9;
/// Kind of a message of the program: number of reads and bytes of the data set that the current step has fetched.
const PROGRESS: u32 = 10;
/// Kind of a message of the program: what the statement that begins to run reads of the data set at most.
const PLANNED: u32 = 11;
/// Number of reads after which progress is reported.
const READS: u64 = 8;

thread_local! {
    /// Number of reads and bytes of the current step.
    static FETCHED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// Number of the last order.
    static NUMBER: Cell<Option<f64>> = const { Cell::new(None) };
}

/// A message: its kind, its bytes, and a file, files, a number or a choice.
type Message = (u32, Vec<u8>, JsValue);
/// Work on a message of the page, which gives the program back, and the message that answers.
type Work = Pin<Box<dyn Future<Output = (SqlProgram, Option<Message>)>>>;

/// The program, which works on one message at a time; further ones wait.
struct Worker {
    driver: Driver,
    /// `None` while it works.
    program: Option<SqlProgram>,
    work: Option<Work>,
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
    /// Messages that wait.
    static WAITING: RefCell<VecDeque<Message>> = const { RefCell::new(VecDeque::new()) };
    /// Whether something happened while the worker ran.
    static HAS_NEWS: Cell<bool> = const { Cell::new(false) };
}

/// Begins to hear messages.
///
/// # Errors
/// If this is no worker, or the runtime cannot be made.
#[wasm_bindgen(start)]
pub fn start() -> Result<(), JsValue> {
    let driver = Driver::new().map_err(|error| JsValue::from(error.to_string()))?;
    let mut program = SqlProgram::new(program::MEMORY);
    program.on_plan(|planned| {
        let planned = postcard::to_allocvec(&planned).unwrap_or_default();
        post(&(PLANNED, planned, JsValue::UNDEFINED));
    });
    WORKER.set(Some(Worker { driver, program: Some(program), work: None }));
    let hear = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let data: Array = property(&event, "data").unchecked_into();
        let bytes = Uint8Array::new(&data.get(1)).to_vec();
        let kind = data.get(0).as_f64().map_or(STATEMENT, |kind| kind as u32);
        WAITING.with_borrow_mut(|waiting| waiting.push_back((kind, bytes, data.get(2))));
        go_on();
    });
    Reflect::set(&js_sys::global(), &"onmessage".into(), hear.as_ref())?;
    hear.forget();
    let ready = postcard::to_allocvec(&program::ready_statements()).unwrap_or_default();
    post(&(READY, ready, JsValue::UNDEFINED));
    Ok(())
}

/// Goes on with what waited for a message or a read. A browser may deliver an event while the worker runs, inside a call that
/// sends a request; the worker then goes on after that.
pub fn go_on() {
    HAS_NEWS.set(true);
    WORKER.with(|worker| {
        while let Ok(mut worker) = worker.try_borrow_mut()
            && HAS_NEWS.replace(false)
        {
            worker.iter_mut().for_each(Worker::go_on);
        }
    });
}

impl Worker {
    /// Works as far as that is possible without waiting.
    fn go_on(&mut self) {
        loop {
            if let Some(work) = &mut self.work {
                let Some((program, answer)) = self.driver.advance(work) else { return };
                (self.work, self.program) = (None, Some(program));
                answer.iter().for_each(post);
            }
            let Some(message) = WAITING.with_borrow_mut(VecDeque::pop_front) else { return };
            let Some(mut program) = self.program.take() else { return };
            FETCHED.set((0, 0));
            self.work = Some(Box::pin(async move {
                let answer = answer(&mut program, message).await;
                (program, answer)
            }));
        }
    }
}

/// The answer to a message.
async fn answer(program: &mut SqlProgram, (kind, bytes, file): Message) -> Option<Message> {
    let step = match kind {
        CHART | FILE | TRACK => return Some(about_rows(program, kind, &bytes)),
        ENGINE => program.take(&bytes).await,
        SOURCE => {
            let address = String::from_utf8(bytes).unwrap_or_default();
            let files: Option<Arc<dyn DatasetFiles>> = match file.dyn_into::<Array>() {
                Ok(files) => Some(Arc::new(DroppedFiles::new(&files))),
                Err(_) if address.is_empty() => None,
                Err(_) => Some(Arc::new(AddressFiles::new(&address))),
            };
            program.set_dataset(files);
            return None;
        }
        DATASET => return about_dataset(program, &bytes).await,
        kind => match postcard::from_bytes::<SqlOrder>(&bytes) {
            Ok(order) if kind == COMPLETION => {
                let place = CompletionPlace { caret: order.rows, is_asked: file.is_truthy() };
                program.complete(order, place).await
            }
            Ok(order) => {
                NUMBER.set(file.as_f64());
                program.run(order).await
            }
            Err(error) => Step::Done(Err(SqlFailure { text: error.to_string(), ..SqlFailure::default() })),
        },
    };
    let (kind, bytes) = match &step {
        Step::Ask(request) => (ENGINE, postcard::to_allocvec(request)),
        Step::Done(result) => (STATEMENT, postcard::to_allocvec(result)),
        Step::Completed(sql, found) => (COMPLETION, postcard::to_allocvec(&(sql, found))),
        Step::Wait => return None,
    };
    let number = if kind == STATEMENT { NUMBER.get().into() } else { JsValue::UNDEFINED };
    Some((kind, bytes.unwrap_or_default(), number))
}

/// What is asked about the last rows.
fn about_rows(program: &SqlProgram, kind: u32, bytes: &[u8]) -> Message {
    let made = match kind {
        FILE => program.parquet(),
        TRACK => program.track().map(|track| postcard::to_allocvec(&track).unwrap_or_default()),
        _ => program
            .chart(postcard::from_bytes(bytes).unwrap_or_default())
            .map(|chart| postcard::to_allocvec(&chart).unwrap_or_default()),
    };
    let (kind, bytes) = match made {
        Ok(bytes) => (kind, bytes),
        Err(error) => (REFUSAL, postcard::to_allocvec(&failure(error).text).unwrap_or_default()),
    };
    (kind, bytes, JsValue::UNDEFINED)
}

async fn about_dataset(program: &mut SqlProgram, bytes: &[u8]) -> Option<Message> {
    let order = postcard::from_bytes::<DatasetOrder>(bytes).ok()?;
    let (reply, content) = program.dataset.answer(&order).await;
    let file = content.and_then(|lines| {
        let name = if let DatasetAnswer::Trace(name) = &reply.answer { name.as_str() } else { "" };
        File::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(lines.as_bytes())), name).ok()
    });
    Some((DATASET, postcard::to_allocvec(&reply).unwrap_or_default(), file.into()))
}

/// Counts a read of the data set, and tells the page now and then.
pub fn tell_progress(bytes: u64) {
    let (reads, sum) = FETCHED.get();
    let fetched = (reads + 1, sum + bytes);
    FETCHED.set(fetched);
    if fetched.0.is_multiple_of(READS) {
        post(&(PROGRESS, postcard::to_allocvec(&fetched).unwrap_or_default(), JsValue::UNDEFINED));
    }
}

/// A property of an object of the browser.
pub fn property(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

fn post((kind, bytes, file): &Message) {
    let message = Array::of3(&(*kind).into(), &Uint8Array::from(&bytes[..]), file);
    let global = js_sys::global();
    if let Ok(post) = property(&global, "postMessage").dyn_into::<Function>() {
        // A message of an array and bytes can always be copied.
        let _ = post.call1(&global, &message);
    }
}
