//! A viewer embedded in another page, isolated from it.

use crate::host::{Assets, Host};

/// Host of a viewer that is embedded in another page.
#[derive(Default)]
pub struct EmbeddedHost {
    /// Addresses of the viewer's files.
    pub assets: Assets,
    /// Prefix of the keys in local storage; `None` if nothing is stored.
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
