//! Texts of the import report: files, problems and records.

use queryscope::internal::text;
use queryscope::protocol::FileReport;

use super::common::{count, files, records};

pub const NO_FILE: &str = "No file was read.";
pub const RUN_WITH_NOTES: &str = "run with notes";
pub const RUNS_WITH_NOTES: &str = "runs with notes";
pub const GROUP: &str = "group of files";
pub const GROUPS: &str = "groups of files";
pub const EACH_FILE: &str = "Files of this group";
pub const FORMAT: &str = "Format:";
pub const DETECT_FORMAT: &str = "auto-detect";
pub const SAVE_TEXT: &str = "Save as text";
pub const SAVE_JSON: &str = "Save as JSON";
pub const NOT_SHOWN: &str = "not shown";
pub const NO_RECORD: &str = "There is no record at this location.";
pub const SHOW_IN_TIMELINE: &str = "Show in timeline";

/// Totals of all files in the import report.
pub struct Totals {
    pub files: u64,
    pub records: u64,
    pub shown: u64,
    pub dropped: u64,
    pub left_out: u64,
    pub warnings: u64,
    pub not_traces: u64,
    pub unread: u64,
}

pub fn summary(totals: &Totals) -> String {
    let dropped = format!("{} dropped", count(totals.dropped));
    let left_out = (totals.left_out > 0).then(|| left_out(totals.left_out));
    let warnings = text::counted(totals.warnings, "warning", "warnings");
    let counts: Vec<String> = [dropped].into_iter().chain(left_out).chain([warnings]).collect();
    format!(
        "{} of {} in {} shown; {}.{}{}",
        count(totals.shown),
        records(totals.records),
        files(totals.files),
        counts.join(", "),
        share(totals.not_traces, totals.files, ["is not a trace", "are not traces"]),
        share(totals.unread, totals.files, ["was not read", "were not read"]),
    )
}

/// States how many of the files have a property; empty if none has.
fn share(n: u64, all: u64, [one, many]: [&str; 2]) -> String {
    match n {
        0 => String::new(),
        1 => format!(" 1 of {} {one}.", files(all)),
        n => format!(" {} of {} {many}.", count(n), files(all)),
    }
}

pub fn read(n: u64) -> String {
    format!("{} read", records(n))
}

pub fn shown(n: u64) -> String {
    format!("{} shown", count(n))
}

pub fn dropped(n: u64) -> String {
    format!("{} dropped", count(n))
}

pub fn left_out(n: u64) -> String {
    format!("{} left out by choice", count(n))
}

pub fn other_lines(n: u64) -> String {
    text::counted(n, "other line", "other lines")
}

pub fn format_of(file: &str) -> String {
    format!("Format of {file}")
}

pub fn more_files(n: u64) -> String {
    format!("and {} more", count(n))
}

pub fn times(n: u64) -> String {
    format!("{} ×", count(n))
}

pub fn show_few(n: usize) -> String {
    format!("Show {n} only")
}

pub fn show_known(known: usize, all: u64) -> String {
    format!("Show {known} of {} locations", count(all))
}

pub fn show_all(known: usize) -> String {
    format!("Show all {known} locations")
}

pub fn more_locations(n: u64) -> String {
    format!(" and at {}", text::counted(n, "more location", "more locations"))
}

pub fn not_recorded(n: u64) -> String {
    format!(" and {} more (locations not recorded)", count(n))
}

pub fn location(line: Option<u64>, byte: u64) -> String {
    let line = line.map_or_else(String::new, |line| format!("line {}, ", count(line)));
    format!("{line}byte {}", count(byte))
}

/// Returns the import report as a text file.
pub fn as_text(files: &[FileReport]) -> String {
    let mut lines = Vec::new();
    for file in files {
        lines.push(format!("{}: {}", file.name, file.format));
        lines.push(format!(
            "  {} bytes, {} records read, {} shown, {} dropped, {} left out by choice, {} other lines",
            file.bytes, file.records, file.used, file.reported, file.left_out, file.other_lines
        ));
        for problem in &file.problems {
            lines.push(format!("  {} ({} times): {}", problem.name, problem.count, problem.meaning));
            for place in &problem.places {
                let line = place.line.map_or(String::new(), |line| format!("line {line}, "));
                lines.push(format!("    {line}byte {}: {}", place.offset, place.text));
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}
