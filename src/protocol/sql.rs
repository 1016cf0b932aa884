//! The tables of a trace for SQL: which there are, and columns of them as plain data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Requests what SQL has to know of a trace besides the tables that every trace has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlTableListRequest;

/// Identity of the trace, and its side tables.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlTableList {
    /// Name of the trace: those of its files.
    pub trace: String,
    /// Names of the recognised formats, by file.
    pub formats: Vec<String>,
    /// Side tables by their name in SQL, each with its columns after those that all side tables have.
    pub side_tables: Vec<(String, Vec<SqlSideColumn>)>,
}

/// A column of a side table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SqlSideColumn {
    /// Name in SQL.
    pub name: String,
    /// Name in the export.
    pub source: String,
    /// Type of its values.
    pub kind: SideColumnType,
}

/// Type of the values of a side table's column. Exports have texts only, so it is found from the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SideColumnType {
    /// There are no values.
    Empty,
    /// All values are integers of 64 bits, written as computers write them: `7`, `-1`, but not `+7`, `007` or `7.0`.
    Integer,
    /// Any other values.
    Text,
}

/// Requests columns of a part of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlColumnsRequest {
    /// Name of the table in SQL.
    pub table: String,
    /// Names of the columns in SQL.
    pub columns: Vec<String>,
    /// First item of the part. Items of `args` and `counters` are what has attributes; of all other tables, rows.
    pub first: u32,
    /// Number of items.
    pub count: u32,
}

/// Columns of a part of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlColumns {
    /// Number of items of the whole table; 0 if there is no such table.
    pub items: u32,
    /// Number of rows of this part.
    pub rows: u32,
    /// Values, in the order of the request.
    pub columns: Vec<ColumnValues>,
}

/// The values of a column, by row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ColumnValues {
    /// Whole numbers, 0 where there is none.
    Numbers {
        /// Values.
        #[serde(with = "number_bytes")]
        values: Vec<i64>,
        /// 1 for a value, 0 for none; empty if no value is missing.
        #[serde(with = "serde_bytes")]
        present: Vec<u8>,
    },
    /// 0 for false, 1 for true, 2 for no value.
    Flags(#[serde(with = "serde_bytes")] Vec<u8>),
    /// Texts by their indices.
    Texts {
        /// Index in `texts`; negative for no value.
        #[serde(with = "number_bytes")]
        indices: Vec<i32>,
        /// Distinct texts.
        texts: Vec<String>,
    },
}

/// Requests the syntax tokens of an SQL text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlTokensRequest {
    /// The text.
    pub sql: String,
}

/// A statement for the SQL program of the page.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlOrder {
    /// Number of the trace's build: columns of another build are dropped.
    pub build: u32,
    /// The statement.
    pub sql: String,
    /// Maximum number of rows of the result.
    pub rows: u32,
    /// Number of bytes of a data set that may be fetched.
    pub limit: u64,
    /// Name of the trace of the data set that is read because it is open in the page; `None` for the whole data set, and without
    /// a data set.
    pub stored: Option<String>,
}

/// A statement that comes with the SQL program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlReadyStatement {
    /// Name.
    pub name: String,
    /// Name of the engine whose traces it reads; empty for all traces.
    pub engine: String,
    /// The statement, with comments on what it answers.
    pub sql: String,
}

/// Rows of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlResult {
    /// Columns, from left to right.
    pub columns: Vec<SqlResultColumn>,
    /// Values, row by row; `None` for null.
    pub cells: Vec<Option<String>>,
    /// Number of rows.
    pub rows: u32,
    /// Whether there are more rows than were asked for.
    pub is_cut: bool,
    /// Indices of the columns of the first chart: to the right and upwards; `None` if no column holds numbers.
    pub chart: Option<(u32, u32)>,
    /// The spans or events that the rows name; `None` if no column holds ids, or all of its values are null.
    pub ids: Option<SqlIds>,
    /// Whether the rows have starts and durations, so that they can be drawn as a track.
    pub has_track: bool,
    /// By cell of the columns `trace` and `trace_id`: name of the trace of the data set that it means.
    pub traces: BTreeMap<String, String>,
    /// Number of reads of a data set's files, and bytes; 0 if the trace of the page was read.
    pub fetched: (u64, u64),
    /// Name of the trace of the data set that was read: see [`SqlOrder::stored`].
    pub stored: Option<String>,
}

impl SqlResult {
    /// Bit by which the code of an event differs from its id; the code of a span is its id.
    const EVENT_BIT: u32 = 1 << 31;

    /// Whether the cells of a column of this name name traces.
    pub fn names_trace(column: &str) -> bool {
        matches!(column, "trace" | "trace_id")
    }

    /// Code of the item that a value names in the column at `at`: of a span in `span_id`, and in columns such as
    /// `waiter_span_id`; of an event in `event_id`, and in columns such as `from_event_id`. `parent_id` names a span next to
    /// `span_id` or `event_id`; otherwise it may name a track. `None` in other columns, and for a value that is no id.
    pub fn item(&self, at: usize, value: &str) -> Option<u32> {
        let id = value.parse::<u32>().ok().filter(|id| *id < Self::EVENT_BIT)?;
        let has_items = || self.columns.iter().any(|column| matches!(&*column.name, "span_id" | "event_id"));
        match self.columns.get(at)?.name.as_str() {
            "event_id" => Some(id | Self::EVENT_BIT),
            "span_id" => Some(id),
            "parent_id" => has_items().then_some(id),
            name if name.ends_with("_event_id") => Some(id | Self::EVENT_BIT),
            name => name.ends_with("_span_id").then_some(id),
        }
    }
}

/// Draws the rows of an SQL result as a track, which replaces the one before; without spans, there is none. The reply is the
/// key under which the track is pinned.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ResultTrackRequest {
    /// Name of the track.
    pub name: String,
    /// The rows, in any order.
    pub spans: Vec<ResultSpan>,
}

/// A row of an SQL result as a span.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ResultSpan {
    /// Name; may be empty.
    pub name: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds.
    pub duration: i64,
    /// Code of the item that the row names.
    pub item: Option<u32>,
}

/// The spans or events that the rows of a result name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlIds {
    /// Number of different ids.
    pub count: u32,
    /// Whether they are ids of events.
    pub is_event: bool,
    /// The condition of the filter of all views that selects them; `None` if it would be longer than [`Self::LONGEST`], or if
    /// the result is not complete.
    pub condition: Option<String>,
}

impl SqlIds {
    /// Maximum length of a condition, in bytes, so that the filter fits into a link.
    pub const LONGEST: usize = 4_000;
}

/// A chart of two columns of a result.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SqlChart {
    /// Indices of the columns: to the right and upwards.
    pub columns: (u32, u32),
    /// Bars, if the first column holds texts: one for each row, in their order, at most [`Self::MOST_BARS`].
    pub bars: Vec<SqlChartBar>,
    /// Marks, if the first column holds numbers.
    pub plot: Option<SqlChartPlot>,
    /// Rows that are drawn.
    pub rows: u32,
    /// Rows that are not drawn because they have no number.
    pub absent: u32,
    /// Rows that are not drawn because there are more than [`Self::MOST_BARS`].
    pub more: u32,
}

impl SqlChart {
    /// Maximum number of bars.
    pub const MOST_BARS: usize = 200;
}

/// A bar of a chart.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SqlChartBar {
    /// Text of the first column.
    pub label: String,
    /// Number with its unit.
    pub value: String,
    /// Left edge, in percent of the chart's width.
    pub from: f32,
    /// Width, in percent of the chart's width.
    pub width: f32,
}

/// Points, or a line where the numbers of the first column ascend.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SqlChartPlot {
    /// Marks as the data of an SVG path, in a plane of [`Self::SIZE`].
    pub path: String,
    /// Whether the path is a line.
    pub is_line: bool,
    /// Numbers at the left and at the right end, with units.
    pub across: (String, String),
    /// Numbers at the lower and at the upper end, with units.
    pub upwards: (String, String),
}

impl SqlChartPlot {
    /// Width and height of the plane. Marks at equal positions are drawn once, so that their number is limited.
    pub const SIZE: (u16, u16) = (480, 120);
}

/// Name and value type of a column of an [`SqlResult`]; the values are in its cells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SqlResultColumn {
    /// Name.
    pub name: String,
    /// Type of its values.
    pub kind: SqlValueKind,
}

/// Type of the values of a column of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum SqlValueKind {
    Text,
    Number,
    Boolean,
}

/// Why a statement has no result.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlFailure {
    /// The reason, as a sentence.
    pub text: String,
    /// Line and column in the statement, both from 1.
    pub place: Option<(u32, u32)>,
    /// Whether the statement needs more memory than it may take.
    pub is_memory: bool,
    /// What the statement reads of a data set at most, if that is more than it may fetch.
    pub too_large: Option<SqlPlannedReads>,
}

/// What a statement reads of a data set at most, known before anything is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SqlPlannedReads {
    /// Number of files; one that is read twice counts twice.
    pub files: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Numbers as one run of bytes, which is copied at once.
mod number_bytes {
    use serde::{Deserialize, Deserializer, Serializer};

    /// A number of fixed size.
    pub trait FixedSize: Sized + Copy {
        const BYTES: usize;
        fn append_to(self, bytes: &mut Vec<u8>);
        fn of(bytes: &[u8]) -> Self;
    }

    macro_rules! fixed_size {
        ($($number:ty),*) => {
            $(impl FixedSize for $number {
                const BYTES: usize = size_of::<$number>();
                fn append_to(self, bytes: &mut Vec<u8>) {
                    bytes.extend_from_slice(&self.to_le_bytes());
                }
                fn of(bytes: &[u8]) -> Self {
                    bytes.try_into().map_or(0, <$number>::from_le_bytes)
                }
            })*
        };
    }

    fixed_size!(i32, i64);

    pub fn serialize<T: FixedSize, S: Serializer>(numbers: &[T], to: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(numbers.len() * T::BYTES);
        numbers.iter().for_each(|number| number.append_to(&mut bytes));
        to.serialize_bytes(&bytes)
    }

    pub fn deserialize<'de, T: FixedSize, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        let bytes = <&serde_bytes::Bytes>::deserialize(from)?;
        Ok(bytes.chunks_exact(T::BYTES).map(T::of).collect())
    }
}
