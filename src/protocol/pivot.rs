//! Requests and replies for pivot tables, and the comparison of a server's own sums with its events.

use serde::{Deserialize, Serialize};

/// Comparison of one of the server's summary tables with the events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reconciled {
    /// Name of the run.
    pub run: String,
    /// Name of the summary table.
    pub table: String,
    /// Number of rows of the table.
    pub rows: u64,
    /// Number of cells that equal the sum of the events, including zeros.
    pub equal: u64,
    /// Number of cells that equal a value derived from other cells or columns of the export.
    pub derived: u64,
    /// Number of cells that are neither equal nor derivable.
    pub different: u64,
    /// Number of event groups for which the server has no row.
    pub only_events: u64,
    /// Reasons why cells differ and why rows are missing.
    pub reasons: Vec<ReconciledReason>,
    /// Ways in which cells were derived.
    pub derivations: Vec<ReconciledReason>,
    /// Units in which averages of waits were compared, and the evidence for them; empty without such averages.
    pub averages: String,
}

/// A reason why some cells differ, or a way in which they were derived.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReconciledReason {
    /// Explanation with its evidence; starts with "unknown" if nothing in the export explains the difference.
    pub reason: String,
    /// Number of cells or missing rows.
    pub cells: u64,
    /// First examples.
    pub examples: Vec<ReconciledCell>,
}

/// A cell that differs or was derived, or a row that is missing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReconciledCell {
    /// Description of the row.
    pub row: String,
    /// Name of the column; empty for a missing row.
    pub column: String,
    /// Value in the server's table.
    pub server: String,
    /// Value computed from the events.
    pub events: String,
}

/// Explains what a time range includes, in every view and on the command line.
pub const RANGE_MEANS: &str = "Spans and events that overlap the time range are counted, with only the part of \
     their time that is inside it.";

/// Explains, in views that show rows and bytes, that these are not clipped to the time range.
pub const RANGE_WHOLE: &str = "Their rows and bytes are counted in full.";

/// Specification of a pivot table as the user writes it: dimensions, measures and filter are expressions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotSpec {
    /// Dimensions to group by, outermost first, separated by commas, such as `kind, name`. `name[/2]` is a projection: the first two parts of a name between slashes.
    pub by: String,
    /// Dimension whose values become columns; empty for none.
    pub across: String,
    /// Measures, separated by commas: `count, sum, p95(rows read)`.
    pub measures: String,
    /// Words and conditions that a span or event must match: `kind = query duration > 5ms`.
    pub filter: String,
    /// If set, only items that overlap this half-open range, in nanoseconds, with times clipped to it.
    pub range: Option<(i64, i64)>,
}

/// A pivot table with its order and expanded groups.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotView {
    /// Specification of the table.
    pub spec: PivotSpec,
    /// Index of the measure that orders the rows; `None` to order them by the values of the dimension.
    pub sort: Option<u32>,
    /// Group of columns whose measure orders the rows; if the table lacks that group, the totals order them.
    pub column: PivotColumn,
    /// Whether the order is descending (largest first).
    pub descending: bool,
    /// Expanded groups, each as the labels from the outermost group to it.
    pub open: Vec<Vec<String>>,
}

/// A group of columns of a pivot table with a dimension across; each group has one column per measure.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum PivotColumn {
    /// Totals over all items of a row.
    #[default]
    All,
    /// Items with this value in the dimension: its label, or the hash of the label.
    Value(String),
    /// Items with one of the values that have no columns of their own.
    Others,
}

/// A whole pivot table with values for other programs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotRows {
    /// Names of the dimensions, then of the measures with their units.
    pub columns: Vec<String>,
    /// A row for each finest group, in the order of the table.
    pub rows: Vec<Vec<PlainField>>,
}

/// A field of a row for other programs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum PlainField {
    /// No value was reported.
    None,
    /// A text; it may be empty.
    Text(String),
    /// A number in decimal digits, with optional sign and decimal point.
    Number(String),
}

/// A page of a pivot table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotPage {
    /// Error message for an invalid specification; `None` if there is a table.
    pub error: Option<String>,
    /// Dimensions, in normalised form.
    pub dimensions: Vec<String>,
    /// By dimension: whether its values are texts, which a filter can name.
    pub has_texts: Vec<bool>,
    /// Dimension across, in normalised form; empty if there is none.
    pub across: String,
    /// Groups of columns with their labels, for a table with a dimension across. Each group has one column per measure, and the
    /// cells of a row are in this order.
    pub columns: Vec<(PivotColumn, String)>,
    /// Index of the column that orders the rows, without counting the column of labels; `None` if the labels order them.
    pub sort: Option<u32>,
    /// Measures, in normalised form.
    pub measures: Vec<String>,
    /// Column titles by measure, quantity and function: `duration, sum`.
    pub titles: Vec<String>,
    /// Explanation of each measure, in one sentence.
    pub meanings: Vec<String>,
    /// Notes on how to read the numbers: what is counted in the time range, and at which level.
    pub notes: Vec<String>,
    /// Number of spans and events that were aggregated.
    pub points: u64,
    /// Number of groups by all dimensions.
    pub groups: u32,
    /// Cells of the totals row.
    pub total: Vec<PivotCell>,
    /// Number of rows of the table, including rows of expanded groups.
    pub rows_in_all: u32,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<PivotRow>,
}

/// A row of a pivot table: a group, or a span or event of an expanded group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotRow {
    /// Number of groups that enclose the row.
    pub depth: u16,
    /// Value of the group's dimension, or name of the span or event.
    pub label: String,
    /// Labels from the outermost group to this group; empty for a span or event.
    pub path: Vec<String>,
    /// Whether the group is expanded; `None` for a span or event.
    pub open: Option<bool>,
    /// Item code of the span or event; `None` for a group.
    pub item: Option<u32>,
    /// Cells by measure; with a dimension across, by group of columns and then by measure.
    pub cells: Vec<PivotCell>,
}

/// Value of a measure in a row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PivotCell {
    /// Text of the cell, formatted for display.
    pub text: String,
    /// Exact value in full digits, without a unit; empty if nothing was reported.
    pub exact: String,
    /// Size relative to the maximum at the same level and measure, from 0 to 255.
    pub heat: u8,
}

/// Dimensions and measures that a trace offers for pivot tables.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PivotChoices {
    /// Headings with their dimensions, each dimension followed by its useful projections.
    pub dimensions: Vec<(String, Vec<String>)>,
    /// Measures as defined by the server that recorded the trace; empty if there are none.
    pub server: Vec<String>,
    /// Numeric quantities that can be measured.
    pub quantities: Vec<String>,
}
