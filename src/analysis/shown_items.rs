//! The spans and events that a view draws while its filter hides all others.

use super::{Bits, Hits, PointRows};
use crate::trace::{Item, SpanId, Trace};

/// The spans and events that match a filter, while all others are hidden.
pub struct ShownItems {
    /// The spans and events that match.
    pub matching: Hits,
    /// The spans and events that match, and all spans around them: collapsed tracks draw these, so that they do not look
    /// empty while there is a match inside.
    pub around: Hits,
}

impl ShownItems {
    /// The items of a filter whose matches are `rows` (spans by their ids, followed by events).
    pub fn new(trace: &Trace, rows: &Bits, filter: &str) -> Self {
        let matching = Hits::among(trace, rows, None, filter.to_owned());
        let mut around = rows.clone();
        spans_around(trace, rows).iter().for_each(|span| around.insert(span));
        // A filter has no NUL, so that the texts differ.
        let around = Hits::among(trace, &around, None, format!("{filter}\0"));
        Self { matching, around }
    }
}

/// The spans among `rows` (spans by their ids, followed by events), and all spans that contain one of the rows.
#[inline(never)]
pub fn spans_around(trace: &Trace, rows: &Bits) -> Bits {
    let mut found = Bits::below(trace.spans.len());
    let all = PointRows::of(trace);
    for row in rows.iter() {
        let mut next = match all.item(row) {
            Item::Span(id) => Some(id),
            event @ Item::Event(_) => trace.parent(event),
        };
        while let Some(id) =
            next.filter(|id: &SpanId| !found.contains(id.0) && trace.contains(Item::Span(*id)))
        {
            found.insert(id.0);
            next = trace.spans.parent(id);
        }
    }
    found
}
