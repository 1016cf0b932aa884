//! HTTP requests: permitted addresses, timeouts, and reasons of failures.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, DedicatedWorkerGlobalScope as Scope, ReferrerPolicy, RequestCredentials, RequestInit,
    RequestMode, RequestRedirect, Response, ResponseType, Url,
};

use super::stream::{CancelHandle, reason};
use crate::words::reading;

/// Time in milliseconds without a byte after which a request is given up.
const PATIENCE_MS: i32 = 30_000;

/// A running request to an address.
pub struct Download {
    request: AbortController,
    /// Whether the server sent nothing for [`PATIENCE_MS`].
    silent: Rc<Cell<bool>>,
    /// Whether the response is declared as a web page, and its first bytes have not been checked yet.
    pub may_be_page: bool,
}

impl Download {
    /// Requests an address.
    ///
    /// # Errors
    /// If there is no response, with a text for the user.
    pub async fn start(url: &str, cancel: &CancelHandle) -> Result<(Self, Response), String> {
        let request = AbortController::new().map_err(|error| reason(&error))?;
        cancel.holds_request(request.clone());
        let mut download = Self { request, silent: Rc::default(), may_be_page: false };
        let options = options(url);
        options.set_signal(Some(&download.request.signal()));
        let fetching = JsFuture::from(scope().fetch_with_str_and_init(url, &options));
        match download.within_time(fetching).await {
            Ok(response) => Ok((download, response.unchecked_into())),
            Err(_) if download.silent.get() => Err(reading::SILENT.to_owned()),
            Err(_) if cancel.is_stopped() => Err(reading::CANCELLED.to_owned()),
            Err(_) => Err(why_not_fetched(url).await.to_owned()),
        }
    }

    /// Waits for a part of the response; aborts the request if nothing arrives in time.
    pub async fn within_time(&mut self, part: JsFuture) -> Result<JsValue, JsValue> {
        let (request, silent) = (self.request.clone(), self.silent.clone());
        let give_up = Closure::once(move || {
            silent.set(true);
            request.abort();
        });
        let function = give_up.as_ref().unchecked_ref();
        let timer = scope().set_timeout_with_callback_and_timeout_and_arguments_0(function, PATIENCE_MS);
        let answer = part.await;
        if let Ok(timer) = timer {
            scope().clear_timeout_with_handle(timer);
        }
        answer
    }

    /// Whether the server says that its response is a web page.
    pub fn is_page(response: &Response) -> bool {
        let media_type = response.headers().get("content-type").ok().flatten();
        media_type.is_some_and(|name| name.trim_start().to_ascii_lowercase().starts_with("text/html"))
    }

    /// Checks the next bytes of the response; `None` at its end.
    ///
    /// # Errors
    /// If the bytes could not be read, or are those of a web page.
    pub fn check(
        &mut self,
        answer: Result<Option<Uint8Array>, JsValue>,
    ) -> Result<Option<Uint8Array>, String> {
        let bytes = answer.map_err(|error| match self.silent.get() {
            true => reading::SILENT.to_owned(),
            false => reason(&error),
        })?;
        let begins_as_page = |bytes: &Uint8Array| {
            let first =
                (0..bytes.length()).map(|at| bytes.get_index(at)).find(|byte| !byte.is_ascii_whitespace());
            first == Some(b'<')
        };
        if std::mem::take(&mut self.may_be_page) && bytes.as_ref().is_some_and(begins_as_page) {
            self.request.abort();
            return Err(reading::WEB_PAGE.to_owned());
        }
        Ok(bytes)
    }
}

fn scope() -> Scope {
    js_sys::global().unchecked_into()
}

/// Options of every request. Other sites receive neither cookies nor the page's address. The page's own site receives its cookies,
/// because it may require a login.
fn options(url: &str) -> RequestInit {
    let options = RequestInit::new();
    let is_own = Url::new(url).is_ok_and(|url| url.origin() == scope().origin());
    options.set_credentials(if is_own { RequestCredentials::SameOrigin } else { RequestCredentials::Omit });
    options.set_referrer_policy(ReferrerPolicy::NoReferrer);
    options
}

/// Finds out why an address cannot be read, by requests to the same address.
async fn why_not_fetched(url: &str) -> &'static str {
    let is_mixed = |url: &Url| {
        let is_local = matches!(&*url.hostname(), "localhost" | "127.0.0.1" | "[::1]");
        scope().origin().starts_with("https:") && url.protocol() == "http:" && !is_local
    };
    if Url::new(url).is_ok_and(|url| is_mixed(&url)) {
        return reading::MIXED_CONTENT;
    }
    let probe = async |mode, redirect| {
        let options = options(url);
        options.set_method("HEAD");
        options.set_mode(mode);
        options.set_redirect(redirect);
        JsFuture::from(scope().fetch_with_str_and_init(url, &options)).await.map(JsCast::unchecked_into)
    };
    // Without CORS, the response cannot be read, but its arrival shows that the server answers.
    if probe(RequestMode::NoCors, RequestRedirect::Follow).await.is_ok_and(|_: Response| true) {
        return reading::NOT_SHARED;
    }
    let response: Result<Response, JsValue> = probe(RequestMode::Cors, RequestRedirect::Manual).await;
    if response.is_ok_and(|response| response.type_() == ResponseType::Opaqueredirect) {
        return reading::REDIRECTED;
    }
    reading::NOT_REACHED
}
