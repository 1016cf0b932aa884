//! Totals of buffer manager events, per run and event type.

use crate::analysis::Sum;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::trace::{AttributeReader, EventId, Item, Kind, RunId, Trace, key};

/// Totals of the buffer events of one type in one run.
#[derive(Clone, Debug)]
pub struct BufferSum<'a> {
    /// Run of the events.
    pub run: RunId,
    /// Name of the event type, such as SPILL or LOGICAL_READ.
    pub kind: &'a str,
    /// Number of events.
    pub events: u64,
    /// Total bytes moved.
    pub bytes: Sum,
    /// Total elements or pages moved.
    pub elements: Sum,
}

/// Returns the totals of buffer events by run (in the order of opening), then by type name.
pub fn buffers(trace: &Trace) -> Vec<BufferSum<'_>> {
    let mut sums = Vec::new();
    let reader = AttributeReader::new(trace, [key::BYTES, key::ELEMENTS]);
    for (at, run) in trace.runs.iter().enumerate() {
        let mut types: FxHashMap<StrId, BufferSum> = FxHashMap::default();
        for id in trace.tracks.subtree_events(run.track).map(EventId) {
            if trace.events.kind(id) != Kind::Buffer {
                continue;
            }
            let name = trace.events.name(id);
            let new = || BufferSum::new(RunId(at as u32), trace.str(name));
            let sum = types.entry(name).or_insert_with(new);
            let [bytes, elements] = reader.of(Item::Event(id));
            sum.events += 1;
            sum.bytes.add(bytes);
            sum.elements.add(elements);
        }
        let from = sums.len();
        sums.extend(types.into_values());
        sort::by(&mut sums[from..], |a, b| a.kind.cmp(b.kind));
    }
    sums
}

impl<'a> BufferSum<'a> {
    fn new(run: RunId, kind: &'a str) -> Self {
        Self { run, kind, events: 0, bytes: Sum::default(), elements: Sum::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    #[test]
    fn types_are_in_order_of_their_names() {
        let trace = sample::trace();
        let found: Vec<_> =
            buffers(&trace).iter().map(|b| (b.kind, b.events, b.bytes.total(), b.elements.total())).collect();
        assert_eq!(found, [("READ", 2, Some(1_500), Some(3)), ("SPILL", 1, Some(4_000), Some(4))]);
    }
}
