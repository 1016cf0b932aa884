//! The rows of a table as tab-separated text, for spreadsheets and editors.

use queryscope::internal::csv::defused;

use super::column::{ColumnKind, TableColumn};
use super::table_row::TableRow;

/// Returns the first line of the copied text: column names with units.
pub fn copied_head(columns: &[TableColumn]) -> String {
    line(columns.iter().filter(|column| is_copied(column)).map(|column| field(&column.copied_name())))
}

/// Returns a table row as a line of the copied text, with exact values instead of rounded ones.
pub fn copied_row(columns: &[TableColumn], row: &TableRow) -> String {
    let cells = row.cells.iter().zip(columns).filter(|(_, column)| is_copied(column));
    line(cells.map(|(cell, _)| field(cell.copied_text())))
}

fn is_copied(column: &TableColumn) -> bool {
    column.kind != ColumnKind::Bars
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join("\t") + "\n"
}

/// Escapes a text for one field: replaces tabs and line breaks, and prevents spreadsheets from reading the text as a formula.
fn field(text: &str) -> String {
    let one_line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    defused(&one_line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::TableCell;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn what_is_copied_is_exact_and_has_no_bars() {
        let columns = [
            TableColumn::text("Name"),
            TableColumn::bars("Busy"),
            TableColumn::time("Busy"),
            TableColumn::share("Share"),
            TableColumn::bytes("Size"),
        ];
        let row = TableRow::of(vec![
            TableCell::text("two\twords\nin lines"),
            TableCell::bar(vec![("work", 1)], 2),
            TableCell::time(1_234_567),
            TableCell::share(1, 3),
            TableCell::or_absent(None, TableCell::bytes),
        ]);
        assert_eq!(copied_head(&columns), "Name\tBusy (ns)\tShare (%)\tSize (B)\n");
        assert_eq!(copied_row(&columns, &row), "two words in lines\t1234567\t33.3333\t\n");
        let formula = TableRow::of(vec![TableCell::text("=1+1")]);
        assert_eq!(copied_row(&columns, &formula), "'=1+1\n");
    }
}
