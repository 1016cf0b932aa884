//! Side tables: tables that an export contains in addition to its events, as recorded: the server's own sums, threads,
//! settings and locks. They have named columns; every value is a text, and every row has a position in the file.

use super::{RecordId, RunId};
use crate::base::columns::BlockColumn;
use crate::base::interner::{Interner, StrId};

/// A side table of a run.
pub struct Table {
    /// Run that the table was exported with.
    pub run: RunId,
    /// Name in the source, in lower case, such as `events_waits_summary_by_instance`.
    pub name: StrId,
    columns: Vec<StrId>,
    /// Values of all rows, row by row; [`StrId::NONE`] for NULL.
    cells: BlockColumn<StrId>,
    records: BlockColumn<RecordId>,
}

impl Table {
    /// Creates a table without rows. Columns have the names of the source, in upper case.
    pub fn new(run: RunId, name: StrId, columns: Vec<StrId>) -> Self {
        Self { run, name, columns, cells: BlockColumn::default(), records: BlockColumn::default() }
    }

    /// Appends a row. Missing values at its end become NULL; surplus values are ignored.
    pub fn push(&mut self, record: RecordId, cells: impl IntoIterator<Item = StrId>) {
        let mut cells = cells.into_iter();
        for _ in 0..self.columns.len() {
            self.cells.push(cells.next().unwrap_or(StrId::NONE));
        }
        self.records.push(record);
    }

    /// Names of the columns, in order.
    pub fn columns(&self) -> &[StrId] {
        &self.columns
    }

    /// Index of a column, by its name in upper case; `None` if there is no such column.
    pub fn column(&self, strings: &Interner, name: &str) -> Option<usize> {
        let name = strings.find(name)?;
        self.columns.iter().position(|&column| column == name)
    }

    /// Number of rows; rows are `0..len`.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Value at a row and column; `None` for NULL, and if the row or column does not exist.
    pub fn cell(&self, row: usize, column: usize) -> Option<StrId> {
        let exists = row < self.len() && column < self.columns.len();
        exists.then(|| self.cells.get(row * self.columns.len() + column))?.some()
    }

    /// The record that a row, which must exist, was read from.
    pub fn record(&self, row: usize) -> RecordId {
        self.records.get(row)
    }
}

/// The side tables of a trace.
#[derive(Default)]
pub struct Tables {
    pub(super) list: Vec<Table>,
}

impl Tables {
    /// All side tables, in the order of runs.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.list.iter()
    }

    /// The table of a run with this name; `None` if there is no such table.
    pub fn find(&self, strings: &Interner, run: RunId, name: &str) -> Option<&Table> {
        let name = strings.find(name)?;
        self.list.iter().find(|table| table.run == run && table.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_values_as_there_are_columns() {
        let mut strings = Interner::default();
        let [name, a, b, x] = ["t", "A", "B", "x"].map(|text| strings.intern(text));
        let mut table = Table::new(RunId(0), name, vec![a, b]);
        table.push(RecordId(4), [x]);
        table.push(RecordId(5), [StrId::NONE, x, x]);
        assert_eq!(
            (table.len(), table.column(&strings, "B"), table.column(&strings, "C")),
            (2, Some(1), None)
        );
        let cells =
            [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 0)].map(|(row, column)| table.cell(row, column));
        assert_eq!(cells, [Some(x), None, None, Some(x), None, None]);
        assert_eq!(table.record(1), RecordId(5));
    }
}
