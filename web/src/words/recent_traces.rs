//! Texts of the list of recent traces on the landing page.

pub const TITLE: &str = "Recent traces";
pub const KEEP: &str = "Keep the traces that I open in this browser, on this machine, to open them again. Clearing this deletes them.";
pub const DELETE: &str = "Delete";

/// Accessible name of the button that deletes a kept trace.
pub fn delete(name: &str) -> String {
    format!("Delete {name}")
}

/// Size and date of a kept trace.
pub fn about(size: &str, date: &str) -> String {
    format!("{size}, opened {date} ")
}

pub fn no_storage(reason: &str) -> String {
    format!("The browser does not allow this page to keep traces: {reason}.")
}
