//! Texts of the sources tab: sources, their executions, and buffer events.

use queryscope::internal::text;
use queryscope::protocol::{
    BufferMeasure, BufferQueryColumn, SourceColumn, SourceDimension, SourceExecutionColumn, SourcePage,
    SourceRow, SpillShare,
};

use super::common::count;

pub const ALL_EXECUTIONS: &str = "All executions";
pub const ALL_SOURCES: &str = "All sources";
pub const BUFFERS: &str = "Buffers";
pub const BUFFER_QUERIES: &str = "Queries by buffer events";
pub const BUFFER_RUNS: &str = "Buffer events by run";
pub const BUFFER_TYPE: &str = "Buffer event type";
pub const BUFFER_TYPES: &str = "Buffer events by type";
pub const BYTES: &str = "Bytes";
pub const CUMULATIVE: &str = "Cumulative";
pub const NO_SOURCES: &str = "No source executions and no buffer events in this trace.";
pub const ELEMENTS: &str = "Elements";
pub const EVENTS: &str = "Events";
pub const EXECUTION: &str = "Source execution";
pub const EXECUTIONS: &str = "Source executions";
pub const FAILED: &str = "failed";
pub const FAILED_ONLY: &str = "Failed executions only.";
pub const GROUP_BY: &str = "Group by";
pub const HOW_ADDED: &str = "Per interval or cumulative";
pub const INCOMPLETE: &str = "incomplete";
pub const MEASURE: &str = "Measure";
pub const NO_LONGER: &str = "The source in the link does not exist in this trace.";
pub const WHAT: &str = "source executions";
pub const WHAT_OF_BUFFERS: &str = "buffer events";
pub const NOT_COMPLETE: &str = "No complete execution";
pub const NO_ROWS_RETURNED: &str = "No rows were returned";
pub const NO_TIME: &str = "The total duration is 0";
pub const NOTHING_WRITTEN: &str = "Nothing was written";
pub const OK: &str = "ok";
pub const PER_INTERVAL: &str = "Per interval";
pub const QUERY: &str = "Query";
pub const REGION: &str = "Sources and buffers";
pub const RUN: &str = "Run";
pub const SHARE_OF_BYTES: &str = "Share of bytes";
pub const SHOW_LARGEST: &str = "Show the event with the most bytes in the Gantt view";
pub const SHOW_EXECUTIONS: &str = "Show the executions of this source";
pub const SHOW_LONGEST: &str = "Show the longest execution in the Gantt view";
pub const SOURCE: &str = "Source";
pub const SOURCES: &str = "Sources";
pub const STATUS: &str = "Status";

/// The attribute that holds the values of a dimension, as filters name it.
pub fn attribute(dimension: SourceDimension) -> &'static str {
    match dimension {
        SourceDimension::Connector => "in connector",
        SourceDimension::Datasource => "in datasource",
        SourceDimension::CommandType => "in command type",
        SourceDimension::CommandShape => "in pushed command[shape]",
        SourceDimension::Run => "run",
    }
}

pub fn dimension(dimension: SourceDimension) -> &'static str {
    match dimension {
        SourceDimension::Connector => "Connector",
        SourceDimension::Datasource => "Datasource",
        SourceDimension::CommandType => "Command",
        SourceDimension::CommandShape => "Pushed-down shape",
        SourceDimension::Run => RUN,
    }
}

/// Name and meaning of a column of the list of sources.
pub fn column(column: SourceColumn) -> (&'static str, &'static str) {
    match column {
        SourceColumn::Name(SourceDimension::Connector) => ("Connector", "Connector that accessed the source"),
        SourceColumn::Name(SourceDimension::Datasource) => ("Datasource", "Schema or table that was read"),
        SourceColumn::Name(SourceDimension::CommandType) => {
            ("Command", "Type of the command: QUERY, INSERT, …")
        }
        SourceColumn::Name(SourceDimension::CommandShape) => {
            ("Pushed-down shape", "Command that was pushed down, with its literals replaced by ?")
        }
        SourceColumn::Name(SourceDimension::Run) => (RUN, "Run of the executions"),
        SourceColumn::Executions => ("Executions", "Number of executions that ended"),
        SourceColumn::Total => ("Total", "Total duration of all complete executions"),
        SourceColumn::P50 => ("p50", "Median: half of the executions took at most this long"),
        SourceColumn::P95 => ("p95", "95 % of the executions took at most this long"),
        SourceColumn::Max => ("Max", "Longest duration. Select it to show the execution in the Gantt view"),
        SourceColumn::Reading => (
            "Reading",
            "Reading share: time spent reading, divided by duration. The rest is work of the connector",
        ),
        SourceColumn::RowsRead => ("Rows read", "Rows read at the source"),
        SourceColumn::RowsReturned => ("Returned", "Rows returned to the engine"),
        SourceColumn::OverFetch => ("Over-fetch", "Average rows read divided by average rows returned"),
        SourceColumn::RowRate => ("Rows/s", "Rows read per second of execution"),
        SourceColumn::Failed => ("Failed", "Executions that failed or whose query failed"),
    }
}

/// Name and meaning of a column of the list of executions.
pub fn execution_column(of: SourceExecutionColumn) -> (&'static str, &'static str) {
    match of {
        SourceExecutionColumn::Start => ("Start", "Time since the first event of the run"),
        SourceExecutionColumn::Duration => ("Duration", "Duration within the time range"),
        SourceExecutionColumn::Reading => column(SourceColumn::Reading),
        SourceExecutionColumn::RowsRead => column(SourceColumn::RowsRead),
        SourceExecutionColumn::RowsReturned => column(SourceColumn::RowsReturned),
        SourceExecutionColumn::OverFetch => ("Over-fetch", "Rows read divided by rows returned"),
    }
}

/// Name and meaning of a column of the list of queries with buffer events.
pub fn query_column(of: BufferQueryColumn) -> (&'static str, &'static str) {
    match of {
        BufferQueryColumn::Bytes => (BYTES, "Bytes of the query's buffer events"),
        BufferQueryColumn::Elements => (ELEMENTS, "Elements or pages of the query's buffer events"),
        BufferQueryColumn::Events => (EVENTS, "Number of the query's buffer events"),
        BufferQueryColumn::Spilled => ("Spilled", "Bytes of PHYSICAL_WRITE and SPILL events"),
        BufferQueryColumn::SpillShare => ("Spill share", "Spilled bytes divided by all written bytes"),
        BufferQueryColumn::Duration => ("Duration", "Duration of the whole query"),
    }
}

pub fn measure(measure: BufferMeasure) -> &'static str {
    match measure {
        BufferMeasure::Bytes => BYTES,
        BufferMeasure::Elements => ELEMENTS,
        BufferMeasure::Events => EVENTS,
    }
}

/// Title of the chart of buffer events.
pub fn chart(measure: BufferMeasure, cumulative: bool) -> &'static str {
    match (measure, cumulative) {
        (BufferMeasure::Bytes, false) => "Buffer bytes",
        (BufferMeasure::Elements, false) => "Buffer elements",
        (BufferMeasure::Events, false) => "Buffer events",
        (BufferMeasure::Bytes, true) => "Buffer bytes, cumulative",
        (BufferMeasure::Elements, true) => "Buffer elements, cumulative",
        (BufferMeasure::Events, true) => "Buffer events, cumulative",
    }
}

/// A number of a chart of buffer events.
pub fn amount(measure: BufferMeasure, n: i64) -> String {
    match measure {
        BufferMeasure::Bytes => text::bytes(n),
        BufferMeasure::Elements | BufferMeasure::Events => text::count(n),
    }
}

pub fn summary(page: &SourcePage) -> String {
    let unfinished = match page.unfinished {
        0 => String::new(),
        unfinished => format!(" {} without an end in the trace.", count(unfinished)),
    };
    format!(
        "{}, {}, {} in total.{unfinished}",
        text::counted(page.total.into(), "row", "rows"),
        text::counted(page.executions, "execution", "executions"),
        text::duration(page.time)
    )
}

/// Tooltip of the numbers of a type of buffer events.
pub fn show_events(buffer_type: &str) -> String {
    format!("{buffer_type}: show its events in the pivot table")
}

/// Number of executions of a group, with those that have no end.
pub fn executions(row: &SourceRow) -> String {
    let ended = text::counted(row.executions.into(), "execution", "executions");
    match row.unfinished {
        0 => ended,
        unfinished => format!("{ended}, and {} without an end in the trace", count(unfinished.into())),
    }
}

/// Name of a group: the values of its dimensions.
pub fn group(row: &SourceRow) -> String {
    let names: Vec<&str> =
        row.names.iter().map(|name| name.as_deref().unwrap_or(text::NOT_REPORTED)).collect();
    if names.is_empty() { EXECUTIONS.to_owned() } else { names.join(" · ") }
}

/// One line of numbers above the executions of a group.
pub fn numbers(row: &SourceRow) -> String {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| text::NOT_REPORTED.to_owned());
    let times = row.times.map(|times| {
        let [p50, p95, max] = [times.p50, times.p95, times.max].map(text::duration);
        format!(" Total {}, p50 {p50}, p95 {p95}, max {max}.", text::duration(row.total))
    });
    format!(
        "{}.{} Reading share {}, rows read {}, returned {}, over-fetch {}.",
        executions(row),
        times.unwrap_or_default(),
        or_dash(row.reading.map(text::percent)),
        or_dash(row.rows_read.map(text::count)),
        or_dash(row.rows_returned.map(text::count)),
        or_dash(row.over_fetch.map(text::ratio))
    )
}

pub fn spill(spill: SpillShare) -> String {
    match spill.share() {
        Some(share) => format!(
            "Spill share {}: {} of {} written reached secondary storage.",
            text::percent(share),
            text::bytes(spill.spilled),
            text::bytes(spill.written.unwrap_or(0))
        ),
        None => "No spill share: no event here wrote bytes.".to_owned(),
    }
}

pub fn buffer_queries(total: u32, without_query: u64) -> String {
    let queries = text::counted(total.into(), "query", "queries");
    match without_query {
        0 => format!("{queries}."),
        events => format!("{queries}. {} in no query.", text::counted(events, "event is", "events are")),
    }
}
