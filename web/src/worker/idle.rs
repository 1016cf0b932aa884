//! What the worker does while nobody asks for anything: it practises, and makes what will be asked for.

use std::rc::Rc;

use queryscope::session::Rehearsal;

use super::{Desk, pause};

/// A step may delay a message by so much.
const STEP_MS: f64 = 8.0;
/// Pause after a trace was loaded: its timeline is drawn first, for which the page needs the processor.
const DRAWN_MS: i32 = 300;
/// Warming up goes on after this time without a request.
const QUIET_MS: i32 = 100;

/// Practises reading until the first message comes.
pub async fn practise(desk: Rc<Desk>) {
    let mut reading = Rehearsal::default();
    while desk.heard.get().is_none() && several(|| reading.step()) {
        pause(0).await;
    }
}

/// Makes what will be asked for of the trace that was read, and practises tables, until something else is read.
pub async fn look_ahead(desk: &Desk) {
    let job = desk.job.get();
    pause(DRAWN_MS).await;
    while desk.job.get() == job && !desk.reading.get() {
        let quiet = desk.heard.get().map_or(0.0, |heard| js_sys::Date::now() - heard);
        if quiet < QUIET_MS.into() {
            pause(QUIET_MS).await;
            continue;
        }
        desk.session.borrow_mut().forget_before();
        if several(|| desk.session.borrow_mut().look_ahead()) || several(|| desk.tables.borrow_mut().step()) {
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
