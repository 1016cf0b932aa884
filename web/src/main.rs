//! The functions of the page's program that JavaScript can call.

use std::rc::Rc;

use js_sys::Reflect;
use queryscope_web::host::Assets;
/// Mounts a viewer that owns the whole document. Options: `engine`, `module`, `sample` and `template`, as for
/// [`mount_viewer`], and the settings of the site's `config.json`. With a `module`, the document is a single file: nothing is
/// stored, and no link is offered.
///
/// - `trustedOrigins`: array of origins whose traces are opened from a link without asking
/// - `open`: array with the addresses of the traces to open if the page's address names none
/// - `traces`: array of traces to list on the landing page, each with `url`, `name` and `description`
#[wasm_bindgen]
pub fn mount_site(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = SiteHost::new(assets(options)?, SiteConfig::of(options));
    let options = Options { address: host.first_address(), theme: None };
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
