//! Questions about a data set, which the page sends to the SQL program, and the answers: tables and charts that need no
//! further computation.

use serde::{Deserialize, Serialize};

/// A request to the SQL program about a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatasetOrder {
    /// The question.
    pub question: DatasetQuestion,
    /// Maximum number of bytes that may be fetched for the answer.
    pub limit: u64,
}

/// A question about a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DatasetQuestion {
    /// Asks how groups of executions change from run to run.
    Trend(TrendChoice),
    /// Asks for the trace with this name, as a file in the format `queryscope`.
    Trace(String),
}

/// Choices of a trend: grouping, measure, engine and group.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendChoice {
    /// Name of the grouping of executions; `shape` if empty.
    pub by: String,
    /// Name of the measure whose values, one for each run, are searched for changes; `p50` if empty.
    pub measure: String,
    /// Engine whose runs are compared; the engine with the most traces if empty.
    pub engine: String,
    /// The group whose runs are shown, as the hash of its text; `None` for the list of all groups.
    pub group: Option<u64>,
}

/// The answer to a question about a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatasetReply {
    /// The answer, or the reason why there is none.
    pub answer: DatasetAnswer,
    /// Number of read operations on files; for a data set at a web address, each of them is a request.
    pub requests: u64,
    /// Number of bytes that were fetched.
    pub bytes: u64,
}

/// An answer about a data set, or the reason why there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DatasetAnswer {
    /// Tables and charts of a trend.
    Trend(Box<TrendPage>),
    /// The name of the requested trace; the file of the trace follows.
    Trace(String),
    /// The answer needs this number of bytes, which is more than the limit.
    TooLarge(u64),
    /// There is no answer, for the reason in this sentence.
    Failed(String),
}

/// A trend: all groups of executions over the runs of a data set, or one group in each run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendPage {
    /// Engines of the data set, with their number of traces.
    pub engines: Vec<(String, u32)>,
    /// The engine whose runs are shown.
    pub engine: String,
    /// Text of the group that is shown; empty for the list of all groups.
    pub group: String,
    /// Sentences on the runs.
    pub summary: Vec<String>,
    /// Chart of the group that is shown; `None` for the list of all groups.
    pub chart: Option<TrendChart>,
    /// Tables, from top to bottom.
    pub tables: Vec<TrendTable>,
    /// Sentences on the meaning and the limits of the numbers.
    pub notes: Vec<String>,
    /// What could not be read: sentences that say what is missing, why, and what to do.
    pub warnings: Vec<String>,
}

/// A table of a [`TrendPage`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendTable {
    /// Heading.
    pub title: String,
    /// Columns, from left to right.
    pub columns: Vec<TrendColumn>,
    /// Cells, row by row.
    pub cells: Vec<TrendCell>,
}

/// A column of a [`TrendTable`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrendColumn {
    /// Name.
    pub name: String,
    /// Heading above the columns of a group; empty if there is none.
    pub group: String,
    /// Tooltip: the meaning of the values.
    pub meaning: String,
    /// Type of the cells, which determines their format.
    pub kind: TrendColumnKind,
}

/// Type of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TrendColumnKind {
    /// Texts.
    Text,
    /// Numbers without a unit.
    Number,
    /// Nanoseconds.
    Time,
    /// Sizes in bytes.
    Bytes,
    /// Small charts.
    Chart,
}

/// A cell of a [`TrendTable`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendCell {
    /// Displayed text.
    pub text: String,
    /// Tooltip; if empty, the cell has the usual tooltip of its type.
    pub meaning: String,
    /// Exact number, by which rows are sorted; `None` for cells without a number.
    pub number: Option<i64>,
    /// Meaning of the cell: a rating of a change, a link or a small chart.
    pub content: TrendCellContent,
}

/// Meaning of a cell in addition to its text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum TrendCellContent {
    /// Only a text.
    #[default]
    Plain,
    /// A change for the worse.
    Worse,
    /// A change for the better.
    Better,
    /// A link to the group whose text has this hash.
    Group(u64),
    /// A link to the trace with this name, or to a span in it: the span's id, start and duration in nanoseconds.
    Trace(String, Option<(u32, i64, i64)>),
    /// SVG paths of a line and of the marks at its changes, in a box of 96 × 16.
    Sparkline([String; 2]),
}

/// A chart of percentiles over runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendChart {
    /// Width and height of the box in which paths and texts are placed.
    pub size: (u32, u32),
    /// Style class and SVG path of each line.
    pub paths: Vec<(String, String)>,
    /// Texts in the chart.
    pub texts: Vec<ChartText>,
    /// Description of the chart in words, for readers who cannot see it.
    pub meaning: String,
}

/// A text of a [`TrendChart`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChartText {
    /// Position of the text's baseline.
    pub at: (i32, i32),
    /// Part of the text that is at the position: `start`, `middle` or `end`.
    pub anchor: String,
    /// Style class: `tick`, `change`, or the class of the line that the text names.
    pub class: String,
    /// The text.
    pub text: String,
}
