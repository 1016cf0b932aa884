//! The viewer's style sheet: shared by all viewers of a page, adopted by each document or shadow root that holds a viewer.
//!
//! In a shadow root, its rules do not affect the page, and the page's rules do not affect the viewer: inherited properties
//! are reset at the viewer's root element, `.queryscope`.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Document, Element, ShadowRoot};

/// All style sheets of `assets/` in cascade order, without comments: see `build.rs`.
const RULES: &str = include_str!(concat!(env!("OUT_DIR"), "/viewer.css"));

thread_local! {
    static SHEET: Option<CssStyleSheet> = sheet().ok();
}

fn sheet() -> Result<CssStyleSheet, JsValue> {
    let sheet = CssStyleSheet::new()?;
    sheet.replace_sync(RULES)?;
    Ok(sheet)
}

/// Replaces the style sheets of an element's document or shadow root by the result of `with`, which receives them and
/// the viewer's style sheet.
fn replace(element: &Element, with: fn(Array, &JsValue) -> Array) {
    SHEET.with(|sheet| {
        let (Some(sheet), tree) = (sheet, element.get_root_node()) else { return };
        if let Some(shadow) = tree.dyn_ref::<ShadowRoot>() {
            shadow.set_adopted_style_sheets(&with(copy(&shadow.adopted_style_sheets()), sheet));
        } else if let Some(document) = tree.dyn_ref::<Document>() {
            document.set_adopted_style_sheets(&with(copy(&document.adopted_style_sheets()), sheet));
        }
    });
}

/// Copies the list, because every change to the browser's own list updates the page.
fn copy(sheets: &Array) -> Array {
    Array::from(sheets)
}

/// Applies the viewer's style sheet to the document or shadow root of `element`.
pub fn adopt(element: &Element) {
    replace(element, |sheets, ours| {
        if !sheets.includes(ours, 0) {
            sheets.push(ours);
        }
        sheets
    });
}

/// Removes the viewer's style sheet from the document or shadow root of `element`.
pub fn release(element: &Element) {
    replace(element, |sheets, ours| sheets.filter(&mut |sheet, _, _| sheet != *ours));
}
