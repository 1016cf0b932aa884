//! What the worker does while nobody asks for anything: it practises.

use std::rc::Rc;

use queryscope::session::Rehearsal;

use super::{Desk, pause};

/// A step of practice may delay the first message by so much.
const STEP_MS: f64 = 8.0;

/// Practises until the first message comes.
pub async fn practise(desk: Rc<Desk>) {
    let mut rehearsal = Rehearsal::default();
    while !desk.told.get() {
        let began = js_sys::Date::now();
        while js_sys::Date::now() - began < STEP_MS {
            if !rehearsal.step() {
                return;
            }
        }
        pause(0).await;
    }
}
