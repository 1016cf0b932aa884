//! Locating Firefox and its driver. The page must work in Firefox, but tests skip Firefox if it is not installed.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::chromium::program;

/// Programs of Firefox and its driver.
#[derive(Clone, Debug)]
pub struct Firefox {
    /// Path of the browser's program.
    pub browser: PathBuf,
    /// Path of the driver's program.
    pub driver: PathBuf,
}

impl Firefox {
    /// Finds both programs: by the variables `FIREFOX` and `GECKODRIVER`, else on the PATH. `None` if one is missing.
    pub fn find() -> Option<Self> {
        Some(Firefox { browser: Self::browser()?, driver: program("GECKODRIVER", &["geckodriver"])? })
    }

    /// Finds the browser's program only.
    pub fn browser() -> Option<PathBuf> {
        program("FIREFOX", &["firefox", "firefox-esr"])
    }

    pub(crate) fn capabilities(&self) -> Value {
        json!({ "moz:firefoxOptions": { "binary": self.browser, "args": ["-headless"] } })
    }
}
