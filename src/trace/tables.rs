//! Side tables: what an export holds besides its events, as it stands there: the server's own sums, its threads, its
//! settings, its locks. Rows of named columns, every value a text, each row with its place in the file.

use super::{RecordId, RunId};
use crate::base::columns::BlockColumn;
use crate::base::interner::{Interner, StrId};

/// One side table of one run.
pub struct Table {
    /// The run that it was exported with.
    pub run: RunId,
    /// What the source calls it, in lower case: `events_waits_summary_by_instance`.
    pub name: StrId,
    columns: Vec<StrId>,
    /// Row by row; [`StrId::NONE`] for NULL.
    cells: BlockColumn<StrId>,
    records: BlockColumn<RecordId>,
}

impl Table {
    /// A table without rows. Columns are called as the source calls them, in upper case.
    pub fn new(run: RunId, name: StrId, columns: Vec<StrId>) -> Self {
        Self { run, name, columns, cells: BlockColumn::default(), records: BlockColumn::default() }
    }

    /// Appends a row: what is missing at its end is NULL, what is too much is left out.
    pub fn push(&mut self, record: RecordId, cells: impl IntoIterator<Item = StrId>) {
        let mut cells = cells.into_iter();
        for _ in 0..self.columns.len() {
            self.cells.push(cells.next().unwrap_or(StrId::NONE));
        }
        self.records.push(record);
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[StrId] {
        &self.columns
    }

    /// The position of a column, by its name in upper case.
    pub fn column(&self, strings: &Interner, name: &str) -> Option<usize> {
        let name = strings.find(name)?;
        self.columns.iter().position(|&column| column == name)
    }

    /// How many rows there are; rows are `0..len`.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// A value; `None` for NULL and for what does not exist.
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
    /// All of them, in the order of runs.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.list.iter()
    }

    /// The table of a run that is called so.
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
