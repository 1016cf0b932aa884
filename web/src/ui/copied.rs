//! The rows of a table as text in one of several forms, with exact values.

use queryscope::internal::csv::{field, is_number, tab_field};
use queryscope::internal::markdown;

use super::column::{ColumnKind, TableColumn};
use super::table_row::TableRow;

/// Form of copied rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CopyForm {
    /// Fields between tabs, which spreadsheets paste into cells.
    #[default]
    Tabs,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// A table of GitHub Flavored Markdown.
    Markdown,
    /// An array with one object for each row, whose keys are the column names.
    Json,
}

impl CopyForm {
    /// All forms, in the order of the menu.
    pub const ALL: [CopyForm; 4] = [CopyForm::Tabs, CopyForm::Csv, CopyForm::Markdown, CopyForm::Json];

    /// The forms of files, in the order of the menu.
    pub const FILES: [CopyForm; 3] = [CopyForm::Csv, CopyForm::Markdown, CopyForm::Json];

    /// Ending of a file's name, and its media type.
    pub fn file_type(self) -> (&'static str, &'static str) {
        match self {
            CopyForm::Tabs => ("tsv", "text/tab-separated-values"),
            CopyForm::Csv => ("csv", "text/csv"),
            CopyForm::Markdown => ("md", "text/markdown"),
            CopyForm::Json => ("json", "application/json"),
        }
    }
}

/// Rows as text, written one after the other.
pub struct CopiedRows<'a> {
    form: CopyForm,
    columns: &'a [TableColumn],
    /// Names of the copied columns, with units.
    names: Vec<String>,
    text: String,
}

impl<'a> CopiedRows<'a> {
    /// Starts a text with the column names.
    pub fn new(form: CopyForm, columns: &'a [TableColumn]) -> Self {
        let (mut names, mut kinds) = (Vec::new(), Vec::new());
        for column in columns {
            for at in 0..column.n_copied() {
                names.push(column.copied_name(at));
                kinds.push(if column.kind == ColumnKind::Number { "---:" } else { "---" }.to_owned());
            }
        }
        let mut rows = Self { form, columns, names, text: String::new() };
        if form != CopyForm::Json {
            let names: Vec<String> = rows.names.iter().map(|name| rows.cell(name)).collect();
            rows.line(&names);
        }
        if form == CopyForm::Markdown {
            rows.line(&kinds);
        }
        rows
    }

    /// Adds a row.
    pub fn add(&mut self, row: &TableRow) {
        let mut cells: Vec<String> = Vec::new();
        for (cell, column) in row.cells.iter().zip(self.columns) {
            let mut rest = cell.copied_text();
            for at in 0..column.n_copied() {
                // Without parts, a tab belongs to the text.
                let is_last = at + 1 == column.n_copied();
                let (text, others) = rest.split_once('\t').filter(|_| !is_last).unwrap_or((rest, ""));
                rest = others;
                cells.push(match (self.form, self.names.get(cells.len())) {
                    (CopyForm::Json, Some(name)) => {
                        let value = match (text, column.kind) {
                            ("", ColumnKind::Number) => "null".to_owned(),
                            _ if cell.is_absent() => "null".to_owned(),
                            (text, ColumnKind::Boolean) => text.to_owned(),
                            (number, ColumnKind::Number) if is_json(number) => number.to_owned(),
                            (text, _) => quoted(text),
                        };
                        format!("{}: {value}", quoted(name))
                    }
                    _ => self.cell(text),
                });
            }
        }
        self.line(&cells);
    }

    /// Ends the text and returns it.
    pub fn finish(self) -> String {
        match (self.form, self.text.as_str()) {
            (CopyForm::Json, "") => "[]\n".to_owned(),
            (CopyForm::Json, rows) => format!("[\n{rows}\n]\n"),
            _ => self.text,
        }
    }

    fn line(&mut self, cells: &[String]) {
        match self.form {
            CopyForm::Tabs => self.text.extend([&cells.join("\t"), "\n"]),
            CopyForm::Csv => self.text.extend([&cells.join(","), "\n"]),
            CopyForm::Markdown => self.text.extend(["| ", &cells.join(" | "), " |\n"]),
            CopyForm::Json => {
                let before = if self.text.is_empty() { "" } else { ",\n" };
                self.text.extend([before, "  { ", &cells.join(", "), " }"]);
            }
        }
    }

    fn cell(&self, text: &str) -> String {
        match self.form {
            CopyForm::Csv if text.is_empty() => String::new(),
            CopyForm::Csv => field(text).into_owned(),
            CopyForm::Markdown => markdown::cell(text).into_owned(),
            CopyForm::Tabs | CopyForm::Json => tab_field(text),
        }
    }
}

/// Whether a text is a number in JSON, which has no plus sign and no leading zeros.
fn is_json(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_zeros = digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit());
    is_number(text) && !text.starts_with('+') && !has_zeros
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    js_sys::JSON::stringify(&text.into()).map_or_else(|_| "null".to_owned(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::TableCell;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn check(form: CopyForm, expected: &str) {
        let columns = [
            TableColumn::text("Name"),
            TableColumn::bars("Busy"),
            TableColumn::time("Busy"),
            TableColumn::share("Share"),
            TableColumn::bytes("Size"),
            TableColumn::number("Failed"),
        ];
        let row = |name: &str| {
            TableRow::of(vec![
                TableCell::text(name.to_owned()),
                TableCell::bar(vec![("work", 1)], 2),
                TableCell::time(1_234_567),
                TableCell::share(1, 3),
                TableCell::or_absent(None, TableCell::bytes),
                TableCell::count(0).class("faint"),
            ])
        };
        let mut rows = CopiedRows::new(form, &columns);
        rows.add(&row("two\twords\nin \"lines\""));
        rows.add(&row("=1|1"));
        assert_eq!(rows.finish(), expected);
    }

    #[wasm_bindgen_test]
    fn what_is_copied_is_exact_and_has_no_bars() {
        check(
            CopyForm::Tabs,
            "Name\tBusy (ns)\tShare (%)\tSize (B)\tFailed\ntwo words in \"lines\"\t1234567\t33.3333\t\t0\n'=1|1\t1234567\t33.3333\t\t0\n",
        );
        check(
            CopyForm::Csv,
            "Name,Busy (ns),Share (%),Size (B),Failed\n\"two\twords\nin \"\"lines\"\"\",1234567,33.3333,,0\n'=1|1,1234567,33.3333,,0\n",
        );
        check(
            CopyForm::Markdown,
            "| Name | Busy (ns) | Share (%) | Size (B) | Failed |\n| --- | ---: | ---: | ---: | ---: |\n\
             | <code>two words in &#34;lines&#34;</code> | 1234567 | 33.3333 |  | 0 |\n| <code>=1&#124;1</code> | 1234567 | 33.3333 |  | 0 |\n",
        );
        check(
            CopyForm::Json,
            "[\n  { \"Name\": \"two\\twords\\nin \\\"lines\\\"\", \"Busy (ns)\": 1234567, \"Share (%)\": 33.3333, \"Size (B)\": null, \"Failed\": 0 },\n  \
             { \"Name\": \"=1|1\", \"Busy (ns)\": 1234567, \"Share (%)\": 33.3333, \"Size (B)\": null, \"Failed\": 0 }\n]\n",
        );
    }

    #[wasm_bindgen_test]
    fn cells_with_parts_are_several_columns() {
        let columns = [TableColumn::text("Name"), TableColumn::time("Total").in_parts(&["base", "new"])];
        let copied = |form: CopyForm| {
            let mut rows = CopiedRows::new(form, &columns);
            for total in [TableCell::text("9 → 13").copied("9\t13"), TableCell::absent("")] {
                rows.add(&TableRow::of(vec![TableCell::text("a\tb"), total]));
            }
            rows.finish()
        };
        assert_eq!(copied(CopyForm::Csv), "Name,Total / base (ns),Total / new (ns)\na\tb,9,13\na\tb,,\n");
        assert_eq!(
            copied(CopyForm::Json),
            "[\n  { \"Name\": \"a\\tb\", \"Total / base (ns)\": 9, \"Total / new (ns)\": 13 },\n  \
             { \"Name\": \"a\\tb\", \"Total / base (ns)\": null, \"Total / new (ns)\": null }\n]\n"
        );
    }

    #[wasm_bindgen_test]
    fn numbers_of_json_have_no_leading_zeros() {
        for (text, expected) in
            [("0", true), ("-0.5", true), ("12", true), ("007", false), ("+1", false), ("1 ms", false)]
        {
            assert_eq!(is_json(text), expected, "{text}");
        }
    }

    #[wasm_bindgen_test]
    fn no_rows_are_an_empty_array() {
        assert_eq!(CopiedRows::new(CopyForm::Json, &[TableColumn::text("Name")]).finish(), "[]\n");
    }
}
