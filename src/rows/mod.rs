//! Tables of a trace for SQL: their schemas, and the values of any column for a range of rows as plain data.

mod columns;
mod lists;
mod reader;
mod schema;
mod side;

use std::ops::Range;
use std::sync::OnceLock;

use crate::analysis::{Queries, self_times};
use crate::base::FxHashMap;
use crate::protocol::{ColumnValues, FileReport, SqlColumns, SqlColumnsRequest, SqlSideColumn, SqlTableList};
use crate::sql;
use crate::trace::{Flow, Item, RunId, SpanId, StrId, Trace, TrackId, key};

pub use lists::{EVENT_COLUMNS, SPAN_COLUMNS};
/// Makers of columns, and columns that several tables have.
pub mod column {
    pub use super::schema::{RUN_ID, TRACE_ID, flag, int, text};
}
pub use schema::{
    ColumnSchema, ColumnType, PARTITIONS, SIDE_COLUMNS, TABLES, TableSchema, VERSION, plain_name,
    side_column_names, side_table_name, stable_hash, table,
};
pub use side::{SideColumn, SqlSideTable};

/// Name of the manifest in the folder of a data set.
pub const MANIFEST: &str = "queryscope-dataset.json";
/// Maximum number of items in the reply to a request.
const MOST_ITEMS: u32 = 1 << 17;

macro_rules! known_tables {
    ($($table:ident = $name:literal,)*) => {
        /// A table that every trace has.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub enum KnownTable {
            $($table,)*
        }

        impl KnownTable {
            /// Name in SQL.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$table => $name,)*
                }
            }

            /// The table with this name.
            pub fn of_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$table),)*
                    _ => None,
                }
            }
        }
    };
}

known_tables! {
    Runs = "runs",
    Tracks = "tracks",
    Spans = "spans",
    Events = "events",
    Counters = "counters",
    Flows = "flows",
    Args = "args",
    Attributes = "attributes",
    LockWaits = "lock_waits",
    Notes = "notes",
    Files = "files",
    Problems = "problems",
}

/// A table of a trace: one that every trace has, or a side table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableRef {
    /// A table that every trace has.
    Known(KnownTable),
    /// Index in [`TraceTables::side_tables`].
    Side(usize),
}

/// What the tables of a trace derive from it; valid until the trace changes.
pub struct TraceTables {
    /// Name of the trace.
    pub name: String,
    /// The import report.
    pub files: Vec<FileReport>,
    /// Tables in the files that are not events.
    pub side_tables: Vec<SqlSideTable>,
    self_ns: OnceLock<Vec<i64>>,
    depths: OnceLock<Vec<u32>>,
    queries: OnceLock<Queries>,
    shapes: OnceLock<FxHashMap<StrId, String>>,
    flows: OnceLock<Vec<Flow<Item>>>,
    places: OnceLock<Vec<lists::ProblemRow>>,
    runs: Vec<RunId>,
}

/// Reads the tables of a trace.
#[derive(Clone, Copy)]
pub struct TableReader<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// What is derived from it.
    pub tables: &'a TraceTables,
}

impl TraceTables {
    /// The tables of a trace with this name and import report.
    pub fn new(trace: &Trace, name: &str, files: Vec<FileReport>) -> Self {
        Self {
            name: name.to_owned(),
            files,
            side_tables: side::side_tables(trace),
            self_ns: OnceLock::new(),
            depths: OnceLock::new(),
            queries: OnceLock::new(),
            shapes: OnceLock::new(),
            flows: OnceLock::new(),
            places: OnceLock::new(),
            runs: runs_of_tracks(trace),
        }
    }
}

impl<'a> TableReader<'a> {
    /// The table with this name.
    pub fn table(self, name: &str) -> Option<TableRef> {
        let side = || self.tables.side_tables.iter().position(|table| table.name == name);
        KnownTable::of_name(name).map(TableRef::Known).or_else(|| side().map(TableRef::Side))
    }

    /// Number of items of a table: what has attributes, for `args` and `counters`; rows, for all other tables.
    pub fn n_items(self, table: TableRef) -> usize {
        let trace = self.trace;
        let (spans, events) = (trace.spans.len(), trace.events.len());
        let TableRef::Known(table) = table else {
            let TableRef::Side(at) = table else { return 0 };
            return self.tables.side_tables.get(at).map_or(0, |table| table.n_rows(trace));
        };
        match table {
            KnownTable::Runs => trace.runs.len(),
            KnownTable::Tracks => trace.tracks.len(),
            KnownTable::Spans => spans,
            KnownTable::Events | KnownTable::Counters => events,
            KnownTable::Flows => trace.flows.len(),
            KnownTable::Args => spans + events + trace.tracks.len(),
            KnownTable::Attributes => trace.keys.iter().count(),
            KnownTable::LockWaits => trace.lock_waits.len(),
            KnownTable::Notes => trace.notes.len(),
            KnownTable::Files => self.tables.files.len(),
            KnownTable::Problems => self.places().len(),
        }
    }

    /// The columns of a part of a table, and its number of rows. A column that is not known has no values.
    pub fn read(self, table: TableRef, part: Range<usize>, columns: &[&str]) -> (usize, Vec<ColumnValues>) {
        let source = match table {
            TableRef::Known(KnownTable::Args) => {
                reader::RowSource::Attributes(lists::attributes(self.trace, part))
            }
            TableRef::Known(KnownTable::Counters) => {
                reader::RowSource::Attributes(lists::counters(self.trace, part))
            }
            _ => reader::RowSource::Range(part),
        };
        let values = columns.iter().map(|name| {
            let reader = match table {
                TableRef::Known(table) => columns::of(self, table, name, &source),
                TableRef::Side(at) => self.tables.side_tables[at].column(self.trace, name),
            };
            reader.values(self.trace, source.indices())
        });
        (source.indices().len(), values.collect())
    }

    /// The name of the trace, the formats of its files, and its side tables.
    pub fn list(self) -> SqlTableList {
        let recognised = self.tables.files.iter().filter(|file| file.recognised);
        let column = |column: &SideColumn| SqlSideColumn {
            name: column.name.clone(),
            source: self.trace.str(column.source).to_owned(),
            kind: column.kind,
        };
        SqlTableList {
            trace: self.tables.name.clone(),
            formats: recognised.map(|file| file.format.clone()).collect(),
            side_tables: self
                .tables
                .side_tables
                .iter()
                .map(|side| (side.name.clone(), side.columns.iter().map(column).collect()))
                .collect(),
        }
    }

    /// The reply to a request.
    pub fn answer(self, request: &SqlColumnsRequest) -> SqlColumns {
        let Some(table) = self.table(&request.table) else { return SqlColumns::default() };
        let items = self.n_items(table);
        let first = items.min(request.first as usize);
        let part = first..items.min(first + request.count.min(MOST_ITEMS) as usize);
        let names: Vec<&str> = request.columns.iter().map(String::as_str).collect();
        let (rows, columns) = self.read(table, part, &names);
        SqlColumns { items: items as u32, rows: rows as u32, columns }
    }

    fn run_of(self, track: TrackId) -> i64 {
        self.tables.runs.get(track.0 as usize).map_or(0, |run| i64::from(run.0))
    }

    fn self_ns(self) -> &'a [i64] {
        self.tables.self_ns.get_or_init(|| self_times(self.trace, 0..self.trace.spans.len() as u32))
    }

    fn queries(self) -> &'a Queries {
        self.tables.queries.get_or_init(|| Queries::of(self.trace))
    }

    /// The shapes of all statements of spans.
    fn shapes(self) -> &'a FxHashMap<StrId, String> {
        self.tables.shapes.get_or_init(|| {
            let mut shapes = FxHashMap::default();
            for span in (0..self.trace.spans.len() as u32).map(|id| Item::Span(SpanId(id))) {
                if let Some(statement) = self.trace.text(span, key::SQL) {
                    shapes.entry(statement).or_insert_with(|| sql::shape(self.trace.str(statement)));
                }
            }
            shapes
        })
    }

    fn flows(self) -> &'a [Flow<Item>] {
        self.tables.flows.get_or_init(|| {
            let flows = &self.trace.flows;
            flows.iter().map(|flow| flow.of_items()).chain(flows.of_instants().copied()).collect()
        })
    }

    fn places(self) -> &'a [lists::ProblemRow] {
        self.tables.places.get_or_init(|| lists::problems(&self.tables.files))
    }

    /// Number of spans above each span.
    fn depths(self) -> &'a [u32] {
        self.tables.depths.get_or_init(|| depths(self.trace))
    }
}

fn runs_of_tracks(trace: &Trace) -> Vec<RunId> {
    let mut runs = vec![RunId(0); trace.tracks.len()];
    for (at, run) in trace.runs.iter().enumerate() {
        for track in trace.tracks.subtree(run.track) {
            if let Some(known) = runs.get_mut(track as usize) {
                *known = RunId(at as u32);
            }
        }
    }
    runs
}

fn depths(trace: &Trace) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut depths = vec![UNKNOWN; trace.spans.len()];
    let mut chain = Vec::new();
    for first in 0..depths.len() {
        let mut at = first;
        // A parent may come later, on another track.
        let above = loop {
            if depths[at] != UNKNOWN {
                break depths[at].saturating_add(1);
            }
            chain.push(at);
            match trace.spans.parent(SpanId(at as u32)) {
                Some(parent) if chain.len() <= depths.len() => at = parent.0 as usize,
                _ => break 0,
            }
        };
        for (above, span) in (above..).zip(chain.drain(..).rev()) {
            depths[span] = above;
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use crate::protocol::{SqlResult, SqlResultColumn, SqlValueKind};
    use crate::trace::{EventId, Item, SpanId};

    #[test]
    fn ids_name_items() {
        let (span, event) = (|id| Item::Span(SpanId(id)).code(), |id| Item::Event(EventId(id)).code());
        let column = |name: &&str| SqlResultColumn { name: (*name).to_owned(), kind: SqlValueKind::Number };
        for (columns, value, expected) in [
            (&["span_id"][..], "7", Some(span(7))),
            (&["waiter_span_id"], "0", Some(span(0))),
            (&["query_span_id"], "3", Some(span(3))),
            (&["event_id"], "1", Some(event(1))),
            (&["to_event_id"], "1", Some(event(1))),
            (&["parent_id", "span_id"], "7", Some(span(7))),
            (&["parent_id", "name", "event_id"], "7", Some(span(7))),
            // Of the tracks.
            (&["parent_id", "track_id"], "7", None),
            (&["duration_ns"], "7", None),
            (&["span_id"], "-1", None),
            (&["span_id"], "4294967296", None),
            (&[], "1", None),
        ] {
            let result = SqlResult { columns: columns.iter().map(column).collect(), ..SqlResult::default() };
            assert_eq!(result.item(0, value), expected, "{columns:?} {value}");
        }
    }
}
