//! What JavaScript can ask of the page's program.

use std::rc::Rc;

use js_sys::Reflect;
use queryscope_web::host::Assets;
use queryscope_web::shells::{EmbeddedHost, SiteHost};
use queryscope_web::state::Theme;
use queryscope_web::url::Address;
use queryscope_web::viewer::{Handle, Options, mount};
use queryscope_web::words;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ShadowRootInit, ShadowRootMode};

fn main() {
    queryscope_web::report_panics();
}

/// A viewer that is mounted. It lives until it is destroyed, whether or not somebody keeps this.
#[wasm_bindgen]
pub struct Viewer(Option<Handle>);

#[wasm_bindgen]
impl Viewer {
    /// Takes it out of the page and ends all that it started. A second call does nothing.
    pub fn destroy(&mut self) {
        if let Some(handle) = self.0.take() {
            handle.destroy();
        }
    }
}

/// Makes the whole document the viewer's own. Options: `engine` and `sample`, as for [`mount_viewer`].
#[wasm_bindgen]
pub fn mount_site(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = SiteHost::new(assets(options)?);
    let options = Options { address: SiteHost::address(), theme: None };
    mount(root, options, Rc::new(host)).map(|handle| Viewer(Some(handle)))
}

/// Mounts a viewer in the shadow root of an element, which gives it its size. Options, all of them texts:
///
/// - `engine`: address of the engine's script and program, without `.js` and `_bg.wasm`
/// - `sample`: address of the folder of the sample run; without it none is offered
/// - `state`: the traces to open and what to look at, as the fragment of a link has them
/// - `theme`: `light` or `dark`; without it as the system
/// - `storage`: what the keys of the local storage begin with; without it nothing is remembered
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
    let engine = text(options, "engine").ok_or(words::engine::NO_ENGINE_OPTION)?;
    Ok(Assets { engine, sample: text(options, "sample") })
}

/// An option; `None` where it is missing or no text.
fn text(options: &JsValue, name: &str) -> Option<String> {
    Reflect::get(options, &name.into()).ok()?.as_string()
}
