//! Rows without a header whose values are not in the server's order: they wait for the file that names their columns.

use super::layout;
use super::problems::NO_COLUMNS;
use crate::import::contract::{BuildReport, FileId};
use crate::import::tables::{Scratch, TableRow};
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// The rows of one file.
pub struct UnnamedRows {
    pub file: FileId,
    /// The table that the file's name tells.
    pub table: String,
    /// Values of a row.
    pub width: usize,
    rows: Vec<(RecordId, Place, Vec<Option<String>>)>,
}

impl UnnamedRows {
    /// None yet.
    pub fn new(file: FileId, table: String, width: usize) -> Self {
        Self { file, table, width, rows: Vec::new() }
    }

    /// Keeps a row.
    pub fn push(&mut self, record: RecordId, place: Place, row: &TableRow) {
        self.rows.push((record, place, row.iter().map(|cell| cell.map(str::to_owned)).collect()));
    }

    /// Whether most rows are in the order of these columns after all: the first one may have been damaged.
    pub fn fits(&self, columns: &[String]) -> bool {
        let mut fitting = 0;
        self.each(|_, _, row| fitting += usize::from(layout::misfits(columns, row) == 0));
        !columns.is_empty() && fitting * 2 > self.rows.len()
    }

    /// Hands on every row.
    pub fn each(&self, mut take: impl FnMut(RecordId, Place, &TableRow)) {
        for (record, place, cells) in &self.rows {
            let mut scratch = Scratch::default();
            cells.iter().for_each(|cell| scratch.push(cell.as_deref()));
            take(*record, *place, &scratch.row());
        }
    }

    /// Counts the rows as lost: nothing named their columns.
    pub fn lose(&self, outcome: &mut BuildReport) {
        for (record, _, cells) in &self.rows {
            let text = || cells.iter().flatten().take(4).map(String::as_str).collect::<Vec<_>>().join(" ");
            outcome.note(*record, NO_COLUMNS, text);
        }
    }
}
