//! Side tables: what an export holds besides its events, such as the server's own sums, to be looked at as it stands.

use serde::{Deserialize, Serialize};

/// Which side tables there are.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TableList {
    /// Those that have rows, by name and then by run; a table is asked for by its place here.
    pub tables: Vec<TableInfo>,
    /// What the files would have to hold besides, for a picture on a time axis; `None` where they do.
    pub missing: Option<String>,
}

/// A side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableInfo {
    /// The run that it was exported with; empty where there is one run only.
    pub run: String,
    /// As the source calls it.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
}

/// A side table as somebody looks at it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TableView {
    /// Its place in [`TableList::tables`].
    pub table: u32,
    /// The column that orders the rows; as they stand in the file without one.
    pub sort: Option<u32>,
    /// The largest first. What has no value is last in both directions.
    pub descending: bool,
    /// Words that a row must have, each somewhere.
    pub filter: String,
    /// Only rows in which some number that is counted or measured is not 0.
    pub nonzero: bool,
}

/// A page of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TablePage {
    /// Its columns; columns without any value are left out.
    pub columns: Vec<TableColumn>,
    /// Columns that were left out.
    pub empty: u32,
    /// How many rows the table has.
    pub total: u32,
    /// How many rows pass the filter.
    pub matched: u32,
    /// The first row of the page.
    pub first: u32,
    /// By row, then by column.
    pub rows: Vec<Vec<TableCell>>,
}

/// A column of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableColumn {
    /// Its number, to order rows by.
    pub number: u32,
    /// As the source calls it.
    pub name: String,
    /// Whether all its values are numbers.
    pub is_number: bool,
    /// Characters of its longest value, as far as they are shown.
    pub width: u16,
}

/// A value of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableCell {
    /// Text of the cell, as it is shown.
    pub text: String,
    /// As it stands in the file, where that is something else.
    pub exact: Option<String>,
}
