//! Findings: problems that rules detect in a trace, and the thresholds of the rules.

use serde::{Deserialize, Serialize};

/// Findings of a trace by rule, and the thresholds of the rules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingList {
    /// Rules with at least one finding, ordered by [`FindingGroup::shares`], the largest share first.
    pub groups: Vec<FindingGroup>,
    /// Thresholds of the rules for which the trace has data, in the order of the rules.
    pub thresholds: Vec<FindingThreshold>,
    /// A sentence for each changed threshold with an invalid value; the default value is used instead.
    pub errors: Vec<String>,
    /// Whether a filter limits the findings: false without a filter, and for one that is not valid.
    pub is_filtered: bool,
    /// Number of rules that were not applied yet; 0 if the list is complete.
    pub rules_left: u32,
}

/// Findings of one rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingGroup {
    /// Stable key of the rule, such as "no-index".
    pub key: String,
    /// Short name of the rule, such as "no index".
    pub name: String,
    /// Meaning of the rule with its thresholds, in one sentence.
    pub meaning: String,
    /// Summary of the findings, in one sentence with numbers.
    pub sentence: String,
    /// Number of findings.
    pub count: u64,
    /// Shares of totals that the findings affect. The first share orders the groups; groups without a share are last.
    pub shares: Vec<FindingShare>,
    /// The worst findings, worst first (of over-fetch, the longest), at most 50. A [`RuleFindingsRequest`](super::RuleFindingsRequest) lists more.
    pub worst: Vec<Finding>,
}

/// Part of a total that the findings of a rule affect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingShare {
    /// Name of the total, such as "query time".
    pub of: String,
    /// Unit of the part and the total.
    pub unit: ShareUnit,
    /// Affected part, at most the total.
    pub part: i64,
    /// The total, above 0.
    pub whole: i64,
}

/// Unit of a [`FindingShare`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ShareUnit {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// Rows or records.
    Count,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Item code of the span or event; `None` for a finding about a file or a run.
    pub item: Option<u32>,
    /// Text of the statement, or name of the item, file or run; for a gap, the names of the spans before and after it. At
    /// most 300 characters.
    pub title: String,
    /// Description of the severity with numbers, such as rows read and returned.
    pub text: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds; `None` without a span.
    pub duration: Option<i64>,
    /// Start and end of the period that the finding is about, in nanoseconds, such as a gap before the item; `None` if
    /// it is the period of the item.
    pub period: Option<(i64, i64)>,
    /// Track id of the thread or process that the finding is about; the item is the span of its longest period of the kind that
    /// the rule measures. `None` for other findings.
    pub track: Option<u32>,
}

/// A threshold of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingThreshold {
    /// Stable key, such as "outliers.ratio".
    pub key: String,
    /// Name of the rule.
    pub rule: String,
    /// Name of the threshold within the rule.
    pub label: String,
    /// Unit of the value: "ms", "×", "%", "rows".
    pub unit: String,
    /// The value in use, as a decimal number.
    pub value: String,
    /// The default value, as a decimal number.
    pub default: String,
}

/// A threshold that the user changed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChangedThreshold {
    /// Key of the threshold.
    pub key: String,
    /// The value as the user wrote it, which may not be a number.
    pub value: String,
}
