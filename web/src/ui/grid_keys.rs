//! The meaning of keys in a table: moving between rows, and opening and closing groups.

use super::row_viewport::RowViewport;
use super::table_row::TableRow;

/// Action that a key triggers in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GridStep {
    /// Moves the cursor to a row.
    Go(u32),
    /// Moves the focus from the first row to the column heads.
    Heads,
    /// Moves the focus to the next button of the row if true, else to the previous button.
    Button(bool),
    /// Activates the row, as Enter does.
    Enter,
    /// Opens or closes the group of the row.
    Toggle,
}

/// Returns the action of a key on a row, or `None` for keys without a meaning. Without a cursor, the action is for row 0.
pub fn step(key: &str, cursor: Option<u32>, viewport: RowViewport) -> Option<GridStep> {
    let last = viewport.rows.checked_sub(1)?;
    let at = cursor.unwrap_or(0);
    let row = match key {
        "ArrowUp" if at == 0 => return Some(GridStep::Heads),
        "ArrowDown" if cursor.is_none() => 0,
        "ArrowDown" => at.saturating_add(1),
        "ArrowUp" => at - 1,
        "PageDown" => at.saturating_add(viewport.page()),
        "PageUp" => at.saturating_sub(viewport.page()),
        "Home" => 0,
        "End" => last,
        "Enter" => return Some(GridStep::Enter),
        "ArrowRight" => return Some(GridStep::Button(true)),
        "ArrowLeft" => return Some(GridStep::Button(false)),
        _ => return None,
    };
    Some(GridStep::Go(row.min(last)))
}

/// Returns the action of a key on a row of a tree.
pub fn tree_step(
    key: &str,
    at: u32,
    viewport: RowViewport,
    row: &dyn Fn(u32) -> Option<TableRow>,
) -> Option<GridStep> {
    let here = row(at);
    let open = here.as_ref().and_then(|row| row.open);
    match key {
        "ArrowRight" if open == Some(true) => step("ArrowDown", Some(at), viewport),
        "ArrowRight" if open.is_none() => None,
        "ArrowLeft" if open != Some(true) => around(&here?, at, row).map(GridStep::Go),
        "ArrowRight" | "ArrowLeft" | " " => Some(GridStep::Toggle),
        _ => step(key, Some(at), viewport),
    }
}

/// Returns the position of the parent of a row, if it is in the page.
fn around(here: &TableRow, at: u32, row: &dyn Fn(u32) -> Option<TableRow>) -> Option<u32> {
    (0..at)
        .rev()
        .map_while(|index| Some((index, row(index)?.depth)))
        .find(|(_, depth)| *depth < here.depth)
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn keys_move_along_the_rows() {
        let viewport = RowViewport { rows: 30, row: 26.0, height: 260.0, scroll: 0.0 };
        for (key, from, expected) in [
            ("ArrowDown", None, Some(GridStep::Go(0))),
            ("ArrowDown", Some(0), Some(GridStep::Go(1))),
            ("ArrowDown", Some(29), Some(GridStep::Go(29))),
            ("ArrowUp", Some(2), Some(GridStep::Go(1))),
            ("ArrowUp", Some(0), Some(GridStep::Heads)),
            ("PageDown", Some(1), Some(GridStep::Go(10))),
            ("PageUp", Some(12), Some(GridStep::Go(3))),
            ("Home", Some(12), Some(GridStep::Go(0))),
            ("End", None, Some(GridStep::Go(29))),
            ("Enter", Some(3), Some(GridStep::Enter)),
            ("ArrowRight", Some(3), Some(GridStep::Button(true))),
            ("x", Some(3), None),
        ] {
            assert_eq!(step(key, from, viewport), expected, "{key} {from:?}");
        }
        assert_eq!(step("End", None, RowViewport { rows: 0, ..viewport }), None);
    }

    #[wasm_bindgen_test]
    fn keys_lead_into_groups_and_out_of_them() {
        let rows =
            [(0, Some(true)), (1, Some(true)), (2, None), (2, None), (1, Some(false)), (0, Some(false))];
        let row = |at: u32| {
            rows.get(at as usize).map(|&(depth, open)| TableRow { depth, open, ..TableRow::default() })
        };
        let viewport = RowViewport { rows: 6, row: 26.0, height: 260.0, scroll: 0.0 };
        for (key, at, expected) in [
            ("ArrowDown", 0, Some(GridStep::Go(1))),
            ("ArrowDown", 5, Some(GridStep::Go(5))),
            ("End", 0, Some(GridStep::Go(5))),
            (" ", 2, Some(GridStep::Toggle)),
            ("Enter", 2, Some(GridStep::Enter)),
            ("ArrowRight", 4, Some(GridStep::Toggle)),
            ("ArrowRight", 0, Some(GridStep::Go(1))),
            ("ArrowRight", 2, None),
            ("ArrowLeft", 0, Some(GridStep::Toggle)),
            ("ArrowLeft", 3, Some(GridStep::Go(1))),
            ("ArrowLeft", 4, Some(GridStep::Go(0))),
            ("ArrowLeft", 5, None),
        ] {
            assert_eq!(tree_step(key, at, viewport, &row), expected, "{key} {at}");
        }
    }
}
