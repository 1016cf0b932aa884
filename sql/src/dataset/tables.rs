//! [`Dataset::tables`]: the tables of a data set for statements: exactly the files that its manifest names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session as PlanState, TableProvider};
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, DFSchema, Result as PlanResult, ScalarValue, project_schema};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::datasource::physical_plan::parquet::ParquetFileReaderFactory;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, TableProviderFilterPushDown, TableType};
use datafusion::object_store::ObjectMeta;
use datafusion::object_store::path::Path as StorePath;
use datafusion::physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::{StreamExt, TryStreamExt, stream};
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::arrow::parquet_to_arrow_schema;

use super::file_parts::PartsReader;
use super::files::Dataset;
use super::manifest::{StoredFile, StoredTrace};
use super::planned::PlannedScan;
use super::scan::DatasetScan;
use super::{DatasetError, FileParts, StoredTables, encoding, part};
use crate::schema;
use crate::trend;

/// Address of the object store that plans name. Nothing is read from it, because [`FileParts`] reads the files.
pub const NO_STORE: &str = "dataset://";

/// Words of statements that list tables or columns.
const LISTS: [&str; 2] = ["show", "information_schema"];

impl Dataset {
    /// All tables, with the columns that name the folders of files.
    ///
    /// # Errors
    /// A sentence if a file of a side table is missing or damaged.
    pub async fn tables(self: &Arc<Self>) -> Result<StoredTables, DatasetError> {
        self.tables_with(|_| true).await
    }

    /// The tables that a statement may read: those that every data set has, and [`Self::side_tables_of`] the statement.
    ///
    /// # Errors
    /// As [`Self::tables`].
    pub async fn tables_of(self: &Arc<Self>, statement: &str) -> Result<StoredTables, DatasetError> {
        let side = self.side_tables_of(statement);
        self.tables_with(|name| side.iter().any(|wanted| wanted == name)).await
    }

    /// Names of the side tables that a statement may read: all that are in its text; all at all if it lists tables or columns.
    pub fn side_tables_of(&self, statement: &str) -> Vec<String> {
        let statement = statement.to_lowercase();
        let is_list = LISTS.iter().any(|word| statement.contains(word));
        self.side_tables().into_iter().filter(|name| is_list || statement.contains(name.as_str())).collect()
    }

    /// Names of all side tables, each once.
    pub fn side_tables(&self) -> BTreeSet<String> {
        let names = self.manifest().traces.iter().flat_map(|trace| &trace.files).map(|file| &file.table);
        names.filter(|name| known_table(name).is_none()).cloned().collect()
    }

    /// The tables that every data set has, and those side tables whose names are wanted: which columns these have is read of each
    /// of their files.
    ///
    /// # Errors
    /// As [`Self::tables`].
    pub async fn tables_with(
        self: &Arc<Self>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<StoredTables, DatasetError> {
        let mut wanted = Vec::new();
        for (trace, file) in
            self.manifest().traces.iter().flat_map(|of| of.files.iter().map(move |file| (of, file)))
        {
            if known_table(&file.table).is_some() || is_wanted(&file.table) {
                wanted.push((file.table.as_str(), StoredPart::of(self, trace, file)));
            }
        }
        let side = wanted.iter().filter(|(table, _)| known_table(table).is_none());
        side.for_each(|(_, part)| part.parts.plan(part.parts.unread_footer_bytes()));
        self.check_plan()?;
        let reading = wanted.into_iter().map(|(table, part)| async move {
            let own = match known_table(table) {
                Some(table) => schema::stored_schema(table),
                None => part.side_schema().await?,
            };
            Ok::<_, DatasetError>((table, part, own))
        });
        let mut reading = stream::iter(reading).buffered(self.reads_at_once());
        let mut tables: BTreeMap<&str, (SchemaRef, Vec<StoredPart>)> = BTreeMap::new();
        while let Some((table, part, own)) = reading.try_next().await? {
            let (merged, parts) = tables.entry(table).or_insert_with(|| (own.clone(), Vec::new()));
            if known_table(table).is_none() {
                *merged = schema::merged(merged, &own);
            }
            parts.push(part);
        }
        let table = |(name, (found, parts)): (&str, (SchemaRef, Vec<StoredPart>))| {
            let partitions: Vec<_> = schema::partition_fields().into_iter().map(Arc::new).collect();
            let stored = schema::settled(&found);
            let schema = TableSchema::builder(stored).with_table_partition_cols(partitions).build();
            let table = StoredTable { schema, found: schema::with_partitions(&found), parts };
            (name.to_owned(), Arc::new(table) as Arc<dyn TableProvider>)
        };
        Ok(tables.into_iter().map(table).collect())
    }
}

/// A table that every data set has; `None` for a side table.
fn known_table(name: &str) -> Option<&'static schema::TableSchema> {
    schema::table(name).or_else(|| trend::table(name))
}

/// A file of a table with the values of the columns that are the same in all of its rows.
#[derive(Debug)]
struct StoredPart {
    dataset: Arc<Dataset>,
    parts: Arc<FileParts>,
    trace_id: Option<i64>,
    partition: Vec<ScalarValue>,
}

impl StoredPart {
    fn of(dataset: &Arc<Dataset>, trace: &StoredTrace, file: &StoredFile) -> Self {
        let text = |text: &str| {
            let value = Box::new(ScalarValue::Utf8(Some(text.to_owned())));
            ScalarValue::Dictionary(Box::new(DataType::Int32), value)
        };
        Self {
            dataset: dataset.clone(),
            parts: Arc::new(FileParts::new(dataset.clone(), &trace.name, file)),
            trace_id: trace.trace_id.parse().ok(),
            partition: vec![text(&trace.day), text(&trace.engine)],
        }
    }

    /// Whether all rows are known to be of one trace: the manifest names it, and the file's footer, where it has bounds of `trace_id`, is
    /// checked against the manifest.
    fn is_of_known_trace(&self) -> bool {
        let has_trace_in_footer = !encoding::ends_row_group(&self.parts.file().table);
        self.trace_id.is_some() && self.dataset.is_checked() && has_trace_in_footer
    }

    /// Columns of a side table in a file, without metadata, which may differ between files. Those without values have Arrow's type `Null`.
    async fn side_schema(&self) -> Result<SchemaRef, DatasetError> {
        let failed = |error| part::sentence(&self.dataset, self.parts.trace(), self.parts.file(), &error);
        let metadata = self.parts.metadata().await.map_err(failed)?;
        self.parts.release();
        let about = metadata.file_metadata();
        let schema =
            parquet_to_arrow_schema(about.schema_descr(), about.key_value_metadata()).map_err(failed)?;
        let plain = |field: &Arc<Field>| {
            let is_empty = part::has_no_values(&metadata, field.name());
            let kind = if is_empty { DataType::Null } else { field.data_type().clone() };
            Field::new(field.name(), kind, true)
        };
        Ok(Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>())))
    }

    fn file(&self) -> PartitionedFile {
        let file = self.parts.file();
        let about = ObjectMeta {
            location: StorePath::from(file.path.as_str()),
            last_modified: Default::default(),
            size: file.bytes,
            e_tag: Some(file.xxh64.clone()),
            version: None,
        };
        let named = PartitionedFile::new_from_meta(about).with_extension(self.parts.clone());
        named.with_partition_values(self.partition.clone())
    }
}

/// What is known of the files of a table before they are read: which trace they are of, its day and engine.
struct KnownValues<'p>(&'p [StoredPart]);

impl PruningStatistics for KnownValues<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        let at = schema::partition_fields().iter().position(|field| *field.name() == column.name);
        let value = |part: &StoredPart| match at {
            Some(at) => part.partition[at].clone(),
            None => ScalarValue::Int64(part.trace_id),
        };
        let is_known =
            at.is_some() || column.name == "trace_id" && self.0.iter().all(|p| p.trace_id.is_some());
        is_known.then(|| ScalarValue::iter_to_array(self.0.iter().map(value)).ok()).flatten()
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.min_values(column)
    }

    fn num_containers(&self) -> usize {
        self.0.len()
    }

    fn null_counts(&self, _: &Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, _: &Column, _: &std::collections::HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

/// Readers of files that are [`FileParts`].
#[derive(Debug)]
struct PartsReaders;

impl ParquetFileReaderFactory for PartsReaders {
    fn create_reader(
        &self,
        _: usize,
        file: PartitionedFile,
        _: Option<usize>,
        _: &ExecutionPlanMetricsSet,
    ) -> PlanResult<Box<dyn AsyncFileReader + Send>> {
        let parts = file.extension::<Arc<FileParts>>().cloned();
        let parts = parts.ok_or_else(|| DataFusionError::Internal("a file of no data set".to_owned()))?;
        Ok(Box::new(PartsReader::new(parts)))
    }
}

/// A table of a data set.
#[derive(Debug)]
struct StoredTable {
    schema: TableSchema,
    /// The schema in which columns without values have Arrow's type `Null`.
    found: SchemaRef,
    parts: Vec<StoredPart>,
}

/// Schema of a table, in which columns of a data set's side table that have no values have Arrow's type `Null`.
pub fn found_schema(table: &dyn TableProvider) -> SchemaRef {
    table.downcast_ref::<StoredTable>().map_or_else(|| table.schema(), |table| table.found.clone())
}

#[async_trait::async_trait]
impl TableProvider for StoredTable {
    fn schema(&self) -> SchemaRef {
        self.schema.table_schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> PlanResult<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.trace_of(filter) {
            Some(_) => TableProviderFilterPushDown::Exact,
            None => TableProviderFilterPushDown::Inexact,
        };
        Ok(filters.iter().map(support).collect())
    }

    /// Files whose trace, day or engine the filters exclude are neither read nor checked, and none beyond the first `limit` rows. DataFusion gives the
    /// filters to the other files by itself, where statistics, pages and bloom filters exclude more. Nothing but footers is read while a
    /// statement is planned, so that what it reads can be said before.
    async fn scan(
        &self,
        state: &dyn PlanState,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        let predicate = self.predicate(state, filters)?;
        let wanted = self.wanted(predicate.as_deref())?;
        let traces: Vec<Option<i64>> = filters.iter().map(|filter| self.trace_of(filter)).collect();
        // A pruning predicate may keep files on which it cannot decide, and nothing else applies these filters.
        let is_of_traces =
            |part: &StoredPart| traces.iter().flatten().all(|trace| part.trace_id == Some(*trace));
        let wanted = self.parts.iter().zip(wanted).filter(|(part, wanted)| *wanted && is_of_traces(part));
        let wanted = wanted.map(|(part, _)| part);
        let is_limit_of_files = traces.iter().all(Option::is_some);
        let limit_rows = limit.filter(|_| is_limit_of_files).map_or(u64::MAX, |limit| limit as u64);
        let mut rows = 0_u64;
        let parts: Vec<&StoredPart> = wanted
            .take_while(|part| {
                let is_needed = rows < limit_rows;
                rows = part.parts.file().rows.saturating_add(rows);
                is_needed
            })
            .collect();
        for StoredPart { dataset, parts, .. } in &parts {
            dataset
                .check_size(parts.trace(), parts.file())
                .map_err(|error| DataFusionError::External(Box::new(error)))?;
        }
        let planned = self.planned(projection, predicate, limit_rows);
        planned.plan(parts.iter().map(|part| part.parts.as_ref())).await;
        let at_once = parts.first().map_or(1, |part| part.dataset.reads_at_once());
        let files: Vec<PartitionedFile> = parts.into_iter().map(StoredPart::file).collect();
        if files.is_empty() {
            // A scan of no files has no partition, and statements need one.
            return Ok(Arc::new(EmptyExec::new(project_schema(self.schema.table_schema(), projection)?)));
        }
        let groups = FileGroup::new(files).split_files(state.config().target_partitions().max(at_once));
        let source = ParquetSource::new(self.schema.clone());
        let source = source.with_parquet_file_reader_factory(Arc::new(PartsReaders));
        let source = Arc::new(DatasetScan::new(source));
        let config = FileScanConfigBuilder::new(ObjectStoreUrl::parse(NO_STORE)?, source)
            .with_file_groups(groups)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

impl StoredTable {
    /// The trace of a filter such as `trace_id = 42`. Leaving out the files of other traces applies all of this filter, so `trace_id` is not
    /// read. `None` for other filters, and if the trace of some file is not [known](StoredPart::is_of_known_trace).
    fn trace_of(&self, filter: &Expr) -> Option<i64> {
        let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = filter else { return None };
        let trace = match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), Expr::Literal(ScalarValue::Int64(number), _))
            | (Expr::Literal(ScalarValue::Int64(number), _), Expr::Column(column))
                if column.name == "trace_id" =>
            {
                *number
            }
            _ => None,
        };
        trace.filter(|_| self.parts.iter().all(StoredPart::is_of_known_trace))
    }

    /// What a statement reads of each file.
    fn planned(
        &self,
        projection: Option<&Vec<usize>>,
        predicate: Option<Arc<PruningPredicate>>,
        rows: u64,
    ) -> PlannedScan<'_> {
        let schema = self.schema.file_schema();
        let is_read = |at: usize| projection.is_none_or(|columns| columns.contains(&at));
        let columns = schema.fields().iter().enumerate().filter(|(at, _)| is_read(*at));
        PlannedScan {
            schema: self.schema.table_schema(),
            columns: columns.map(|(_, field)| field.name().as_str()).collect(),
            predicate,
            rows,
        }
    }

    /// The condition by which statistics exclude rows; `None` if they exclude none.
    fn predicate(
        &self,
        state: &dyn PlanState,
        filters: &[Expr],
    ) -> PlanResult<Option<Arc<PruningPredicate>>> {
        let Some(filter) = conjunction(filters.iter().cloned()) else { return Ok(None) };
        let schema = self.schema.table_schema().clone();
        let filter = state.create_physical_expr(filter, &DFSchema::try_from(schema.clone())?)?;
        Ok(PruningPredicateBuilder::new().with_file_schema(schema).build(filter))
    }

    /// For each file, whether it may have rows that the condition lets pass.
    fn wanted(&self, predicate: Option<&PruningPredicate>) -> PlanResult<Vec<bool>> {
        predicate.map_or_else(|| Ok(vec![true; self.parts.len()]), |of| of.prune(&KnownValues(&self.parts)))
    }
}
