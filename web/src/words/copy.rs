//! Texts that copy buttons show after a click.

pub const COPIED: &str = "Copied";
pub const NOT_COPIED: &str = "Not copied";
pub const DENIED: &str = "Not copied: the browser denied access to the clipboard.";
