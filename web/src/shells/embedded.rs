//! A viewer embedded in another page, isolated from it.

use super::Reporter;
use crate::host::{Assets, Host, Step, ViewerEvent};

/// Host of a viewer that is embedded in another page.
#[derive(Default)]
pub struct EmbeddedHost {
    /// Addresses of the viewer's files.
    pub assets: Assets,
    /// Prefix of the keys in local storage; `None` if nothing is stored.
    pub storage: Option<String>,
    /// Passes the viewer's events on to the embedding page.
    pub reporter: Reporter,
}

impl Host for EmbeddedHost {
    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn storage_prefix(&self) -> Option<&str> {
        self.storage.as_deref()
    }

    fn set_fragment(&self, fragment: &str, _number: u32, _step: Step) {
        self.reporter.set_fragment(fragment);
    }

    fn fragment(&self) -> String {
        self.reporter.fragment()
    }

    fn report(&self, event: &ViewerEvent<'_>) {
        self.reporter.report(event);
    }
}
