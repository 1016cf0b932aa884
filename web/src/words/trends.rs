//! Texts of the trends tab.

use queryscope::internal::text;

/// Stands in place of the trends where the page has no SQL engine.
pub const NOT_BUILT_IN: &str = "Trends are not available here";
pub const NOT_BUILT_IN_REASON: &str = "Sites that are built without clang, single HTML files and embedded viewers have no SQL engine, which reads data sets. On the command line: queryscope trend FOLDER";
pub const REGION: &str = "Trends";
pub const DATA_SET: &str = "Data set";
pub const BACK: &str = "All groups";
pub const BY: &str = "Group by";
pub const GROUPINGS: [(&str, &str); 5] = [
    ("shape", "Statement"),
    ("name", "Name"),
    ("kind", "Kind"),
    ("datasource", "Datasource"),
    ("connector", "Connector"),
];
pub const MEASURE: &str = "Measure";
pub const ENGINE: &str = "Engine";
/// What changes are sought in, by the names of the measures.
pub const MEASURES: [(&str, &str); 12] = [
    ("p50", "p50"),
    ("p95", "p95"),
    ("p99", "p99"),
    ("mean", "Mean"),
    ("max", "Max"),
    ("total", "Total time"),
    ("self", "Self time"),
    ("count", "Executions"),
    ("errors", "Failed"),
    ("rows", "Rows read"),
    ("returned", "Rows returned"),
    ("bytes", "Bytes"),
];
pub const CANCEL: &str = "Cancel";
pub const TRY_AGAIN: &str = "Try again";
pub const WAITING: &str = "Waiting for the statement in the SQL tab…";
pub const STOPPED: &str = "The SQL engine, which reads data sets, crashed or could not be loaded. Check the connection and try again.";
pub const NOT_OPENED: &str = "The trace was not opened";
pub const NO_TRENDS: &str = "No trends";
pub const SHOW_GROUP: &str = "Show the runs of this group";
pub const SHOW_TRACE: &str = "Open this trace";
pub const SHOW_EXECUTION: &str = "Show this execution in its trace";
pub const NOTHING: &str = "The data set has no executions for this grouping.";
pub const METHOD: &str = "Method and limits";
pub const WARNINGS: &str = "Warnings";

/// What was fetched: "1.2 MB read in 3 requests".
pub fn fetched((requests, bytes): (u64, u64)) -> String {
    let bytes = text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    format!("{bytes} read in {}", text::counted(requests, "request", "requests"))
}

pub fn reading(is_starting: bool, fetched: (u64, u64)) -> String {
    match fetched {
        _ if is_starting => "Loading the SQL engine…".to_owned(),
        (0, _) => "Reading the data set…".to_owned(),
        fetched => format!("Reading the data set… {}", self::fetched(fetched)),
    }
}

/// Asks whether to read the runs.
pub fn asks_for_trend(bytes: u64) -> String {
    format!("Trends read up to {} of this data set.", size(bytes))
}

/// Asks whether to open a large trace.
pub fn asks_for_trace(name: &str, bytes: u64) -> String {
    format!("Opening {name} reads {}.", size(bytes))
}

pub fn read(bytes: u64) -> String {
    format!("Read {}", size(bytes))
}

pub fn opening(name: &str) -> String {
    format!("Opening {name}…")
}

fn size(bytes: u64) -> String {
    text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX))
}
