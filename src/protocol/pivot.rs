//! Requests and replies for pivot tables, and the comparison of a server's own sums with its events.

use serde::{Deserialize, Serialize};

/// A table of sums that the server made, compared with its events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reconciled {
    /// The run's name.
    pub run: String,
    /// The table's name.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Cells that are equal to what the events add up to: zeros are cells as well.
    pub equal: u64,
    /// Cells that are equal to what other cells and columns of the export tell of the events.
    pub derived: u64,
    /// Cells that are neither.
    pub different: u64,
    /// Groups of events of which the server has no row.
    pub only_events: u64,
    /// Why cells differ, and why rows are missing.
    pub reasons: Vec<ReconciledReason>,
    /// How cells were derived.
    pub derivations: Vec<ReconciledReason>,
    /// In what units averages of waits were compared, and how that is known; empty where there are none.
    pub averages: String,
}

/// Why some cells differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReconciledReason {
    /// In words, with the evidence; it begins "unknown" where nothing in the export explains it.
    pub reason: String,
    /// How many cells or missing rows.
    pub cells: u64,
    /// The first of them.
    pub examples: Vec<ReconciledCell>,
}

/// A cell that differs, or a row that is missing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReconciledCell {
    /// What the row is about.
    pub row: String,
    /// The column; empty for a missing row.
    pub column: String,
    /// What the server says.
    pub server: String,
    /// What the events add up to.
    pub events: String,
}

/// What a time range means, in every view and on the command line.
pub const RANGE_MEANS: &str = "Spans and events that overlap the time range are counted, with only the part of \
     their time that is inside it.";

/// What cannot be clipped counts whole, in the views that show rows and bytes.
pub const RANGE_WHOLE: &str = "Their rows and bytes are counted in full.";

/// What to aggregate, as people write it: dimensions, measures and filter are expressions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotSpec {
    /// Dimensions, separated by commas: `kind, name[/2]`.
    pub by: String,
    /// The dimension whose values are columns; empty where there is none.
    pub across: String,
    /// Measures, separated by commas: `count, sum, p95(rows read)`.
    pub measures: String,
    /// Words and conditions that a span or event must meet: `kind = query duration > 5ms`.
    pub filter: String,
    /// Only what overlaps this half-open range, with its time clipped to it.
    pub range: Option<(i64, i64)>,
}

/// A pivot table as somebody looks at it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotView {
    /// What is aggregated.
    pub spec: PivotSpec,
    /// The measure that orders the rows, counted from 0; the dimension's values where there is none.
    pub sort: Option<u32>,
    /// In which columns that measure orders the rows; in those of all points where there are no such columns.
    pub column: PivotColumn,
    /// The largest first.
    pub descending: bool,
    /// The groups that are open, each as the labels that lead to it.
    pub open: Vec<Vec<String>>,
}

/// Columns of a pivot table with a dimension across: one for each measure.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum PivotColumn {
    /// All points of a row.
    #[default]
    All,
    /// Points with a value in the dimension: its label, or the label's hash.
    Value(String),
    /// Points with one of the values that have no columns of their own.
    Others,
}

/// A page of a pivot table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotPage {
    /// Why there is no table, if there is none.
    pub error: Option<String>,
    /// The dimensions, as they were understood.
    pub dimensions: Vec<String>,
    /// The dimension across, as it was understood; empty where there is none.
    pub across: String,
    /// With a dimension across: the groups of columns, each with its label. Each has a column for every measure; cells of
    /// a row stand in this order.
    pub columns: Vec<(PivotColumn, String)>,
    /// The column that orders the rows, counted from 0 without that of the names.
    pub sort: Option<u32>,
    /// The measures, as they were understood.
    pub measures: Vec<String>,
    /// By measure: its quantity and function, for the head of a column: `duration, sum`.
    pub titles: Vec<String>,
    /// By measure: what it is, in a sentence.
    pub meanings: Vec<String>,
    /// What a reader must know about the numbers: what counts in the range, and at which level.
    pub notes: Vec<String>,
    /// Spans and events that were aggregated.
    pub points: u64,
    /// Groups by all dimensions.
    pub groups: u32,
    /// The cells of all together, as in a row.
    pub total: Vec<PivotCell>,
    /// Rows of the table, with those in open groups.
    pub rows_in_all: u32,
    /// The first row of the page.
    pub first: u32,
    /// The rows.
    pub rows: Vec<PivotRow>,
}

/// A row of a pivot table: a group, or a span or event of an open group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotRow {
    /// How many groups are around it.
    pub depth: u16,
    /// Its value in the dimension, or its name.
    pub label: String,
    /// The labels that lead to a group.
    pub path: Vec<String>,
    /// Whether a group is open; `None` for a span or event.
    pub open: Option<bool>,
    /// The item, for a span or event.
    pub item: Option<u32>,
    /// By measure; with a dimension across, by group of columns, then by measure.
    pub cells: Vec<PivotCell>,
}

/// What a measure is of a group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotCell {
    /// Text of the cell, as it is shown.
    pub text: String,
    /// Every digit, without a unit; empty where nothing was reported.
    pub exact: String,
    /// How large it is among its like: 0 to 255.
    pub heat: u8,
}

/// By what a trace can be grouped, and what can be measured.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotChoices {
    /// Dimensions, each followed by its useful projections, under headings.
    pub dimensions: Vec<(String, Vec<String>)>,
    /// Measures by the definitions of the server that made the trace; none where it has none.
    pub server: Vec<String>,
    /// Numbers that can be measured.
    pub quantities: Vec<String>,
}
