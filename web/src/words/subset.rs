//! Texts of the dialog that loads a subset of the files: a time range or some of the runs.

use queryscope::internal::text;

use super::common::records;

pub const TITLE: &str = "Load subset";
pub const TIME: &str = "Time since the first record of each run";
pub const FROM: &str = "From";
pub const TO: &str = "to";
pub const BEGINNING: &str = "start";
pub const END: &str = "end";
pub const RUNS: &str = "Runs";
pub const HINT: &str =
    "All files are read again. Records outside the subset take no memory; the import report counts them.";
pub const LOAD: &str = "Load subset";
pub const LOAD_ALL: &str = "Load all";
pub const ENDS_BEFORE_START: &str = "The range ends before it starts.";
pub const NO_RUN: &str = "Select at least one run.";

pub fn needs_unit(written: &str) -> String {
    format!("“{written}” needs a unit: ns, µs, ms, s or min.")
}

pub fn no_time(written: &str) -> String {
    format!("“{written}” is not a time such as 1.5 s or 20 ms.")
}

pub fn run(n: u64, length: i64) -> String {
    format!("{}, {}", records(n), text::duration(length))
}

pub fn extent(n: u64, length: i64) -> String {
    format!("Read {} spanning {}.", records(n), text::duration(length))
}

pub fn extent_of_files(n: u64, length: i64, percent: i128) -> String {
    format!("{} That is {percent} % of the bytes.", extent(n, length))
}

pub fn extent_of_file(n: u64, length: i64, percent: i128, all: i64) -> String {
    format!(
        "{} That is {percent} % of the bytes; at the same density, the whole file spans about {}.",
        extent(n, length),
        text::duration(all)
    )
}

pub fn unread(names: &str) -> String {
    format!("Not read to the end: {names}. Open fewer files at once to need less memory.")
}
