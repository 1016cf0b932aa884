//! Whether the worker responds, and whether its replies take long.

use std::rc::{Rc, Weak};
use std::time::Duration;

use futures_channel::oneshot;
use queryscope::protocol::SubsetChoicesRequest;

use super::{Connection, EngineEvent, RecoveryAction};
use crate::messages::ToWorker;
use crate::words;

/// Interval at which the silence of a worker is counted, since a browser may end a worker without a notification. Silence
/// is counted in steps rather than by the clock, because the machine may sleep.
const STEP: Duration = Duration::from_secs(5);
/// Steps of silence after which a reading worker is sent a request to check whether it responds. Silence alone proves
/// nothing: the worker may be waiting for a slow server.
const ASKED: u32 = 6;
/// Steps of silence after which the user is warned. For ten million events, the slowest reply takes a third of this
/// time.
pub(super) const SILENT: u32 = 12;

/// Interval at which pending requests are looked at. A request that is still pending at the next look is slow.
const LOOK: Duration = Duration::from_millis(300);

impl Connection {
    /// Counts a step of silence, and warns the user if there were too many.
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
}

/// Checks at regular intervals whether the worker responds, until another worker replaces it.
pub(super) async fn watch_over(connection: Weak<Connection>, number: u32) {
    loop {
        yew::platform::time::sleep(STEP).await;
        match connection.upgrade().filter(|connection| connection.is_current(number)) {
            Some(connection) => connection.hears_nothing(),
            None => return,
        }
    }
}

/// Reports when a reply takes long, and when all have arrived.
pub(super) async fn report_slow_replies(connection: Weak<Connection>) {
    let (mut last, mut is_slow) = (None, false);
    loop {
        yew::platform::time::sleep(LOOK).await;
        let Some(connection) = connection.upgrade() else { return };
        let oldest = connection.replies.borrow().keys().min().copied();
        let is_slow_now = oldest.is_some() && (is_slow || oldest == last);
        if is_slow_now != is_slow {
            connection.report(EngineEvent::Computing(is_slow_now));
        }
        if oldest.is_none() {
            return connection.looks.set(false);
        }
        (last, is_slow) = (oldest, is_slow_now);
    }
}
