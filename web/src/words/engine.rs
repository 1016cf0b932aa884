//! Messages about failures of the engine's worker.

pub const NOT_RESPONDING: &str = "Trace engine not responding";
pub const NOT_RESPONDING_TEXT: &str = "The trace engine has not responded for a minute. It may be busy, or may have crashed: then open \
     the same files again.";
pub const COMPUTING: &str = "Computing…";
pub const STOPPED: &str = "the trace engine has stopped";
pub const CRASHED: &str = "Trace engine crashed";
pub const REOPEN: &str = "Open trace again";

pub fn crashed(reason: &str) -> String {
    let text = "The open trace is lost. Open it again.";
    if reason.is_empty() { text.to_owned() } else { format!("{text} The browser reports: {reason}") }
}

pub fn not_started(error: &str) -> String {
    format!("the worker could not be started: {error}")
}

pub const NO_DOCUMENT: &str = "there is no document to draw into";
pub const SECOND_VIEWER: &str =
    "this element already contains a viewer: each viewer needs a shadow root of its own";
pub const NO_ENGINE_OPTION: &str = "the option `engine` is missing: the URL of the engine, or its program";
/// Error for a format, requested by a page, that is none of `formats`.
pub fn unknown_format(format: &str, formats: &str) -> String {
    format!("There is no format “{format}”. The formats are {formats}.")
}

pub const NOT_A_SOURCE: &str = "a source is a File, { url, name? } or { blob, name }";
