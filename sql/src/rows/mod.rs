//! [`TraceRows`]: the rows of a trace's tables as record batches of bounded size, only of the columns that are asked for.

mod cells;
mod columns;
mod lists;
mod side;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use queryscope::import::ABOUT;
use queryscope::internal::analysis::{Queries, self_times};
use queryscope::protocol::FileReport;
use queryscope::session::Session;
use queryscope::trace::{Flow, Item, RunId, SpanId, Trace, TrackId};

use crate::schema::{self, TABLES, TableInfo};
use cells::Cells;
pub use side::{SideTable, SideTablePart};

/// Items of a trace that one batch holds; a batch of attributes holds the attributes of so many.
const ITEMS: usize = 1 << 14;

/// A trace with what its tables derive from it.
pub struct TraceRows {
    pub trace: Trace,
    pub files: Vec<FileReport>,
    /// Number of the trace, made from its name.
    pub id: i64,
    pub name: String,
    /// Id of its format.
    pub engine: String,
    /// Day on which it was recorded, as `2026-03-31`; `None` if that is not known.
    pub day: Option<String>,
    pub side_tables: Vec<SideTable>,
    self_ns: OnceLock<Vec<i64>>,
    depths: OnceLock<Vec<u32>>,
    queries: OnceLock<Queries>,
    shapes: OnceLock<cells::Shapes>,
    flows: OnceLock<Vec<Flow<Item>>>,
    places: OnceLock<Vec<lists::ProblemRow>>,
    runs: Vec<RunId>,
}

impl fmt::Debug for TraceRows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "TraceRows({})", self.name)
    }
}

/// A table of a trace: one that every trace has, or a side table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableRef {
    Known(&'static str),
    /// Index in [`TraceRows::side_tables`].
    Side(usize),
}

/// Number of a trace with this name.
pub fn trace_id(name: &str) -> i64 {
    (schema::stable_hash(name) >> 1) as i64
}

impl TraceRows {
    /// The built trace of a session.
    pub fn new(session: Session, name: &str, day: Option<String>) -> Self {
        let files = session.report();
        let trace = session.into_trace();
        let runs = runs_of_tracks(&trace);
        Self {
            id: trace_id(name),
            name: name.to_owned(),
            engine: engine(&files).to_owned(),
            day,
            side_tables: side::side_tables(&trace),
            files,
            trace,
            self_ns: OnceLock::new(),
            depths: OnceLock::new(),
            queries: OnceLock::new(),
            shapes: OnceLock::new(),
            flows: OnceLock::new(),
            places: OnceLock::new(),
            runs,
        }
    }

    /// All tables of the trace with their names.
    pub fn tables(&self) -> Vec<(String, TableRef)> {
        let known = TABLES.iter().map(|table| (table.name.to_owned(), TableRef::Known(table.name)));
        let side = self.side_tables.iter().enumerate();
        known.chain(side.map(|(at, table)| (table.name.clone(), TableRef::Side(at)))).collect()
    }

    /// Schema of a table as it is stored, without the columns that name folders.
    pub fn schema(&self, table: TableRef) -> SchemaRef {
        match table {
            TableRef::Known(name) => info(name).stored_schema(),
            TableRef::Side(at) => self.side_tables[at].schema.clone(),
        }
    }

    /// The ranges of items that the batches of a table are made of.
    pub fn parts(&self, table: TableRef) -> Vec<Range<usize>> {
        let len = self.items(table);
        (0..len).step_by(ITEMS).map(|start| start..(start + ITEMS).min(len)).collect()
    }

    fn items(&self, table: TableRef) -> usize {
        let (spans, events) = (self.trace.spans.len(), self.trace.events.len());
        match table {
            TableRef::Side(at) => self.side_tables[at].len(&self.trace),
            TableRef::Known("runs") => self.trace.runs.len(),
            TableRef::Known("tracks") => self.trace.tracks.len(),
            TableRef::Known("spans") => spans,
            TableRef::Known("events" | "counters") => events,
            TableRef::Known("flows") => self.trace.flows.len(),
            TableRef::Known("args") => spans + events + self.trace.tracks.len(),
            TableRef::Known("attributes") => self.trace.keys.iter().count(),
            TableRef::Known("lock_waits") => self.trace.lock_waits.len(),
            TableRef::Known("notes") => self.trace.notes.len(),
            TableRef::Known("files") => self.files.len(),
            TableRef::Known(_) => self.places().len(),
        }
    }

    /// The rows of a part of a table: the columns of `wanted`, which is a projection of its schema, or of its schema and the
    /// columns that name folders.
    ///
    /// # Errors
    /// Only if the columns do not fit the schema, which is a fault of this program.
    pub fn batch(
        &self,
        table: TableRef,
        part: Range<usize>,
        wanted: &SchemaRef,
    ) -> Result<RecordBatch, ArrowError> {
        let source = match table {
            TableRef::Known("args") => cells::Rows::Attributes(lists::attributes(self, part)),
            TableRef::Known("counters") => cells::Rows::Attributes(lists::counters(self, part)),
            _ => cells::Rows::Range(part),
        };
        let arrays = wanted.fields().iter().map(|field| {
            let cells = match field.name().as_str() {
                "trace_id" => Cells::number(|_| Some(self.id)),
                "engine" => Cells::text(|_| Some(self.engine.as_str().into())),
                "day" => Cells::text(|_| self.day.as_deref().map(Into::into)),
                name => match table {
                    TableRef::Known(table) => columns::of(self, table, name, &source),
                    TableRef::Side(at) => self.side_tables[at].cells(&self.trace, name),
                },
            };
            cells.array(&self.trace, source.indices())
        });
        let options =
            datafusion::arrow::array::RecordBatchOptions::new().with_row_count(Some(source.indices().len()));
        RecordBatch::try_new_with_options(wanted.clone(), arrays.collect(), &options)
    }

    pub(crate) fn run_of(&self, track: TrackId) -> i64 {
        self.runs.get(track.0 as usize).map_or(0, |run| i64::from(run.0))
    }

    pub(crate) fn self_ns(&self) -> &[i64] {
        self.self_ns.get_or_init(|| self_times(&self.trace, 0..self.trace.spans.len() as u32))
    }

    pub(crate) fn queries(&self) -> &Queries {
        self.queries.get_or_init(|| Queries::of(&self.trace))
    }

    pub(crate) fn shapes(&self) -> &cells::Shapes {
        self.shapes.get_or_init(|| cells::Shapes::of(&self.trace))
    }

    pub(crate) fn flows(&self) -> &[Flow<Item>] {
        self.flows.get_or_init(|| {
            let flows = &self.trace.flows;
            flows.iter().map(|flow| flow.of_items()).chain(flows.of_instants().copied()).collect()
        })
    }

    pub(crate) fn places(&self) -> &[lists::ProblemRow] {
        self.places.get_or_init(|| lists::problems(&self.files))
    }

    /// Number of spans above each span.
    pub(crate) fn depths(&self) -> &[u32] {
        self.depths.get_or_init(|| depths(&self.trace))
    }
}

fn info(name: &str) -> &'static TableInfo {
    schema::table(name).unwrap_or(&TABLES[0])
}

/// Id of the format of the first file that was recognised.
fn engine(files: &[FileReport]) -> &'static str {
    let format = files.iter().find(|file| file.recognised).map_or("", |file| file.format.as_str());
    let known = ABOUT.iter().filter(|about| format.to_lowercase().starts_with(&about.name.to_lowercase()));
    known.max_by_key(|about| about.name.len()).map_or("unknown", |about| about.id)
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

/// Traces that a query reads together.
pub type SharedTrace = Arc<TraceRows>;

/// A day as `2026-03-31`, by its number since 1970-01-01; `None` if it is farther away than any calendar reaches.
pub fn day_of(days: i64) -> Option<String> {
    let days = i32::try_from(days).ok()?;
    chrono::NaiveDate::from_epoch_days(days).map(|day| day.to_string())
}
