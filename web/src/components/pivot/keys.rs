//! Keys in the pivot table: along its rows, into groups and out of them.

use queryscope::protocol::{PivotPage, PivotRow};

use crate::components::query_list::window::Window;

/// What a key asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The cursor goes to a row.
    Go(u32),
    /// A group opens or closes, or a span is shown.
    Act,
}

/// What a key means on a row.
pub fn step(key: &str, at: u32, page: &PivotPage, window: Window) -> Option<Step> {
    let last = window.rows.checked_sub(1)?;
    let row = row_at(page, at);
    let open = row.and_then(|row| row.open);
    let go = |row: u32| Some(Step::Go(row.min(last)));
    match key {
        "ArrowDown" => go(at.saturating_add(1)),
        "ArrowUp" => go(at.saturating_sub(1)),
        "PageDown" => go(at.saturating_add(window.page())),
        "PageUp" => go(at.saturating_sub(window.page())),
        "Home" => go(0),
        "End" => go(last),
        "Enter" | " " => Some(Step::Act),
        "ArrowRight" if open == Some(false) => Some(Step::Act),
        "ArrowRight" if open == Some(true) => go(at.saturating_add(1)),
        "ArrowLeft" if open == Some(true) => Some(Step::Act),
        "ArrowLeft" => around(page, at).map(Step::Go),
        _ => None,
    }
}

/// The row of a page at an index of the table.
pub fn row_at(page: &PivotPage, index: u32) -> Option<&PivotRow> {
    page.rows.get(index.checked_sub(page.first)? as usize)
}

/// The row of the group around a row, if it is in the page.
fn around(page: &PivotPage, at: u32) -> Option<u32> {
    let depth = row_at(page, at)?.depth;
    (page.first..at).rev().find(|&index| row_at(page, index).is_some_and(|row| row.depth < depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn row(depth: u16, open: Option<bool>) -> PivotRow {
        PivotRow { depth, label: String::new(), path: Vec::new(), open, item: None, cells: Vec::new() }
    }

    fn check(key: &str, at: u32, expected: Option<Step>) {
        let rows = vec![
            row(0, Some(true)),
            row(1, Some(false)),
            row(1, Some(true)),
            row(2, None),
            row(0, Some(false)),
        ];
        let page = PivotPage { rows, rows_in_all: 5, ..PivotPage::default() };
        let window = Window { rows: 5, height: 60.0, scroll: 0.0 };
        assert_eq!(step(key, at, &page, window), expected, "{key} at {at}");
    }

    #[wasm_bindgen_test]
    fn keys_lead_through_the_tree() {
        check("ArrowDown", 4, Some(Step::Go(4)));
        check("ArrowUp", 0, Some(Step::Go(0)));
        check("End", 0, Some(Step::Go(4)));
        check("ArrowRight", 0, Some(Step::Go(1)));
        check("ArrowRight", 1, Some(Step::Act));
        check("ArrowLeft", 2, Some(Step::Act));
        check("ArrowLeft", 3, Some(Step::Go(2)));
        check("ArrowLeft", 1, Some(Step::Go(0)));
        check("ArrowLeft", 4, None);
        check("Enter", 3, Some(Step::Act));
        check("x", 3, None);
    }
}
