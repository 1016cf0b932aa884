//! [`Amounts`]: a column of one number for all points.

use super::attribute::Attribute;
use super::server;
use crate::analysis::{Levels, PointRows, self_times, self_times_in};
use crate::base::chunked;
use crate::trace::{AttributeColumn, EventId, Flags, NOT_REPORTED, SpanId, Trace, clipped};

/// Values of one numeric attribute by row (spans, then events), cached because several measures read them. Rows
/// beyond the end of the column have no value.
pub(super) enum Amounts {
    /// By row: the number, or [`NOT_REPORTED`]; eight bytes each.
    Many(Vec<i64>),
    /// By row: an index into the distinct numbers; and the distinct numbers, whose first is [`NOT_REPORTED`].
    Few(Vec<u8>, [i64; FEW]),
}

/// Maximum number of distinct numbers in [`Amounts::Few`].
pub const FEW: usize = 4;

impl Amounts {
    /// A number of every span and event of a trace; empty for attributes that are not numbers.
    #[inline(never)]
    pub fn of(trace: &Trace, attribute: Attribute) -> Self {
        let (spans, events) = (0..trace.spans.len() as u32, 0..trace.events.len() as u32);
        let values = match attribute {
            Attribute::Start => {
                let mut starts = chunked::map(spans, |id| trace.spans.start(SpanId(id)));
                starts.extend(chunked::map(events, |id| trace.events.time(EventId(id))));
                starts
            }
            Attribute::Duration => chunked::map(spans, |id| trace.duration(SpanId(id))),
            Attribute::SelfTime => self_times(trace, spans),
            Attribute::Number(key) => {
                let column = AttributeColumn::<i64>::new(trace, key);
                PointRows::of(trace).all(|item| column.of(item))
            }
            _ => Vec::new(),
        };
        Self::Many(values)
    }

    /// A time of every span, clipped to a half-open range; `None` for attributes that cannot be clipped.
    #[inline(never)]
    pub fn clipped(trace: &Trace, attribute: Attribute, range: (i64, i64)) -> Option<Self> {
        let spans = 0..trace.spans.len() as u32;
        let inside = |id: u32| {
            let (from, until) = clipped(trace.spans.bounds(SpanId(id)), range);
            until.saturating_sub(from)
        };
        match attribute {
            Attribute::Duration if trace.spans.has_marked(Flags::SERVER_TIMED) => {
                Some(Self::Many(chunked::map(spans, |id| trace.duration_in(SpanId(id), range))))
            }
            Attribute::Duration => Some(Self::Many(chunked::map(spans, inside))),
            Attribute::SelfTime => Some(Self::Many(self_times_in(trace, spans, range))),
            _ => None,
        }
    }

    /// All numbers that a server uses in its summary tables.
    pub fn of_server(trace: &Trace) -> impl Iterator<Item = (Attribute, Self)> {
        server::values(trace).into_iter().map(|(server, amounts)| (Attribute::Server(server), amounts))
    }

    /// The numbers of some rows, in the order of `rows`.
    #[inline(never)]
    pub fn picked(&self, rows: &[u32]) -> Self {
        let all = 0..rows.len() as u32;
        let row = |at: u32| rows[at as usize] as usize;
        match self {
            Amounts::Many(values) => {
                let value = |at| values.get(row(at)).copied().unwrap_or(NOT_REPORTED);
                Amounts::Many(chunked::map(all, value))
            }
            // Rows after the last are events, which no server sums up.
            Amounts::Few(which, numbers) => {
                let which = |at| which.get(row(at)).copied().unwrap_or(0);
                Amounts::Few(chunked::map(all, which), *numbers)
            }
        }
    }

    /// The numbers of the points that count at their level; [`NOT_REPORTED`] for the others.
    pub fn counted(&self, levels: &Levels, rows: usize) -> Self {
        let value = |row: u32| {
            let reported = self.get(row as usize).filter(|_| !levels.leaves_out(row));
            reported.unwrap_or(NOT_REPORTED)
        };
        Self::Many(chunked::map(0..rows as u32, value))
    }

    /// The number of a row; `None` if the row does not report it.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i64> {
        let value = match self {
            Amounts::Many(values) => *values.get(row)?,
            Amounts::Few(which, values) => *values.get(usize::from(*which.get(row)?))?,
        };
        Some(value).filter(|&value| value != NOT_REPORTED)
    }
}
