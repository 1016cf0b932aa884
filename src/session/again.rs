//! How an item is found again when the trace is built anew: its id changes with every build, its record does not.

use super::Session;
use crate::trace::{EventId, Item, Kind, RecordId, SpanId, Trace};

/// An item, named by what every build of the same files has in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Anchor {
    kind: Kind,
    record: RecordId,
}

impl Session {
    /// What names the item with this code from now on; `None` where there is no such item, or no record of it.
    pub fn anchor(&self, code: u32) -> Option<Anchor> {
        let item = Some(Item::from_code(code)).filter(|&item| self.trace.contains(item))?;
        let anchor = Anchor { kind: self.trace.kind(item), record: record(&self.trace, item) };
        (anchor.record != RecordId::NONE).then_some(anchor)
    }

    /// The code of the item that was named, as of the last [`build`](Session::build). Looks through the whole trace.
    pub fn find(&self, anchor: Anchor) -> Option<u32> {
        let trace = &self.trace;
        let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
        let events = (0..trace.events.len() as u32).map(|id| Item::Event(EventId(id)));
        let is_it = |item: &Item| trace.kind(*item) == anchor.kind && record(trace, *item) == anchor.record;
        spans.chain(events).find(is_it).map(Item::code)
    }
}

/// The record that an item begins with, or ends with where its beginning is not in the trace.
fn record(trace: &Trace, item: Item) -> RecordId {
    match item {
        Item::Span(id) => {
            let span = trace.spans.get(id);
            if span.begin == RecordId::NONE { span.end } else { span.begin }
        }
        Item::Event(id) => trace.events.record(id),
    }
}
