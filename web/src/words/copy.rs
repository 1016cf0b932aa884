//! Texts of copy buttons, and what they show after a click.

use crate::ui::CopyForm;

pub const COPY_AS: &str = "Copy as …";

pub fn form(form: CopyForm) -> &'static str {
    match form {
        CopyForm::Tabs => "Tab-separated",
        CopyForm::Csv => "CSV",
        CopyForm::Markdown => "Markdown",
        CopyForm::Json => "JSON",
    }
}

/// Saves the table as a file.
pub fn file(form_of_file: CopyForm) -> String {
    format!("Save as {}", form(form_of_file))
}

pub const COPIED: &str = "Copied";
pub const NOT_COPIED: &str = "Not copied";
pub const DENIED: &str = "Not copied: the browser denied access to the clipboard.";
pub const ISSUE: &str = "Copy for an issue";
pub const ISSUE_TITLE: &str = "Copies a summary as Markdown, to paste into an issue or a chat.";
