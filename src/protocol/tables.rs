//! Side tables: tables that an export contains in addition to its events, such as the server's own sums, shown as recorded.

use serde::{Deserialize, Serialize};

/// List of the side tables.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TableList {
    /// Tables that have rows, by name and then by run. The index in this list identifies a table in requests.
    pub tables: Vec<TableInfo>,
    /// Description of the data that the files lack for a timeline; `None` if nothing is missing.
    pub missing: Option<String>,
}

/// A side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableInfo {
    /// Name of the run that the table was exported with; empty if there is only one run.
    pub run: String,
    /// Name of the table in the source.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
}

/// A side table with its order and filters.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TableView {
    /// Index of the table in [`TableList::tables`].
    pub table: u32,
    /// Number of the column that orders the rows; `None` for the order of the file.
    pub sort: Option<u32>,
    /// Whether the order is descending. Rows without a value come last in both directions.
    pub descending: bool,
    /// Words that a row must contain, each in any column.
    pub filter: String,
    /// Whether to hide rows whose counts and measurements are all 0.
    pub nonzero: bool,
}

/// A page of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TablePage {
    /// Columns of the table, without columns that have no values.
    pub columns: Vec<TableColumn>,
    /// Number of columns left out because they have no values.
    pub empty: u32,
    /// Total number of rows in the table.
    pub total: u32,
    /// Number of rows that pass the filters.
    pub matched: u32,
    /// Index of the page's first row.
    pub first: u32,
    /// Cells, by row and then by column.
    pub rows: Vec<Vec<TableCell>>,
}

/// A column of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableColumn {
    /// Number of the column, for [`TableView::sort`].
    pub number: u32,
    /// Name of the column in the source.
    pub name: String,
    /// Whether all values of the column are numbers.
    pub is_number: bool,
    /// Length of the longest shown value, in characters.
    pub width: u16,
}

/// A cell of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableCell {
    /// Text of the cell, formatted for display.
    pub text: String,
    /// Value as recorded in the file; `None` if it equals `text`.
    pub exact: Option<String>,
}
