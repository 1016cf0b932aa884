//! Texts of the dialog that saves a trace. Most of the texts are in the worker, which describes the fields of the
//! dialog.

use queryscope::internal::text;

use super::common::{count, more};

pub const SAVE: &str = "Save";
pub const SAVE_TITLE: &str = "Save the trace, this view and the notes to a file";
pub const SAVE_TRACE: &str = "Save trace…";
pub const SAVE_FILE: &str = "Save file";
pub const CANCEL: &str = "Cancel";
pub const CONTENT: &str = "Content of the file";
pub const NOTES: &str = "Notes";

pub const FILE_TYPE: &str = "File type";
pub const HTML: &str = "HTML file";
pub const HTML_HINT: &str = "Viewer and trace in one file that opens in a browser, without a network.";
pub const SESSION: &str = "Session file";
pub const SESSION_HINT: &str = "A zip archive with the trace, the view and the notes, to open in queryscope.";

pub const CHROME: &str = "Chrome JSON";
pub const CHROME_HINT: &str = "For Perfetto UI and chrome://tracing. The view and notes are not in it.";
pub const SPEEDSCOPE: &str = "speedscope JSON";
pub const SPEEDSCOPE_HINT: &str = "A profile for each track, for speedscope.app.";
pub const FOLDED: &str = "Folded stacks";
pub const FOLDED_HINT: &str = "Stacks with their self time, for flame graph scripts.";
pub const OTLP: &str = "OpenTelemetry JSON";
pub const OTLP_HINT: &str = "Spans as an OTLP request, for collectors and tracing backends.";

pub const PART: &str = "Part of the trace";
pub const WHOLE: &str = "Whole trace";
pub const RANGE: &str = "Selected time range";
pub const RANGE_HINT: &str = "No time range is selected.";
pub const ONE_RUN: &str = "One run";
pub const ONE_RUN_HINT: &str = "The trace has one run.";
pub const QUERY: &str = "Selected query";
pub const QUERY_HINT: &str = "No query is selected.";
pub const RUN: &str = "Run";

pub const REMOVE: &str = "Remove";
pub const LITERALS: &str = "Literals in SQL and messages";
pub const LITERALS_HINT: &str = "Values such as 42 or 'Smith' become ?.";
pub const IDENTIFIERS: &str = "Names";
pub const IDENTIFIERS_HINT: &str =
    "Schemas, tables, columns, users, hosts and paths become stable names, such as table_7.";
pub const TEXTS: &str = "SQL and error messages";
pub const TEXTS_HINT: &str = "All statements and messages are left out.";

pub const COUNTING: &str = "Counting…";
pub const NOT_LOADED: &str = "Only a subset is loaded, but the complete files are saved.";
pub const SPANS: &str = "Spans";
pub const EVENTS: &str = "Events";
pub const ROWS: &str = "Rows of tables";
pub const STATEMENTS: &str = "SQL texts";
pub const ERRORS: &str = "Error messages";
pub const REMOVED: &str = "Removed";
pub const TRACE_FILE: &str = "Trace in queryscope's format, before compression";

pub const NO_BROWSER: &str = "This browser cannot compress files. Save with a newer browser.";
pub const TOO_LARGE: &str =
    "The file would be larger than 4 GiB, which is more than a session file can hold. Save a time range.";
pub const TOO_LARGE_FOR_HTML: &str = "The trace is too large for an HTML file, which can hold at most 380 MB of compressed data. Save a session file, or a time range.";
pub const NO_ROOM: &str =
    "The browser has no space for the file. Free some disk space, or save a time range.";
pub const NO_TEMPLATE: &str =
    "The viewer for the HTML file could not be fetched. Reload the page, or save a session file.";
pub const NO_FILE: &str = "None of the open files can be read again. Open them again, then save.";
pub const DAMAGED_SESSION: &str = "The open session file is damaged, so it cannot be saved again.";

pub fn range(start: i64, end: i64) -> String {
    format!("{RANGE}: {}", super::common::time_range(start, end))
}

pub fn size(bytes: u64) -> String {
    text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX))
}

pub fn number(n: u64) -> String {
    count(n)
}

pub fn other_files(n: u64) -> String {
    more(n)
}

/// Number of identifiers of one role, with examples.
pub fn identifiers(n: u64, examples: &[String]) -> String {
    let rest = n.saturating_sub(examples.len() as u64);
    let rest = if rest > 0 { format!(" {}", more(rest)) } else { String::new() };
    format!("{}: {}{rest}", count(n), examples.join(", "))
}

/// Name of a role of identifiers, as a heading.
pub fn role(role: &str) -> String {
    let mut letters = role.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("Names: {first}{}", letters.as_str())
}

pub fn writing(done: u64) -> String {
    format!("Writing: {}", size(done))
}

pub fn saving(done: u64, total: u64) -> String {
    format!("Saving: {} of {}", size(done), size(total))
}

pub fn not_read(name: &str) -> String {
    format!("{name} cannot be read again: it was changed, moved or deleted after it was opened.")
}

/// Result of saving: name, size, what was removed, what the format cannot hold, and notes on what differs.
pub fn saved(name: &str, bytes: u64, [removed, not_written, notes]: [&[String]; 3]) -> String {
    let mut text = format!("Saved {name} ({}).", size(bytes));
    for (label, list) in [("Removed", removed), ("Not in this format", not_written)] {
        if !list.is_empty() {
            text += &format!(" {label}: {}.", list.join(", "));
        }
    }
    notes.iter().for_each(|note| text += &format!(" Note: {note}."));
    text
}
