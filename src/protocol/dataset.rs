//! What the page asks the SQL program about a data set, and the answers: tables and charts that need no further computation.

use serde::{Deserialize, Serialize};

/// A question about a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatasetOrder {
    /// What is asked.
    pub question: DatasetQuestion,
    /// Number of bytes that may be fetched for the answer.
    pub limit: u64,
}

/// What is asked about a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DatasetQuestion {
    /// How groups of executions change from run to run.
    Trend(TrendChoice),
    /// The trace of this name, as a file in the format `queryscope`.
    Trace(String),
}

/// What a trend is about.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendChoice {
    /// What executions are grouped by, such as `shape`; empty for that.
    pub by: String,
    /// The value of each run in which changes are sought, such as `p50`; empty for that.
    pub measure: String,
    /// The engine of the runs; empty for the one with the most traces.
    pub engine: String,
    /// The group whose runs are shown, as the hash of its text; `None` for the list of all groups.
    pub group: Option<u64>,
}

/// The answer to a question about a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatasetReply {
    /// The answer, or why there is none.
    pub answer: DatasetAnswer,
    /// Number of reads of files, each a request if the data set is at an address.
    pub requests: u64,
    /// Bytes that were fetched.
    pub bytes: u64,
}

/// An answer about a data set, or why there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DatasetAnswer {
    /// Tables and charts.
    Trend(Box<TrendPage>),
    /// The trace of this name, whose file follows.
    Trace(String),
    /// The answer takes so many bytes, which is more than the limit.
    TooLarge(u64),
    /// The reason, as a sentence.
    Failed(String),
}

/// Groups of executions over the runs of a data set, or one of them.
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
    /// Chart of the group that is shown.
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
    /// What its cells hold.
    pub kind: TrendColumnKind,
}

/// What the cells of a column hold.
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
    /// What is shown.
    pub text: String,
    /// What is shown as a tooltip; empty for the text.
    pub meaning: String,
    /// The exact number, by which rows are sorted.
    pub number: Option<i64>,
    /// What a click opens, and what is drawn.
    pub content: TrendCellContent,
}

/// What a cell has besides its text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum TrendCellContent {
    /// Nothing.
    #[default]
    Plain,
    /// A change for the worse.
    Worse,
    /// A change for the better.
    Better,
    /// The group with this hash.
    Group(u64),
    /// A trace, or a span of it: number, start and duration.
    Trace(String, Option<(u32, i64, i64)>),
    /// A line, and marks at changes, as paths in a box of 96 × 16.
    Sparkline([String; 2]),
}

/// A chart of percentiles over runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendChart {
    /// Width and height of the box in which paths and texts are.
    pub size: (u32, u32),
    /// Class of a line, and its path.
    pub paths: Vec<(String, String)>,
    /// Texts.
    pub texts: Vec<ChartText>,
    /// The chart in words.
    pub meaning: String,
}

/// A text of a [`TrendChart`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChartText {
    /// Position of the text's baseline.
    pub at: (i32, i32),
    /// Whether the position is its start, middle or end.
    pub anchor: String,
    /// Class: `tick`, `change`, or that of the line which it names.
    pub class: String,
    /// The text.
    pub text: String,
}
