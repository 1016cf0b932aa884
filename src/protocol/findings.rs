//! Findings: statements worth investigating.

use serde::{Deserialize, Serialize};

/// A group of statements worth investigating for the same reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingGroup {
    /// Short, stable name of the reason, such as "no index".
    pub name: String,
    /// Explanation of the reason, in one sentence.
    pub meaning: String,
    /// Number of statements in the group.
    pub count: u64,
    /// The worst statements, worst first, at most 50.
    pub worst: Vec<Finding>,
}

/// A statement worth investigating.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Item code of the statement's span.
    pub item: u32,
    /// Text of the statement, at most 300 characters.
    pub title: String,
    /// Severity in words, with numbers.
    pub text: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds.
    pub duration: i64,
}
