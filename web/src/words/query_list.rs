//! Texts of the query list.

use queryscope::internal::text;
use queryscope::protocol::{Outcome, QueryColumn, RANGE_MEANS, RANGE_WHOLE, ScoreWeights};

pub const CLOSE: &str = "Close query list";
pub const NO_MATCHES: &str = "No matching queries";
pub const NO_QUERIES: &str = "No queries in this trace";
pub const NO_QUERIES_HINT: &str = "Other spans and events, if any, are shown in the views.";
pub const NO_SCORE: &str = "No score: the query has no start or no end in the trace";
pub const OPEN: &str = "Open query list (Q)";
pub const QUERIES: &str = "Queries";
pub const QUERY_LIST: &str = "Query list";
pub const SHOW_ALL: &str = "Show all queries";
pub const RESET_WEIGHTS: &str = "Reset";
pub const NO_WEIGHTS: &str = "All weights are 0, so every score is 0. Raise a weight to rank queries.";
pub const SCORE_WEIGHTS: &str = "Score weights";
pub const TIME_IS_CLIPPED: &str = "Time is clipped to the range; rows and bytes are not";
pub const UPDATING: &str = " · updating…";

/// Name of a column, and tooltip of its head.
pub const fn column(column: QueryColumn) -> (&'static str, &'static str) {
    match column {
        QueryColumn::Sql => ("Query", "Text of the statement"),
        QueryColumn::Start => ("Start", "Time since the first event of the run"),
        QueryColumn::Duration => {
            ("Duration", "Duration within the time range; the bar is relative to the longest in the list")
        }
        QueryColumn::Ratio => ("× run avg", "Duration divided by the average of the run"),
        QueryColumn::Score => (
            "Score",
            "Duration, rows read and buffer bytes, each relative to the largest, weighted and added up",
        ),
        QueryColumn::Sources => ("Sources", "Number of source executions of the query"),
        QueryColumn::RowsRead => ("Rows read", "Rows read by the query's source executions"),
        QueryColumn::RowsReturned => ("Returned", "Rows returned by the query's source executions"),
        QueryColumn::BufferBytes => ("Buffer", "Bytes of the query's buffer events"),
        QueryColumn::Outcome => ("Status", "Outcome of the query"),
    }
}

/// Names and tooltips of the weights of a score.
pub const WEIGHTS: [(&str, &str); 3] = [
    ("Latency", "Weight of the duration"),
    ("I/O", "Weight of the rows read"),
    ("Buffer", "Weight of the bytes of buffer events"),
];

/// Error for a weight that is not a number in the valid range.
pub fn no_weight(text: &str) -> String {
    let text = text::shortened(text, 20);
    format!(
        "A weight is a number from 0 to {}: \"{text}\" is not. The previous weight is kept.",
        ScoreWeights::MOST
    )
}

/// Name and tooltip of an outcome. A query's start or end may be missing because records before or after the loaded range
/// were left out.
pub fn outcome(outcome: Outcome, (before, after): (bool, bool)) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Ok => ("ok", "ok"),
        Outcome::Failed => ("failed", "failed"),
        Outcome::Unfinished if after => ("ended after", "Ends after the loaded range"),
        Outcome::Unfinished => ("unfinished", "unfinished"),
        Outcome::NoStart if before => ("began before", "Began before the loaded range"),
        Outcome::NoStart => ("no start", "no start"),
    }
}

pub fn in_time_range(part: i64, whole: &str) -> String {
    format!("{} of {whole} in the time range", text::duration_exact(part))
}

pub fn range_meaning() -> String {
    format!("{RANGE_MEANS} {RANGE_WHOLE}")
}

pub fn only_overlapping(start: i64, end: i64) -> String {
    format!("Only queries that overlap {} … {} are shown", text::time(start), text::time(end))
}
