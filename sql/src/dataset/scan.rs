//! [`DatasetScan`]: DataFusion's source of Parquet files, whose errors name the file. DataFusion's own name none if rows cannot be decoded.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::error::ArrowError;
use datafusion::common::Result as PlanResult;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::config::ConfigOptions;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileOpenFuture, FileOpener, FileScanConfig, FileSource, ParquetSource,
};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::DataFusionError;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::filter_pushdown::FilterPushdownPropagation;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, SortOrderPushdownResult};
use futures::{FutureExt, StreamExt, TryStreamExt, stream};

use super::FileParts;

/// A source of files that are [`FileParts`].
pub struct DatasetScan(Arc<dyn FileSource>);

impl DatasetScan {
    pub fn new(source: ParquetSource) -> Self {
        Self(Arc::new(source))
    }

    /// The source as DataFusion knows it, for plans that other programs run.
    pub fn plain(source: &Arc<dyn FileSource>) -> Arc<dyn FileSource> {
        source.downcast_ref::<Self>().map_or(source, |scan| &scan.0).clone()
    }

    fn around(source: Arc<dyn FileSource>) -> Arc<dyn FileSource> {
        Arc::new(Self(source))
    }
}

impl FileSource for DatasetScan {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> PlanResult<Arc<dyn FileOpener>> {
        let files = self.0.create_morselizer(store, config, partition)?;
        let open = move |file: PartitionedFile| -> PlanResult<FileOpenFuture> {
            let parts = file.extension::<Arc<FileParts>>().cloned();
            let mut next = Some(files.plan_file(file)?);
            let opened = async move {
                // A Parquet file has one stream of rows.
                while let Some(step) = next.take() {
                    let Some(mut plan) = step.plan()? else { break };
                    if let Some(rows) = plan.take_morsels().pop() {
                        return Ok(rows.into_stream());
                    }
                    next = match plan.take_pending_planner() {
                        Some(reading) => Some(reading.await?),
                        None => plan.take_ready_planners().pop(),
                    };
                }
                Ok::<_, DataFusionError>(stream::empty().boxed())
            };
            let named = move |error| named(parts.as_deref(), error);
            Ok(opened
                .map(move |opened| match opened {
                    Ok(rows) => Ok(rows.map_err(named).boxed()),
                    Err(error) => Err(named(error)),
                })
                .boxed())
        };
        Ok(Arc::new(ScanOpener(Box::new(open))))
    }

    fn table_schema(&self) -> &TableSchema {
        self.0.table_schema()
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Self::around(self.0.with_batch_size(batch_size))
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.0.filter()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        self.0.projection()
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        self.0.metrics()
    }

    fn file_type(&self) -> &str {
        self.0.file_type()
    }

    fn fmt_extra(&self, form: DisplayFormatType, out: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt_extra(form, out)
    }

    fn supports_repartitioning(&self) -> bool {
        self.0.supports_repartitioning()
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> PlanResult<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let FilterPushdownPropagation { filters, updated_node } =
            self.0.try_pushdown_filters(filters, config)?;
        Ok(FilterPushdownPropagation { filters, updated_node: updated_node.map(Self::around) })
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
        known: &EquivalenceProperties,
    ) -> PlanResult<SortOrderPushdownResult<Arc<dyn FileSource>>> {
        Ok(self.0.try_pushdown_sort(order, known)?.map(Self::around))
    }

    fn reorder_files(&self, files: Vec<PartitionedFile>) -> Vec<PartitionedFile> {
        self.0.reorder_files(files)
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> PlanResult<Option<Arc<dyn FileSource>>> {
        Ok(self.0.try_pushdown_projection(projection)?.map(Self::around))
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> PlanResult<TreeNodeRecursion>,
    ) -> PlanResult<TreeNodeRecursion> {
        self.0.apply_expressions(visit)
    }
}

/// Opens files.
struct ScanOpener(Box<dyn Fn(PartitionedFile) -> PlanResult<FileOpenFuture> + Send + Sync>);

impl FileOpener for ScanOpener {
    fn open(&self, file: PartitionedFile) -> PlanResult<FileOpenFuture> {
        (self.0)(file)
    }
}

/// The error of a file; with its name, unless an expression over its rows failed.
fn named(parts: Option<&FileParts>, error: DataFusionError) -> DataFusionError {
    let is_of_file = match error.find_root() {
        DataFusionError::ParquetError(_) => true,
        DataFusionError::ArrowError(error, _) => matches!(**error, ArrowError::ParquetError(_)),
        _ => false,
    };
    match parts.filter(|_| is_of_file) {
        Some(parts) => DataFusionError::External(Box::new(parts.decoding_error(&error))),
        None => error,
    }
}
