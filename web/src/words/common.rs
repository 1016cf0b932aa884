//! Texts that several screens share.

use queryscope::internal::text;

pub const CANCELLED: &str = "Cancelled.";
pub const CLEAR_FILTER: &str = "Clear filter";
pub const CLEAR_RANGE: &str = "Clear range";
pub const CLOSE: &str = "Close";
pub const CLOSE_WITH_KEY: &str = "Close (Esc)";
pub const COPY: &str = "Copy";
pub const COPY_TABLE: &str = "Copy the table as tab-separated text with exact values";
pub const FILE: &str = "file";
pub const FILES: &str = "files";
pub const IMPORT_REPORT: &str = "Import report";
pub const LOADING: &str = "Loading…";
pub const LOAD_SUBSET: &str = "Load subset…";
pub const MAX_ROWS: &str = "Max rows of one execution";
pub const MERGE_COPIES: &str = "Merge parallel copies (mitosis)";
pub const NONE: &str = "None";
pub const NOT_REPORTED: &str = "Not reported";
pub const NO_QUERIES: &str = "no queries";
pub const PRODUCT: &str = "queryscope";
pub const RUN: &str = "run";
pub const RUNS: &str = "runs";
pub const SHOW_IN_GANTT: &str = "Show in the Gantt view";

pub fn files(n: u64) -> String {
    text::counted(n, FILE, FILES)
}

pub fn records(n: u64) -> String {
    text::counted(n, "record", "records")
}

pub fn runs(n: u64) -> String {
    text::counted(n, RUN, RUNS)
}

/// Label of the button that shows more rows of a long list.
pub fn show_more(n: usize) -> String {
    format!("Show {n} more")
}

/// Note next to the button of [`show_more`].
pub fn not_shown(n: u64, one: &str, many: &str) -> String {
    format!(" {} not shown", text::counted(n, one, many))
}

/// Label of the splitter that resizes a panel.
pub fn resize(panel: &str) -> String {
    format!("Resize: {panel}")
}

/// Title of the browser window.
pub fn window_title(trace: &str) -> String {
    format!("{trace} – {PRODUCT}")
}

pub fn rows_copied(copied: u32, all: u32) -> String {
    format!("Copied the first {} of {} rows", text::count(copied.into()), text::count(all.into()))
}

/// A time range. If both ends round to the same text, they are exact to the nanosecond.
pub fn time_range(start: i64, end: i64) -> String {
    let ends = [start, end].map(since_start);
    let [start, end] = if ends[0] == ends[1] { [start, end].map(text::time) } else { ends };
    format!("{start} … {end}")
}

/// A time since the start of the trace, with its sign: `+`, or `-` before the start.
pub fn since_start(ns: i64) -> String {
    let sign = if ns < 0 { "" } else { "+" };
    format!("{sign}{}", text::duration(ns))
}

pub fn at(ns: i64) -> String {
    format!("at {}", since_start(ns))
}

pub fn some_of(some: u32, all: u32) -> String {
    format!("{} of {}", text::count(some.into()), text::count(all.into()))
}

pub fn more(n: u64) -> String {
    format!("and {} more", count(n))
}

/// Formats a whole number with grouped digits.
pub(super) fn count(n: u64) -> String {
    text::count(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Formats `part` as a percentage of `whole`, or a dash if `whole` is not positive.
pub fn share(part: i64, whole: i64) -> String {
    if whole > 0 { text::percent(part as f64 / whole as f64) } else { text::NOT_REPORTED.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn times_have_one_sign() {
        for (ns, expected) in [(100, "at +100 ns"), (0, "at +0 ns"), (-100, "at −100 ns")] {
            assert_eq!(at(ns), expected);
        }
    }
}
