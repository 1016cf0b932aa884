//! Thresholds of rules: units, defaults, and parsing and formatting of values.

use super::rules::{RULES, Rule};
use crate::base::text;
use crate::protocol::{ChangedThreshold, FindingThreshold};

/// Unit in which users write a threshold. Values are stored as integers of the unit's smallest part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThresholdUnit {
    /// Milliseconds, compared as nanoseconds.
    Millis,
    /// A factor, compared as millionths.
    Times,
    /// A percentage, compared as millionths of the whole.
    Percent,
    /// A number of rows.
    Rows,
}

impl ThresholdUnit {
    /// Name of the unit after a value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Millis => "ms",
            Self::Times => "×",
            Self::Percent => "%",
            Self::Rows => "rows",
        }
    }

    /// Number of smallest parts in one unit.
    pub const fn scale(self) -> i64 {
        match self {
            Self::Millis | Self::Times => 1_000_000,
            Self::Percent => 10_000,
            Self::Rows => 1,
        }
    }

    /// Maximum value, in units.
    fn most(self) -> i64 {
        match self {
            Self::Percent => 100,
            Self::Times => 1_000_000,
            Self::Millis | Self::Rows => 1_000_000_000,
        }
    }
}

/// Threshold of a rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleThreshold {
    /// Stable key: the key of the rule, a dot and a word, such as "outliers.ratio".
    pub key: &'static str,
    /// Name of the quantity that is compared with the threshold, such as "duration".
    pub label: &'static str,
    pub unit: ThresholdUnit,
    /// Default, in units.
    pub default: i64,
}

impl RuleThreshold {
    /// Formats a value given in smallest parts as a decimal number of units.
    pub fn written(&self, value: i64) -> String {
        text::decimal(i128::from(value) * 1_000_000 / i128::from(self.unit.scale()))
    }

    /// Default value, in smallest parts of the unit.
    pub fn usual(&self) -> i64 {
        self.default.saturating_mul(self.unit.scale())
    }

    /// Parses a value in units, with or without the name of the unit after it.
    ///
    /// # Errors
    /// The reason why the text is not a value of this threshold, as the end of a sentence.
    fn parse(&self, written: &str) -> Result<i64, String> {
        let written = written.trim();
        let written = written.strip_suffix(self.unit.name()).unwrap_or(written).trim_end();
        let digits = written.strip_prefix(['-', '−']).unwrap_or(written);
        let is_number = digits.contains(|c: char| c.is_ascii_digit()) && digits.matches('.').count() < 2;
        if !is_number || digits.contains(|c: char| !c.is_ascii_digit() && c != '.') {
            return Err("is not a number".to_owned());
        }
        let most = self.unit.most();
        let value = text::parse_number(written, self.unit.scale());
        value
            .filter(|value| *value <= most.saturating_mul(self.unit.scale()))
            .ok_or_else(|| format!("is out of range (0 to {} {})", text::count(most), self.unit.name()))
    }
}

/// Values of all thresholds: the user's value where it was changed, otherwise the default.
pub struct ThresholdValues {
    /// Values by rule and threshold, in smallest parts.
    values: Vec<Vec<i64>>,
    /// For each change that is not valid: why, and which value is used instead, in a sentence each.
    pub errors: Vec<(String, String)>,
}

impl ThresholdValues {
    pub fn new(changed: &[ChangedThreshold]) -> Self {
        let usual = |rule: &Rule| rule.thresholds.iter().map(RuleThreshold::usual).collect();
        let mut found = Self { values: RULES.iter().map(usual).collect(), errors: Vec::new() };
        for change in changed {
            let error = found.set(change).err();
            found.errors.extend(error);
        }
        found
    }

    fn set(&mut self, change: &ChangedThreshold) -> Result<(), (String, String)> {
        for (rule, values) in RULES.iter().zip(&mut self.values) {
            for (threshold, value) in rule.thresholds.iter().zip(values) {
                if threshold.key == change.key {
                    let reason = |reason: String| {
                        let written = text::shortened(&change.value, 40);
                        let default = threshold.written(*value);
                        (
                            format!(
                                "Threshold “{}: {}” ({}): “{written}” {reason}.",
                                rule.name, threshold.label, threshold.key
                            ),
                            format!("The default of {default} {} is used.", threshold.unit.name()),
                        )
                    };
                    *value = threshold.parse(&change.value).map_err(reason)?;
                    return Ok(());
                }
            }
        }
        let error = format!("There is no threshold “{}”.", text::shortened(&change.key, 40));
        Err((error, String::new()))
    }

    /// Values of the rule with this index.
    pub fn of(&self, rule: usize) -> &[i64] {
        self.values.get(rule).map_or(&[], Vec::as_slice)
    }
}

/// The meaning of a rule, with its thresholds in the places {0}, {1}, …
pub fn meaning(rule: &Rule, values: &[i64]) -> String {
    let mut text = rule.meaning.to_owned();
    for (at, (threshold, value)) in rule.thresholds.iter().zip(values).enumerate() {
        text = text.replace(
            &format!("{{{at}}}"),
            &format!("{} {}", grouped(threshold, *value), threshold.unit.name()),
        );
    }
    text
}

/// A value in units, with grouped digits.
fn grouped(threshold: &RuleThreshold, value: i64) -> String {
    text::millionths((i128::from(value) * 1_000_000 / i128::from(threshold.unit.scale())) as i64)
}

/// The thresholds of a rule, with the values in use.
pub fn listed<'a>(rule: &'a Rule, values: &'a [i64]) -> impl Iterator<Item = FindingThreshold> + 'a {
    rule.thresholds.iter().zip(values).map(|(threshold, value)| FindingThreshold {
        key: threshold.key.to_owned(),
        rule: rule.name.to_owned(),
        label: threshold.label.to_owned(),
        unit: threshold.unit.name().to_owned(),
        value: threshold.written(*value),
        default: threshold.written(threshold.usual()),
    })
}
