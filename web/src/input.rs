//! Keyboard and wheel input. Both the key handling and the list of keys that `?` shows use the table [`KEYS`].

mod wheel;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

pub use wheel::{Wheel, WheelMode, wheel};

use queryscope::protocol::JumpTarget;

use crate::state::Tab;
use crate::words::keys;

/// A command that a key triggers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Command {
    ZoomIn,
    ZoomOut,
    PanLeft,
    PanRight,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Previous,
    Next,
    Parent,
    Child,
    Open,
    Back,
    Range,
    Fit,
    Arrows,
    MarkPath,
    Filter,
    Area,
    AreaUp,
    AreaDown,
    Expand,
    Queries,
    Note,
    Pin,
    /// Opens the menu of the selection's track.
    TrackMenu,
    /// Adds the selection to the gathered items, or removes it from them.
    Pick,
    /// Selects and shows the span that is the target of a jump.
    Jump(JumpTarget),
    Callers,
    Callees,
    Hide,
    Search,
    NextHit,
    PreviousHit,
    Help,
    /// Shows a tab; the keys of tabs are in [`TABS`](crate::state::TABS).
    Show(Tab),
}

impl Command {
    /// Whether the command's key scrolls the page in a browser.
    pub fn scrolls_a_page(self) -> bool {
        use Command::{Bottom, Child, Next, PageDown, PageUp, Parent, Pick, Previous, Top};
        matches!(self, Pick | PageUp | PageDown | Top | Bottom | Previous | Next | Parent | Child)
    }
}

/// A row of the list of keys.
pub struct Key {
    /// Command that the key triggers.
    pub command: Command,
    /// Values of `KeyboardEvent.key`; single letters in lower case.
    pub keys: &'static [&'static str],
    /// Whether Shift must be held; `None` if it does not matter (`?` needs it on some keyboards).
    pub shift: Option<bool>,
    /// Text of the key in the list of shortcuts.
    pub label: &'static str,
    /// Description of the command.
    pub meaning: &'static str,
}

/// All keys, in the order of the help.
pub const KEYS: &[Key] = &[
    key(Command::ZoomIn, &["w", "+", "="], None, "W", keys::ZOOM_IN),
    key(Command::ZoomOut, &["s", "-"], None, "S", keys::ZOOM_OUT),
    key(Command::PanLeft, &["a"], None, "A", keys::PAN_LEFT),
    key(Command::PanRight, &["d"], None, "D", keys::PAN_RIGHT),
    key(Command::PageUp, &["PageUp"], None, keys::PAGE_UP_KEY, keys::PAGE_UP),
    key(Command::PageDown, &["PageDown"], None, keys::PAGE_DOWN_KEY, keys::PAGE_DOWN),
    key(Command::Top, &["Home"], None, keys::HOME_KEY, keys::TOP),
    key(Command::Bottom, &["End"], None, keys::END_KEY, keys::BOTTOM),
    key(Command::Fit, &["f"], Some(false), "F", keys::FIT),
    key(Command::Filter, &["f"], Some(true), keys::SHIFT_F_KEYS, keys::FILTER),
    key(Command::Previous, &["ArrowLeft"], None, "←", keys::PREVIOUS),
    key(Command::Next, &["ArrowRight"], None, "→", keys::NEXT),
    key(Command::AreaUp, &["ArrowUp"], Some(true), keys::SHIFT_UP_KEYS, keys::AREA_UP),
    key(Command::AreaDown, &["ArrowDown"], Some(true), keys::SHIFT_DOWN_KEYS, keys::AREA_DOWN),
    key(Command::Parent, &["ArrowUp"], Some(false), "↑", keys::PARENT),
    key(Command::Child, &["ArrowDown"], Some(false), "↓", keys::CHILD),
    key(Command::Open, &["Enter"], None, keys::ENTER_KEY, keys::ZOOM_TO_SELECTION),
    key(Command::Expand, &["e"], None, "E", keys::EXPAND),
    key(Command::Arrows, &["c"], None, "C", keys::ARROWS),
    key(Command::MarkPath, &["x"], None, "X", keys::MARK_PATH),
    key(Command::Range, &["r"], None, "R", keys::RANGE),
    key(Command::Area, &["t"], None, "T", keys::AREA),
    key(Command::Back, &["Escape"], None, keys::ESCAPE_KEY, keys::BACK),
    key(Command::Queries, &["q"], None, "Q", keys::QUERIES),
    key(Command::Note, &["m"], None, "M", keys::NOTE),
    key(Command::Pin, &["p"], None, "P", keys::PIN),
    key(Command::Pick, &[" "], None, keys::SPACE_KEY, keys::PICK),
    key(Command::TrackMenu, &["o"], None, "O", keys::TRACK_MENU),
    key(Command::Jump(JumpTarget::Longest), &["l"], Some(false), "L", keys::LONGEST),
    key(Command::Jump(JumpTarget::LongerOfName), &["l"], Some(true), keys::SHIFT_L_KEYS, keys::LONGER),
    key(Command::Jump(JumpTarget::NextOfName), &["."], None, ".", keys::NEXT_OF_NAME),
    key(Command::Jump(JumpTarget::PreviousOfName), &[","], None, ",", keys::PREVIOUS_OF_NAME),
    key(Command::Jump(JumpTarget::NextFailed), &["b"], Some(false), "B", keys::NEXT_FAILED),
    key(
        Command::Jump(JumpTarget::PreviousFailed),
        &["b"],
        Some(true),
        keys::SHIFT_B_KEYS,
        keys::PREVIOUS_FAILED,
    ),
    key(Command::Callers, &["k"], None, "K", keys::CALLERS),
    key(Command::Callees, &["j"], None, "J", keys::CALLEES),
    key(Command::Hide, &["h"], None, "H", keys::HIDE),
    key(Command::Search, &["/"], None, "/", keys::SEARCH),
    key(Command::NextHit, &["n", "g"], Some(false), "N", keys::NEXT_HIT),
    key(Command::PreviousHit, &["n", "g"], Some(true), keys::SHIFT_N_KEYS, keys::PREVIOUS_HIT),
    key(Command::Help, &["?"], None, "?", keys::HELP),
];

/// Pointer gestures for the help on keys, listed after [`WheelMode::gestures`].
pub const POINTER: &[(&str, &str)] = &[
    (keys::DRAG, keys::PAN),
    (keys::DRAG_RULER, keys::SELECT_RANGE),
    (keys::SHIFT_DRAG, keys::SELECT_AREA),
    (keys::DRAG_CHART, keys::SELECT_RANGE),
    (keys::DRAG_MINIMAP, keys::SET_VISIBLE),
    (keys::CLICK, keys::SELECT),
    (keys::CLICK_PIN, keys::PIN_TRACK),
    (keys::CTRL_CLICK, keys::GATHER),
    (keys::CLICK_MENU, keys::TRACK_ACTIONS),
    (keys::DOUBLE_CLICK, keys::ZOOM_TO_SPAN),
];

/// Keys of a chart that has the focus, for the help on keys.
pub const CHART: &[(&str, &str)] =
    &[(keys::CHART_ARROWS, keys::CHART_MOVE), (keys::ENTER_KEY, keys::CHART_RANGE)];

const fn key(
    command: Command,
    keys: &'static [&'static str],
    shift: Option<bool>,
    label: &'static str,
    meaning: &'static str,
) -> Key {
    Key { command, keys, shift, label, meaning }
}

/// The command of a key event; `None` while the user types, for the browser's shortcuts, and if a panel used the key.
pub fn command(event: &KeyboardEvent) -> Option<Command> {
    let own = event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented();
    if own || is_used_by(origin(event), &event.key()) {
        return None;
    }
    command_of(&event.key(), event.shift_key())
}

/// The element that an event comes from, even inside a shadow root.
pub fn origin(event: &Event) -> Option<Element> {
    event.composed_path().get(0).dyn_into().ok()
}

/// The command that a key triggers; `None` if there is none.
pub fn command_of(name: &str, shift: bool) -> Option<Command> {
    let name = if name.len() == 1 { name.to_ascii_lowercase() } else { name.to_owned() };
    let fits =
        |key: &&Key| key.keys.contains(&name.as_str()) && key.shift.is_none_or(|wanted| wanted == shift);
    KEYS.iter().find(fits).map(|key| key.command).or_else(|| Tab::of_key(&name).map(Command::Show))
}

/// Whether the element `target`, from which the key event comes, uses the key itself.
fn is_used_by(target: Option<Element>, name: &str) -> bool {
    let Some(target) = target else { return false };
    let inside = |selector: &str| target.closest(selector).is_ok_and(|found| found.is_some());
    // File pickers and checkboxes do not take letters.
    if inside("input:not([type=file]):not([type=checkbox]), textarea, select, [contenteditable]") {
        return true;
    }
    let scrolls = || command_of(name, false).is_some_and(Command::scrolls_a_page);
    (name == "Enter" || scrolls())
        && inside(
            "button, input, a, [role=tab], [role=grid], [role=treegrid], [role=separator], [role=scrollbar], [role=slider], dialog, .scrolls",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn every_key_means_one_thing() {
        for line in KEYS {
            for name in line.keys {
                assert_eq!(command_of(name, line.shift.unwrap_or(false)), Some(line.command), "{name}");
            }
        }
        assert_eq!(command_of("W", true), Some(Command::ZoomIn));
        assert_eq!(command_of("N", true), Some(Command::PreviousHit));
        assert_eq!(command_of("§", false), None);
    }

    #[wasm_bindgen_test]
    fn only_what_takes_letters_keeps_them() {
        let document = web_sys::window().and_then(|window| window.document()).expect("a page");
        for (kind, name, used) in [
            ("text", "5", true),
            ("search", "5", true),
            ("file", "5", false),
            ("file", "Enter", true),
            ("checkbox", "5", false),
        ] {
            let input = document.create_element("input").expect("an element");
            input.set_attribute("type", kind).expect("an attribute");
            assert_eq!(is_used_by(Some(input), name), used, "{kind} {name}");
        }
    }
}
