//! Keyboard focus on the open view.

use crate::host::{Mount, page};
use crate::ui::focus;

/// Selector of the element that shows the trace: the canvas, or the scrolled element in views without a canvas.
const VIEW: &str = ".timeline:not([hidden]) canvas.picture, .views > .overview, .views .grid";

/// Moves the focus to the open view.
pub fn focus_view(mount: &Mount) {
    focus(mount.find(VIEW));
}

/// Moves the focus to the open view, unless an element, another window or another frame has the focus.
pub fn focus_view_if_none_has_it(mount: &Mount) {
    let is_free = mount.focused().is_none_or(|element| element.tag_name() == "BODY");
    if is_free && page::has_focus() {
        focus_view(mount);
    }
}
