//! Compact storage of the table of queries: about forty bytes per query, since a trace may have a million. Everything
//! else is read from the trace.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::{is_whole, outcome};
use crate::base::FxHashMap;
use crate::base::columns::{BlockColumn, Near, Overflow};
use crate::protocol::{Outcome, QueryColumn};
use crate::trace::{Flags, NOT_REPORTED, RunId, Span, SpanId, add_reported};

/// A query of the table, as stored in one row.
#[derive(Clone, Copy)]
pub struct Query {
    pub span: SpanId,
    pub run: RunId,
    pub start: i64,
    /// Duration in nanoseconds, as measured by the server if it reports that.
    pub duration: i64,
    pub outcome: Outcome,
    /// Whether both the start and the end of the query are in the trace.
    pub whole: bool,
    /// Number of source executions.
    pub sources: u32,
    pub rows_read: Option<i64>,
    pub rows_returned: Option<i64>,
    pub bytes: Option<i64>,
}

/// Value that is summed up over the parts of a query.
#[derive(Clone, Copy)]
pub enum Summed {
    RowsRead,
    RowsReturned,
    Bytes,
}

/// All queries in the order of their spans.
#[derive(Default)]
pub struct QueryRows {
    rows: BlockColumn<QueryRowData>,
    sums: BlockColumn<[i64; 3]>,
    starts: Near,
    /// Times between start and end that do not fit into a row.
    durations: Overflow,
    /// Duration by row, for queries whose server measured a duration other than the time from start to end.
    measured: FxHashMap<u32, i64>,
    /// First row of each run.
    runs: Vec<u32>,
    /// The row that was found last, where the next search begins: most callers visit spans in their order.
    last: AtomicU32,
    /// Whether any query has source executions.
    has_sources: bool,
    has_sums: [bool; 3],
}

#[derive(Clone, Copy)]
struct QueryRowData {
    span: SpanId,
    start: u32,
    duration: u32,
    sources: u32,
    flags: Flags,
}

impl QueryRows {
    /// Starts the next run (recording): queries that are appended from now on belong to it.
    pub fn begin_run(&mut self) {
        self.runs.push(self.len());
    }

    /// Appends a query and returns its row. Its span id must be higher than those of all previous queries. `took` is
    /// its duration in nanoseconds, which may differ from the time between start and end.
    pub fn push(&mut self, id: SpanId, span: &Span, took: i64) -> u32 {
        if took != span.duration {
            self.measured.insert(self.len(), took);
        }
        let start = self.starts.code(self.rows.len(), span.start);
        let duration = self.durations.code(span.duration);
        self.rows.push(QueryRowData { span: id, start, duration, sources: 0, flags: span.flags });
        self.sums.push([NOT_REPORTED; 3]);
        self.len() - 1
    }

    /// Row of the query with this span; `None` if the span is not a query.
    pub fn find(&self, span: SpanId) -> Option<u32> {
        let len = self.rows.len();
        let order = |row: usize| self.rows.get(row).span.cmp(&span);
        let last = self.last.load(Relaxed) as usize;
        let (mut from, mut until) = (0, last.min(len));
        if last < len {
            match order(last) {
                Ordering::Equal => return Some(last as u32),
                Ordering::Greater => {}
                Ordering::Less => {
                    (from, until) = (last + 1, last + 1);
                    let mut step = 1;
                    while until < len && order(until).is_lt() {
                        from = until + 1;
                        until = from + step;
                        step *= 2;
                    }
                }
            }
        }
        let row = self.rows.partition_point(from..until.min(len), |row| row.span < span);
        let found = (row < len && order(row).is_eq()).then_some(row as u32)?;
        self.last.store(found, Relaxed);
        Some(found)
    }

    /// Adds one source execution to a query.
    pub fn add_source(&mut self, row: u32) {
        let mut query = self.rows.get(row as usize);
        query.sources = query.sources.saturating_add(1);
        self.has_sources = true;
        self.rows.set(row as usize, query);
    }

    /// Adds a value to the sum `what` of a query; `None` if the value was not reported.
    pub fn add(&mut self, row: u32, what: Summed, value: Option<i64>) {
        let Some(value) = value else { return };
        self.has_sums[what as usize] = true;
        let mut sums = self.sums.get(row as usize);
        add_reported(&mut sums[what as usize], value);
        self.sums.set(row as usize, sums);
    }

    /// Columns that are empty for all queries.
    pub fn empty_columns(&self) -> Vec<QueryColumn> {
        let [read, returned, bytes] = self.has_sums;
        let columns = [
            (self.has_sources, QueryColumn::Sources),
            (read, QueryColumn::RowsRead),
            (returned, QueryColumn::RowsReturned),
            (bytes, QueryColumn::BufferBytes),
        ];
        columns.into_iter().filter(|(has, _)| !has).map(|(_, column)| column).collect()
    }

    /// Number of queries; rows are `0..len`.
    pub fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Returns the query in a row.
    pub fn get(&self, row: u32) -> Query {
        let QueryRowData { span, sources, flags, .. } = self.rows.get(row as usize);
        let sums = self.sums.get(row as usize);
        let reported = |what: Summed| Some(sums[what as usize]).filter(|&sum| sum != NOT_REPORTED);
        Query {
            span,
            run: self.run(row),
            start: self.start(row),
            duration: self.duration(row),
            outcome: outcome(flags),
            whole: is_whole(flags),
            sources,
            rows_read: reported(Summed::RowsRead),
            rows_returned: reported(Summed::RowsReturned),
            bytes: reported(Summed::Bytes),
        }
    }

    pub fn span(&self, row: u32) -> SpanId {
        self.rows.get(row as usize).span
    }

    pub fn flags(&self, row: u32) -> Flags {
        self.rows.get(row as usize).flags
    }

    pub fn run(&self, row: u32) -> RunId {
        RunId(self.runs.partition_point(|&first| first <= row).saturating_sub(1) as u32)
    }

    pub fn start(&self, row: u32) -> i64 {
        self.starts.number(row as usize, self.rows.get(row as usize).start)
    }

    /// Time between start and end, in nanoseconds.
    pub fn length(&self, row: u32) -> i64 {
        self.durations.number(self.rows.get(row as usize).duration)
    }

    /// Duration in nanoseconds, as measured by the server if it reports that.
    pub fn duration(&self, row: u32) -> i64 {
        self.measured.get(&row).copied().unwrap_or_else(|| self.length(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Kind, RecordId, StrId};

    #[test]
    fn rows_are_found_in_any_order() {
        let mut rows = QueryRows::default();
        assert_eq!(rows.find(SpanId(0)), None);
        let span = Span {
            start: 0,
            duration: 1,
            parent: None,
            name: StrId(0),
            kind: Kind::Query,
            flags: Flags::default(),
            depth: 0,
            begin: RecordId::NONE,
            end: RecordId::NONE,
        };
        (0..100).for_each(|row| assert_eq!(rows.push(SpanId(3 * row + 1), &span, 1), row));
        // 151 has no factor in common with 310, so that all ids are visited, in steps of several lengths.
        for step in [1, 7, 151, 309] {
            for id in (0..310).map(|at| at * step % 310) {
                let expected = (id % 3 == 1 && id < 300).then_some(id / 3);
                assert_eq!(rows.find(SpanId(id)), expected, "{id}");
            }
        }
    }
}
