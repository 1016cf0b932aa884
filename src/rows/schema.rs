//! The tables: names, columns, types, units and documentation. The handbook's chapter, the schemas for SQL and the writer of
//! data sets read them from here.

use super::KnownTable;
use crate::trace::word_hash;

/// Version of the tables and of the manifest of a data set.
pub const VERSION: u32 = 1;

/// Type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// A whole number of 64 bits with a sign.
    Integer,
    /// A text, dictionary-encoded.
    Text,
    /// True or false.
    Boolean,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSchema {
    /// Name in SQL.
    pub name: &'static str,
    /// Type of its values.
    pub kind: ColumnType,
    /// Unit of a number; empty if it has none.
    pub unit: &'static str,
    /// Meaning, as one sentence.
    pub about: &'static str,
    /// Example of a value, from Kubling's small example where that has one.
    pub example: &'static str,
}

/// A table that every trace has.
#[derive(Clone, Copy, Debug)]
pub struct TableSchema {
    /// Name in SQL.
    pub name: &'static str,
    /// Meaning of a row, as one sentence.
    pub about: &'static str,
    /// Columns that sort the rows of one trace.
    pub sorted_by: &'static [&'static str],
    /// Columns, in their order.
    pub columns: &'static [ColumnSchema],
}

/// A column of whole numbers.
pub const fn int(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    example: &'static str,
) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnType::Integer, unit, about, example }
}

/// A column of texts.
pub const fn text(name: &'static str, about: &'static str, example: &'static str) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnType::Text, unit: "", about, example }
}

/// A column of truth values.
pub const fn flag(name: &'static str, about: &'static str, example: &'static str) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnType::Boolean, unit: "", about, example }
}

/// The column `trace_id`, which every table has.
pub const TRACE_ID: ColumnSchema =
    int("trace_id", "", "Number of the trace, made from its name; the first part of every key.", "42");
/// The column `run_id`, of tables whose rows belong to a run.
pub const RUN_ID: ColumnSchema = int("run_id", "", "Number of the run in its trace.", "0");
const TRACK_ID: ColumnSchema = int("track_id", "", "Number of the track in its trace.", "3");
const KIND_EXAMPLE: &str = "query";

/// Columns that every table has last. In a data set they are names of folders.
pub const PARTITIONS: &[ColumnSchema] = &[
    text(
        "day",
        "Day on which the trace was recorded: what `convert --day` says, else when its newest file was last written, in UTC.",
        "2026-03-31",
    ),
    text("engine", "Database engine or trace format.", "kubling"),
];

/// The tables, in the order of the handbook.
pub const TABLES: &[TableSchema] = &[
    TableSchema {
        name: KnownTable::Runs.name(),
        about: "One row per run: an execution with a clock of its own.",
        sorted_by: &["run_id"],
        columns: &[
            TRACE_ID,
            text("trace", "Name of the trace: its file, or what `--name` says.", "no-buffer.json"),
            RUN_ID,
            text("name", "Name of the run.", "no-buffer"),
            int("track_id", "", "Root track of the run.", "0"),
            int("origin_ns", "nanoseconds", "Reading of the run's clock at time 0.", "-5000"),
            int("duration_ns", "nanoseconds", "From the first event to the last.", "400"),
            int("records", "count", "Records that were read.", "12"),
            int("spans", "count", "Rows of the run in `spans`.", "9"),
            int("events", "count", "Rows of the run in `events`.", "2"),
            flag("cut_before", "Whether records at the start were left out by choice.", "false"),
            flag("cut_after", "Whether records at the end were left out by choice.", "false"),
        ],
    },
    TableSchema {
        name: KnownTable::Tracks.name(),
        about: "One row per track: a named group of rows, such as a thread or a query.",
        sorted_by: &["track_id"],
        columns: &[
            TRACE_ID,
            RUN_ID,
            TRACK_ID,
            int("parent_id", "", "Track that contains this one; null for the root track of a run.", "1"),
            text("name", "Name of the track.", "q1"),
            text("kind", "Kind of the track, such as `query` or `thread`.", KIND_EXAMPLE),
            int("depth", "count", "Number of tracks above it.", "1"),
            int("lanes", "count", "Number of rows that its spans take.", "1"),
        ],
    },
    TableSchema {
        name: KnownTable::Spans.name(),
        about: "One row per span: a named interval.",
        sorted_by: &["track_id", "start_ns"],
        columns: &[
            TRACE_ID,
            RUN_ID,
            TRACK_ID,
            int("span_id", "", "Number of the span in its trace.", "1"),
            int("parent_id", "", "Span that contains this one; null if there is none.", "0"),
            int(
                "query_span_id",
                "",
                "Span of the query that it is or belongs to; null if there is none.",
                "1",
            ),
            text("name", "Name of the span.", "q1"),
            text(
                "name_group",
                "Group of names that share a colour, such as a module; null for the name itself.",
                "algebra",
            ),
            text("kind", "Kind of the span, such as `query`, `source execution` or `wait`.", KIND_EXAMPLE),
            text("flags", "Flags of the span, separated by commas; null if it has none.", "no end in trace"),
            flag("failed", "Whether it failed.", "false"),
            flag("complete", "Whether both its start and its end are in the trace.", "true"),
            int("start_ns", "nanoseconds", "Start, since the run's first event.", "10"),
            int(
                "duration_ns",
                "nanoseconds",
                "Duration as its source measured it, else from start to end.",
                "80",
            ),
            int("self_ns", "nanoseconds", "Time between start and end that no child covers.", "12"),
            int("end_ns", "nanoseconds", "End, since the run's first event.", "90"),
            int("depth", "count", "Number of spans above it.", "1"),
            int("lane", "count", "Row of the span in its track, from 0.", "0"),
            text("sql", "Statement of the span.", "SELECT * FROM orders"),
            text("shape", "The statement with `?` in place of its values.", "SELECT * FROM orders"),
            text("query_id", "Identifier of the query in the trace.", "q1"),
            text("database", "Database or virtual database.", "shop"),
            text("connector", "Connector of a source.", "pg-conn"),
            text("datasource", "Data source that was asked.", "OrdersDB"),
            text("error", "Error message.", "timeout"),
            int("rows_read", "rows", "Rows read; null if they were not reported.", "102944"),
            int("rows_returned", "rows", "Rows returned; null if they were not reported.", "250"),
            int(
                "read_ns",
                "nanoseconds",
                "Part of the span spent reading; null if it was not reported.",
                "22",
            ),
            int("bytes", "bytes", "Bytes; null if they were not reported.", "1000"),
        ],
    },
    TableSchema {
        name: KnownTable::Events.name(),
        about: "One row per event: a named point in time.",
        sorted_by: &["track_id", "time_ns"],
        columns: &[
            TRACE_ID,
            RUN_ID,
            TRACK_ID,
            int("event_id", "", "Number of the event in its trace.", "0"),
            int("parent_id", "", "Span that the event belongs to; null if it is not known.", "4"),
            int("query_span_id", "", "Span of the query that it belongs to; null if there is none.", "1"),
            text("name", "Name of the event.", "SPILL"),
            text("name_group", "Group of names that share a colour; null for the name itself.", "sql"),
            text("kind", "Kind of the event, such as `buffer` or `counter`.", "buffer"),
            text(
                "flags",
                "Flags of the event, separated by commas; null if it has none.",
                "secondary storage",
            ),
            int("time_ns", "nanoseconds", "Time, since the run's first event.", "30"),
            int("bytes", "bytes", "Bytes; null if they were not reported.", "1000000000"),
            int("elements", "count", "Elements; null if they were not reported.", "5"),
        ],
    },
    TableSchema {
        name: KnownTable::Counters.name(),
        about: "One row per value of a sampled counter.",
        sorted_by: &["track_id", "time_ns"],
        columns: &[
            TRACE_ID,
            RUN_ID,
            TRACK_ID,
            int("event_id", "", "The sample in `events`.", "7"),
            text("name", "Name of the counter.", "memory"),
            text("series", "Name of the value in the sample.", "used"),
            int("time_ns", "nanoseconds", "Time, since the run's first event.", "30"),
            int("value", "", "Value, in `unit`.", "4096"),
            text("unit", "Unit of the value; `decimal` means millionths.", "bytes"),
        ],
    },
    TableSchema {
        name: KnownTable::Flows.name(),
        about: "One row per arrow: what is at its end depends on what is at its start.",
        sorted_by: &[],
        columns: &[
            TRACE_ID,
            int("flow_id", "", "Number of the arrow in its trace.", "0"),
            text("name", "Name of the arrow, such as the value that is passed along.", "X_12"),
            int("from_span_id", "", "Span that it leaves; null if it leaves an event.", "2"),
            int("from_event_id", "", "Event that it leaves; null if it leaves a span.", "1"),
            int("to_span_id", "", "Span that it reaches; null if it reaches an event.", "3"),
            int("to_event_id", "", "Event that it reaches; null if it reaches a span.", "4"),
            int("leaves_ns", "nanoseconds", "Time at its start.", "15"),
            int("arrives_ns", "nanoseconds", "Time at its end.", "20"),
        ],
    },
    TableSchema {
        name: KnownTable::Args.name(),
        about: "One row per attribute of a span, an event or a track that is no column of `spans` or `events`. Exactly one of the three ids is set.",
        sorted_by: &[],
        columns: &[
            TRACE_ID,
            int("span_id", "", "Span that has the attribute.", "1"),
            int("event_id", "", "Event that has the attribute.", "0"),
            int("track_id", "", "Track that has the attribute.", "3"),
            text("key", "Name of the attribute.", "timer wait"),
            int(
                "num",
                "",
                "Value of a number, in the unit of `attributes`; `decimal` means millionths.",
                "102944",
            ),
            text("text", "Value of a text.", "orders"),
        ],
    },
    TableSchema {
        name: KnownTable::Attributes.name(),
        about: "One row per name of an attribute.",
        sorted_by: &["key_id"],
        columns: &[
            TRACE_ID,
            int("key_id", "", "Number of the attribute in its trace.", "9"),
            text("key", "Name of the attribute.", "rows read"),
            text("unit", "Unit of its values; `text` for texts.", "rows"),
        ],
    },
    TableSchema {
        name: KnownTable::LockWaits.name(),
        about: "One row per thread that waits for a lock that another one holds.",
        sorted_by: &[],
        columns: &[
            TRACE_ID,
            RUN_ID,
            text("object", "The locked object.", "shop.items, index PRIMARY"),
            text("wanted", "Requested mode.", "X"),
            text("held", "Mode in which it is held.", "S"),
            text("since", "Time since which it is held, as written.", "2026-03-31 10:00:00"),
            text("waiter", "Thread that waits.", "thread 57"),
            int("waiter_span_id", "", "Span that waits.", "8"),
            int("waiter_statement_id", "", "Statement that waits.", "7"),
            text("waiter_running", "Statement that it runs, by the lock tables.", "UPDATE items"),
            text("holder", "Thread that holds the lock.", "thread 58"),
            int("holder_span_id", "", "Span that holds it.", "5"),
            int("holder_statement_id", "", "Statement that took it.", "6"),
            text("holder_running", "Statement that it runs, by the lock tables.", "SELECT 1"),
            int("more", "count", "Further holders that are not listed, at most.", "0"),
        ],
    },
    TableSchema {
        name: KnownTable::Notes.name(),
        about: "One row per note about a run.",
        sorted_by: &[],
        columns: &[
            TRACE_ID,
            RUN_ID,
            text("topic", "Topic of the note.", "completeness"),
            text("text", "The note, as a sentence.", "All counters of losses are 0."),
        ],
    },
    TableSchema {
        name: KnownTable::Files.name(),
        about: "One row per file that was read: the import report.",
        sorted_by: &["file_id"],
        columns: &[
            TRACE_ID,
            int("file_id", "", "Number of the file in the report.", "0"),
            text("name", "Name of the file.", "no-buffer.json"),
            text("format", "Format that was recognised.", "Kubling, JSON array"),
            flag("recognised", "Whether a format was recognised.", "true"),
            int("bytes", "bytes", "Bytes read, before decompression.", "2048"),
            int("records", "count", "Records read.", "12"),
            int("used", "count", "Records that are shown.", "12"),
            int("reported", "count", "Records that a problem counts.", "0"),
            int("left_out", "count", "Records left out by choice.", "0"),
            int("other_lines", "count", "Lines of a log that are not events.", "0"),
            text("missing", "What is missing because the file is damaged.", "The file ends early."),
            int(
                "opened",
                "",
                "Number of the file in the order of opening; null for an entry of an archive.",
                "0",
            ),
            text("read_as", "Format that the user chose.", "kubling"),
        ],
    },
    TableSchema {
        name: KnownTable::Problems.name(),
        about: "One row per place of a problem in a file; one without a place if none is recorded.",
        sorted_by: &["file_id"],
        columns: &[
            TRACE_ID,
            int("file_id", "", "The file, in `files`.", "0"),
            int("problem_id", "", "Number of the problem in its file, worst first.", "0"),
            text("name", "Name of the problem.", "cut off"),
            text("meaning", "What it means for the reader of the trace.", "The file ends early."),
            int(
                "count",
                "count",
                "Occurrences of the problem in the file, the same for each of its places.",
                "1",
            ),
            flag("lost", "Whether each occurrence is a record that is missing.", "true"),
            int("line", "", "Line, from 1; null if it is not known.", "17"),
            int("offset", "bytes", "Offset in the unpacked text; null without a place.", "2048"),
            text("text", "Text at the place.", "{\"type\":"),
        ],
    },
];

impl ColumnSchema {
    /// Name of the type, in the handbook.
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            ColumnType::Integer => "integer",
            ColumnType::Text => "text",
            ColumnType::Boolean => "boolean",
        }
    }
}

/// The table with this name; `None` if it is not one of the tables that every trace has.
pub fn table(name: &str) -> Option<&'static TableSchema> {
    TABLES.iter().find(|table| table.name == name)
}

/// Hash of a text (FNV-1a) that never changes, so it can be stored. Used for trace ids, for groups of trends, and in
/// the SQL name of a side table or column whose original name cannot be used.
pub fn stable_hash(text: &str) -> u64 {
    word_hash::fnv_1a(text.bytes())
}

/// Name of a side table or of one of its columns in SQL, which is also a valid name of a folder: the original name in
/// lower case if it begins with a letter, consists of letters, digits and `_`, has at most 64 bytes and is not `taken`;
/// otherwise a name made of its characters and its [hash](stable_hash).
pub fn plain_name(source: &str, taken: impl Fn(&str) -> bool) -> String {
    let lower = source.to_lowercase();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts_well = lower.starts_with(|c: char| c.is_ascii_lowercase());
    if starts_well && lower.len() <= 64 && lower.chars().all(is_plain) && !taken(&lower) {
        return lower;
    }
    let letters: String = lower.chars().map(|c| if is_plain(c) { c } else { '_' }).take(48).collect();
    format!("t_{letters}_{:08x}", stable_hash(source) as u32)
}

/// SQL name of a side table: see [`plain_name`].
pub fn side_table_name(source: &str) -> String {
    plain_name(source, |name| KnownTable::of_name(name).is_some() || name == "information_schema")
}

/// Columns that every side table has first.
pub const SIDE_COLUMNS: [ColumnSchema; 3] =
    [TRACE_ID, RUN_ID, int("row_id", "", "Number of the row in the table of its run.", "0")];

/// SQL names of the columns of a side table, in the order of their original names in `sources`.
pub fn side_column_names<'n>(sources: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for source in sources {
        let known = |name: &str| {
            names.iter().any(|known| known == name)
                || SIDE_COLUMNS.iter().chain(PARTITIONS).any(|column| column.name == name)
        };
        let mut name = plain_name(source, known);
        while known(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}
