//! Where the time of a trace without statements went, by name.

use super::Name;
use crate::pivot::{Field, Pivot};
use crate::protocol::PivotView;
use crate::trace::Trace;

/// Names that the report lists.
const SHOWN: usize = 10;

/// The names whose spans have the most time of their own.
pub fn names(trace: &Trace) -> Vec<Name> {
    let mut names = Vec::new();
    let mut is_head = true;
    let mut take = |fields: &[Field]| {
        if let [Field::Text(name), measures @ ..] = fields
            && !std::mem::take(&mut is_head)
            && names.len() < SHOWN
        {
            let number = |at: usize| match measures.get(at) {
                Some(Field::Number(number)) => number.parse().unwrap_or(i64::MAX),
                _ => 0,
            };
            let [self_ns, total_ns, count, max_ns] = [0, 1, 2, 3].map(number);
            names.push(Name { name: name.clone(), count, total_ns, self_ns, max_ns });
        }
    };
    // The question is the same for all traces, and understood.
    let _ = Pivot::default().each(trace, &PivotView::names(None), false, &mut take);
    names
}
