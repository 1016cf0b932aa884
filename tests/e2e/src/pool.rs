//! A pool of browsers for reuse by the next test, since starting a browser takes as long as a short test.
//!
//! The test runner starts a thread per test, so browsers are kept in a static. The pool grows to the maximum number of
//! concurrent tests. Its browsers end with the process: see [`crate::watchdog`].

use std::sync::{Mutex, PoisonError};

use anyhow::Result;

use crate::browser::Options;
use crate::chromium;
use crate::context::{BrowserContext, Contexts};
use crate::watchdog;
use crate::webdriver::Session;

/// A Chromium browser with a connection for creating contexts.
pub(crate) struct Pooled {
    pub(crate) session: Session,
    contexts: Contexts,
}

/// Has the browser optimize functions of WebAssembly only once they have done much: in the short life of a test's page, optimizing them
/// takes longer than it saves.
const OPTIMIZE_LATE: &str = "--js-flags=--wasm-tiering-budget=60000000";

static IDLE: Mutex<Vec<Pooled>> = Mutex::new(Vec::new());

fn idle() -> Option<Pooled> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Returns a browser with a fresh context, from the pool if possible. Browsers that have died or hang are ended.
pub(crate) fn take(options: Options) -> Result<(Pooled, BrowserContext)> {
    while let Some(mut browser) = idle() {
        if let Ok(context) = browser.contexts.enter(&browser.session, options.width, options.height) {
            return Ok((browser, context));
        }
    }
    let session = chromium::start(&Options { webgl: false, ..options }, &[OPTIMIZE_LATE])?;
    let contexts = Contexts::connect(&session)?;
    let mut browser = Pooled { session, contexts };
    let context = browser.contexts.enter(&browser.session, options.width, options.height)?;
    Ok((browser, context))
}

/// Ends a context and returns its browser to the pool, if the browser still answers.
pub(crate) fn give_back(mut browser: Pooled, context: &BrowserContext) {
    if watchdog::AVAILABLE && browser.contexts.leave(&browser.session, context).is_ok() {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
    }
}
