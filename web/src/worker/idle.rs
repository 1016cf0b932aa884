//! What the worker does while nobody asks for anything: it practises.

use std::rc::Rc;

use queryscope::session::{Rehearsal, Tables};

use super::{Desk, pause};

/// A step of practice may delay a message by so much.
const STEP_MS: f64 = 8.0;
/// Once there is a trace, practice goes on when nothing was asked for so long.
const QUIET_MS: i32 = 100;
/// So often it is seen whether there is a trace.
const LOAD_MS: i32 = 300;

/// Practises reading until the first message comes, and tables once there is a trace and nobody asks for anything.
pub async fn practise(desk: Rc<Desk>) {
    let mut reading = Rehearsal::default();
    while desk.heard.get().is_none() && several(|| reading.step()) {
        pause(0).await;
    }
    drop(reading);
    let mut tables = Tables::default();
    loop {
        let quiet = desk.heard.get().map_or(0.0, |heard| js_sys::Date::now() - heard);
        if desk.reading.get() || desk.build.get() == 0 {
            pause(LOAD_MS).await;
        } else if quiet < QUIET_MS.into() {
            pause(QUIET_MS).await;
        } else if several(|| tables.step()) {
            pause(0).await;
        } else {
            return;
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
