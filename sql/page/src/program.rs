//! [`SqlProgram`]: one statement at a time over the trace of the page, in steps: it asks for what is missing, and runs when
//! everything is there.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::execution::context::SessionContext;
use queryscope::import::ABOUT;
use queryscope::protocol::{
    AnyRequest, FilterCompletions, SqlChart, SqlColumns, SqlColumnsRequest, SqlFailure, SqlOrder,
    SqlPlannedReads, SqlReadyStatement, SqlResult, SqlResultColumn, SqlTableList, SqlTableListRequest,
    SqlValueKind,
};
use queryscope_sql::cells::{self, Cell};
use queryscope_sql::dataset::{Dataset, DatasetFiles};
use queryscope_sql::parquet_file;
use queryscope_sql::statement::{self, Limits, QueryError, ResultRows};
use queryscope_sql::statements::{ReadyStatement, STATEMENTS};

use crate::complete::{CompletionPlace, KnownNames};
use crate::dataset::DatasetProgram;
use crate::planning::{failure, planned};
use crate::tables::{PageTable, PageTables};
use crate::{chart, ids, track};

/// Bytes of memory for sorting, grouping and joining, and for the result.
pub const MEMORY: usize = 1 << 30;

/// Bytes of memory for the texts of a result; the page shows no rows beyond them.
const RESULT_BYTES: usize = 64 << 20;

/// What the page has to do next.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // a step lives only until it is written
pub enum Step {
    /// Ask the engine, and give its reply to [`SqlProgram::take`].
    Ask(AnyRequest),
    /// Show the result.
    Done(Result<SqlResult, SqlFailure>),
    /// Show what may be written in this statement.
    Completed(String, FilterCompletions),
    /// Nothing: the reply to an earlier request comes first.
    Wait,
}

impl Step {
    fn completed(sql: &str, names: &KnownNames, place: CompletionPlace) -> Self {
        Self::Completed(sql.to_owned(), names.completions(sql, place))
    }
}

/// The tables of the data set, and the names that statements over them may use.
struct DatasetContext {
    context: SessionContext,
    /// The side tables among them.
    side: Vec<String>,
    names: KnownNames,
}

/// The tables of the trace that the engine has open, and the names that statements over them may use.
struct TraceContext {
    tables: PageTables,
    context: SessionContext,
    names: KnownNames,
}

/// The tables of the trace, the statement that runs, and the rows of the last one.
pub struct SqlProgram {
    memory: usize,
    /// Hears what a statement reads of a data set at most, before it is run.
    on_plan: Box<dyn Fn(SqlPlannedReads)>,
    /// The rows of the last statement, until the next one begins.
    rows: Option<ResultRows>,
    /// The open data set, whose tables statements read instead of those of the trace, unless they ask for the trace.
    pub dataset: DatasetProgram,
    stored: Option<DatasetContext>,
    trace: Option<TraceContext>,
    order: SqlOrder,
    /// Place in the statement whose completions are asked for; `None` to run it.
    caret: Option<CompletionPlace>,
    /// The request that waits for its reply; `None` while the list of tables is asked for.
    asked: Option<SqlColumnsRequest>,
    /// Whether a request waits for its reply.
    is_waiting: bool,
    /// Whether that reply is about another build of the trace.
    is_outdated: bool,
}

impl SqlProgram {
    /// A program whose statements may take this many bytes of memory.
    pub fn new(memory: usize) -> Self {
        Self {
            memory,
            on_plan: Box::new(|_| ()),
            rows: None,
            dataset: DatasetProgram::default(),
            stored: None,
            trace: None,
            order: SqlOrder::default(),
            caret: None,
            asked: None,
            is_waiting: false,
            is_outdated: false,
        }
    }

    /// Sets who hears what a statement reads of a data set at most, before it is run.
    pub fn on_plan(&mut self, hear: impl Fn(SqlPlannedReads) + 'static) {
        self.on_plan = Box::new(hear);
    }

    /// Begins a statement.
    pub async fn run(&mut self, order: SqlOrder) -> Step {
        self.rows = None;
        self.begin(order, None).await
    }

    /// Completes a statement at a place.
    pub async fn complete(&mut self, order: SqlOrder, place: CompletionPlace) -> Step {
        self.begin(order, Some(place)).await
    }

    /// Draws two columns of the last statement's rows.
    ///
    /// # Errors
    /// If there are no rows, or the columns cannot be drawn.
    pub fn chart(&self, columns: (u32, u32)) -> Result<SqlChart, QueryError> {
        chart::chart(self.last_rows()?, columns)
    }

    /// The rows of the last statement as a Parquet file.
    ///
    /// # Errors
    /// If there are no rows, or Parquet has no such type.
    pub fn parquet(&self) -> Result<Vec<u8>, QueryError> {
        parquet_file::of_rows(self.last_rows()?)
    }

    /// The request that draws the rows of the last statement as a track.
    ///
    /// # Errors
    /// If there are no rows, or no column of starts or of durations.
    pub fn track(&self) -> Result<AnyRequest, QueryError> {
        let track = track::track(&result(self.last_rows()?)?);
        let missing = || QueryError::new("The result has no columns start_ns and duration_ns.");
        track.map(AnyRequest::from).ok_or_else(missing)
    }

    fn last_rows(&self) -> Result<&ResultRows, QueryError> {
        self.rows.as_ref().ok_or_else(|| QueryError::new("There is no result."))
    }

    /// Takes the files of another data set, or of none.
    pub fn set_dataset(&mut self, files: Option<Arc<dyn DatasetFiles>>) {
        self.dataset.set(files);
        (self.stored, self.trace) = (None, None);
    }

    async fn begin(&mut self, order: SqlOrder, caret: Option<CompletionPlace>) -> Step {
        if self.dataset.is_set() && order.stored.is_none() {
            // A late reply to a statement over the trace runs nothing.
            (self.order.sql, self.caret) = (String::new(), Some(CompletionPlace::default()));
            return match caret {
                Some(caret) => {
                    // Without tables, only keywords are completed. Nothing but the manifest is read.
                    let tables = self.stored("").await.ok();
                    let names = tables.map(|tables| &tables.names);
                    Step::completed(&order.sql, names.unwrap_or(&KnownNames::default()), caret)
                }
                None => Step::Done(self.run_stored(&order).await),
            };
        }
        let of = |order: &SqlOrder| (order.build, order.stored.clone());
        if of(&self.order) != of(&order) {
            self.trace = None;
            self.is_outdated = self.is_waiting;
        }
        (self.order, self.caret) = (order, caret);
        if self.is_waiting { Step::Wait } else { self.step().await }
    }

    /// Takes the engine's reply to the last request, as `postcard` writes it.
    pub async fn take(&mut self, reply: &[u8]) -> Step {
        self.is_waiting = false;
        if std::mem::take(&mut self.is_outdated) {
            return self.step().await;
        }
        match self.deliver(reply) {
            Ok(()) => self.step().await,
            Err(error) => Step::Done(Err(failure(error))),
        }
    }

    /// The tables of the data set, with the side tables that a statement may read. The names of the other side tables are known as well.
    async fn stored(&mut self, sql: &str) -> Result<&DatasetContext, QueryError> {
        let dataset = self.dataset.opened().await.map_err(|error| QueryError::new(error.to_string()))?;
        let wanted = dataset.side_tables_of(sql);
        let known = self.stored.take().filter(|known| wanted.iter().all(|name| known.side.contains(name)));
        let tables = match known {
            Some(known) => known,
            None => {
                let tables =
                    self.dataset.tables(&wanted).await.map_err(|error| QueryError::new(error.to_string()))?;
                let context = statement::context(1, MEMORY)?;
                let named = |(name, table): &(String, Arc<dyn TableProvider>)| {
                    (name.clone(), columns(&table.schema()))
                };
                let other = dataset.side_tables().into_iter().filter(|name| !wanted.contains(name));
                let columns = tables.iter().map(named).chain(other.map(|name| (name, Vec::new()))).collect();
                for (name, table) in tables {
                    context.register_table(TableReference::bare(name), table)?;
                }
                let names = KnownNames { tables: columns, functions: functions(&context) };
                DatasetContext { context, side: wanted, names }
            }
        };
        Ok(self.stored.insert(tables))
    }

    async fn run_stored(&mut self, order: &SqlOrder) -> Result<SqlResult, SqlFailure> {
        let dataset = self.dataset.opened().await;
        let dataset = dataset.map_err(|error| failure(QueryError::new(error.to_string())))?;
        dataset.begin_step(order.limit);
        let result = self.read_stored(order, &dataset).await;
        let traffic = dataset.traffic();
        let too_large = dataset.is_over_limit().then(|| dataset.planned());
        let fetched = (traffic.requests, traffic.bytes);
        result
            .map(|result| SqlResult { fetched, ..result })
            .map_err(|error| SqlFailure { too_large, ..failure(error) })
    }

    /// The result of a statement over the data set. Nothing is read if it may be more than the step's limit.
    async fn read_stored(&mut self, order: &SqlOrder, dataset: &Dataset) -> Result<SqlResult, QueryError> {
        let context = self.stored(&order.sql).await?.context.clone();
        let plan = planned(&context, &order.sql, order.rows as usize).await?;
        dataset.check_plan().map_err(|error| QueryError::new(error.to_string()))?;
        (self.on_plan)(dataset.planned());
        let limits = Limits { memory: self.memory, rows: order.rows as usize, ..Limits::default() };
        let rows = statement::run(&context, plan, limits).await?;
        let written = result(&rows)?;
        self.rows = Some(rows);
        // Ids and times are those of several traces.
        let traces = traces(&written, dataset);
        Ok(SqlResult { ids: None, has_track: false, traces, ..written })
    }

    fn deliver(&mut self, reply: &[u8]) -> Result<(), QueryError> {
        match (self.asked.take(), &self.trace) {
            (Some(request), Some(trace)) => {
                let columns: SqlColumns = postcard::from_bytes(reply).map_err(damaged)?;
                trace.tables.deliver(&request, columns).map_err(damaged)
            }
            _ => {
                let list: SqlTableList = postcard::from_bytes(reply).map_err(damaged)?;
                self.trace = Some(TraceContext::opened(&list, self.memory)?);
                Ok(())
            }
        }
    }

    async fn step(&mut self) -> Step {
        let step = self.next_step().await;
        self.is_waiting = matches!(step, Step::Ask(_));
        step
    }

    async fn next_step(&mut self) -> Step {
        let Some(TraceContext { tables, context, names }) = &self.trace else {
            return Step::Ask(SqlTableListRequest.into());
        };
        if let Some(caret) = self.caret {
            return Step::completed(&self.order.sql, names, caret);
        }
        self.asked = tables.next_request();
        if self.asked.is_none() {
            let plan = match planned(context, &self.order.sql, self.order.rows as usize).await {
                Ok(plan) => plan,
                Err(error) => return Step::Done(Err(failure(error))),
            };
            self.asked = tables.next_request();
            if self.asked.is_none() {
                let limits =
                    Limits { memory: self.memory, rows: self.order.rows as usize, ..Limits::default() };
                let rows = statement::run(context, plan, limits).await;
                let result = rows.and_then(|rows| {
                    let written = SqlResult { stored: self.order.stored.clone(), ..result(&rows)? };
                    self.rows = Some(rows);
                    Ok(written)
                });
                return Step::Done(result.map_err(failure));
            }
        }
        match &self.asked {
            Some(request) => Step::Ask(request.clone().into()),
            None => Step::Done(Err(SqlFailure::default())),
        }
    }
}

/// The statements that come with the program, by engine.
pub fn ready_statements() -> Vec<SqlReadyStatement> {
    let named = |id: &str| ABOUT.iter().find(|about| about.id == id).map_or("", |about| about.name);
    let ready = |of: &ReadyStatement| SqlReadyStatement {
        name: of.name.to_owned(),
        engine: named(of.engine).to_owned(),
        sql: of.sql.to_owned(),
    };
    STATEMENTS.iter().map(ready).collect()
}

impl TraceContext {
    /// The tables of a trace, without any values yet.
    fn opened(list: &SqlTableList, memory: usize) -> Result<Self, QueryError> {
        let tables = PageTables::new(list);
        let context = statement::context(1, memory)?;
        for (name, table) in tables.iter() {
            context.register_table(TableReference::bare(name), Arc::clone(table) as _)?;
        }
        let columns = |table: &PageTable| columns(&table.schema());
        let names = KnownNames {
            tables: tables.iter().map(|(name, table)| (name.to_owned(), columns(table))).collect(),
            functions: functions(&context),
        };
        Ok(Self { tables, context, names })
    }
}

fn columns(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Names of all functions, each once.
fn functions(context: &SessionContext) -> Vec<String> {
    let state = context.state();
    let functions: BTreeSet<String> = state
        .scalar_functions()
        .keys()
        .chain(state.aggregate_functions().keys())
        .chain(state.window_functions().keys())
        .cloned()
        .collect();
    functions.into_iter().collect()
}

fn damaged(error: impl std::fmt::Display) -> QueryError {
    QueryError::new(format!("A column of the trace could not be read: {error}"))
}

/// The traces of a data set that the rows name.
fn traces(result: &SqlResult, dataset: &Dataset) -> BTreeMap<String, String> {
    let columns = result.columns.iter().enumerate();
    let columns: Vec<usize> =
        columns.filter(|(_, column)| SqlResult::names_trace(&column.name)).map(|(at, _)| at).collect();
    let rows = result.cells.chunks(result.columns.len().max(1));
    let cells: HashSet<&str> =
        rows.flat_map(|row| columns.iter().filter_map(|&at| row.get(at)?.as_deref())).collect();
    let traces = dataset.manifest().traces.iter();
    let named = traces
        .flat_map(|trace| [&trace.name, &trace.trace_id].map(|cell| (cell.clone(), trace.name.clone())));
    named.filter(|(cell, _)| cells.contains(cell.as_str())).collect()
}

fn result(rows: &ResultRows) -> Result<SqlResult, QueryError> {
    let column = |field: &Arc<datafusion::arrow::datatypes::Field>| SqlResultColumn {
        name: field.name().clone(),
        kind: match field.data_type() {
            DataType::Boolean => SqlValueKind::Boolean,
            kind if cells::is_number(kind) => SqlValueKind::Number,
            _ => SqlValueKind::Text,
        },
    };
    let columns = rows.schema.fields().iter().map(column).collect();
    let (mut written, mut count, mut bytes, mut is_cut) = (Vec::new(), 0, 0, rows.is_cut);
    for row in cells::rows(rows) {
        let row = row.map_err(|error| QueryError::new(error.to_string()))?;
        let texts: Vec<Option<String>> = row.into_iter().map(Cell::into_text).collect();
        let size = |text: &Option<String>| text.as_ref().map_or(0, String::len) + size_of::<Option<String>>();
        bytes += texts.iter().map(size).sum::<usize>();
        if bytes > RESULT_BYTES {
            is_cut = true;
            break;
        }
        count += 1;
        written.extend(texts);
    }
    if is_cut && count == 0 && rows.batches.iter().any(|batch| batch.num_rows() > 0) {
        let most = RESULT_BYTES >> 20;
        return Err(QueryError::new(format!("The first row of the result is longer than {most} MB.")));
    }
    let chart = chart::first_columns(rows).filter(|_| count > 0);
    let result = SqlResult {
        columns,
        cells: written,
        rows: count,
        is_cut,
        chart,
        ids: None,
        has_track: false,
        traces: BTreeMap::new(),
        fetched: (0, 0),
        stored: None,
    };
    Ok(SqlResult { ids: ids::ids(&result), has_track: track::has_track(&result), ..result })
}
