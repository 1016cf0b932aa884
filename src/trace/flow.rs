//! Flows: arrows from a span in which something was handed on to the span in which it went on.

use super::span::{RecordId, SpanId};
use crate::strings::StrId;

/// An arrow between two spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// What is handed on.
    pub name: StrId,
    /// Where it leaves.
    pub from: SpanId,
    /// Where it arrives.
    pub to: SpanId,
    /// When it leaves, in nanoseconds since the run's first event.
    pub leaves: i64,
    /// When it arrives; before it leaves where two clocks differ.
    pub arrives: i64,
    /// The records that say so.
    pub records: (RecordId, RecordId),
}

/// The table of flows: by the span that they leave, with an index by the one that they reach.
#[derive(Default)]
pub struct Flows {
    rows: Vec<Flow>,
    by_target: Vec<u32>,
}

impl Flows {
    /// Takes all flows of a trace.
    pub(super) fn new(mut rows: Vec<Flow>) -> Self {
        crate::sort::by_key(&mut rows, |flow| (i64::from(flow.from.0), flow.leaves.abs_diff(i64::MIN)));
        let mut by_target: Vec<u32> = (0..rows.len() as u32).collect();
        crate::sort::by_key(&mut by_target, |&at| (i64::from(rows[at as usize].to.0), u64::from(at)));
        Self { rows, by_target }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Flow> {
        self.rows.iter()
    }

    /// Those that leave a span, in time.
    pub fn leaving(&self, span: SpanId) -> &[Flow] {
        let start = self.rows.partition_point(|flow| flow.from < span);
        let end = self.rows.partition_point(|flow| flow.from <= span);
        &self.rows[start..end]
    }

    /// Those that reach a span.
    pub fn reaching(&self, span: SpanId) -> impl Iterator<Item = &Flow> {
        let target = |at: u32| self.rows[at as usize].to;
        let start = self.by_target.partition_point(|&at| target(at) < span);
        let end = self.by_target.partition_point(|&at| target(at) <= span);
        self.by_target[start..end].iter().map(|&at| &self.rows[at as usize])
    }
}
