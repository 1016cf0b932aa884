//! The course of one query: its events, in order, paired into intervals.

use super::fifo::{KeyedFifo, SmallMap};
use super::schema::{KublingEventType, KublingTextField};
use super::store::KublingRow;
use crate::base::interner::StrId;

/// Interval between two events, given by their positions among the query's events.
#[derive(Clone, Copy, Debug)]
pub struct KublingInterval {
    /// Event that began the interval; `None` if it is not in the trace.
    pub begin: Option<usize>,
    /// Event that ended the interval; `None` if it is not in the trace.
    pub end: Option<usize>,
    /// Whether another interval of the query has the same id.
    pub repeated: bool,
}

/// An execution in a source: work inside the source's translator.
#[derive(Clone, Copy, Debug)]
pub struct SourceExecution {
    /// Interval of the execution.
    pub interval: KublingInterval,
    /// Index of the source; `None` if it is not known.
    pub source: Option<u32>,
}

/// Identity of one use of a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourceKey {
    /// `tupleSourceId`.
    pub tuple: StrId,
    /// `connectorName`.
    pub connector: StrId,
    /// `datasourceName`; only executions have it.
    pub datasource: StrId,
}

/// The events of one query, paired to intervals. One instance is reused for all queries, so that its vectors keep
/// their memory.
#[derive(Default)]
pub struct QueryCourse {
    /// Positions of all REQUEST_START events.
    pub requests: Vec<usize>,
    /// Intervals of the query, usually one.
    pub queries: Vec<KublingInterval>,
    /// Uses of sources, in the order of their first event.
    pub sources: Vec<(KublingInterval, SourceKey)>,
    /// Executions, in the order of their first event.
    pub executions: Vec<(SourceExecution, SourceKey)>,
    /// Positions of buffer events, each with the execution that was open, if exactly one was open.
    pub buffers: Vec<(usize, Option<u32>)>,
    /// Positions of events of unknown types.
    pub others: Vec<usize>,
    pairs: KublingEventPairing,
    /// Index of the execution that each event began or ended.
    execution_of: Vec<u32>,
}

#[derive(Default)]
struct KublingEventPairing {
    open_query: KeyedFifo<()>,
    open_sources: OpenSourceEvents,
    open_executions: OpenSourceEvents,
    /// Sources in which no execution has begun yet.
    unused: KeyedFifo<StrId>,
    first_source: KeyedFifo<StrId>,
}

/// Sources or executions that have begun and not ended.
#[derive(Default)]
struct OpenSourceEvents {
    by_name: KeyedFifo<SourceKey>,
    by_tuple: KeyedFifo<StrId>,
    seen: SmallMap<SourceKey, u32>,
}

impl OpenSourceEvents {
    fn clear(&mut self) {
        self.by_name.clear();
        self.by_tuple.clear();
        self.seen.clear();
    }

    /// Records that the source or execution with index `number` began. Returns the index of the earliest one with this
    /// name, or `None` if no earlier one has it.
    fn begin(&mut self, name: SourceKey, number: u32) -> Option<u32> {
        self.by_name.push(name, number);
        self.by_tuple.push(name.tuple, number);
        let first = self.seen.get_or(name, number);
        (first != number).then_some(first)
    }

    /// Index of the source or execution that an event with this name ends: the one that began first. If the event or
    /// the source lacks the connector or datasource, only their ids are compared.
    fn end(&mut self, name: SourceKey, is_open: impl Fn(u32) -> bool) -> Option<u32> {
        if let Some(number) = self.by_name.first(name, &is_open) {
            return Some(number);
        }
        if name.connector == StrId::NONE || name.datasource == StrId::NONE {
            return self.by_tuple.first(name.tuple, &is_open);
        }
        let datasource = if name.datasource == NO_DATASOURCE { NO_DATASOURCE } else { StrId::NONE };
        self.by_name.first(SourceKey { tuple: name.tuple, connector: StrId::NONE, datasource }, &is_open)
    }
}

/// Datasource in the key of a source, which never has one. An execution that does not report its datasource has
/// [`StrId::NONE`] instead.
const NO_DATASOURCE: StrId = StrId::EMPTY;

impl QueryCourse {
    /// Reads the events of one query, in order.
    #[inline(never)]
    pub fn read(&mut self, rows: &[KublingRow]) {
        self.clear();
        for (at, row) in rows.iter().enumerate() {
            let execution = match row.kind {
                KublingEventType::RequestStart => {
                    self.requests.push(at);
                    None
                }
                KublingEventType::QueryStart | KublingEventType::QueryEnd => {
                    self.query(at, row);
                    None
                }
                KublingEventType::SourceStart | KublingEventType::SourceEnd => {
                    self.source(at, row);
                    None
                }
                KublingEventType::ExecutionStart | KublingEventType::ExecutionEnd => {
                    Some(self.execution(at, row))
                }
                KublingEventType::Buffer => {
                    self.buffers.push((at, None));
                    None
                }
                KublingEventType::Other => {
                    self.others.push(at);
                    None
                }
            };
            self.execution_of.push(execution.unwrap_or(u32::MAX));
        }
        self.adopt_executions();
        if !self.buffers.is_empty() {
            self.adopt_buffers(rows);
        }
    }

    fn clear(&mut self) {
        self.requests.clear();
        self.queries.clear();
        self.sources.clear();
        self.executions.clear();
        self.buffers.clear();
        self.others.clear();
        self.execution_of.clear();
        self.pairs.open_query.clear();
        self.pairs.open_sources.clear();
        self.pairs.open_executions.clear();
        self.pairs.unused.clear();
        self.pairs.first_source.clear();
    }

    fn query(&mut self, at: usize, row: &KublingRow) {
        let queries = &mut self.queries;
        let repeated = !queries.is_empty();
        if row.kind == KublingEventType::QueryStart {
            self.pairs.open_query.push((), queries.len() as u32);
            queries.push(KublingInterval { begin: Some(at), end: None, repeated });
        } else if let Some(open) = self.pairs.open_query.first((), |n| queries[n as usize].end.is_none()) {
            queries[open as usize].end = Some(at);
        } else {
            queries.push(KublingInterval { begin: None, end: Some(at), repeated });
        }
    }

    #[inline(never)]
    fn source(&mut self, at: usize, row: &KublingRow) {
        let name = SourceKey { datasource: NO_DATASOURCE, ..name(row) };
        let (sources, pairs) = (&mut self.sources, &mut self.pairs);
        let number = sources.len() as u32;
        if row.kind == KublingEventType::SourceStart {
            let first = pairs.open_sources.begin(name, number);
            if let Some(first) = first {
                sources[first as usize].0.repeated = true;
            }
            sources.push((KublingInterval { begin: Some(at), end: None, repeated: first.is_some() }, name));
        } else {
            let open = pairs.open_sources.end(name, |n| sources[n as usize].0.end.is_none());
            if let Some(open) = open {
                sources[open as usize].0.end = Some(at);
                return;
            }
            sources.push((KublingInterval { begin: None, end: Some(at), repeated: false }, name));
        }
        if name.tuple != StrId::NONE {
            pairs.unused.push(name.tuple, number);
            pairs.first_source.push(name.tuple, number);
        }
    }

    /// Returns the number of the execution that the event begins or ends.
    #[inline(never)]
    fn execution(&mut self, at: usize, row: &KublingRow) -> u32 {
        let name = name(row);
        let executions = &mut self.executions;
        let number = executions.len() as u32;
        if row.kind == KublingEventType::ExecutionStart {
            let first = self.pairs.open_executions.begin(name, number);
            if let Some(first) = first {
                executions[first as usize].0.interval.repeated = true;
            }
            let interval = KublingInterval { begin: Some(at), end: None, repeated: first.is_some() };
            executions.push((SourceExecution { interval, source: None }, name));
        } else {
            let is_open = |n: u32| executions[n as usize].0.interval.end.is_none();
            if let Some(open) = self.pairs.open_executions.end(name, is_open) {
                executions[open as usize].0.interval.end = Some(at);
                return open;
            }
            let interval = KublingInterval { begin: None, end: Some(at), repeated: false };
            executions.push((SourceExecution { interval, source: None }, name));
        }
        let source = self.source_of(name.tuple);
        self.executions[number as usize].0.source = source;
        number
    }

    /// Source of an execution that begins now: the first open source with its id that has no execution yet, else the
    /// first open source with its id.
    fn source_of(&mut self, tuple: StrId) -> Option<u32> {
        let (sources, pairs) = (&self.sources, &mut self.pairs);
        let is_open = |n: u32| sources[n as usize].0.end.is_none();
        let Some(unused) = pairs.unused.first(tuple, is_open) else {
            return pairs.open_sources.by_tuple.first(tuple, is_open);
        };
        // This source is now used: the next search begins after it.
        pairs.unused.first(tuple, |n| n != unused);
        Some(unused)
    }

    /// Assigns each execution that began while no source with its id was open to the first source with that id: an
    /// execution belongs to a source by its id, even if its start was written before that of the source.
    fn adopt_executions(&mut self) {
        for (execution, name) in &mut self.executions {
            if execution.source.is_none() {
                execution.source = self.pairs.first_source.first(name.tuple, |_| true);
            }
        }
    }

    /// Assigns each buffer event to the execution that is open at its time, if exactly one is open. Only the count of
    /// the open executions and the sum of their indices are tracked: if the count is 1, the sum is the index.
    #[inline(never)]
    fn adopt_buffers(&mut self, rows: &[KublingRow]) {
        let (mut open, mut sum) = (0_u32, 0_u64);
        for (number, (execution, _)) in self.executions.iter().enumerate() {
            if execution.interval.begin.is_none() {
                (open, sum) = (open + 1, sum + number as u64);
            }
        }
        let mut buffers = self.buffers.iter_mut();
        for (row, &execution) in rows.iter().zip(&self.execution_of) {
            match row.kind {
                KublingEventType::ExecutionStart => (open, sum) = (open + 1, sum + u64::from(execution)),
                KublingEventType::ExecutionEnd => (open, sum) = (open - 1, sum - u64::from(execution)),
                KublingEventType::Buffer => {
                    if let Some(buffer) = buffers.next() {
                        buffer.1 = (open == 1).then_some(sum as u32);
                    }
                }
                _ => {}
            }
        }
    }
}

fn name(row: &KublingRow) -> SourceKey {
    let text = |text| row.text(text).unwrap_or(StrId::NONE);
    SourceKey {
        tuple: text(KublingTextField::TupleSource),
        connector: text(KublingTextField::Connector),
        datasource: text(KublingTextField::Datasource),
    }
}
