//! The functions of the page's program that JavaScript can call.

use std::rc::Rc;

use js_sys::Reflect;
use queryscope_web::host::{Assets, TraceStore};
use queryscope_web::shells::{EmbeddedHost, SiteConfig, SiteHost};
use queryscope_web::state::Theme;
use queryscope_web::url::Address;
use queryscope_web::viewer::{Handle, Options, mount};
use queryscope_web::words;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ShadowRootInit, ShadowRootMode};

fn main() {
    queryscope_web::report_panics();
}

/// A mounted viewer. It exists until it is destroyed, even if this handle is dropped.
#[wasm_bindgen]
pub struct Viewer(Option<Handle>);

#[wasm_bindgen]
impl Viewer {
    /// Removes the viewer from the page and ends everything that it started. A second call does nothing.
    pub fn destroy(&mut self) {
        if let Some(handle) = self.0.take() {
            handle.destroy();
        }
    }
}

/// Mounts a viewer that owns the whole document. Options: `engine` and `sample`, as for [`mount_viewer`], and the settings of
/// the site's `config.json`:
///
/// - `trustedOrigins`: array of origins whose traces are opened from a link without asking
/// - `open`: array with the addresses of the traces to open if the page's address names none
/// - `traces`: array of traces to list on the landing page, each with `url`, `name` and `description`
/// - `recents`: object with the functions of `recents.js`; without it, no recent traces are offered
#[wasm_bindgen]
pub fn mount_site(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = SiteHost::new(assets(options)?, SiteConfig::of(options), recents(options));
    let options = Options { address: host.first_address(), theme: None };
    mount(root, options, Rc::new(host)).map(|handle| Viewer(Some(handle)))
}

/// Mounts a viewer in the shadow root of an element, which determines its size. Options, all of them strings:
///
/// - `engine`: address of the engine's script and program, without `.js` and `_bg.wasm`
/// - `sample`: address of the folder with the sample run; without it, no sample is offered
/// - `state`: the traces to open and the state of the views, as in the fragment of a link
/// - `theme`: `light` or `dark`; without it, the system's theme
/// - `storage`: prefix of the keys in local storage; without it, nothing is stored
#[wasm_bindgen]
pub fn mount_viewer(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = EmbeddedHost { assets: assets(options)?, storage: text(options, "storage") };
    let theme = text(options, "theme").and_then(|name| Theme::named(&name));
    let state = text(options, "state").unwrap_or_default();
    let options = Options { address: Address::parse("", state.trim_start_matches('#')), theme };
    let shadow = match root.shadow_root() {
        Some(shadow) => shadow,
        None => root.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open))?,
    };
    mount(&shadow, options, Rc::new(host)).map(|handle| Viewer(Some(handle)))
}

fn recents(options: &JsValue) -> Option<TraceStore> {
    let recents = Reflect::get(options, &"recents".into()).ok()?;
    recents.is_object().then(|| recents.unchecked_into())
}

fn assets(options: &JsValue) -> Result<Assets, JsValue> {
    let engine = text(options, "engine").ok_or(words::engine::NO_ENGINE_OPTION)?;
    Ok(Assets { engine, sample: text(options, "sample") })
}

/// A string option; `None` if it is missing or not a string.
fn text(options: &JsValue, name: &str) -> Option<String> {
    Reflect::get(options, &name.into()).ok()?.as_string()
}
