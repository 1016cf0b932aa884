//! The site shell: the viewer owns the document with its title, its address, all keys, and the storage.

use std::cell::RefCell;

use super::Reporter;
use crate::events::Listener;
use crate::host::{Assets, Host, Step, ViewerEvent, Visit, document};
use crate::url::Address;
use crate::words::common::{PRODUCT, window_title};

/// Host of a viewer that owns the document.
pub struct SiteHost {
    assets: Assets,
    /// Listener that asks the user for confirmation before the page is left.
    leaving: RefCell<Option<Listener>>,
    reporter: Reporter,
}

impl SiteHost {
    /// Creates the host, with the addresses of its files.
    pub fn new(assets: Assets) -> Self {
        Self { assets, leaving: RefCell::default(), reporter: Reporter::default() }
    }

    /// Sets what hears of the viewer's events.
    pub fn with_reporter(self, reporter: Reporter) -> Self {
        Self { reporter, ..self }
    }

    /// Parses the document's address.
    pub fn address() -> Address {
        let (search, fragment) = document::address_parts();
        Address::parse(&search, &fragment)
    }
}

impl Host for SiteHost {
    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn takes_page_input(&self) -> bool {
        true
    }

    fn storage_prefix(&self) -> Option<&str> {
        Some("queryscope")
    }

    fn set_title(&self, name: &str) {
        document::set_title(&if name.is_empty() { PRODUCT.to_owned() } else { window_title(name) });
    }

    fn set_fragment(&self, fragment: &str, number: u32, step: Step) {
        document::set_fragment(fragment, number, step);
        self.reporter.set_fragment(fragment);
    }

    fn fragment(&self) -> String {
        self.reporter.fragment()
    }

    fn report(&self, event: &ViewerEvent<'_>) {
        self.reporter.report(event);
    }

    fn hear_visits(&self, mut call: Box<dyn FnMut(Visit)>) -> Option<Listener> {
        document::hear_steps(move |step| call(Visit { step, address: Box::new(Self::address()) }))
    }

    fn hold(&self, is_lost: bool) {
        self.leaving.replace(is_lost.then(document::ask_before_leaving).flatten());
    }

    fn link(&self) -> Option<String> {
        document::address()
    }
}
