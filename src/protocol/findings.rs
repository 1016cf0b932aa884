//! Findings: statements worth investigating.

use serde::{Deserialize, Serialize};

/// Statements worth investigating for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingGroup {
    /// Short and stable: "no index".
    pub name: String,
    /// What it means, in a sentence.
    pub meaning: String,
    /// How many there are.
    pub count: u64,
    /// The worst of them, worst first, at most 50.
    pub worst: Vec<Finding>,
}

/// A statement worth investigating.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The statement's span.
    pub item: u32,
    /// The statement, at most 300 characters.
    pub title: String,
    /// How bad it is, with numbers.
    pub text: String,
    /// Start.
    pub start: i64,
    /// Duration.
    pub duration: i64,
}
