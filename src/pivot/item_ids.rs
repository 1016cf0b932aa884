//! Conditions on the ids of spans and events, such as `span_id = 3,7,9-12`. The ids are the same as in the tables for
//! SQL.

use super::parse::PivotError;
use crate::analysis::{Bits, PointRows};
use crate::trace::Trace;
use crate::trace::attribute_names::same;

pub(super) use crate::analysis::filter::parse::{ID_NAMES, is_id};

/// A condition on the ids of spans or of events: that the id is listed or, if negated, that it is not listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ItemIds {
    is_event: bool,
    pub is_negated: bool,
    /// First and last id of each range, in ascending order.
    ranges: Vec<(u32, u32)>,
}

impl ItemIds {
    /// Parses the condition `name sign value`.
    pub fn parse(name: &str, sign: &str, value: &str) -> Result<Self, PivotError> {
        let is_negated = match sign {
            "=" | ":" => false,
            "!=" => true,
            _ => return Err(PivotError(format!("“{name}” has no order: use “=” or “!=”, not “{sign}”"))),
        };
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then_some((first, last))
        };
        let ranges: Option<Vec<(u32, u32)>> = value.split(',').map(range).collect();
        let mut ranges = ranges
            .ok_or_else(|| PivotError(format!("“{name}” needs ids such as 3,7,9-12, not “{value}”")))?;
        ranges.sort_unstable();
        Ok(Self { is_event: same(ID_NAMES[1], name), is_negated, ranges })
    }

    /// The condition without its negation.
    pub fn listed(&self) -> Self {
        Self { is_negated: false, ..self.clone() }
    }

    /// The rows of the spans and events that match.
    pub fn rows(&self, trace: &Trace) -> Bits {
        let rows = PointRows::of(trace);
        let spans = trace.spans.len() as u32;
        let all = if self.is_event { spans..rows.len() as u32 } else { 0..spans };
        let mut listed = Bits::below(rows.len());
        // Ranges may overlap; each id is listed once.
        let mut next = 0;
        for &(first, last) in &self.ranges {
            let end = last.saturating_add(1).min(all.len() as u32);
            (first.max(next)..end).for_each(|id| listed.insert(all.start + id));
            next = next.max(end);
        }
        match self.is_negated {
            false => listed,
            true => Bits::of(rows.len(), |row| !listed.contains(row)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    #[test]
    fn ids_select_rows() {
        let trace = sample::trace();
        let (spans, all) = (trace.spans.len() as u32, PointRows::of(&trace).len() as u32);
        let rows = |text: &str| {
            let [name, sign, value] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
            ItemIds::parse(name, sign, value).map(|ids| ids.rows(&trace).iter().collect::<Vec<u32>>())
        };
        let far = u32::MAX;
        for (text, expected) in [
            ("span_id = 0", vec![0]),
            ("span_id : 2,0", vec![0, 2]),
            ("Span_ID = 1-3,2,0-1", vec![0, 1, 2, 3]),
            ("span_id = 4294967295", vec![]),
            (&*format!("span_id = 1-{far}"), (1..spans).collect()),
            (&*format!("span_id != 1-{far}"), [0].into_iter().chain(spans..all).collect()),
            ("event_id = 0", (spans..all).take(1).collect()),
            ("event_id != 0", (0..all).filter(|&row| row != spans).collect()),
        ] {
            assert_eq!(rows(text), Ok(expected), "{text}");
        }
        for (text, error) in [
            ("span_id > 3", "has no order"),
            ("span_id = x", "needs ids such as 3,7,9-12"),
            ("span_id = 3,", "needs ids"),
            ("span_id = 9-3", "needs ids"),
            ("span_id = -3", "needs ids"),
            ("span_id = 4294967296", "needs ids"),
        ] {
            assert!(rows(text).is_err_and(|found| found.to_string().contains(error)), "{text}");
        }
    }
}
