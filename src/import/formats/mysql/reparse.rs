//! Reads one row again from its place in the file, as named values.

use super::layout;
use crate::import::contract::{Field, ProblemKind};
use crate::import::tables::{Reader, RowSink, TableKind, TableRow};
use crate::import::text::lines::Place;

/// Receives one row.
struct ReparsedRow<'a> {
    columns: &'a [String],
    /// Columns that the row's own text names.
    named: Vec<String>,
    fields: Option<Vec<Field>>,
}

impl RowSink for ReparsedRow<'_> {
    fn is_header(&self, row: &TableRow) -> bool {
        // In JSON, every row names its columns.
        row.iter().flatten().map(str::to_ascii_uppercase).eq(self.columns.iter().cloned())
    }

    fn table(&mut self, _: Option<&str>, columns: &TableRow) {
        self.named = columns.iter().map(|name| name.unwrap_or("").to_owned()).collect();
    }

    fn row(&mut self, row: &TableRow, _: Place, _: u64) {
        let names = if self.named.is_empty() { self.columns } else { &self.named };
        if self.fields.is_none() && names.len() == row.len() {
            let fields = names.iter().zip(row.iter());
            let field = |(name, value): (&String, Option<&str>)| Field {
                name: name.clone(),
                value: value.unwrap_or("NULL").to_owned(),
            };
            self.fields = Some(fields.map(field).collect());
        }
    }

    fn overlong(&mut self, row: &TableRow, place: Place, length: u64) -> bool {
        let joined = layout::joined(self.columns, row);
        joined.map(|joined| self.row(&joined.row(), place, length)).is_some()
    }

    fn broken(&mut self, _: ProblemKind, _: Place, _: &str) {}
    fn other_line(&mut self) {}
}

/// Returns the values of a row with these columns; `None` if the text is not a row.
pub fn fields(kind: TableKind, columns: &[String], text: &str) -> Option<Vec<Field>> {
    let mut one = ReparsedRow { columns, named: Vec::new(), fields: None };
    let mut reader = Reader::of_row(kind, columns.len());
    reader.push(text, &mut one);
    reader.push("\n", &mut one);
    reader.finish(&mut one);
    one.fields
}
