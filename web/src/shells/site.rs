//! The site shell: the viewer owns the document with its title, its address, all keys, and the storage.

use std::cell::RefCell;

use wasm_bindgen::{JsCast, JsValue};

use super::Reporter;
use crate::events::Listener;
use crate::host::{Assets, Host, HostedTrace, Step, TraceStore, ViewerEvent, Visit, document, page};
use crate::js_values::{list, text, value};
use crate::url::Address;
use crate::words::common::{PRODUCT, window_title};

/// Settings from the `config.json` of the site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteConfig {
    /// Origins whose traces are opened from a link without asking.
    pub trusted_origins: Vec<String>,
    /// Addresses of the traces that are opened if the page's address names none.
    pub open: Vec<String>,
    /// Traces that the landing page lists.
    pub traces: Vec<HostedTrace>,
}

impl SiteConfig {
    /// Reads the settings from JavaScript values; values of another type are ignored.
    pub fn of(options: &JsValue) -> Self {
        let traces = list(options, "traces").into_iter().filter_map(|trace| {
            let url = text(&trace, "url")?;
            let name = text(&trace, "name").unwrap_or_else(|| url.clone());
            Some(HostedTrace { url, name, description: text(&trace, "description").unwrap_or_default() })
        });
        Self {
            trusted_origins: texts(options, "trustedOrigins"),
            open: texts(options, "open"),
            traces: traces.collect(),
        }
    }

    /// Whether the origin of a URL is trusted, or the URL is one that the settings name.
    fn trusts(&self, url: &str, origin: &str) -> bool {
        let named = self.open.iter().chain(self.traces.iter().map(|trace| &trace.url));
        self.trusted_origins.iter().any(|trusted| trusted == origin)
            || named.filter_map(|named| page::absolute(named)).any(|named| named == url)
    }
}

fn texts(object: &JsValue, name: &str) -> Vec<String> {
    list(object, name).iter().filter_map(JsValue::as_string).collect()
}

/// Host of a viewer that owns the document.
pub struct SiteHost {
    assets: Assets,
    config: SiteConfig,
    traces: Option<TraceStore>,
    is_single_file: bool,
    /// Listener that asks the user for confirmation before the page is left.
    leaving: RefCell<Option<Listener>>,
    reporter: Reporter,
}

impl SiteHost {
    /// Creates the host. `assets`: URLs of the viewer's files. `options`: settings of the site, store of recent traces (`recents`),
    /// callback for viewer events (`listener`), and whether the document is a single file (`isSingleFile`).
    pub fn new(assets: Assets, options: &JsValue) -> Self {
        Self {
            assets,
            config: SiteConfig::of(options),
            traces: Some(value(options, "recents")).filter(JsValue::is_object).map(JsCast::unchecked_into),
            is_single_file: value(options, "isSingleFile").is_truthy(),
            leaving: RefCell::default(),
            reporter: Reporter::of(options),
        }
    }

    /// The document's address, with the site's own traces if it names none.
    pub fn first_address(&self) -> Address {
        let mut address = Self::address();
        if address.traces.is_empty() {
            address.traces.clone_from(&self.config.open);
        }
        address
    }

    /// Whether the document is a single file with all programs inside.
    fn is_single_file(&self) -> bool {
        self.is_single_file
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

    fn hosted_traces(&self) -> &[HostedTrace] {
        &self.config.traces
    }

    fn trace_store(&self) -> Option<&TraceStore> {
        self.traces.as_ref()
    }

    fn asks_before(&self, url: &str) -> bool {
        let origin = page::origin_of(url).unwrap_or_default();
        Some(&origin) != page::origin().as_ref() && !self.config.trusts(url, &origin)
    }

    fn storage_prefix(&self) -> Option<&str> {
        (!self.is_single_file()).then_some("queryscope")
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
        // A single file holds its trace.
        let asks = is_lost && !self.is_single_file();
        self.leaving.replace(asks.then(document::ask_before_leaving).flatten());
    }

    fn link(&self) -> Option<String> {
        // The address of a single file leads to nothing on other machines.
        document::address().filter(|_| !self.is_single_file())
    }
}
