//! Texts of the SQL tab.

use queryscope::internal::text;
use queryscope::protocol::{SqlChart, SqlIds, SqlPlannedReads, SqlResult};

pub const SQL: &str = "SQL";
pub const STATEMENT: &str = "SQL statement";
pub const STATEMENT_EXAMPLE: &str = "SELECT name, count(*) AS n FROM spans GROUP BY name ORDER BY n DESC";
pub const RUN: &str = "Run";
pub const RUN_MEANING: &str = "Run the statement (Ctrl Enter)";
pub const CANCEL: &str = "Cancel";
pub const CANCEL_MEANING: &str = "Stop the statement";
pub const SOURCE: &str = "Read from";
pub const READY_STATEMENTS: &str = "Ready-made statements";
pub const ALL_ENGINES: &str = "All engines";
const HINT: &str = "Write a statement or choose a ready-made one; Ctrl Enter runs it. Tables: runs, tracks, spans, events, counters, flows, args, attributes, lock_waits, notes, files, problems, and the side tables of an export. Times are in nanoseconds.";
pub const HISTORY: &str = "History";
pub const CLEAR_HISTORY: &str = "Clear history";
pub const STARTING: &str = "Loading the SQL engine…";
const RUNNING: &str = "Running…";
pub const WAITING: &str = "Waiting for Trends, or for a trace that is being opened…";
pub const RESULT: &str = "Result";
pub const RUN_ANYWAY: &str = "Run anyway";
pub const NO_ROWS: &str = "No rows";
pub const NULL: &str = "NULL";
pub const SHOW_SPAN: &str = "Show in the timeline";
pub const NOT_BUILT_IN: &str = "SQL is not available here";
pub const NOT_BUILT_IN_REASON: &str = "Sites that are built without clang, single HTML files and embedded viewers have no SQL. On the command line: queryscope sql FILE STATEMENT";
/// Heading of what stands in place of a result.
pub const NO_RESULT: &str = "No result";
pub const SAVE_PARQUET: &str = "Save as Parquet";
pub const FILTER_MEANING: &str = "Replace the filter of all views";
pub const TRACK: &str = "Draw as a track";
pub const TRACK_MEANING: &str = "Pin the rows to the timeline as a track; unpin it to remove it";
pub const CHART: &str = "Chart";
pub const CHART_X: &str = "X axis";
pub const CHART_Y: &str = "Y axis";
pub const BARS: &str = "Bars";

/// By which keys a suggested name is accepted. Enter ends the line until a name is highlighted.
pub fn names_hint(is_highlighted: bool) -> &'static str {
    if is_highlighted { "Enter or Tab accepts" } else { "Tab accepts the first, ↓ chooses" }
}

/// What statements read while a data set is open: "All traces of nightly".
pub fn all_traces(dataset: &str) -> String {
    format!("All traces of {dataset}")
}

/// Makes the rows the filter of all views.
pub fn filter(is_event: bool) -> &'static str {
    if is_event { "Filter by these events" } else { "Filter by these spans" }
}

/// Why the rows cannot be the filter of all views.
pub fn no_filter(ids: &SqlIds, is_cut: bool) -> String {
    match is_cut {
        true => {
            "Cannot filter by these rows: there are more rows than shown. Restrict the statement by WHERE."
                .to_owned()
        }
        false => format!(
            "Cannot filter by these rows: the list of {} ids would be longer than {} bytes. Restrict the statement by WHERE or LIMIT.",
            text::count(ids.count.into()),
            text::count(SqlIds::LONGEST as i64)
        ),
    }
}

/// Describes the chart to screen readers.
pub fn chart_label(x: &str, y: &str) -> String {
    format!("Chart of {y} by {x}. The table lists all values.")
}

/// Describes what is drawn: "200 rows; 12 without a number; 1,034 more not drawn".
pub fn drawn(chart: &SqlChart) -> String {
    let mut parts = vec![text::counted(chart.rows.into(), "row", "rows")];
    if chart.absent > 0 {
        parts.push(format!("{} without a number", text::count(chart.absent.into())));
    }
    if chart.more > 0 {
        parts.push(format!("{} more not drawn", text::count(chart.more.into())));
    }
    parts.join("; ")
}

/// Describes the result: "12 rows in 84 ms".
pub fn summary(result: &SqlResult, milliseconds: f64) -> String {
    let time = text::duration((milliseconds * 1e6) as i64);
    let rows = match result.is_cut {
        true => format!("First {} rows, in {time}; there are more", text::count(result.rows.into())),
        false => format!("{} in {time}", text::counted(result.rows.into(), "row", "rows")),
    };
    match result.fetched {
        (0, _) => rows,
        fetched => format!("{rows}; {}", super::trends::fetched(fetched)),
    }
}

/// Stands in place of a result before the first statement.
pub fn hint(is_dataset: bool) -> String {
    match is_dataset {
        true => format!(
            "Statements read the traces of the data set, each with its trace_id. {HINT} A data set has execution_groups and execution_samples, too."
        ),
        false => HINT.to_owned(),
    }
}

/// A statement is running; how much of a data set it may read: "Running… 1.2 MB of up to 12 MB read".
pub fn running(planned: Option<SqlPlannedReads>, fetched: (u64, u64)) -> String {
    match planned.filter(|planned| planned.bytes > 0) {
        None => RUNNING.to_owned(),
        Some(planned) if fetched.0 == 0 => format!("Running… reads {}", up_to(planned)),
        Some(planned) => format!("Running… {} of {} read", size(fetched.1), up_to(planned)),
    }
}

/// Asks whether to run a statement that reads much of the data set.
pub fn too_large(planned: SqlPlannedReads) -> String {
    format!(
        "The statement reads {}. To read less, name fewer columns, or restrict it by trace_id, day, engine or start_ns.",
        up_to(planned)
    )
}

/// "up to 12 MB in 40 files".
fn up_to(planned: SqlPlannedReads) -> String {
    format!("up to {} in {}", size(planned.bytes), text::counted(planned.files, "file", "files"))
}

fn size(bytes: u64) -> String {
    text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// Why a statement has no result.
pub fn failed(text: &str, is_memory: bool) -> String {
    match is_memory {
        true => format!("{text} of 1 GB. Read fewer rows or columns."),
        false => text.to_owned(),
    }
}

/// Place of an error.
pub fn place(line: u32, column: u32) -> String {
    format!("Line {line}, column {column}")
}

/// The statement took longer than the limit.
pub fn timed_out(seconds: u64) -> String {
    format!(
        "The statement took longer than {seconds} s and was stopped. Read fewer rows, or join with = conditions."
    )
}

/// The program could not be downloaded or started.
pub fn not_started(reason: &str) -> String {
    format!("The SQL engine could not be loaded. Check the connection and run the statement again. {reason}")
}

/// The worker ended.
pub fn crashed(reason: &str) -> String {
    format!(
        "The SQL engine crashed, probably because it ran out of memory. The next statement starts it again; all other views are unaffected. Read fewer rows or shorter texts. ({reason})"
    )
}
