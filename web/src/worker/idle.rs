//! What the worker does while no request waits: warms up its code, and prepares the answers to requests that will come.

use std::rc::Rc;

use queryscope::session::WarmUpReading;

use super::{WorkerState, pause};

/// A step may delay a message by so much.
const STEP_MS: f64 = 8.0;
/// Pause after a trace was loaded: its timeline is drawn first, for which the page needs the processor.
const DRAWN_MS: i32 = 300;
/// Warming up goes on after this time without a request.
const QUIET_MS: i32 = 100;

/// Reads made-up records until the first message comes.
pub async fn warm_up(worker: Rc<WorkerState>) {
    let mut reading = WarmUpReading::default();
    while worker.heard.get().is_none() && several(|| reading.step()) {
        pause(0).await;
    }
}

/// Prepares answers about the trace that was read, and warms up pivot tables, until something else is read.
pub async fn look_ahead(worker: &WorkerState) {
    let job = worker.job.get();
    pause(DRAWN_MS).await;
    while worker.job.get() == job && !worker.reading.get() {
        let quiet = worker.heard.get().map_or(0.0, |heard| js_sys::Date::now() - heard);
        if quiet < QUIET_MS.into() {
            pause(QUIET_MS).await;
            continue;
        }
        worker.session.borrow_mut().forget_before();
        if several(|| worker.session.borrow_mut().look_ahead())
            || several(|| worker.tables.borrow_mut().step())
        {
            pause(0).await;
        } else {
            break;
        }
    }
}

/// Steps for a few milliseconds. Whether there are more.
fn several(mut step: impl FnMut() -> bool) -> bool {
    let began = js_sys::Date::now();
    while js_sys::Date::now() - began < STEP_MS {
        if !step() {
            return false;
        }
    }
    true
}
