//! Asking the worker from a component.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use queryscope::protocol::{Reply, Request};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::client::Client;

/// A reply, and what it is the reply to.
#[derive(PartialEq)]
pub struct Answer<E = u32> {
    /// What was asked.
    pub request: Request,
    /// What came back.
    pub reply: Reply,
    /// When it was asked: while this is not the epoch of now, what the reply names may be called otherwise by now.
    pub epoch: E,
}

/// Whether there is an answer and it is not of now: until that is there, a click on what it names would lead elsewhere.
pub fn is_old<E: PartialEq>(answer: Option<&Rc<Answer<E>>>, now: &E) -> bool {
    answer.is_some_and(|answer| answer.epoch != *now)
}

/// One question at a time: while an answer is on its way only the latest of the later questions is kept, so that
/// scrolling or dragging never fills the worker's queue with questions that nobody waits for.
struct Line<E> {
    busy: Cell<bool>,
    next: RefCell<Option<(Request, E)>>,
    /// Whether anything is wanted now: an answer that comes after its question was withdrawn is not shown.
    open: Cell<bool>,
}

/// The answer to `request`, asked again whenever the request or `epoch` changes. The last answer stays until the new
/// one is there; none without a request.
#[hook]
pub fn use_reply<E: Clone + PartialEq + 'static>(
    client: &Client,
    request: Option<Request>,
    epoch: E,
) -> Option<Rc<Answer<E>>> {
    let answer = use_state(|| None);
    let line =
        use_memo((), |()| Line { busy: Cell::new(false), next: RefCell::new(None), open: Cell::new(false) });
    let (client, show) = (client.clone(), answer.setter());
    use_effect_with((request, epoch), move |(request, epoch)| {
        line.open.set(request.is_some());
        line.next.replace(request.clone().zip(Some(epoch.clone())));
        if request.is_none() {
            show.set(None);
        } else if !line.busy.replace(true) {
            spawn_local(ask_until_quiet(client, line, show));
        }
    });
    (*answer).clone()
}

async fn ask_until_quiet<E: 'static>(
    client: Client,
    line: Rc<Line<E>>,
    show: UseStateSetter<Option<Rc<Answer<E>>>>,
) {
    while let Some((request, epoch)) = line.next.take() {
        let reply = client.ask(request.clone()).await;
        if line.open.get() {
            show.set(Some(Rc::new(Answer { request, reply, epoch })));
        }
    }
    line.busy.set(false);
}
