//! Keyboard focus on the open view.

use std::time::Duration;

use wasm_bindgen_futures::spawn_local;

use crate::host::{Mount, page};
use crate::ui::focus;

/// Selector of the element that shows the trace: the canvas, or the scrolled element in views without a canvas.
pub const VIEW: &str = ".timeline:not([hidden]) canvas.picture, .views > .overview, .views .grid";

/// Selector of the rows of the query list.
pub const QUERIES: &str = "#queries .grid";

/// Moves the focus to the first element that matches a selector, once the actions that were dispatched are rendered; `if_free`: only
/// if no element, other window or other frame has the focus by then.
pub fn focus_later(mount: &Mount, selector: &'static str, if_free: bool) {
    let mount = mount.clone();
    spawn_local(async move {
        yew::platform::time::sleep(Duration::ZERO).await;
        if !if_free || is_free(&mount) {
            focus(mount.find(selector));
        }
    });
}

/// Moves the focus to the open view.
pub fn focus_view(mount: &Mount) {
    focus(mount.find(VIEW));
}

/// Moves the focus to the open view, unless an element, another window or another frame has the focus.
pub fn focus_view_if_none_has_it(mount: &Mount) {
    if is_free(mount) {
        focus_view(mount);
    }
}

/// Whether no element, other window or other frame has the focus.
fn is_free(mount: &Mount) -> bool {
    mount.focused().is_none_or(|element| element.tag_name() == "BODY") && page::has_focus()
}
