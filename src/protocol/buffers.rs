//! Buffer events over time, by type, by run and by query.

use serde::{Deserialize, Serialize};

use super::Charts;

/// Quantity that is summed over buffer events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum BufferMeasure {
    /// Bytes moved.
    #[default]
    Bytes,
    /// Elements or pages moved.
    Elements,
    /// Number of events.
    Events,
}

impl BufferMeasure {
    /// All measures.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Elements, Self::Events];
}

/// Buffer events of a time range, over time, by type and by run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BufferActivity {
    /// Chart with [`Charts::buffers`] only: the measure per time step (or its sum since the start of the range), by type. All
    /// types of the trace have a series, so that their order does not depend on the range.
    pub charts: Charts,
    /// Totals by type, in the order of the series.
    pub types: Vec<BufferTypeRow>,
    /// Totals by run, in the order of opening; only runs with buffer events in the range.
    pub runs: Vec<BufferRunRow>,
    /// Share of the written bytes that reached secondary storage.
    pub spill: SpillShare,
}

/// Totals of the buffer events of one type.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BufferTypeRow {
    /// Name of the type, such as SPILL.
    pub name: String,
    /// Item code of the event with the most bytes; `None` without events in the range.
    pub largest: Option<u32>,
    /// Number of events.
    pub events: u64,
    /// Total bytes moved; `None` if not reported.
    pub bytes: Option<i64>,
    /// Total elements or pages moved; `None` if not reported.
    pub elements: Option<i64>,
}

/// Totals of the buffer events of one run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BufferRunRow {
    /// Name of the run.
    pub run: String,
    /// Number of events.
    pub events: u64,
    /// Total bytes moved; `None` if not reported.
    pub bytes: Option<i64>,
    /// Total elements or pages moved; `None` if not reported.
    pub elements: Option<i64>,
    /// Share of the run's written bytes that reached secondary storage.
    pub spill: SpillShare,
}

/// Written bytes, and the part of them that reached secondary storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SpillShare {
    /// Bytes of LOGICAL_WRITE, PHYSICAL_WRITE and SPILL events; `None` if none reports bytes.
    pub written: Option<i64>,
    /// Bytes of PHYSICAL_WRITE and SPILL events.
    pub spilled: i64,
}

impl SpillShare {
    /// Spilled bytes divided by written bytes, from 0 to 1; `None` if nothing was written.
    pub fn share(self) -> Option<f64> {
        self.written.filter(|written| *written > 0).map(|written| self.spilled as f64 / written as f64)
    }
}

/// Order and time range of the list of queries with buffer events.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BufferQueryList {
    /// Column that orders the list, largest value first (text: from A to Z).
    pub sort: BufferQueryColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only buffer events in this half-open range, in nanoseconds.
    pub range: Option<(i64, i64)>,
    /// Filter of the buffer events: see [`FilterRequest`](super::FilterRequest). Empty for all.
    pub filter: String,
}

/// A column that orders the list of queries with buffer events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BufferQueryColumn {
    #[default]
    Bytes,
    Elements,
    Events,
    Spilled,
    SpillShare,
    Duration,
}

/// A page of the list of queries with buffer events.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BufferQueryPage {
    /// Number of queries with buffer events in the range.
    pub total: u32,
    /// Number of buffer events in the range that belong to no query.
    pub without_query: u64,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<BufferQueryRow>,
}

/// A query with its buffer events.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BufferQueryRow {
    /// Item code of the query's span.
    pub item: u32,
    /// Text of the statement, shortened.
    pub title: String,
    /// Name of the run.
    pub run: String,
    /// Duration of the query, in nanoseconds. A lower bound if it is not complete.
    pub duration: i64,
    /// Whether both its start and its end are in the trace.
    pub is_complete: bool,
    /// Number of buffer events.
    pub events: u64,
    /// Total bytes moved; `None` if not reported.
    pub bytes: Option<i64>,
    /// Total elements or pages moved; `None` if not reported.
    pub elements: Option<i64>,
    /// Share of the query's written bytes that reached secondary storage.
    pub spill: SpillShare,
}
