//! Work of the worker while no request is waiting: warms up its code and prepares the replies to expected requests.

use std::rc::Rc;

use queryscope::session::WarmUpReading;

use super::{WorkerState, pause};

/// Maximum time in milliseconds by which a step may delay a message.
const STEP_MS: f64 = 8.0;
/// Pause after a trace was loaded: its timeline is drawn first, for which the page needs the processor.
const DRAWN_MS: i32 = 300;
/// Time in milliseconds without a request after which warming up continues.
const QUIET_MS: i32 = 100;
/// Time in milliseconds without a request after which steps that may delay a request by some tenths of a second are run.
const LONG_QUIET_MS: i32 = 1_000;

/// Reads generated records until the first message arrives.
pub async fn warm_up(worker: Rc<WorkerState>) {
    let mut reading = WarmUpReading::default();
    while worker.heard.get().is_none() && several(|| reading.step()) {
        pause(0).await;
    }
}

/// Prepares replies about the loaded trace and warms up pivot tables until another load begins.
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
        if several(|| worker.session.borrow_mut().look_ahead(false))
            || several(|| worker.tables.borrow_mut().step())
        {
            pause(0).await;
        } else if quiet < LONG_QUIET_MS.into() {
            pause(QUIET_MS).await;
        } else if several(|| worker.session.borrow_mut().look_ahead(true)) {
            pause(0).await;
        } else {
            break;
        }
    }
}

/// Runs steps for a few milliseconds; returns whether there are more steps.
fn several(mut step: impl FnMut() -> bool) -> bool {
    let began = js_sys::Date::now();
    while js_sys::Date::now() - began < STEP_MS {
        if !step() {
            return false;
        }
    }
    true
}
