//! The operations on a list of chips.

use yew::Callback;

use super::DRAG;
use crate::components::pivot::parts;

/// A list of chips and the callback for its changes.
pub struct Moves {
    /// Number of the viewer, and id of the list.
    id: (u32, &'static str),
    /// Text of each chip, in order.
    pub items: Vec<String>,
    /// Receives the changed list.
    pub onchange: Callback<Vec<String>>,
}

impl Moves {
    /// Makes the operations for a list.
    pub fn new(id: (u32, &'static str), items: Vec<String>, onchange: Callback<Vec<String>>) -> Self {
        Self { id, items, onchange }
    }

    fn to(&self, from: usize, to: usize) -> Vec<String> {
        let mut items = self.items.clone();
        if from < items.len() && to < items.len() {
            let item = items.remove(from);
            items.insert(to, item);
        }
        items
    }

    /// Returns the list with chip `from` moved in front of chip `slot`, or to the end if `slot` is the number of chips.
    pub fn before(&self, from: usize, slot: usize) -> Vec<String> {
        self.to(from, if slot > from { slot - 1 } else { slot })
    }

    /// Returns the list without the chip at an index.
    pub fn without(&self, at: usize) -> Vec<String> {
        let mut items = self.items.clone();
        if at < items.len() {
            items.remove(at);
        }
        items
    }

    /// Returns the list after `text` was entered for chip `at`, or at the end. Text with commas makes several chips;
    /// duplicates are dropped. `None` if nothing changes.
    pub fn written(&self, at: usize, text: &str) -> Option<Vec<String>> {
        let mut items = self.without(at);
        let new: Vec<String> = parts(text).into_iter().filter(|new| !items.contains(new)).collect();
        let at = at.min(items.len());
        items.splice(at..at, new);
        (items != self.items && !text.trim().is_empty()).then_some(items)
    }

    /// Returns the list after a key press on a chip, and the index of the chip to focus. `None` for keys without a meaning.
    pub fn by_key(&self, at: usize, key: &str) -> Option<(Vec<String>, Option<usize>)> {
        let last = self.items.len().checked_sub(1)?;
        match key {
            "ArrowLeft" if at > 0 => Some((self.to(at, at - 1), Some(at - 1))),
            "ArrowRight" if at < last => Some((self.to(at, at + 1), Some(at + 1))),
            "Delete" | "Backspace" => Some((self.without(at), last.checked_sub(1).map(|end| at.min(end)))),
            _ => None,
        }
    }

    /// Returns the data type of a dragged chip of this list.
    pub fn kind(&self) -> String {
        let (viewer, list) = self.id;
        format!("{DRAG}{viewer}-{list}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn moves(items: &str) -> Moves {
        Moves::new((0, "by"), items.chars().map(String::from).collect(), Callback::noop())
    }

    fn check(items: &str, at: usize, key: &str, expected: Option<(&str, Option<usize>)>) {
        let list = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let expected = expected.map(|(items, focus)| (list(items), focus));
        assert_eq!(moves(items).by_key(at, key), expected, "{items} {at} {key}");
    }

    #[wasm_bindgen_test]
    fn chips_move_by_keys() {
        check("abc", 1, "ArrowLeft", Some(("bac", Some(0))));
        check("abc", 1, "ArrowRight", Some(("acb", Some(2))));
        check("abc", 0, "ArrowLeft", None);
        check("abc", 2, "ArrowRight", None);
        check("abc", 2, "Delete", Some(("ab", Some(1))));
        check("a", 0, "Backspace", Some(("", None)));
        check("", 0, "Delete", None);
        check("abc", 0, "x", None);
    }

    #[wasm_bindgen_test]
    fn chips_are_dropped_before_others() {
        for (from, slot, expected) in
            [(0, 0, "abc"), (0, 1, "abc"), (0, 2, "bac"), (0, 3, "bca"), (2, 0, "cab"), (9, 0, "abc")]
        {
            assert_eq!(moves("abc").before(from, slot).concat(), expected, "{from} {slot}");
        }
    }

    #[wasm_bindgen_test]
    fn chips_are_written() {
        for (at, text, expected) in [
            (1, "x", Some("axc")),
            (1, "b", None),
            (1, " ", None),
            (3, "x", Some("abcx")),
            (3, "a", None),
            (3, "x,y", Some("abcxy")),
            (0, "c", Some("bc")),
        ] {
            assert_eq!(
                moves("abc").written(at, text).map(|items| items.concat()).as_deref(),
                expected,
                "{at} {text}"
            );
        }
    }
}
