//! The viewer's style sheet: one for all viewers of a page, adopted by each document or shadow root that holds one.
//!
//! In a shadow root no rule of it reaches the page, and of the page's rules none reaches in: what would be inherited is
//! set back at the viewer's root element, `.queryscope`.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Document, Element, ShadowRoot};

/// All sheets of `assets/` in the order in which later rules win, without comments: see `build.rs`.
const RULES: &str = include_str!(concat!(env!("OUT_DIR"), "/viewer.css"));

thread_local! {
    static SHEET: Option<CssStyleSheet> = sheet().ok();
}

fn sheet() -> Result<CssStyleSheet, JsValue> {
    let sheet = CssStyleSheet::new()?;
    sheet.replace_sync(RULES)?;
    Ok(sheet)
}

/// Replaces the sheets of the document or shadow root in which an element is by what `with` makes of them and of ours.
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

/// The browser's own list changes what is shown with each change.
fn copy(sheets: &Array) -> Array {
    Array::from(sheets)
}

/// Lets the sheet apply to what is in the same document or shadow root as `element`.
pub fn adopt(element: &Element) {
    replace(element, |sheets, ours| {
        if !sheets.includes(ours, 0) {
            sheets.push(ours);
        }
        sheets
    });
}

/// Ends that.
pub fn release(element: &Element) {
    replace(element, |sheets, ours| sheets.filter(&mut |sheet, _, _| sheet != *ours));
}
