//! The hook [`use_query`]: a component asks the worker, and is drawn again with the reply.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use queryscope::protocol::{AnyReply, AnyRequest, Request};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::client::Client;

/// A request and its reply, of any type: all that is said of them in code that is made only once.
#[derive(PartialEq)]
struct Exchange<E> {
    request: AnyRequest,
    /// `None` where the engine ended before it could reply.
    reply: Option<AnyReply>,
    scene_version: E,
}

/// A request of type `R` with its reply.
pub struct Answer<R, E = u32> {
    exchange: Rc<Exchange<E>>,
    request: PhantomData<R>,
}

impl<R, E> Clone for Answer<R, E> {
    fn clone(&self) -> Self {
        Self { exchange: self.exchange.clone(), request: PhantomData }
    }
}

impl<R, E: PartialEq> PartialEq for Answer<R, E> {
    fn eq(&self, other: &Self) -> bool {
        self.exchange == other.exchange
    }
}

impl<R: Request, E> Answer<R, E> {
    /// The request.
    pub fn request(&self) -> Option<&R> {
        R::of(&self.exchange.request)
    }

    /// The reply; `None` where the engine ended before it could give one.
    pub fn reply(&self) -> Option<&R::Reply> {
        R::reply_ref(self.exchange.reply.as_ref()?)
    }

    /// The version at the time of the request. If it is not the current one, what the reply names may have other names by
    /// now.
    pub fn scene_version(&self) -> &E {
        &self.exchange.scene_version
    }
}

/// Whether the answer is from an earlier version: until the current one arrives, a click on what the answer names would lead
/// elsewhere.
pub fn is_old<R: Request, E: PartialEq>(answer: Option<&Answer<R, E>>, now: &E) -> bool {
    answer.is_some_and(|answer| answer.scene_version() != now)
}

/// One request at a time: while a reply is on its way only the latest of the later requests is kept, so that scrolling or
/// dragging never fills the worker's queue with requests whose replies are no longer needed.
struct Latest<E> {
    busy: Cell<bool>,
    next: RefCell<Option<(AnyRequest, E)>>,
    /// Whether anything is wanted now: a reply that comes after its request was withdrawn is not shown.
    open: Cell<bool>,
}

/// The answer to `request`, which is asked again whenever the request or `scene_version` changes. The last answer stays until the
/// new one is there; none without a request.
#[hook]
pub fn use_query<R: Request, E: Clone + PartialEq + 'static>(
    client: &Client,
    request: Option<R>,
    scene_version: E,
) -> Option<Answer<R, E>> {
    let exchange = use_exchange(client, request.map(Into::into), scene_version);
    exchange.map(|exchange| Answer { exchange, request: PhantomData })
}

#[hook]
fn use_exchange<E: Clone + PartialEq + 'static>(
    client: &Client,
    request: Option<AnyRequest>,
    scene_version: E,
) -> Option<Rc<Exchange<E>>> {
    let exchange = use_state(|| None);
    let latest = use_memo((), |()| Latest {
        busy: Cell::new(false),
        next: RefCell::new(None),
        open: Cell::new(false),
    });
    let (client, show) = (client.clone(), exchange.setter());
    use_effect_with((request, scene_version), move |(request, scene_version)| {
        latest.open.set(request.is_some());
        latest.next.replace(request.clone().zip(Some(scene_version.clone())));
        if request.is_none() {
            show.set(None);
        } else if !latest.busy.replace(true) {
            spawn_local(ask_until_quiet(client, latest, show));
        }
    });
    (*exchange).clone()
}

async fn ask_until_quiet<E: 'static>(
    client: Client,
    latest: Rc<Latest<E>>,
    show: UseStateSetter<Option<Rc<Exchange<E>>>>,
) {
    while let Some((request, scene_version)) = latest.next.take() {
        let reply = client.ask_any(request.clone()).await;
        if latest.open.get() {
            show.set(Some(Rc::new(Exchange { request, reply, scene_version })));
        }
    }
    latest.busy.set(false);
}
