//! A viewer as a part of somebody else's page: it takes nothing over from it.

use crate::host::{Assets, Host};

/// Decisions for a viewer in another page.
#[derive(Default)]
pub struct EmbeddedHost {
    /// Where the viewer's files are.
    pub assets: Assets,
    /// What the keys of the local storage begin with; `None`: nothing is remembered.
    pub storage: Option<String>,
}

impl Host for EmbeddedHost {
    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn storage_prefix(&self) -> Option<&str> {
        self.storage.as_deref()
    }
}
