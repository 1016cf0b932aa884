//! Texts of the details of a selection and of source records.

use queryscope::internal::text;
use queryscope::protocol::{ExecutionSiblings, SlowerStep};

use super::common::count;

pub const ANCESTORS: &str = "Ancestors";
pub const CHILDREN: &str = "Children";
pub const CLOSE: &str = "Close details";
pub const DEPENDS_ON: &str = "Depends on";
pub const DETAILS: &str = "Details";
pub const DURATION: &str = "Duration";
pub const END: &str = "End";
pub const OF_SELECTION: &str = "Details of the selection";
pub const READING: &str = "Reading…";
pub const RECORD_TEXT: &str = "Record text";
pub const REQUIRED_BY: &str = "Required by";
pub const RUN: &str = "Run";
pub const SHOW_ALL: &str = "Show all details";
pub const SHOW_FEWER: &str = "Show fewer details";
pub const START: &str = "Start";
pub const TEXT: &str = "Text";
pub const TIMESTAMP: &str = "Timestamp";
pub const TIMESTAMP_MEANING: &str = "Start time as recorded in the file";
pub const TRACK: &str = "Track";
pub const WRAP_LINES: &str = "Wrap lines";
pub const ZOOM: &str = "Zoom to selection";
pub const ZOOM_WITH_KEY: &str = "Zoom to selection (F)";

pub fn source_records(n: usize) -> &'static str {
    if n == 1 { "Source record" } else { "Source records" }
}

pub fn copy(title: &str) -> String {
    format!("Copy {title}")
}

pub fn show_all_characters(n: usize) -> String {
    format!("Show all {} characters", count(n as u64))
}

pub fn more_characters(n: u64) -> String {
    format!("{} in the source record below", text::counted(n, "more character", "more characters"))
}

pub fn more_fields(n: u64) -> String {
    format!("{} in the record text", text::counted(n, "more field", "more fields"))
}

pub fn more_ancestors(n: usize) -> String {
    format!("… {} more", count(n as u64))
}

pub fn more_in_views(n: usize) -> String {
    format!("{} more, shown in the views", count(n as u64))
}

pub fn number_of(n: usize) -> String {
    format!(" · {}", count(n as u64))
}

pub fn buffer_events(n: u32, bytes: Option<i64>) -> String {
    let bytes = bytes.map_or_else(String::new, |bytes| format!(" · {}", text::bytes(bytes)));
    format!("{}{bytes}", text::counted(n.into(), "buffer event", "buffer events"))
}

pub fn fetching_rows(ns: i64, share: f64) -> String {
    format!("fetching rows {} · {}", text::duration(ns), text::percent(share))
}

pub fn other_time(ns: i64) -> String {
    format!("other {}", text::duration(ns))
}

pub fn record_is_cut(bytes: i64) -> String {
    let size = text::bytes(bytes);
    format!("The record is longer than {size}; only the first {size} can be copied.")
}

pub fn start_of_record(bytes: i64) -> String {
    format!("Showing the start of a record of {}. Copy copies all of it.", text::bytes(bytes))
}

pub fn location(file: &str, line: Option<u64>, byte: u64) -> String {
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{file}{line}, byte {}", count(byte))
}

/// Compares the duration of an execution with the median of its statement, or of a span with the others of its name.
pub fn times_median(found: &ExecutionSiblings) -> String {
    let (one, many) = match found.is_of_slices {
        true => ("span of this name", "spans of this name"),
        false => ("execution of this statement", "executions of this statement"),
    };
    if found.executions == 1 {
        return format!("The only complete {one}");
    }
    let of = text::counted(found.executions.into(), one, many);
    if found.longer == 0 && found.duration > found.median {
        return format!("Longest of {of}, {}", of_median(found));
    }
    format!("One of {of}, {}", of_median(found))
}

fn of_median(found: &ExecutionSiblings) -> String {
    if found.median <= 0 {
        return format!("{} (median: {})", text::duration(found.duration), text::duration(found.median));
    }
    format!("{} × the median", text::ratio(found.duration as f64 / found.median as f64))
}

/// First part of the sentence about the slower step, before the name of the step. If the step is the execution itself, it is not named.
pub fn excess(step: &SlowerStep, is_itself: bool) -> String {
    let place = match step.name.strip_prefix(step.kind.as_str()) {
        _ if is_itself => "self time".to_owned(),
        // MySQL's names begin with their kind: stage/sql/init.
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => String::new(),
        _ => format!("{} ", step.kind),
    };
    format!("; +{} in {place}", text::duration(step.excess))
}

/// Last part of the sentence about the slower step, after the name of the step.
pub fn excess_reading(step: &SlowerStep) -> &'static str {
    if step.is_reading { ", mostly reading rows." } else { "." }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_slower_step_is_named_once() {
        for (kind, name, is_itself, expected) in [
            ("slice", "read", false, "; +5 ns in slice "),
            ("stage", "stage/sql/init", false, "; +5 ns in "),
            ("stage", "stages", false, "; +5 ns in stage "),
            ("slice", "worker", true, "; +5 ns in self time"),
        ] {
            let [kind, name] = [kind, name].map(str::to_owned);
            let step = SlowerStep { kind, name, excess: 5, is_reading: false, item: 0 };
            assert_eq!(excess(&step, is_itself), expected, "{step:?}");
        }
    }
}
