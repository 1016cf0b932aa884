//! Anchors identify items across builds of the trace: the id of an item changes with every build, its record does not.

use super::Session;
use crate::protocol::RecordAtPlace;
use crate::trace::{EventId, Item, Kind, RecordId, SpanId, Trace};

/// Identifies an item in every build of the same files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Anchor {
    kind: Kind,
    record: RecordId,
}

impl Anchor {
    /// The anchor of the query with this [`record`](crate::protocol::QueryRow::record).
    pub fn of_query(record: u32) -> Self {
        Self { kind: Kind::Query, record: RecordId(record) }
    }

    fn of(trace: &Trace, code: u32) -> Option<Self> {
        let item = Some(Item::from_code(code)).filter(|&item| trace.contains(item))?;
        Some(Self { kind: trace.kind(item), record: trace.anchor_record(item)? })
    }
}

impl Session {
    /// The anchor of the item with this code; `None` if there is no such item, or it has no record.
    pub fn anchor(&self, code: u32) -> Option<Anchor> {
        Anchor::of(&self.trace, code)
    }

    /// The anchor of the item that had this code in the previous build, for requests sent while the trace was rebuilt.
    /// `None` if there is no such item, or after [`forget_before`](Self::forget_before).
    pub fn anchor_before(&self, code: u32) -> Option<Anchor> {
        Anchor::of(&self.before, code)
    }

    /// Drops the data that identifies the items of the previous build.
    pub fn forget_before(&mut self) {
        self.before = Trace::default();
    }

    /// The code of the anchored item in the last [`build`](Session::build); `None` if it is not found. Scans the whole trace.
    pub fn find(&self, anchor: Anchor) -> Option<u32> {
        let trace = &self.trace;
        self.first(|item| trace.kind(item) == anchor.kind && trace.anchor_record(item) == Some(anchor.record))
    }

    /// The record at a place of the import report, and the first item created from the record; `None` if there is no
    /// record at the place.
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
