//! [`Amounts`]: one number of all points.

use super::attribute::Attribute;
use super::server;
use crate::stats::self_times;
use crate::trace::{EventId, Item, Key, NOT_REPORTED, SpanId, Trace};

/// A number of every row: eight bytes each, so that measures need not look into the records again.
pub(super) struct Amounts {
    /// By row, [`NOT_REPORTED`] where it has none; rows behind the last have none.
    values: Vec<i64>,
}

impl Amounts {
    /// An attribute of every span and event of a trace; nothing where that is no number.
    #[inline(never)]
    pub fn of(trace: &Trace, attribute: Attribute) -> Self {
        let spans = (0..trace.spans.len() as u32).map(SpanId);
        let values = match attribute {
            Attribute::Start => {
                let events = (0..trace.events.len() as u32).map(EventId);
                let events = events.map(|id| trace.events.time(id));
                spans.map(|id| trace.spans.start(id)).chain(events).collect()
            }
            Attribute::Duration => spans.map(|id| trace.spans.duration(id)).collect(),
            Attribute::SelfTime => self_times(trace, 0..trace.spans.len() as u32),
            Attribute::Number(key) => numbers(trace, key),
            _ => Vec::new(),
        };
        Self { values }
    }

    /// All numbers by which a server sums up its events.
    pub fn of_server(trace: &Trace) -> impl Iterator<Item = (Attribute, Self)> {
        server::values(trace).into_iter().map(|(server, values)| (Attribute::Server(server), Self { values }))
    }

    /// What a row reports.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i64> {
        self.values.get(row).copied().filter(|&value| value != NOT_REPORTED)
    }
}

fn numbers(trace: &Trace, key: Key) -> Vec<i64> {
    let number = |item: Item| trace.num(item, key).unwrap_or(NOT_REPORTED);
    let spans = (0..trace.spans.len() as u32).map(|id| number(Item::Span(SpanId(id))));
    spans.chain((0..trace.events.len() as u32).map(|id| number(Item::Event(EventId(id))))).collect()
}
