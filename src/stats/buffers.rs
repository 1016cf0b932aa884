//! What the buffer manager moved, by type of event, per run.

use std::collections::BTreeMap;

use super::Sum;
use crate::trace::{EventId, Item, Kind, RunId, Trace, key};

/// The buffer events of one type in one run.
#[derive(Clone, Debug)]
pub struct BufferSum<'a> {
    /// The run.
    pub run: RunId,
    /// The type's name: SPILL, LOGICAL_READ, …
    pub kind: &'a str,
    /// How many.
    pub events: u64,
    /// Bytes moved.
    pub bytes: Sum,
    /// Elements or pages moved.
    pub elements: Sum,
}

/// Buffer events by run (in the order of opening) and by type (by name).
pub fn buffers(trace: &Trace) -> Vec<BufferSum<'_>> {
    let mut sums = Vec::new();
    for (at, run) in trace.runs.iter().enumerate() {
        let mut types: BTreeMap<&str, BufferSum> = BTreeMap::new();
        for id in trace.tracks.subtree_events(run.track).map(EventId) {
            if trace.events.kind(id) != Kind::Buffer {
                continue;
            }
            let kind = trace.str(trace.events.name(id));
            let sum = types.entry(kind).or_insert_with(|| BufferSum::new(RunId(at as u32), kind));
            sum.events += 1;
            sum.bytes.add(trace.num(Item::Event(id), key::BYTES));
            sum.elements.add(trace.num(Item::Event(id), key::ELEMENTS));
        }
        sums.extend(types.into_values());
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
    use crate::stats::sample;

    #[test]
    fn types_are_in_order_of_their_names() {
        let trace = sample::trace();
        let found: Vec<_> =
            buffers(&trace).iter().map(|b| (b.kind, b.events, b.bytes.total(), b.elements.total())).collect();
        assert_eq!(found, [("READ", 2, Some(1_500), Some(3)), ("SPILL", 1, Some(4_000), Some(4))]);
    }
}
