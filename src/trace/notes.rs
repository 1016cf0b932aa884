//! Notes about whole runs: how complete a run is, how its clocks were aligned.

use std::borrow::Cow;

use super::RunId;

/// A note about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunNote {
    /// Run that the note is about.
    pub run: RunId,
    /// Topic in one or two words, such as "completeness".
    pub name: Cow<'static, str>,
    /// The note, as one sentence.
    pub text: String,
}
