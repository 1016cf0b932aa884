//! Conditions on the groups of a comparison, such as `p95 > +10%`, that let a check fail.

use super::{ComparedGroup, DurationVerdict, RunMeasure};
use crate::analysis::filter::parse::bound;
use crate::base::text;
use crate::compare::MeasureUnit;
use crate::trace::Unit;

/// Condition on a group: `MEASURE OPERATOR VALUE`, then optionally `and slower` or `and faster`.
///
/// A value with a sign is compared with the difference of both sides, in percent of the base side or in the unit of the measure;
/// a value without a sign with the new side.
#[derive(Clone, PartialEq, Debug)]
pub struct FailCondition {
    /// The condition as it was written.
    pub text: String,
    measure: RunMeasure,
    operator: ConditionOperator,
    threshold: ConditionThreshold,
    /// Verdict that the group must also have; `None` for any verdict.
    verdict: Option<DurationVerdict>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConditionOperator {
    Above,
    AtLeast,
    Below,
    AtMost,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConditionThreshold {
    /// Value of the new side.
    Value(i128),
    /// Difference, new minus base.
    Difference(i128),
    /// Difference in millionths of a percent of the base value.
    Percent(i128),
}

/// Result of a condition over all groups.
#[derive(Clone, PartialEq, Debug)]
pub struct ConditionCheck {
    /// The condition as it was written.
    pub text: String,
    /// Measure that the condition is about.
    pub measure: RunMeasure,
    /// Indices of the groups for which the condition holds.
    pub met: Vec<usize>,
    /// Number of groups that have the values that the condition needs.
    pub checked: usize,
}

const OPERATORS: [(&str, ConditionOperator); 4] = [
    (">=", ConditionOperator::AtLeast),
    ("<=", ConditionOperator::AtMost),
    (">", ConditionOperator::Above),
    ("<", ConditionOperator::Below),
];

impl FailCondition {
    /// Parses a condition.
    ///
    /// # Errors
    /// A sentence, then the condition with a caret below the place that is wrong.
    pub fn parse(condition: &str) -> Result<Self, String> {
        Self::parse_parts(condition).map_err(|(at, message)| {
            let line: String = condition.chars().map(text::in_line).collect();
            let before = condition.get(..at).unwrap_or(condition).chars().count();
            format!("{message}\n  {line}\n  {}^", " ".repeat(before))
        })
    }

    /// Parses a condition; an error has its byte offset and message.
    fn parse_parts(condition: &str) -> Result<Self, (usize, String)> {
        let mut rest = Unparsed { all: condition, at: 0 };
        let start = rest.skip_spaces();
        let name = rest.take_while(|c| c.is_alphanumeric() || c == '_');
        let measure = RunMeasure::ALL.into_iter().find(|measure| measure.name() == name);
        let names = RunMeasure::ALL.map(RunMeasure::name).join(", ");
        let measure = measure.ok_or_else(|| (start, format!("expected a measure: {names}")))?;
        let start = rest.skip_spaces();
        let operator = OPERATORS.into_iter().find(|(symbol, _)| rest.take(symbol));
        let (_, operator) = operator.ok_or_else(|| (start, "expected >, >=, < or <=".to_owned()))?;
        let start = rest.skip_spaces();
        let value = rest.take_while(|c| c.is_alphanumeric() || "+-−.,% ".contains(c));
        let end = value.find(" and ").unwrap_or(value.len());
        let threshold = threshold(measure, value[..end].trim_end()).map_err(|message| (start, message))?;
        rest.at = start + end;
        let verdict = rest.verdict()?;
        Ok(Self { text: condition.trim().to_owned(), measure, operator, threshold, verdict })
    }

    /// Checks the condition for every group. If `significant`, it holds only where the durations differ by more than noise.
    pub fn check(&self, groups: &[ComparedGroup], significant: bool) -> ConditionCheck {
        let results = groups.iter().map(|group| self.holds(group, significant));
        let results: Vec<Option<bool>> = results.collect();
        let met = results.iter().enumerate().filter(|(_, holds)| **holds == Some(true));
        ConditionCheck {
            text: self.text.clone(),
            measure: self.measure,
            met: met.map(|(at, _)| at).collect(),
            checked: results.iter().flatten().count(),
        }
    }

    /// Whether the condition holds for a group; with `significant`, only if its durations differ by more than noise.
    /// `None` if a value that the condition needs is missing, or if there are too few executions for a test.
    fn holds(&self, group: &ComparedGroup, significant: bool) -> Option<bool> {
        let [base, new] = group.values(self.measure);
        let holds = match self.threshold {
            ConditionThreshold::Value(limit) => self.operator.holds(new.or(self.absent())?, limit),
            ConditionThreshold::Difference(limit) => {
                self.operator.holds(group.difference(self.measure)?, limit)
            }
            ConditionThreshold::Percent(limit) => {
                let (difference, base) = (group.difference(self.measure)?, base?);
                self.operator.holds_products((difference, 100_000_000), (base, limit))
            }
        };
        let is_different = matches!(group.verdict, DurationVerdict::Slower | DurationVerdict::Faster);
        let needs_test = significant || self.verdict.is_some();
        if needs_test && group.test.is_none() {
            return None;
        }
        let has_verdict = self.verdict.is_none_or(|verdict| group.verdict == verdict);
        Some(holds && has_verdict && (is_different || !significant))
    }

    /// The value of a side that does not have the group; `None` if there is none.
    fn absent(&self) -> Option<i128> {
        matches!(self.measure, RunMeasure::Count | RunMeasure::Errors).then_some(0)
    }
}

impl ConditionOperator {
    fn holds<T: PartialOrd>(self, value: T, limit: T) -> bool {
        match self {
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
        }
    }

    /// Whether the comparison holds between the products of two pairs of numbers; exact if the products fit 128 bits.
    fn holds_products(self, a: (i128, i128), b: (i128, i128)) -> bool {
        match (a.0.checked_mul(a.1), b.0.checked_mul(b.1)) {
            (Some(a), Some(b)) => self.holds(a, b),
            _ => self.holds(a.0 as f64 * a.1 as f64, b.0 as f64 * b.1 as f64),
        }
    }
}

/// Parses the value of a condition: a number in the unit of the measure, or a percentage, with or without a sign. Times other than 0
/// need a unit, as in filters.
fn threshold(measure: RunMeasure, value: &str) -> Result<ConditionThreshold, String> {
    let sign = value.chars().next().filter(|c| "+-−".contains(*c));
    let size = &value[sign.map_or(0, char::len_utf8)..];
    let signed = |size: i128| if matches!(sign, Some('-' | '−')) { -size } else { size };
    if let Some(percent) = size.strip_suffix('%') {
        let millionths = text::parse_decimal(percent).map(|percent| (percent * 1e6).round() as i128);
        return match (millionths, sign) {
            (Some(_), None) => Err("a percentage is a difference and needs a sign, such as +10%".to_owned()),
            (Some(millionths), Some(_)) => Ok(ConditionThreshold::Percent(signed(millionths))),
            (None, _) => Err("expected a number before the percent sign, such as +10%".to_owned()),
        };
    }
    let (parsed, example) = match measure.unit() {
        MeasureUnit::Nanoseconds => (bound(size, Unit::Nanos), "+10%, +5ms or 200ms"),
        MeasureUnit::Bytes => (text::parse_bytes(size), "+10%, +5MB or 1GB"),
        MeasureUnit::Number => {
            let number = size
                .replace(',', "")
                .parse::<i64>()
                .ok()
                .filter(|_| size.starts_with(|c: char| c.is_ascii_digit()));
            (number, "+10%, +5 or 0")
        }
    };
    let parsed = parsed
        .map(i128::from)
        .ok_or_else(|| format!("expected a value for {} such as {example}", measure.name()))?;
    Ok(match sign {
        None => ConditionThreshold::Value(parsed),
        Some(_) => ConditionThreshold::Difference(signed(parsed)),
    })
}

/// Part of a condition that is not parsed yet.
struct Unparsed<'a> {
    all: &'a str,
    at: usize,
}

impl<'a> Unparsed<'a> {
    fn rest(&self) -> &'a str {
        self.all.get(self.at..).unwrap_or_default()
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips spaces and returns the position after them.
    fn skip_spaces(&mut self) -> usize {
        self.take_while(char::is_whitespace);
        self.at
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    /// Parses the end of a condition: nothing, or a required verdict.
    fn verdict(&mut self) -> Result<Option<DurationVerdict>, (usize, String)> {
        let start = self.skip_spaces();
        if self.rest().is_empty() {
            return Ok(None);
        }
        if self.take_while(char::is_alphanumeric) != "and" {
            return Err((
                start,
                "expected the end of the condition, “and slower” or “and faster”".to_owned(),
            ));
        }
        let start = self.skip_spaces();
        let verdict = match self.rest().trim_end() {
            "slower" => DurationVerdict::Slower,
            "faster" => DurationVerdict::Faster,
            _ => return Err((start, "expected “slower” or “faster”".to_owned())),
        };
        Ok(Some(verdict))
    }
}
