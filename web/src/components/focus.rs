//! The focus of the view that is open.

use crate::host::{Mount, page};
use crate::ui::focus;

/// What shows the trace: the picture, or what scrolls in a view without one.
const VIEW: &str = ".timeline:not([hidden]) canvas.picture, .views > .overview, .views .grid";

/// Gives the focus to the view that is open.
pub fn focus_view(mount: &Mount) {
    focus(mount.find(VIEW));
}

/// Gives the focus to the view, unless something has it, or another window or frame has.
pub fn focus_view_if_none_has_it(mount: &Mount) {
    let is_free = mount.focused().is_none_or(|element| element.tag_name() == "BODY");
    if is_free && page::has_focus() {
        focus_view(mount);
    }
}
