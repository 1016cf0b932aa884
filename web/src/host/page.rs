//! What is the same for all viewers of a page.

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, CssStyleDeclaration, Document, Element, EventTarget, HtmlAnchorElement,
    HtmlCanvasElement, MediaQueryList, Storage, Url, Window,
};

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// Where events of the whole page are heard, wherever its focus is.
pub fn events() -> Option<EventTarget> {
    window().map(Into::into)
}

/// Device pixels for one CSS pixel.
pub fn pixel_ratio() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// Width of the window without its scroll bar, in CSS pixels.
pub fn window_width() -> f64 {
    let root = document().and_then(|document| document.document_element());
    root.map_or(0.0, |root| f64::from(root.client_width()))
}

/// Milliseconds, on the same clock as frames.
pub fn now() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// Whether somebody may look at the page.
pub fn is_seen() -> bool {
    document().is_some_and(|document| !document.hidden())
}

/// Whether keys are heard by this page, and not by another window or frame.
pub fn has_focus() -> bool {
    document().is_some_and(|document| document.has_focus().unwrap_or(false))
}

/// Whether the visitor asked for few bytes.
pub fn saves_data() -> bool {
    let Some(window) = window() else { return false };
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let connection = of(&window.navigator(), "connection");
    connection.is_object() && of(&connection, "saveData").is_truthy()
}

/// What addresses are relative to.
pub fn base_address() -> Option<String> {
    document()?.base_uri().ok()?
}

/// The whole address of one that may be relative to the page. `None`: it is none.
pub fn absolute(address: &str) -> Option<String> {
    Some(Url::new_with_base(address, &base_address()?).ok()?.href())
}

/// The style of an element as it is now.
pub fn style_of(element: &Element) -> Option<CssStyleDeclaration> {
    window()?.get_computed_style(element).ok()?
}

/// A media query, to ask and to listen to.
pub fn media(query: &str) -> Option<MediaQueryList> {
    window()?.match_media(query).ok()?
}

/// A canvas that is not part of the page.
pub fn canvas() -> Option<HtmlCanvasElement> {
    document()?.create_element("canvas").ok()?.dyn_into().ok()
}

/// An element that is not part of the page yet.
pub fn element(name: &str) -> Option<Element> {
    document()?.create_element(name).ok()
}

/// The storage that all viewers of this origin share; `None` in a sandboxed frame.
pub(super) fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

/// A call after a while; dropping it takes it back.
pub struct Timer {
    id: i32,
    _call: Closure<dyn FnMut()>,
}

impl Timer {
    /// Calls `then` after so many milliseconds.
    pub fn start(milliseconds: i32, then: impl FnOnce() + 'static) -> Option<Self> {
        let call = Closure::once(then);
        let function = call.as_ref().unchecked_ref();
        let id =
            window()?.set_timeout_with_callback_and_timeout_and_arguments_0(function, milliseconds).ok()?;
        Some(Self { id, _call: call })
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(window) = window() {
            window.clear_timeout_with_handle(self.id);
        }
    }
}

/// A call with the next frame; dropping it takes it back.
pub struct Frame {
    id: i32,
    _call: Closure<dyn FnMut(f64)>,
}

impl Frame {
    /// Calls `then` with the next frame's time, in milliseconds. A page that is being closed has no next frame.
    pub fn request(then: impl FnOnce(f64) + 'static) -> Option<Self> {
        let call = Closure::once(then);
        let id = window()?.request_animation_frame(call.as_ref().unchecked_ref()).ok()?;
        Some(Self { id, _call: call })
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(window) = window() {
            // A frame that was shown cannot be taken back, and needs not.
            let _ = window.cancel_animation_frame(self.id);
        }
    }
}

/// Copies a text to the clipboard; `false` where the browser refuses (no permission, no secure context).
pub async fn copy(text: &str) -> bool {
    let Some(window) = window() else { return false };
    let navigator = window.navigator();
    // Outside a secure context there is no clipboard, whatever the interface promises.
    let has = Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|found| !found.is_undefined());
    has && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Whether some text is selected, which the browser copies then.
pub fn has_selected_text() -> bool {
    let selection = window().and_then(|window| window.get_selection().ok().flatten());
    selection.is_some_and(|selection| !selection.is_collapsed())
}

/// Gives a text to the browser's downloads, as a file of this name and media type.
pub fn download(name: &str, media_type: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let Ok(blob) = Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options) else {
        return;
    };
    let Ok(address) = Url::create_object_url_with_blob(&blob) else { return };
    if let Some(anchor) = element("a").and_then(|anchor| anchor.dyn_into::<HtmlAnchorElement>().ok()) {
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    // An address that cannot be given back is one that is gone already.
    let _ = Url::revoke_object_url(&address);
}

/// Some number, another one on every page.
pub fn any_number() -> u32 {
    (js_sys::Math::random() * f64::from(u32::MAX / 2)) as u32
}
