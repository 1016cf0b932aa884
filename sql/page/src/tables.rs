//! [`PageTables`]: tables whose columns are delivered when a statement needs them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::catalog::{Session as PlanState, TableProvider};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result as PlanResult;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use queryscope::protocol::{SqlColumns, SqlColumnsRequest, SqlSideColumn, SqlTableList};
use queryscope_sql::arrays;
use queryscope_sql::identity::{TraceIdentity, engine_of};
use queryscope_sql::schema::{self, TABLES};

/// Number of items of a part, which one request delivers.
pub const PART: u32 = 1 << 16;

/// The tables of a trace, by name.
pub struct PageTables(Vec<(String, Arc<PageTable>)>);

/// A table with the columns that were delivered.
#[derive(Debug)]
pub struct PageTable {
    schema: SchemaRef,
    identity: Arc<TraceIdentity>,
    content: Mutex<Content>,
}

#[derive(Debug, Default)]
struct Content {
    /// Number of items; `None` until the first part was delivered.
    items: Option<u32>,
    parts: Vec<TablePart>,
    /// Columns that are complete.
    complete: BTreeSet<String>,
    /// Columns that the plan needs and that are not complete; `None` if nothing is missing.
    missing: Option<BTreeSet<String>>,
}

#[derive(Debug, Default)]
struct TablePart {
    rows: usize,
    columns: HashMap<String, ArrayRef>,
}

impl PageTables {
    /// The tables of a trace, without any values yet.
    pub fn new(list: &SqlTableList) -> Self {
        let engine = engine_of(list.formats.iter().map(String::as_str));
        let identity = Arc::new(TraceIdentity::new(&list.trace, engine, None));
        let known = TABLES.iter().map(|table| (table.name.to_owned(), schema::stored_schema(table)));
        let side = list.side_tables.iter().map(|(name, columns)| {
            let field =
                |column: &SqlSideColumn| schema::side_field(&column.name, &column.source, column.kind);
            (name.clone(), schema::settled(&schema::side_table_schema(columns.iter().map(field))))
        });
        let table = |(name, stored): (String, SchemaRef)| {
            let (schema, content) = (schema::with_partitions(&stored), Mutex::default());
            (name, Arc::new(PageTable { schema, identity: identity.clone(), content }))
        };
        Self(known.chain(side).map(table).collect())
    }

    /// All tables with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<PageTable>)> {
        self.0.iter().map(|(name, table)| (name.as_str(), table))
    }

    /// The request for the next part of what the last plan needs; `None` if nothing is missing.
    pub fn next_request(&self) -> Option<SqlColumnsRequest> {
        self.iter().find_map(|(name, table)| {
            let content = table.content();
            let missing = content.missing.as_ref()?;
            let has_all = |part: &TablePart| missing.iter().all(|name| part.columns.contains_key(name));
            let part = content.parts.iter().position(|part| !has_all(part)).unwrap_or(content.parts.len());
            let columns = missing.iter().cloned().collect();
            Some(SqlColumnsRequest {
                table: name.to_owned(),
                columns,
                first: part as u32 * PART,
                count: PART,
            })
        })
    }

    /// Takes the reply to a request.
    ///
    /// # Errors
    /// If the values do not fit the request, which is a fault of this program.
    pub fn deliver(&self, request: &SqlColumnsRequest, reply: SqlColumns) -> Result<(), ArrowError> {
        let Some((_, table)) = self.iter().find(|(name, _)| *name == request.table) else { return Ok(()) };
        table.deliver(request, reply)
    }
}

impl PageTable {
    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deliver(&self, request: &SqlColumnsRequest, reply: SqlColumns) -> Result<(), ArrowError> {
        let mut content = self.content();
        let at = (request.first / PART) as usize;
        if content.parts.len() <= at {
            content.parts.resize_with(at + 1, TablePart::default);
        }
        content.items = Some(reply.items);
        content.parts[at].rows = reply.rows as usize;
        for (name, values) in request.columns.iter().zip(reply.columns) {
            let array = arrays::array(values)?;
            if array.len() != reply.rows as usize {
                return Err(ArrowError::SchemaError(format!("{name} has {} values", array.len())));
            }
            content.parts[at].columns.insert(name.clone(), array);
        }
        if request.first.saturating_add(PART) >= reply.items {
            content.complete.extend(request.columns.iter().cloned());
            content.missing = None;
        }
        Ok(())
    }

    /// The rows of the projection; `None` if columns are missing, which are then noted.
    fn batches(&self, projected: &SchemaRef) -> Result<Option<Vec<RecordBatch>>, ArrowError> {
        let mut content = self.content();
        let names = projected.fields().iter().map(|field| field.name());
        let stored = names.filter(|name| self.identity.constant(name).is_none());
        let missing: BTreeSet<String> =
            stored.filter(|name| !content.complete.contains(*name)).cloned().collect();
        if !missing.is_empty() || content.items.is_none() {
            content.missing.get_or_insert_default().extend(missing);
            return Ok(None);
        }
        let batch = |part: &TablePart| {
            let arrays = projected.fields().iter().map(|field| match self.identity.constant(field.name()) {
                Some(value) => Ok(arrays::constant(value, part.rows)),
                None => part
                    .columns
                    .get(field.name())
                    .cloned()
                    .ok_or_else(|| ArrowError::SchemaError(format!("no values for {}", field.name()))),
            });
            let options = RecordBatchOptions::new().with_row_count(Some(part.rows));
            RecordBatch::try_new_with_options(projected.clone(), arrays.collect::<Result<_, _>>()?, &options)
        };
        content.parts.iter().map(batch).collect::<Result<_, _>>().map(Some)
    }
}

#[async_trait]
impl TableProvider for PageTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn PlanState,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => self.schema.clone(),
        };
        Ok(match self.batches(&schema)? {
            Some(batches) => MemorySourceConfig::try_new_exec(&[batches], schema, None)?,
            None => Arc::new(EmptyExec::new(schema)),
        })
    }
}
