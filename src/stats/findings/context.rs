//! Input of the rules: the trace inside the time range, and the totals with which findings are compared.

use std::cell::OnceCell;

use crate::analysis::{Queries, Sum};
use crate::base::{FxHashMap, FxHashSet};
use crate::protocol::{FileReport, FindingShare, ShareUnit};
use crate::stats::parallel::{ThreadUse, thread_uses};
use crate::trace::{AttributeReader, EventId, Flags, Item, Kind, SpanId, Trace, clipped, key, overlaps};

/// Maximum number of ancestors to follow.
pub const MAX_PARENTS: usize = 64;

/// Total with which the time of a rule's findings is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeTotal {
    /// Durations of all queries; of all tasks in a trace without queries.
    Queries,
    /// Durations of all transactions.
    Transactions,
    /// Durations of all tasks: outermost working spans of threads.
    Tasks,
    /// Time in which threads worked.
    Busy,
    /// Time in which threads worked or were blocked.
    BusyAndBlocked,
    /// Time from the first to the last event of each run.
    Wall,
    /// The rule measures no time.
    Nothing,
}

/// Total with which the rows, bytes or records of a rule's findings are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AmountTotal {
    /// Rows read by statements, or by source executions where statements report none.
    RowsRead,
    /// Bytes of buffer events.
    BufferBytes,
    /// Records of all files.
    Records,
    /// The rule measures no amount.
    Nothing,
}

/// The trace, the time range and the files that rules read.
pub struct FindingContext<'a> {
    pub trace: &'a Trace,
    pub queries: &'a Queries,
    pub files: &'a [FileReport],
    pub range: Option<(i64, i64)>,
    /// Statements, statements inside statements and source executions in the range, by span.
    pub statements: &'a [SpanId],
    tables: &'a FindingTables,
}

/// Tables that several rules read, computed for the first of them. They are valid for one trace and one range.
#[derive(Default)]
pub struct FindingTables {
    statements: OnceCell<Vec<SpanId>>,
    workers: OnceCell<Vec<ThreadUse>>,
    /// The first failed event directly below each span that has one.
    failed_events: OnceCell<FxHashMap<SpanId, EventId>>,
    /// Rows read of each statement; `None` where not reported.
    rows_read: OnceCell<Vec<Option<i64>>>,
}

impl TimeTotal {
    /// Name of the total; `None` if there is none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Queries => Some("query time"),
            Self::Transactions => Some("transaction time"),
            Self::Tasks => Some("task time"),
            Self::Busy => Some("busy time"),
            Self::BusyAndBlocked => Some("busy and blocked time"),
            Self::Wall => Some("wall time"),
            Self::Nothing => None,
        }
    }
}

impl AmountTotal {
    /// Name of the total; `None` if there is none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::RowsRead => Some("rows read"),
            Self::BufferBytes => Some("buffer bytes"),
            Self::Records => Some("records"),
            Self::Nothing => None,
        }
    }
}

impl<'a> FindingContext<'a> {
    pub fn new(
        trace: &'a Trace,
        queries: &'a Queries,
        files: &'a [FileReport],
        range: Option<(i64, i64)>,
        tables: &'a FindingTables,
    ) -> Self {
        let kinds = [Kind::Query, Kind::Statement, Kind::Execution];
        let is_inside = |id: SpanId| {
            let (start, end) = trace.spans.bounds(id);
            range.is_none_or(|range| overlaps(start, end, range))
        };
        let statements = || {
            if !kinds.iter().any(|kind| trace.spans.has(*kind)) {
                return Vec::new();
            }
            let all = (0..trace.spans.len() as u32).map(SpanId);
            all.filter(|id| kinds.contains(&trace.spans.kind(*id)) && is_inside(*id)).collect()
        };
        let statements = tables.statements.get_or_init(statements);
        Self { trace, queries, files, range, statements, tables }
    }

    /// Whether the trace has statements. Other traces are examined by their threads.
    pub fn has_queries(&self) -> bool {
        !self.queries.is_empty()
    }

    pub fn is_inside(&self, id: SpanId) -> bool {
        let (start, end) = self.trace.spans.bounds(id);
        self.range.is_none_or(|range| overlaps(start, end, range))
    }

    /// Events inside the range.
    pub fn events(&self) -> impl Iterator<Item = EventId> {
        let times = &self.trace.events;
        let is_inside =
            |id: &EventId| self.range.is_none_or(|range| overlaps(times.time(*id), times.time(*id), range));
        (0..times.len() as u32).map(EventId).filter(is_inside)
    }

    /// Duration of a span inside the range, in nanoseconds.
    pub fn time(&self, id: SpanId) -> i64 {
        self.range.map_or_else(|| self.trace.duration(id), |range| self.trace.duration_in(id, range))
    }

    /// Start and end of a span, clipped to the range.
    pub fn bounds(&self, id: SpanId) -> (i64, i64) {
        let bounds = self.trace.spans.bounds(id);
        self.range.map_or(bounds, |range| clipped(bounds, range))
    }

    pub fn number(&self, id: SpanId, key: Option<crate::trace::Key>) -> i64 {
        key.and_then(|key| self.trace.num(Item::Span(id), key)).unwrap_or(0)
    }

    /// Use of each thread in the range; empty for a trace with statements.
    pub fn threads(&self) -> &[ThreadUse] {
        if self.has_queries() { &[] } else { self.workers() }
    }

    /// Use of each thread in the range, with and without statements.
    pub fn workers(&self) -> &[ThreadUse] {
        self.tables.workers.get_or_init(|| thread_uses(self.trace, self.range))
    }

    /// The first failed event directly below a span; `None` if there is none.
    pub fn failed_event_in(&self, id: SpanId) -> Option<EventId> {
        let first = || {
            let events = &self.trace.events;
            let mut first = FxHashMap::default();
            for event in (0..events.len() as u32).map(EventId) {
                if let Some(parent) = events.parent(event).filter(|_| events.flags(event).has(Flags::FAILED))
                {
                    first.entry(parent).or_insert(event);
                }
            }
            first
        };
        self.tables.failed_events.get_or_init(first).get(&id).copied()
    }

    /// The statements with the rows that they read; `None` where not reported.
    pub fn rows_read(&self) -> impl Iterator<Item = (SpanId, Option<i64>)> {
        let read = || {
            let reader = AttributeReader::new(self.trace, [key::ROWS_READ]);
            let num = |id: &SpanId| reader.of(Item::Span(*id))[0];
            self.statements.iter().map(num).collect::<Vec<_>>()
        };
        self.statements.iter().copied().zip(self.tables.rows_read.get_or_init(read).iter().copied())
    }

    /// Whether any of the nearest [`MAX_PARENTS`] ancestors of a span is in `spans`.
    pub fn is_below(&self, id: SpanId, spans: &FxHashSet<SpanId>) -> bool {
        let above = std::iter::successors(self.trace.spans.parent(id), |id| self.trace.spans.parent(*id));
        above.take(MAX_PARENTS).any(|id| spans.contains(&id))
    }

    fn time_total(&self, total: TimeTotal) -> Sum {
        let (trace, threads) = (self.trace, || self.threads().iter());
        let mut sum = Sum::default();
        let mut add = |time: i64| sum.add(Some(time));
        match total {
            TimeTotal::Nothing => {}
            TimeTotal::Queries => {
                (0..self.queries.len()).for_each(|row| add(self.queries.duration_in(row, self.range)));
            }
            TimeTotal::Transactions => {
                let all = (0..trace.spans.len() as u32).map(SpanId);
                let transactions = all.filter(|id| trace.spans.kind(*id) == Kind::Transaction);
                transactions.for_each(|id| add(self.time(id)));
            }
            TimeTotal::Tasks => threads().for_each(|thread| add(thread.task_time)),
            TimeTotal::Busy => threads().for_each(|thread| add(thread.busy)),
            TimeTotal::BusyAndBlocked => {
                threads().for_each(|thread| add(thread.busy.saturating_add(thread.blocked)));
            }
            TimeTotal::Wall => {
                for run in &trace.runs {
                    let whole = (0, run.duration);
                    let (start, end) = self.range.map_or(whole, |range| clipped(whole, range));
                    add(end.saturating_sub(start));
                }
            }
        }
        sum
    }

    fn amount_total(&self, total: AmountTotal) -> Sum {
        let mut sum = Sum::default();
        match total {
            AmountTotal::Nothing => {}
            AmountTotal::RowsRead => {
                let kind = self.rows_kind();
                let own = self.rows_read().filter(|(id, _)| self.trace.spans.kind(*id) == kind);
                own.for_each(|(_, rows)| sum.add(rows));
            }
            AmountTotal::BufferBytes => {
                let reader = AttributeReader::new(self.trace, [key::BYTES]);
                let buffers = self.events().filter(|id| self.trace.events.kind(*id) == Kind::Buffer);
                buffers.for_each(|id| sum.add(reader.of(Item::Event(id))[0]));
            }
            AmountTotal::Records => {
                self.files.iter().for_each(|file| sum.add(i64::try_from(file.records).ok()));
            }
        }
        sum
    }

    /// Kind of the spans whose rows are summed: statements, or source executions if no statement reports rows.
    pub fn rows_kind(&self) -> Kind {
        let reports =
            |(id, rows): (SpanId, Option<i64>)| rows.is_some() && self.trace.spans.kind(id) == Kind::Query;
        if self.rows_read().any(reports) { Kind::Query } else { Kind::Execution }
    }

    /// The affected share of each total: first the time, as a part of `of_time`, then the rows, bytes or records, as a
    /// part of `of_amount`.
    pub fn shares(
        &self,
        (time, of_time): (Sum, TimeTotal),
        (amount, of_amount): (Sum, AmountTotal),
    ) -> Vec<FindingShare> {
        let has_queries = self.has_queries() || of_time != TimeTotal::Queries;
        let of_time = if has_queries { of_time } else { TimeTotal::Tasks };
        let unit = if of_amount == AmountTotal::BufferBytes { ShareUnit::Bytes } else { ShareUnit::Count };
        // Events that are missing from a file are no share of its records.
        let has_amount = of_amount != AmountTotal::Records || amount.or_zero() > 0;
        let both = [
            (of_time.name(), ShareUnit::Time, time, self.time_total(of_time)),
            (of_amount.name().filter(|_| has_amount), unit, amount, self.amount_total(of_amount)),
        ];
        let share = |(of, unit, part, whole): (Option<&str>, ShareUnit, Sum, Sum)| {
            let whole = whole.or_zero();
            let part = part.or_zero().clamp(0, whole.max(0));
            of.filter(|_| whole > 0).map(|of| FindingShare { of: of.to_owned(), unit, part, whole })
        };
        both.into_iter().filter_map(share).collect()
    }
}
