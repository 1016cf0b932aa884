//! The keyboard control of a table, applied to the document.

use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::data_table::GridCursor;
use super::dialog::focus;
use super::grid_keys::{GridStep, step, tree_step};
use super::grid_markup::GridMarkup;
use super::row_viewport::RowViewport;
use super::table_row::RowEvent;
use super::virtual_list::reveal_row;
use crate::host::page::has_selected_text;

/// The state of a table that its keys act on.
struct Keyboard {
    markup: Rc<GridMarkup>,
    node: NodeRef,
    cursor: UseStateHandle<GridCursor>,
    viewport: RowViewport,
    copy: Callback<Range<u32>>,
}

/// Handles a key press in a table. Keys with a meaning in the table are not passed on to the rest of the page.
pub fn on_key(
    markup: &Rc<GridMarkup>,
    node: &NodeRef,
    cursor: &UseStateHandle<GridCursor>,
    viewport: RowViewport,
    copy: Callback<Range<u32>>,
) -> Callback<KeyboardEvent> {
    let markup = markup.clone();
    let node = node.clone();
    let cursor = cursor.clone();
    let keyboard = Keyboard { markup, node, cursor, viewport, copy };
    Callback::from(move |event: KeyboardEvent| {
        let is_ours = if event.ctrl_key() || event.meta_key() || event.alt_key() {
            keyboard.copies(&event)
        } else {
            keyboard.acts(&event)
        };
        if is_ours {
            event.prevent_default();
            event.stop_propagation();
        }
    })
}

impl Keyboard {
    /// Copies the selected rows on the copy shortcut. Text that was selected with the pointer is left to the browser.
    fn copies(&self, event: &KeyboardEvent) -> bool {
        let rows = self.cursor.selected();
        let is_copy = event.key().eq_ignore_ascii_case("c") && !event.alt_key() && !event.shift_key();
        if !is_copy || rows.is_empty() || has_selected_text() {
            return false;
        }
        self.copy.emit(rows);
        true
    }

    fn acts(&self, event: &KeyboardEvent) -> bool {
        let key = event.key();
        let target: Option<HtmlElement> = event.target().and_then(|target| target.dyn_into().ok());
        let button = target.filter(|target| target.tag_name() == "BUTTON");
        if let Some(button) = button {
            return self.acts_on_button(&key, &button);
        }
        let at = self.cursor.row;
        let step = match (self.markup.is_tree, at) {
            (true, Some(at)) => tree_step(&key, at, self.viewport, &|at| self.markup.row_at(at)),
            _ => step(&key, at, self.viewport),
        };
        match step {
            None => false,
            Some(GridStep::Go(row)) => {
                self.go(row, event.shift_key());
                true
            }
            Some(GridStep::Heads) => self.focus_next(".grid-head button", None, true),
            Some(GridStep::Button(is_next)) => {
                is_next && at.is_some_and(|at| self.focus_next(&self.buttons_of(at), None, true))
            }
            Some(GridStep::Enter) => at.is_some_and(|at| self.enter(at)),
            Some(GridStep::Toggle) => at.is_some_and(|at| {
                self.markup.tell(at, RowEvent::Toggled);
                true
            }),
        }
    }

    /// Handles keys on a button of the head or of a row: left and right move to the next buttons, up and down to the rows.
    fn acts_on_button(&self, key: &str, button: &HtmlElement) -> bool {
        let is_head = button.closest(".grid-head").is_ok_and(|head| head.is_some());
        let of = match (is_head, self.cursor.row) {
            (true, _) => ".grid-head button".to_owned(),
            (false, Some(at)) => self.buttons_of(at),
            (false, None) => return false,
        };
        match key {
            "ArrowRight" => {
                self.focus_next(&of, Some(button), true);
                true
            }
            "ArrowLeft" => {
                if !self.focus_next(&of, Some(button), false) && !is_head {
                    self.focus_grid();
                }
                true
            }
            "ArrowDown" | "ArrowUp" => {
                self.focus_grid();
                let row = self.cursor.row.unwrap_or(0);
                let next = match (is_head, key) {
                    (true, _) => row,
                    (false, "ArrowDown") => row.saturating_add(1).min(self.viewport.rows.saturating_sub(1)),
                    (false, _) => row.saturating_sub(1),
                };
                if !is_head || (key == "ArrowDown" && self.viewport.rows > 0) {
                    self.go(next, false);
                }
                true
            }
            _ => false,
        }
    }

    fn go(&self, row: u32, extends: bool) {
        let now = *self.cursor;
        let anchor = if extends { now.anchor.or(now.row) } else { None };
        self.cursor.set(GridCursor { row: Some(row), anchor });
        reveal_row(&self.node, self.viewport, row);
        if !extends {
            self.markup.tell(row, RowEvent::Reached);
        }
    }

    fn enter(&self, at: u32) -> bool {
        if self.markup.onrow.is_some() {
            self.markup.tell(at, RowEvent::Entered);
            return true;
        }
        let button = self.all(&self.buttons_of(at)).into_iter().next();
        button.inspect(HtmlElement::click).is_some()
    }

    fn buttons_of(&self, at: u32) -> String {
        format!("#{} button", self.markup.row_id(at))
    }

    /// Returns the elements of the table that match a CSS selector.
    fn all(&self, selector: &str) -> Vec<HtmlElement> {
        let found = self.node.cast::<Element>().and_then(|node| node.query_selector_all(selector).ok());
        let Some(found) = found else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
    }

    /// Focuses the first element that matches a selector, or the match before or after `from`. Returns whether such an
    /// element exists.
    fn focus_next(&self, selector: &str, from: Option<&HtmlElement>, is_next: bool) -> bool {
        let all = self.all(selector);
        let at = match from.and_then(|from| all.iter().position(|element| element == from)) {
            None => Some(0),
            Some(at) if is_next => Some(at + 1),
            Some(at) => at.checked_sub(1),
        };
        let found = at.and_then(|at| all.get(at).cloned());
        let is_there = found.is_some();
        focus(found.map(Into::into));
        is_there
    }

    fn focus_grid(&self) {
        focus(self.node.cast::<Element>());
    }
}
