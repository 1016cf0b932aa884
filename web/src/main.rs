//! The functions of the page's program that JavaScript can call.

use std::rc::Rc;

use js_sys::Reflect;
use queryscope_web::host::Assets;
use queryscope_web::shells::{EmbeddedHost, SiteHost};
use queryscope_web::spawn_engine::EngineProgram;
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

/// Mounts a viewer that owns the whole document. Options: `engine`, `module`, `sample` and `template`, as for
/// [`mount_viewer`]. With a compiled `module`, the document is a single file: nothing is stored, and no link is offered.
#[wasm_bindgen]
pub fn mount_site(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = SiteHost::new(assets(options)?);
    let options = Options { address: SiteHost::address(), theme: None };
    mount(root, options, Rc::new(host)).map(|handle| Viewer(Some(handle)))
}

/// Mounts a viewer in the shadow root of an element, which determines its size. Options, strings where nothing else is said:
///
/// - `engine`: address of the engine's script and program, without `.js` and `_bg.wasm`
/// - `module`: the engine's compiled `WebAssembly.Module`; then `engine` is the text of a classic script that expects the
///   module as its first message
/// - `template`: the viewer as a single HTML file, its address or a `Blob`; without it, no HTML file can be saved
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

fn assets(options: &JsValue) -> Result<Assets, JsValue> {
    let script = text(options, "engine").ok_or(words::engine::NO_ENGINE_OPTION)?;
    let engine = EngineProgram { script, module: value(options, "module") };
    Ok(Assets { engine, sample: text(options, "sample"), template: value(options, "template") })
}

/// An option; undefined if it is missing.
fn value(options: &JsValue, name: &str) -> JsValue {
    Reflect::get(options, &name.into()).unwrap_or_default()
}

/// A string option; `None` if it is missing or not a string.
fn text(options: &JsValue, name: &str) -> Option<String> {
    value(options, name).as_string()
}
