//! Texts of the view of parallelism.

use queryscope::internal::text;
use queryscope::protocol::{Heat, Parallel};

pub const BUSY_AND_WAITING: &str = "Busy and waiting";
pub const BUSY_TIME: &str = "Busy time";
pub const BUSY_TIME_MEANING: &str = "Time in which threads ran their own work, summed over the threads";
pub const COPIES_MEANING: &str = "Show one row for all parallel copies of a step, with their skew";
pub const CORES_AND_THREADS: &str = "Cores and threads";
pub const MAP_HINT: &str =
    "Point at a cell, or use the arrow keys; drag, or press Enter at both ends, to select a time range.";
pub const MAP_LABEL: &str =
    "Utilisation of cores and threads. Press Enter to start a time range, and Enter again to select it";
pub const NOT_MEASURED: &str = "not measured";
pub const NO_PARALLELISM: &str = "No dependency information in this trace, so no parallelism to show.";
pub const NO_BUSY_TIMES: &str = "No tables of concurrency, busy and waiting time: the trace has neither query plans nor arrows between threads.";
pub const NO_TIME: &str = "No time recorded";
pub const PARALLELISM: &str = "Parallelism";
pub const PARALLELISM_MEANING: &str =
    "Busy time as a share of the time of all cores (of all busy threads where cores are not recorded)";
pub const SHOW_WHOLE_TRACE: &str = "Show the whole trace";
pub const SKEW_MEANING: &str = "Longest execution divided by the average";
pub const WALL_TIME: &str = "Wall time";
pub const WALL_TIME_MEANING: &str = "From start to end";

/// Explanations above the tables.
pub mod about {
    pub const BY_THREAD: &str = "Busy: running its own work, CPU time where that is recorded; loops that wait for tasks do not count. Waiting: in a span but not running, or in a recorded wait. Starved: idle because an input was not ready.";
    pub const CONCURRENCY: &str = "Time with exactly N threads running.";
    pub const COPIES: &str =
        "Parallel copies of one step, each for a part of a table. Skew: longest / average.";
    pub const PLAN: &str = "Instructions in plan order, with sums over all executions. A click selects the longest execution; the instruction of the selected execution is marked.";
    pub const PRODUCERS: &str = "The input that became ready last.";
}

/// Names of the tables.
pub mod table {
    pub const BLOCKING_PRODUCERS: &str = "Blocking producers";
    pub const BY_THREAD: &str = "By thread";
    pub const CONCURRENCY: &str = "Concurrency";
    pub const INTERMEDIATE_RESULTS: &str = "Intermediate results";
    pub const PARTITION_SKEW: &str = "Partition skew";
    pub const PLAN: &str = "Plan";
}

/// Names of the columns.
pub mod column {
    pub const BUSY: &str = "Busy";
    pub const BYTES: &str = "Bytes";
    pub const COPIES: &str = "Copies";
    pub const CREATED_AT: &str = "Created at";
    pub const CREATED_BY: &str = "Created by";
    pub const DURATION: &str = "Duration";
    pub const EXECUTIONS: &str = "Executions";
    pub const FUNCTION: &str = "Function";
    pub const IDLE: &str = "Idle";
    pub const INSTRUCTION: &str = "Instruction";
    pub const LIFETIME: &str = "Lifetime";
    pub const LONGEST: &str = "Longest";
    pub const MAX_BYTES: &str = "Max bytes of one execution";
    pub const MEDIAN: &str = "Median";
    pub const POSITION: &str = "#";
    pub const POSITION_MEANING: &str = "Position in its function";
    pub const READERS: &str = "Readers";
    pub const RUNNING: &str = "Running";
    pub const SHARE: &str = "Share";
    pub const SHARE_OF_TIME: &str = "Share of the time";
    pub const SHORTEST: &str = "Shortest";
    pub const SKEW: &str = "Skew";
    pub const SPAN: &str = "Span";
    pub const SPANS: &str = "Spans";
    pub const STARVED: &str = "Starved";
    pub const STEP: &str = "Step";
    pub const THREAD: &str = "Thread";
    pub const TIME: &str = "Time";
    pub const TIME_COMPARED: &str = "Time relative to the longest";
    pub const VALUE: &str = "Value";
    pub const WAITING: &str = "Waiting";
    pub const WAITING_OF_ALL: &str = "Waiting time, all threads";
    pub const WAITS: &str = "Waits";
}

/// Labels of the utilisation scale, from lowest to highest.
pub const UTILISATION: [&str; 6] = ["≤ 2 %", "≤ 25 %", "≤ 50 %", "≤ 75 %", "≤ 90 %", "> 90 %"];

pub fn about_values(view: &Parallel) -> String {
    let count = text::counted(u64::from(view.n_values), "value", "values");
    match view.most_held {
        Some((time, bytes)) => {
            let since = text::duration(time.saturating_sub(view.start));
            format!("{count}; peak {} at +{since}.", text::bytes(bytes))
        }
        None => format!("{count}, the largest first."),
    }
}

pub fn about_map(heat: &Heat) -> String {
    if heat.rows.is_empty() {
        return "No thread was busy in this time.".to_owned();
    }
    let mut about = match heat.rows.iter().any(|row| row.is_core) {
        false => "Share of time in which a thread was busy.".to_owned(),
        true => "Cores: load as measured by the server, of all processes. Threads: share of time in which they were busy.".to_owned(),
    };
    let hidden = (heat.n_rows as usize).saturating_sub(heat.rows.len());
    if hidden > 0 {
        about += &format!(" {} more rows are not shown.", text::count(hidden as i64));
    }
    about
}

pub fn busy(thousandths: u16) -> String {
    format!("{} busy", text::percent(f64::from(thousandths) / 1000.0))
}

pub fn cell(row: &str, busy: &str, start: i64, end: i64) -> String {
    format!("{row}: {busy}, {}", super::common::time_range(start, end))
}

pub fn threads(n: u64) -> String {
    text::counted(n, "thread", "threads")
}

pub fn function(program: &str) -> String {
    if program.is_empty() { "unknown function".to_owned() } else { format!("function {program}") }
}

pub fn show_longest_period(ns: i64) -> String {
    format!("Show the longest period, {}, in the Gantt view", text::duration(ns))
}

pub fn show_thread(name: &str) -> String {
    format!("{name}: show its spans in this time")
}

pub fn show_slowest(ns: i64) -> String {
    format!("{}: show the slowest in the Gantt view", text::duration_exact(ns))
}
