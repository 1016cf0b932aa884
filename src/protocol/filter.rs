//! The filter of all views: its validity, its conditions, and what may be written next.

use serde::{Deserialize, Serialize};

/// Requests whether a filter is valid and how many spans, events and queries match. A filter consists of words and conditions on
/// attributes that must all hold, such as `kind = query duration > 5ms sql ~ orders`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FilterRequest {
    /// The filter.
    pub text: String,
}

/// What a filter selects, or why it is not valid.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FilterReply {
    /// The filter.
    pub text: String,
    /// What is wrong with the filter, with the start and the end of the wrong condition in the text, in bytes.
    pub error: Option<(String, u32, u32)>,
    /// If nothing matches: a sentence about a word or a condition on a text that nothing meets, with its start and end in the
    /// text, in bytes.
    pub hint: Option<(String, u32, u32)>,
    /// Number of spans and events that match, each by itself.
    pub matched: u32,
    /// Number of queries that lists of queries show: those that, together with everything inside them, meet all
    /// conditions. In a trace without queries, the number of such spans.
    pub listed: u32,
    /// The conditions and words of the filter, in their order; empty for a filter that is not valid.
    pub conditions: Vec<FilterCondition>,
}

/// A condition or word of a filter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FilterCondition {
    /// Start in the text of the filter, in bytes.
    pub from: u32,
    /// End in the text of the filter, in bytes.
    pub until: u32,
    /// The condition with the opposite operator; `None` for a word.
    pub opposite: Option<String>,
}

/// Requests what may be written at a place in a filter: names of attributes, operators, and values of an attribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FilterCompletionRequest {
    /// The filter as it is being written.
    pub text: String,
    /// Position of the caret, in bytes.
    pub caret: u32,
}

/// What may be written at a place in a filter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FilterCompletions {
    /// Start of the part of the text that a completion replaces, in bytes.
    pub from: u32,
    /// End of that part, in bytes.
    pub until: u32,
    /// The completions, best first; at most [`Self::MOST`].
    pub list: Vec<FilterCompletion>,
}

impl FilterCompletions {
    /// Maximum number of completions.
    pub const MOST: usize = 12;
}

/// One completion of a filter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FilterCompletion {
    /// Text to insert, quoted where that is needed.
    pub text: String,
    /// Number of spans and events with this value; `None` for names and operators.
    pub count: Option<u32>,
}

/// A value of an item that a filter can name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FilterValue {
    /// Name under which the value is shown.
    pub label: String,
    /// Attribute that has the value.
    pub attribute: String,
    /// The value, in full.
    pub value: String,
}

impl FilterValue {
    /// Maximum length of a value that is offered, in bytes.
    pub const LONGEST: usize = 1_000;
}
