//! Compact storage of the table of queries: about forty bytes per query, since a trace may have a million. Everything
//! else is read from the trace.

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
    /// Time between start and end, in nanoseconds.
    pub length: i64,
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
        let at = self.rows.partition_point(0..self.rows.len(), |row| row.span < span);
        (at < self.rows.len() && self.rows.get(at).span == span).then_some(at as u32)
    }

    /// Row of the query with this span; `None` if the span is not a query. The rows `near` and `near + 1` are tried
    /// first.
    pub fn find_near(&self, span: SpanId, near: u32) -> Option<u32> {
        let is_it = |row: &u32| *row < self.len() && self.rows.get(*row as usize).span == span;
        [near, near.saturating_add(1)].into_iter().find(is_it).or_else(|| self.find(span))
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
        let QueryRowData { span, start, duration, sources, flags } = self.rows.get(row as usize);
        let reported = |sum: i64| Some(sum).filter(|&sum| sum != NOT_REPORTED);
        let [rows_read, rows_returned, bytes] = self.sums.get(row as usize).map(reported);
        let length = self.durations.number(duration);
        let run = self.runs.partition_point(|&first| first <= row).saturating_sub(1);
        Query {
            span,
            run: RunId(run as u32),
            start: self.starts.number(row as usize, start),
            duration: self.measured.get(&row).copied().unwrap_or(length),
            length,
            outcome: outcome(flags),
            whole: is_whole(flags),
            sources,
            rows_read,
            rows_returned,
            bytes,
        }
    }
}
