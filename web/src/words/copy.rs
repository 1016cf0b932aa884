//! Texts of copy buttons, and what they show after a click.

pub const COPIED: &str = "Copied";
pub const NOT_COPIED: &str = "Not copied";
pub const DENIED: &str = "Not copied: the browser denied access to the clipboard.";
pub const ISSUE: &str = "Copy for an issue";
pub const ISSUE_TITLE: &str = "Copies a summary as Markdown, to paste into an issue or a chat.";
