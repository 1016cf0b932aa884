//! The sort order of table rows that are all in the page.

use std::cmp::Ordering;

use super::table_cell::SortKey;
use super::table_row::TableRows;

/// A sorted column and its direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SortOrder {
    /// Index of the column, from 0.
    pub column: usize,
    /// Whether the largest value is first.
    pub descending: bool,
}

impl SortOrder {
    /// Returns the order after a click on a column's head. Clicks on the same head cycle through the column's first
    /// direction, the opposite direction and, if there is one, the original order.
    pub fn after_click(
        now: Option<Self>,
        column: usize,
        largest_first: bool,
        has_original: bool,
    ) -> Option<Self> {
        match now.filter(|now| now.column == column) {
            None => Some(Self { column, descending: largest_first }),
            Some(now) if now.descending != largest_first && has_original => None,
            Some(now) => Some(Self { column, descending: !now.descending }),
        }
    }

    /// Returns the value of the attribute `aria-sort`.
    pub fn aria(self) -> &'static str {
        if self.descending { "descending" } else { "ascending" }
    }
}

/// Returns the row numbers in sorted order. The sort is stable, and rows without a value are last.
pub fn ordered(rows: &TableRows, order: SortOrder) -> Vec<u32> {
    let key = |row: u32| {
        let cell = (rows.row)(row).and_then(|row| row.cells.into_iter().nth(order.column));
        cell.map_or(SortKey::Nothing, |cell| cell.key)
    };
    let mut keyed: Vec<(SortKey, u32)> = (0..rows.count).map(|row| (key(row), row)).collect();
    keyed.sort_by(|(a, _), (b, _)| compare(a, b, order.descending));
    keyed.into_iter().map(|(_, row)| row).collect()
}

fn compare(a: &SortKey, b: &SortKey, descending: bool) -> Ordering {
    match (a, b) {
        (SortKey::Nothing, SortKey::Nothing) => Ordering::Equal,
        (SortKey::Nothing, _) => Ordering::Greater,
        (_, SortKey::Nothing) => Ordering::Less,
        _ if descending => b.cmp(a),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{TableCell, TableRow};
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn clicks_lead_through_both_directions_and_back() {
        let order = |descending| Some(SortOrder { column: 2, descending });
        let other = Some(SortOrder { column: 1, descending: true });
        for (now, largest_first, has_original, expected) in [
            (None, true, true, order(true)),
            (None, false, true, order(false)),
            (other, true, true, order(true)),
            (order(true), true, true, order(false)),
            (order(false), true, true, None),
            (order(true), false, true, None),
            (order(false), true, false, order(true)),
        ] {
            let next = SortOrder::after_click(now, 2, largest_first, has_original);
            assert_eq!(next, expected, "{now:?} {largest_first} {has_original}");
        }
    }

    #[wasm_bindgen_test]
    fn rows_are_ordered_by_keys_and_those_without_a_value_are_last() {
        let cells = [Some(30), None, Some(-4), Some(30), Some(1_000)];
        let rows = TableRows::in_page(cells.to_vec(), |n: &Option<i64>| {
            TableRow::of(vec![TableCell::or_absent(*n, TableCell::count)])
        });
        let by = |column, descending| ordered(&rows, SortOrder { column, descending });
        assert_eq!(by(0, false), [2, 0, 3, 4, 1]);
        assert_eq!(by(0, true), [4, 0, 3, 2, 1]);
        assert_eq!(by(7, true), [0, 1, 2, 3, 4]);
        let words = ["b", "A", "c"].to_vec();
        let rows = TableRows::in_page(words, |word| TableRow::of(vec![TableCell::text(*word)]));
        assert_eq!(ordered(&rows, SortOrder { column: 0, descending: false }), [1, 0, 2]);
    }
}
