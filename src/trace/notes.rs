//! What is to be said of a whole run: how complete it is, how its clocks were brought together.

use super::RunId;

/// A sentence about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunNote {
    /// The run.
    pub run: RunId,
    /// Topic in a word or two, such as "completeness".
    pub name: &'static str,
    /// The sentence.
    pub text: String,
}
