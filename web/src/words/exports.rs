//! Errors for an embedding page that requests a file from the viewer.

pub const NO_TRACE: &str = "No trace is open.";
pub const NO_IMAGE: &str = "This view has no image: show the Gantt view or the flame graph.";
pub const INTERRUPTED: &str = "The trace was closed.";
pub const UNKNOWN_FORMAT: &str = "Unknown format: expected report, report-json, svg or png.";
