//! Flows: arrows that show dependencies, from one span (or instant) to a later one.

use super::span::{Item, RecordId, SpanId};
use crate::base::interner::StrId;

/// An arrow between two spans (by default), or between two items of any type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow<End = SpanId> {
    /// Name of the flow, such as the value that is passed along.
    pub name: StrId,
    /// The item from which the arrow leaves.
    pub from: End,
    /// The item at which the arrow arrives.
    pub to: End,
    /// Time at the tail, in nanoseconds since the run's first event.
    pub leaves: i64,
    /// Time at the head, in nanoseconds; may be before the tail if the clocks of the two ends differ.
    pub arrives: i64,
    /// The records that report the arrow.
    pub records: (RecordId, RecordId),
}

impl Flow {
    /// Converts the arrow to an arrow between items.
    pub fn of_items(self) -> Flow<Item> {
        let Self { name, from, to, leaves, arrives, records } = self;
        Flow { name, from: Item::Span(from), to: Item::Span(to), leaves, arrives, records }
    }
}

impl Flow<Item> {
    /// Converts the arrow to an arrow between spans; `None` if one of its ends is an event.
    pub fn of_spans(self) -> Option<Flow> {
        let Self { name, from, to, leaves, arrives, records } = self;
        let (Item::Span(from), Item::Span(to)) = (from, to) else { return None };
        Some(Flow { name, from, to, leaves, arrives, records })
    }
}

/// Table of flows: flows between spans, ordered by the span that they leave and indexed by the span that they reach. Flows
/// with an event at either end are few, and are stored separately.
#[derive(Default)]
pub struct Flows {
    rows: Vec<Flow>,
    by_target: Vec<u32>,
    /// Flows with an event at either end, ordered by the item that they leave.
    of_instants: Vec<Flow<Item>>,
    instants_by_target: Vec<u32>,
}

impl Flows {
    /// Creates the table from all flows of a trace.
    pub(super) fn new(mut rows: Vec<Flow>, mut of_instants: Vec<Flow<Item>>) -> Self {
        crate::base::sort::by_key(&mut rows, |flow| (i64::from(flow.from.0), flow.leaves.abs_diff(i64::MIN)));
        let mut by_target: Vec<u32> = (0..rows.len() as u32).collect();
        crate::base::sort::by_key(&mut by_target, |&at| (i64::from(rows[at as usize].to.0), u64::from(at)));
        let leaving = |flow: &Flow<Item>| (i64::from(flow.from.code()), flow.leaves.abs_diff(i64::MIN));
        crate::base::sort::by_key(&mut of_instants, leaving);
        let mut instants_by_target: Vec<u32> = (0..of_instants.len() as u32).collect();
        let target = |at: u32| of_instants[at as usize].to.code();
        crate::base::sort::by_key(&mut instants_by_target, |&at| (i64::from(target(at)), u64::from(at)));
        Self { rows, by_target, of_instants, instants_by_target }
    }

    /// Number of flows.
    pub fn len(&self) -> usize {
        self.rows.len() + self.of_instants.len()
    }

    /// Whether there are no flows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All flows between spans.
    pub fn iter(&self) -> impl Iterator<Item = &Flow> {
        self.rows.iter()
    }

    /// All flows with an event at either end.
    pub fn of_instants(&self) -> impl Iterator<Item = &Flow<Item>> {
        self.of_instants.iter()
    }

    /// All flows that leave an item.
    pub fn leaving_item(&self, item: Item) -> Vec<Flow<Item>> {
        let spans = if let Item::Span(id) = item { self.leaving(id) } else { &[] };
        let start = self.of_instants.partition_point(|flow| flow.from.code() < item.code());
        let end = self.of_instants.partition_point(|flow| flow.from.code() <= item.code());
        spans.iter().map(|flow| flow.of_items()).chain(self.of_instants[start..end].iter().copied()).collect()
    }

    /// All flows that reach an item.
    pub fn reaching_item(&self, item: Item) -> Vec<Flow<Item>> {
        let spans = if let Item::Span(id) = item { Some(self.reaching(id)) } else { None };
        let target = |at: u32| self.of_instants[at as usize].to.code();
        let start = self.instants_by_target.partition_point(|&at| target(at) < item.code());
        let end = self.instants_by_target.partition_point(|&at| target(at) <= item.code());
        let instants = self.instants_by_target[start..end].iter().map(|&at| self.of_instants[at as usize]);
        spans.into_iter().flatten().map(|flow| flow.of_items()).chain(instants).collect()
    }

    /// Flows between spans that leave a span, ordered by time.
    pub fn leaving(&self, span: SpanId) -> &[Flow] {
        let start = self.rows.partition_point(|flow| flow.from < span);
        let end = self.rows.partition_point(|flow| flow.from <= span);
        &self.rows[start..end]
    }

    /// Flows between spans that reach a span.
    pub fn reaching(&self, span: SpanId) -> impl Iterator<Item = &Flow> {
        let target = |at: u32| self.rows[at as usize].to;
        let start = self.by_target.partition_point(|&at| target(at) < span);
        let end = self.by_target.partition_point(|&at| target(at) <= span);
        self.by_target[start..end].iter().map(|&at| &self.rows[at as usize])
    }
}
