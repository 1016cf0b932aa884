//! Rows without a header whose values are not in the server's order. They wait for a file that names their columns.

use super::layout;
use super::problems::NO_COLUMNS;
use crate::import::contract::{BuildReport, FileId};
use crate::import::tables::{Scratch, TableRow};
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// Rows of one file that wait until another file names their columns.
pub struct UnnamedRows {
    pub file: FileId,
    /// Name of the table, from the name of the file.
    pub table: String,
    /// Number of values in a row.
    pub width: usize,
    rows: Vec<(RecordId, Place, Vec<Option<String>>)>,
}

impl UnnamedRows {
    /// Creates an empty list of rows.
    pub fn new(file: FileId, table: String, width: usize) -> Self {
        Self { file, table, width, rows: Vec::new() }
    }

    /// Keeps a row.
    pub fn push(&mut self, record: RecordId, place: Place, row: &TableRow) {
        self.rows.push((record, place, row.iter().map(|cell| cell.map(str::to_owned)).collect()));
    }

    /// Whether most rows fit these columns. One row may not fit, because the row that was read first may have been
    /// damaged.
    pub fn fits(&self, columns: &[String]) -> bool {
        let mut fitting = 0;
        self.each(|_, _, row| fitting += usize::from(layout::misfits(columns, row) == 0));
        !columns.is_empty() && fitting * 2 > self.rows.len()
    }

    /// Passes every row to `take`.
    pub fn each(&self, mut take: impl FnMut(RecordId, Place, &TableRow)) {
        for (record, place, cells) in &self.rows {
            let mut scratch = Scratch::default();
            cells.iter().for_each(|cell| scratch.push(cell.as_deref()));
            take(*record, *place, &scratch.row());
        }
    }

    /// Counts the rows as lost, because no file named their columns.
    pub fn lose(&self, outcome: &mut BuildReport) {
        for (record, _, cells) in &self.rows {
            let text = || cells.iter().flatten().take(4).map(String::as_str).collect::<Vec<_>>().join(" ");
            outcome.note(*record, NO_COLUMNS, text);
        }
    }
}
