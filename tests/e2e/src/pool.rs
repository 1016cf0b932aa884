//! Browsers that wait for the next test: starting one takes as long as a short test.
//!
//! The test runner has a thread for each test, so that nothing can be kept by a thread; as many browsers are kept as
//! tests have run at the same time. They end with the process: see [`crate::watchdog`].

use std::sync::{Mutex, PoisonError};

use anyhow::Result;

use crate::browser::Options;
use crate::chromium;
use crate::context::{BrowserContext, Contexts};
use crate::watchdog;
use crate::webdriver::Session;

/// A Chromium that can hold contexts.
pub(crate) struct Pooled {
    pub(crate) session: Session,
    contexts: Contexts,
}

static IDLE: Mutex<Vec<Pooled>> = Mutex::new(Vec::new());

fn idle() -> Option<Pooled> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// A browser, and in it a context that nothing happened in. Browsers that died or do not answer are ended.
pub(crate) fn take(options: Options) -> Result<(Pooled, BrowserContext)> {
    while let Some(mut browser) = idle() {
        if let Ok(context) = browser.contexts.enter(&browser.session, options.width, options.height) {
            return Ok((browser, context));
        }
    }
    let session = chromium::start(&Options { webgl: false, ..options })?;
    let contexts = Contexts::connect(&session)?;
    let mut browser = Pooled { session, contexts };
    let context = browser.contexts.enter(&browser.session, options.width, options.height)?;
    Ok((browser, context))
}

/// Ends a context and keeps its browser for the next test, if it still answers.
pub(crate) fn give_back(mut browser: Pooled, context: &BrowserContext) {
    if watchdog::AVAILABLE && browser.contexts.leave(&browser.session, context).is_ok() {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
    }
}
