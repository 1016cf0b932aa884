//! [`Engine`]: runs one statement at a time over traces and data sets, within limits.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, SchemaRef};
use datafusion::catalog::{Session as PlanState, TableProvider};
use datafusion::common::{ScalarValue, TableReference};
use datafusion::error::{DataFusionError, Result as PlanResult};
use datafusion::execution::context::{SessionContext, TaskContext};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column as PlanColumn, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::union::UnionExec;
use queryscope::internal::rows::TableRef;

use crate::dataset::{self, StoredTables};
use crate::rows::SharedTrace;
use crate::schema::{self, TABLES};
use crate::statement;
pub use crate::statement::{LONGEST, Limits, QueryError, ResultRows};

/// Stack of a thread that plans and runs statements, in bytes.
const STACK: usize = 64 << 20;

/// A table whose rows come from several traces and data sets.
#[derive(Debug)]
struct TraceTable {
    schema: SchemaRef,
    traces: Vec<(SharedTrace, TableRef)>,
    stored: Vec<Arc<dyn TableProvider>>,
}

/// Parts of a trace's table that one thread reads.
#[derive(Debug)]
struct TracePartition {
    trace: SharedTrace,
    table: TableRef,
    parts: Vec<Range<usize>>,
    schema: SchemaRef,
}

impl PartitionStream for TracePartition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (trace, table, schema) = (self.trace.clone(), self.table, self.schema.clone());
        let batches = self
            .parts
            .clone()
            .into_iter()
            .map(move |part| trace.batch(table, part, &schema).map_err(DataFusionError::from));
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), futures::stream::iter(batches)))
    }
}

#[async_trait::async_trait]
impl TableProvider for TraceTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> PlanResult<Vec<TableProviderFilterPushDown>> {
        // The rows of open traces are filtered after they were made.
        let of_traces = match self.traces.is_empty() {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Inexact,
        };
        let mut support = vec![of_traces; filters.len()];
        for stored in &self.stored {
            let of_stored = filters.iter().zip(stored.supports_filters_pushdown(filters)?);
            for (all, (filter, one)) in support.iter_mut().zip(of_stored) {
                if one != TableProviderFilterPushDown::Exact || !self.is_possible(stored, filter) {
                    *all = TableProviderFilterPushDown::Inexact;
                }
            }
        }
        Ok(support)
    }

    async fn scan(
        &self,
        state: &dyn PlanState,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => self.schema.clone(),
        };
        let mut plans: Vec<Arc<dyn ExecutionPlan>> = Vec::new();
        for stored in &self.stored {
            plans.push(self.scan_stored(stored, state, &schema, filters, limit).await?);
        }
        let threads = state.config().target_partitions().max(1);
        for (trace, table) in &self.traces {
            let parts = trace.parts(*table);
            let share = parts.len().div_ceil(threads).max(1);
            let partition = |parts: &[Range<usize>]| -> Arc<dyn PartitionStream> {
                let (trace, schema) = (trace.clone(), schema.clone());
                Arc::new(TracePartition { trace, table: *table, parts: parts.to_vec(), schema })
            };
            let partitions: Vec<_> = parts.chunks(share).map(partition).collect();
            if !partitions.is_empty() {
                let plan = StreamingTableExec::try_new(schema.clone(), partitions, None, [], false, limit)?;
                plans.push(Arc::new(plan));
            }
        }
        match plans.len() {
            0 => Ok(Arc::new(EmptyExec::new(schema))),
            1 => Ok(plans.remove(0)),
            _ => UnionExec::try_new(plans),
        }
    }
}

impl TraceTable {
    /// Whether a column has the same type in a data set's table.
    fn is_same(&self, stored: &Arc<dyn TableProvider>, column: &str) -> bool {
        match (stored.schema().field_with_name(column), self.schema.field_with_name(column)) {
            (Ok(own), Ok(field)) => own.data_type() == field.data_type(),
            _ => false,
        }
    }

    /// Whether a data set's table can apply a filter: all of its columns have the same types there.
    fn is_possible(&self, stored: &Arc<dyn TableProvider>, filter: &Expr) -> bool {
        filter.column_refs().into_iter().all(|column| self.is_same(stored, &column.name))
    }

    /// The columns of a data set's table as `wanted`, which is of this table: in that order, converted to its types, and null where the
    /// data set has no such column.
    async fn scan_stored(
        &self,
        stored: &Arc<dyn TableProvider>,
        state: &dyn PlanState,
        wanted: &SchemaRef,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        let own = stored.schema();
        let is_same = |name: &str| self.is_same(stored, name);
        // The other filters are applied to what is read.
        let possible = filters.iter().filter(|filter| self.is_possible(stored, filter));
        let possible: Vec<Expr> = possible.cloned().collect();
        let limit = limit.filter(|_| possible.len() == filters.len());
        let known = |field: &Arc<Field>| own.index_of(field.name()).ok();
        let columns: Vec<usize> = wanted.fields().iter().filter_map(known).collect();
        let plan = stored.scan(state, Some(&columns), &possible, limit).await?;
        let read = plan.schema();
        if wanted.fields().iter().all(|field| is_same(field.name())) {
            return Ok(plan);
        }
        let value = |field: &Arc<Field>| {
            let name = field.name();
            let value: Arc<dyn PhysicalExpr> = match read.index_of(name) {
                Ok(at) if is_same(name) => Arc::new(PlanColumn::new(name, at)),
                Ok(at) => {
                    let column = Arc::new(PlanColumn::new(name, at));
                    Arc::new(CastExpr::new(column, field.data_type().clone(), None))
                }
                Err(_) => Arc::new(Literal::new(ScalarValue::try_from(field.data_type())?)),
            };
            Ok((value, name.clone()))
        };
        let values = wanted.fields().iter().map(value).collect::<PlanResult<Vec<_>>>()?;
        Ok(Arc::new(ProjectionExec::try_new(values, plan)?))
    }
}

/// Traces and data sets, ready for statements.
pub struct Engine {
    context: SessionContext,
    limits: Limits,
    runtime: tokio::runtime::Runtime,
}

impl Engine {
    /// Registers the tables of traces and data sets. Tables of the same name become one table with the rows of all of them.
    ///
    /// # Errors
    /// If a table cannot be registered or the machine gives no threads.
    pub fn new(
        traces: &[SharedTrace],
        stored: Vec<StoredTables>,
        limits: Limits,
    ) -> Result<Self, QueryError> {
        Self::on(statement::context(threads(), limits.memory)?, traces, stored, limits)
    }

    /// Registers the tables like [`Engine::new`], in a given context, which decides where plans are run.
    ///
    /// # Errors
    /// If a table cannot be registered or the machine gives no threads.
    pub fn on(
        context: SessionContext,
        traces: &[SharedTrace],
        stored: Vec<StoredTables>,
        limits: Limits,
    ) -> Result<Self, QueryError> {
        for (name, table) in tables(traces, stored) {
            context.register_table(TableReference::bare(name), Arc::new(table))?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            // One thread watches the time limit while the others compute.
            .worker_threads(threads().max(2))
            .thread_stack_size(STACK)
            .enable_all()
            .build()
            .map_err(|error| QueryError::new(error.to_string()))?;
        Ok(Self { context, limits, runtime })
    }

    /// Names of all tables.
    pub fn table_names(&self) -> Vec<String> {
        let schema = self.context.catalog("datafusion").and_then(|catalog| catalog.schema("public"));
        let mut names = schema.map_or_else(Vec::new, |schema| schema.table_names());
        names.sort_unstable();
        names
    }

    /// Runs one statement that reads. Statements that write, define or set something are refused.
    ///
    /// # Errors
    /// A sentence if the statement is wrong, refused, or takes more than its limits.
    pub fn run(&self, sql: &str) -> Result<ResultRows, QueryError> {
        let (context, limits, sql) = (self.context.clone(), self.limits, sql.to_owned());
        // A worker's stack is larger than that of this thread.
        let task = self.runtime.spawn(async move {
            let plan = statement::plan(&context, &sql, limits.rows).await?;
            statement::run(&context, plan, limits).await
        });
        let stop = task.abort_handle();
        // The timeout is outside of the task: computing a single value may take minutes without yielding.
        match self.runtime.block_on(async { tokio::time::timeout(limits.time, task).await }) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(QueryError::new("the SQL engine failed on this statement")),
            Err(_) => {
                stop.abort();
                Err(QueryError::new(format!(
                    "the statement was stopped after {:?} (--timeout). Read fewer rows, join with = conditions, or raise --timeout",
                    limits.time
                )))
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A statement that was stopped may still hold a thread.
        let empty = tokio::runtime::Builder::new_current_thread().build();
        if let Ok(empty) = empty {
            std::mem::replace(&mut self.runtime, empty).shutdown_background();
        }
    }
}

/// Number of threads that run statements.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(8)
}

/// All tables by name: the tables that every trace has, even without traces, and side tables with the columns of all sources.
fn tables(traces: &[SharedTrace], stored: Vec<StoredTables>) -> BTreeMap<String, TraceTable> {
    let mut tables: BTreeMap<String, TraceTable> = BTreeMap::new();
    let empty = |schema: SchemaRef| TraceTable { schema, traces: Vec::new(), stored: Vec::new() };
    for table in TABLES {
        let schema = schema::with_partitions(&schema::stored_schema(table));
        tables.insert(table.name.to_owned(), empty(schema));
    }
    for trace in traces {
        for (name, table) in trace.table_names() {
            let schema = schema::with_partitions(&trace.schema(table));
            let known = tables.entry(name).or_insert_with(|| empty(schema.clone()));
            known.schema = schema::merged(&known.schema, &schema);
            known.traces.push((trace.clone(), table));
        }
    }
    for (name, provider) in stored.into_iter().flatten() {
        let schema = dataset::found_schema(provider.as_ref());
        let known = tables.entry(name).or_insert_with(|| empty(schema.clone()));
        known.schema = schema::merged(&known.schema, &schema);
        known.stored.push(provider);
    }
    for table in tables.values_mut() {
        table.schema = schema::settled(&table.schema);
    }
    tables
}
