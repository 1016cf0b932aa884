//! A long list whose visible rows alone are in the document.

use web_sys::Element;
use yew::prelude::*;

use super::row_viewport::RowViewport;
use crate::components::use_inner_size;

/// Returns the visible rows of a list in the scrolled element `node`, and the handler of its scroll events. `above` is
/// the height of the elements that stay above the rows, in CSS pixels.
#[hook]
pub fn use_virtual_list(node: &NodeRef, rows: u32, row: f64, above: f64) -> (RowViewport, Callback<Event>) {
    let (_, height) = use_inner_size(node);
    let scroll = use_state_eq(|| 0.0);
    let setter = scroll.setter();
    let onscroll = use_callback((), move |event: Event, ()| {
        setter.set(f64::from(event.target_unchecked_into::<Element>().scroll_top()));
    });
    let height = (f64::from(height) - above).max(0.0);
    (RowViewport { rows, row, height, scroll: *scroll }, onscroll)
}

/// Scrolls a row into view, unless it is fully visible.
pub fn reveal_row(node: &NodeRef, viewport: RowViewport, row: u32) {
    let Some(element) = node.cast::<Element>().filter(|_| viewport.height > 0.0) else { return };
    let now = RowViewport { scroll: f64::from(element.scroll_top()), ..viewport };
    if let Some(scroll) = now.reveal(row) {
        element.set_scroll_top(scroll as i32);
    }
}
