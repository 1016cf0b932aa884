//! Keys and wheels: what they mean. The list of keys that `?` shows is made from the same table.

mod wheel;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

pub use wheel::{Wheel, WheelMode, wheel};

use crate::state::Tab;

/// What a key asks for.
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
    Expand,
    Queries,
    Search,
    NextHit,
    PreviousHit,
    Help,
    /// Shows a tab: those have keys of their own, see [`TABS`](crate::state::TABS).
    Show(Tab),
}

impl Command {
    /// Whether a browser scrolls the page at its key.
    pub fn scrolls_a_page(self) -> bool {
        use Command::{Bottom, Child, Next, PageDown, PageUp, Parent, Previous, Top};
        matches!(self, PageUp | PageDown | Top | Bottom | Previous | Next | Parent | Child)
    }
}

/// A line of the list of keys.
pub struct Key {
    /// What it asks for.
    pub command: Command,
    /// `KeyboardEvent.key`, each in the form that it has without Shift where Shift makes a letter upper case.
    pub keys: &'static [&'static str],
    /// Whether Shift must be held; `None` where it does not matter (`?` needs it on some keyboards).
    pub shift: Option<bool>,
    /// As people read it.
    pub label: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// All keys, in the order of the list.
pub const KEYS: &[Key] = &[
    key(Command::ZoomIn, &["w", "+", "="], None, "W", "Zoom in"),
    key(Command::ZoomOut, &["s", "-"], None, "S", "Zoom out"),
    key(Command::PanLeft, &["a"], None, "A", "Move left"),
    key(Command::PanRight, &["d"], None, "D", "Move right"),
    key(Command::PageUp, &["PageUp"], None, "Page ↑", "Scroll up"),
    key(Command::PageDown, &["PageDown"], None, "Page ↓", "Scroll down"),
    key(Command::Top, &["Home"], None, "Home", "Scroll to the first row"),
    key(Command::Bottom, &["End"], None, "End", "Scroll to the last row"),
    key(Command::Fit, &["f", "0"], None, "F", "Fit the selection, again: everything"),
    key(
        Command::Previous,
        &["ArrowLeft"],
        None,
        "←",
        "Previous span at the same level; in the row, where there is none",
    ),
    key(
        Command::Next,
        &["ArrowRight"],
        None,
        "→",
        "Next span at the same level; in the row, where there is none",
    ),
    key(
        Command::Parent,
        &["ArrowUp"],
        None,
        "↑",
        "The span above: what it is part of; from the topmost to the track above",
    ),
    key(
        Command::Child,
        &["ArrowDown"],
        None,
        "↓",
        "The first span below: what it is made of; from the last to the track below",
    ),
    key(Command::Open, &["Enter"], None, "Enter", "Zoom to the selected span"),
    key(Command::Expand, &["e"], None, "E", "Open or close all queries"),
    key(Command::Arrows, &["c"], None, "C", "Arrows of the selection: the whole chain, or only its own"),
    key(Command::Range, &["r"], None, "R", "Narrow everything to the time in view, again: all times"),
    key(Command::Back, &["Escape"], None, "Esc", "Step back: time range, selection, zoom"),
    key(Command::Queries, &["q"], None, "Q", "Query list: arrow keys select, Enter zooms"),
    key(Command::Search, &["/"], None, "/", "Search"),
    key(Command::NextHit, &["n", "g"], Some(false), "N", "Next hit"),
    key(Command::PreviousHit, &["n", "g"], Some(true), "Shift N", "Previous hit"),
    key(Command::Help, &["?"], None, "?", "This list"),
];

/// What the pointer does, for the same list, after [`WheelMode::gestures`].
pub const POINTER: &[(&str, &str)] = &[
    ("Drag", "Move"),
    ("Drag on the ruler", "Select a time range"),
    ("Drag on a chart", "Select a time range"),
    ("Drag on the minimap", "Choose what is in view"),
    ("Click", "Select; again at the same place: what lies beneath"),
    ("Double click", "Zoom to a span"),
];

/// What keys do in a chart that has the focus, for the same list.
pub const CHART: &[(&str, &str)] =
    &[("← →", "Move along the chart"), ("Enter", "Begin a time range, again: select it")];

const fn key(
    command: Command,
    keys: &'static [&'static str],
    shift: Option<bool>,
    label: &'static str,
    meaning: &'static str,
) -> Key {
    Key { command, keys, shift, label, meaning }
}

/// What a key asks for; `None` while the user types, for the browser's own keys, and for what a panel used already.
pub fn command(event: &KeyboardEvent) -> Option<Command> {
    let own = event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented();
    if own || is_used_by(origin(event), &event.key()) {
        return None;
    }
    command_of(&event.key(), event.shift_key())
}

/// The element in which something happened, also where that is inside a shadow root.
pub fn origin(event: &Event) -> Option<Element> {
    event.composed_path().get(0).dyn_into().ok()
}

/// What a key means.
pub fn command_of(name: &str, shift: bool) -> Option<Command> {
    let name = if name.len() == 1 { name.to_ascii_lowercase() } else { name.to_owned() };
    let fits =
        |key: &&Key| key.keys.contains(&name.as_str()) && key.shift.is_none_or(|wanted| wanted == shift);
    KEYS.iter().find(fits).map(|key| key.command).or_else(|| Tab::of_key(&name).map(Command::Show))
}

/// Whether a browser scrolls by this key.
fn scrolls(name: &str) -> bool {
    name.starts_with("Arrow") || name.starts_with("Page") || matches!(name, "Home" | "End")
}

/// Whether the focused element needs the key itself.
fn is_used_by(target: Option<Element>, name: &str) -> bool {
    let Some(target) = target else { return false };
    let inside = |selector: &str| target.closest(selector).is_ok_and(|found| found.is_some());
    // What only opens a dialog or holds a tick takes no letters.
    if inside("input:not([type=file]):not([type=checkbox]), textarea, select, [contenteditable]") {
        return true;
    }
    (scrolls(name) || name == "Enter")
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
        assert_eq!(command_of("x", false), None);
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
