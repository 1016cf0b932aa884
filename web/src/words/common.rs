//! Words that several screens use.

use queryscope::text;

pub const PRODUCT: &str = "queryscope";
pub const CLOSE: &str = "Close";
pub const LOADING: &str = "Loading…";
pub const IMPORT_REPORT: &str = "Import report";
pub const LOAD_SUBSET: &str = "Load subset…";
pub const FILE: &str = "file";
pub const FILES: &str = "files";
pub const RUN: &str = "run";
pub const RUNS: &str = "runs";

pub fn files(n: u64) -> String {
    text::counted(n, FILE, FILES)
}

pub fn records(n: u64) -> String {
    text::counted(n, "record", "records")
}

pub fn runs(n: u64) -> String {
    text::counted(n, RUN, RUNS)
}

/// A whole number with its digits grouped.
pub fn number(n: u64) -> String {
    text::count(i64::try_from(n).unwrap_or(i64::MAX))
}

/// A button of a long list.
pub fn show_more(n: usize) -> String {
    format!("Show {n} more")
}

/// Next to the button of [`show_more`].
pub fn not_shown(n: u64, one: &str, many: &str) -> String {
    format!(" {} not shown", text::counted(n, one, many))
}

/// A separator between two panels.
pub fn resize(panel: &str) -> String {
    format!("Resize: {panel}")
}

/// The title of the browser's window.
pub fn window_title(trace: &str) -> String {
    format!("{trace} – {PRODUCT}")
}
