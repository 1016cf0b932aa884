//! Where the time of a trace without statements went, by name.

use super::Name;
use crate::pivot::{Field, Pivot};
use crate::protocol::{PivotSpec, PivotView};
use crate::trace::Trace;

/// Names that the report lists.
const SHOWN: usize = 10;

/// The names whose spans have the most time of their own.
pub fn names(trace: &Trace) -> Vec<Name> {
    let spec = PivotSpec {
        by: "name".to_owned(),
        measures: "count,sum,sum(self),max".to_owned(),
        filter: "duration >= 0ns".to_owned(),
        range: None,
    };
    let view = PivotView { spec, sort: Some(2), descending: true, open: Vec::new() };
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
            let [count, total_ns, self_ns, max_ns] = [0, 1, 2, 3].map(number);
            names.push(Name { name: name.clone(), count, total_ns, self_ns, max_ns });
        }
    };
    // The question is the same for all traces, and understood.
    let _ = Pivot::default().each(trace, &view, false, &mut take);
    names
}
