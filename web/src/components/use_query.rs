//! The hook [`use_query`]: a component queries the worker, and renders again when the reply arrives.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use queryscope::protocol::{AnyReply, AnyRequest, Request};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::client::Client;

/// A request and its reply without their types, so that the code for all types is compiled only once.
#[derive(PartialEq)]
struct Exchange<E> {
    request: AnyRequest,
    /// `None` if the engine ended before it could reply.
    reply: Option<AnyReply>,
    scene_version: E,
}

/// A request of type `R` and its reply.
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
    /// Returns the request. `None` if its type is not `R`.
    pub fn request(&self) -> Option<&R> {
        R::of(&self.exchange.request)
    }

    /// Returns the reply. `None` if the engine ended before it could reply.
    pub fn reply(&self) -> Option<&R::Reply> {
        R::reply_ref(self.exchange.reply.as_ref()?)
    }

    /// Scene version at the time of the request. If it differs from the current version, item codes in the reply may be
    /// outdated.
    pub fn scene_version(&self) -> &E {
        &self.exchange.scene_version
    }
}

/// Whether the answer is from an earlier scene version. Links in an old answer may lead to other items.
pub fn is_old<R: Request, E: PartialEq>(answer: Option<&Answer<R, E>>, now: &E) -> bool {
    answer.is_some_and(|answer| answer.scene_version() != now)
}

/// Sends one request at a time. While a reply is pending, only the latest request is kept, so that scrolling or dragging
/// never fills the worker's queue with outdated requests.
struct Latest<E> {
    busy: Cell<bool>,
    next: RefCell<Option<(AnyRequest, E)>>,
    /// Whether a request is active. A reply that arrives after its request was withdrawn is discarded.
    open: Cell<bool>,
}

/// Returns the answer to `request`, which is sent again when the request or `scene_version` changes. The previous answer
/// stays until the new one arrives. `None` without a request.
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
