//! Functions that all viewers of a page share.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, CssStyleDeclaration, Document, Element, EventTarget,
    HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement, MediaQueryList, Storage, Url, Window,
};

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// The target of events of the whole page, independent of the focus.
pub fn events() -> Option<EventTarget> {
    window().map(Into::into)
}

/// Device pixels per CSS pixel.
pub fn pixel_ratio() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// Width of the window without its scroll bar, in CSS pixels.
pub fn window_width() -> f64 {
    let root = document().and_then(|document| document.document_element());
    root.map_or(0.0, |root| f64::from(root.client_width()))
}

/// Current time in milliseconds, on the same clock as frames.
pub fn now() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// Whether the page is visible.
pub fn is_seen() -> bool {
    document().is_some_and(|document| !document.hidden())
}

/// Whether this page receives keys, rather than another window or frame.
pub fn has_focus() -> bool {
    document().is_some_and(|document| document.has_focus().unwrap_or(false))
}

/// Whether the browser asks for reduced data usage.
pub fn saves_data() -> bool {
    let Some(window) = window() else { return false };
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let connection = of(&window.navigator(), "connection");
    connection.is_object() && of(&connection, "saveData").is_truthy()
}

/// The base of relative addresses.
pub fn base_address() -> Option<String> {
    document()?.base_uri().ok()?
}

/// Makes an address absolute, relative to the page; `None` if it is not a valid address.
pub fn absolute(address: &str) -> Option<String> {
    Some(Url::new_with_base(address, &base_address()?).ok()?.href())
}

/// Requests a file of the viewer.
///
/// # Errors
/// If there is no page.
pub fn fetch(url: &str) -> Result<Promise, JsValue> {
    Ok(window().ok_or(JsValue::UNDEFINED)?.fetch_with_str(url))
}

/// The origin of the page, such as `https://example.com`.
pub fn origin() -> Option<String> {
    window()?.location().origin().ok()
}

/// The origin of an absolute URL; `None` if the URL is invalid.
pub fn origin_of(url: &str) -> Option<String> {
    Some(Url::new(url).ok()?.origin())
}

/// A time, in milliseconds since 1970, as date and time in the user's language.
pub fn date(time: f64) -> String {
    js_sys::Date::new(&time.into()).to_locale_string("default", &js_sys::Object::new().into()).into()
}

/// Host name and port of an absolute URL, such as `example.com:8080`, and the host name alone.
pub fn host_of(url: &str) -> Option<(String, String)> {
    let url = Url::new(url).ok()?;
    Some((url.host(), url.hostname()))
}

/// The computed style of an element.
pub fn style_of(element: &Element) -> Option<CssStyleDeclaration> {
    window()?.get_computed_style(element).ok()?
}

/// A media query, to evaluate and to observe.
pub fn media(query: &str) -> Option<MediaQueryList> {
    window()?.match_media(query).ok()?
}

/// Creates a canvas that is not part of the page.
pub fn canvas() -> Option<HtmlCanvasElement> {
    document()?.create_element("canvas").ok()?.dyn_into().ok()
}

/// Creates an element that is not part of the page yet.
pub fn element(name: &str) -> Option<Element> {
    document()?.create_element(name).ok()
}

/// The local storage of this origin; `None` in a sandboxed frame.
pub(super) fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

/// A delayed call; dropping it cancels the call.
pub struct Timer {
    id: i32,
    _call: Closure<dyn FnMut()>,
}

impl Timer {
    /// Calls `then` after this number of milliseconds.
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

/// A call with the next frame; dropping it cancels the call.
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
            // A frame that was already shown cannot be cancelled.
            let _ = window.cancel_animation_frame(self.id);
        }
    }
}

/// Copies a text to the clipboard; `false` where the browser refuses (no permission, no secure context).
pub async fn copy(text: &str) -> bool {
    let Some(window) = window() else { return false };
    let navigator = window.navigator();
    // Outside a secure context there is no clipboard, although the type promises one.
    let has = Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|found| !found.is_undefined());
    has && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// The SHA-256 of an `ArrayBuffer`; `None` outside a secure context, where browsers compute none.
pub async fn sha_256(bytes: &JsValue) -> Option<Vec<u8>> {
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let subtle = of(&of(&window()?.into(), "crypto")?, "subtle")?;
    let digest: Function = of(&subtle, "digest")?.dyn_into().ok()?;
    let hash: Promise = digest.call2(&subtle, &"SHA-256".into(), bytes).ok()?.dyn_into().ok()?;
    Some(Uint8Array::new(&JsFuture::from(hash).await.ok()?).to_vec())
}

/// Replaces the selected text of the focused field as if the user typed `text`, so that undo restores it; `false` where the browser
/// refuses.
pub fn type_text(text: &str) -> bool {
    let typed = || {
        let document = document()?;
        let command: Function = Reflect::get(&document, &"execCommand".into()).ok()?.dyn_into().ok()?;
        command.call3(&document, &"insertText".into(), &JsValue::FALSE, &text.into()).ok()
    };
    typed().is_some_and(|done| done.is_truthy())
}

/// Whether text is selected in the page. The copy shortcut is then left to the browser, which copies this text.
pub fn has_selected_text() -> bool {
    let selection = window().and_then(|window| window.get_selection().ok().flatten());
    selection.is_some_and(|selection| !selection.is_collapsed())
}

/// Downloads a text as a file with this name and media type.
pub fn download(name: &str, media_type: &str, text: &str) {
    if let Some(blob) = blob_of(media_type, text) {
        download_blob(name, &blob);
    }
}

/// Downloads bytes as a file with this name and media type.
pub fn download_bytes((name, media_type): (&str, &str), bytes: &Uint8Array) {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    if let Ok(blob) = Blob::new_with_u8_array_sequence_and_options(&Array::of1(bytes), &options) {
        download_blob(name, &blob);
    }
}

/// A text as a file of this media type.
pub fn blob_of(media_type: &str, text: &str) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options).ok()
}

/// Downloads a file with this name.
pub fn download_blob(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    if let Some(anchor) = element("a").and_then(|anchor| anchor.dyn_into::<HtmlAnchorElement>().ok()) {
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    // A URL that cannot be revoked no longer exists.
    let _ = Url::revoke_object_url(&address);
}

/// Draws an SVG document of this size, in CSS pixels, with twice as many pixels, as a PNG file; `None` where the browser
/// refuses, for example because the image is too large.
pub async fn png(svg: &str, (width, height): (f64, f64)) -> Option<Blob> {
    const DENSITY: f64 = 2.0;
    let address = Url::create_object_url_with_blob(&blob_of("image/svg+xml", svg)?).ok()?;
    let image = HtmlImageElement::new().ok()?;
    image.set_src(&address);
    let decoded = JsFuture::from(image.decode()).await;
    // A URL that cannot be revoked no longer exists.
    let _ = Url::revoke_object_url(&address);
    decoded.ok()?;
    let canvas = canvas()?;
    let [width, height] = [width * DENSITY, height * DENSITY];
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height).ok()?;
    let packed = Promise::new(&mut |done, refused| {
        if canvas.to_blob(&done).is_err() {
            // A call without arguments cannot fail.
            let _ = refused.call0(&JsValue::NULL);
        }
    });
    JsFuture::from(packed).await.ok()?.dyn_into().ok()
}

/// A random number, to distinguish pages.
pub fn any_number() -> u32 {
    (js_sys::Math::random() * f64::from(u32::MAX / 2)) as u32
}
