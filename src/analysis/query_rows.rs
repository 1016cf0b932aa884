//! What the table of queries keeps of each: some forty bytes, since there may be a million, and everything else is the
//! trace's.

use super::{is_whole, outcome};
use crate::base::FxHashMap;
use crate::base::columns::{BlockColumn, Near, Overflow};
use crate::protocol::{Outcome, QueryColumn};
use crate::trace::{Flags, NOT_REPORTED, RunId, Span, SpanId};

/// A query.
#[derive(Clone, Copy)]
pub struct Query {
    pub span: SpanId,
    pub run: RunId,
    pub start: i64,
    /// How long it took.
    pub duration: i64,
    /// The time between its start and its end.
    pub length: i64,
    pub outcome: Outcome,
    /// Whether both its start and its end are in the trace.
    pub whole: bool,
    /// How many source executions it has.
    pub sources: u32,
    pub rows_read: Option<i64>,
    pub rows_returned: Option<i64>,
    pub bytes: Option<i64>,
}

/// Something that is summed up over a query.
#[derive(Clone, Copy)]
pub enum Summed {
    RowsRead,
    RowsReturned,
    Bytes,
}

/// All queries, in the order of their spans.
#[derive(Default)]
pub struct QueryRows {
    rows: BlockColumn<QueryRowData>,
    sums: BlockColumn<[i64; 3]>,
    starts: Near,
    /// The times between starts and ends.
    durations: Overflow,
    /// How long queries took, by row, where their server measured something else than that.
    measured: FxHashMap<u32, i64>,
    /// Where each run's queries begin.
    runs: Vec<u32>,
    /// Whether any query has sources, and any of each sum.
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
    /// Begins the queries of the next run.
    pub fn begin_run(&mut self) {
        self.runs.push(self.len());
    }

    /// Appends a query, whose span id is higher than those of all queries before, and returns its row.
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

    /// The row of a query's own span.
    pub fn find(&self, span: SpanId) -> Option<u32> {
        let at = self.rows.partition_point(0..self.rows.len(), |row| row.span < span);
        (at < self.rows.len() && self.rows.get(at).span == span).then_some(at as u32)
    }

    /// The row of a query's span, searched first at `near` and right after it.
    pub fn find_near(&self, span: SpanId, near: u32) -> Option<u32> {
        let is_it = |row: &u32| *row < self.len() && self.rows.get(*row as usize).span == span;
        [near, near.saturating_add(1)].into_iter().find(is_it).or_else(|| self.find(span))
    }

    /// Counts a source execution.
    pub fn add_source(&mut self, row: u32) {
        let mut query = self.rows.get(row as usize);
        query.sources = query.sources.saturating_add(1);
        self.has_sources = true;
        self.rows.set(row as usize, query);
    }

    /// Adds what was reported.
    pub fn add(&mut self, row: u32, what: Summed, value: Option<i64>) {
        let Some(value) = value else { return };
        self.has_sums[what as usize] = true;
        let mut sums = self.sums.get(row as usize);
        let sum = &mut sums[what as usize];
        *sum = if *sum == NOT_REPORTED { value } else { sum.saturating_add(value).max(NOT_REPORTED + 1) };
        self.sums.set(row as usize, sums);
    }

    /// The columns in which no query has anything.
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

    /// The query of a row.
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
