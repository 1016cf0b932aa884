//! Where Firefox and its driver are on this machine, if they are: the page must work there, too, but nothing needs it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::chromium::program;

/// A browser and its driver.
#[derive(Clone, Debug)]
pub struct Firefox {
    /// The browser's program.
    pub browser: PathBuf,
    /// Its driver's program.
    pub driver: PathBuf,
}

impl Firefox {
    /// `FIREFOX` and `GECKODRIVER` of the environment, else the usual names on the PATH. `None` if one is missing.
    pub fn find() -> Option<Self> {
        Some(Firefox { browser: Self::browser()?, driver: program("GECKODRIVER", &["geckodriver"])? })
    }

    /// The browser alone.
    pub fn browser() -> Option<PathBuf> {
        program("FIREFOX", &["firefox", "firefox-esr"])
    }

    pub(crate) fn capabilities(&self) -> Value {
        json!({ "moz:firefoxOptions": { "binary": self.browser, "args": ["-headless"] } })
    }
}
