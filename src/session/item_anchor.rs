//! How an item is found again when the trace is built anew: its id changes with every build, its record does not.

use super::Session;
use crate::protocol::RecordAtPlace;
use crate::trace::{EventId, Item, Kind, RecordId, SpanId, Trace};

/// An item, named by what every build of the same files has in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Anchor {
    kind: Kind,
    record: RecordId,
}

impl Anchor {
    /// The query with this [`record`](crate::protocol::QueryRow::record).
    pub fn of_query(record: u32) -> Self {
        Self { kind: Kind::Query, record: RecordId(record) }
    }

    fn of(trace: &Trace, code: u32) -> Option<Self> {
        let item = Some(Item::from_code(code)).filter(|&item| trace.contains(item))?;
        Some(Self { kind: trace.kind(item), record: trace.anchor_record(item)? })
    }
}

impl Session {
    /// What names the item with this code from now on; `None` where there is no such item, or no record of it.
    pub fn anchor(&self, code: u32) -> Option<Anchor> {
        Anchor::of(&self.trace, code)
    }

    /// What names the item that had this code in the build before the last one: somebody pointed at it while the trace was
    /// built anew. `None` also once that build was [forgotten](Self::forget_before).
    pub fn anchor_before(&self, code: u32) -> Option<Anchor> {
        Anchor::of(&self.before, code)
    }

    /// Drops the item names of the build before the last one.
    pub fn forget_before(&mut self) {
        self.before = Trace::default();
    }

    /// The code of the item that was named, as of the last [`build`](Session::build). Looks through the whole trace.
    pub fn find(&self, anchor: Anchor) -> Option<u32> {
        let trace = &self.trace;
        self.first(|item| trace.kind(item) == anchor.kind && trace.anchor_record(item) == Some(anchor.record))
    }

    /// The record at a place of the import report, and the first item that was made of the record.
    pub(super) fn record_at(&self, file: u32, offset: u64) -> Option<RecordAtPlace> {
        let record = self.import.around(file, offset)?;
        let is_of_record = |item| {
            let (first, last) = self.trace.ends(item);
            first == record || last == record
        };
        Some(RecordAtPlace { record: self.place(record), item: self.first(is_of_record) })
    }

    fn first(&self, is_it: impl Fn(Item) -> bool) -> Option<u32> {
        let spans = (0..self.trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
        let events = (0..self.trace.events.len() as u32).map(|id| Item::Event(EventId(id)));
        spans.chain(events).find(|&item| is_it(item)).map(Item::code)
    }
}
