//! [`PlannedScan`]: how many bytes a statement reads of a table's files at most.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::datasource::physical_plan::parquet::{
    ParquetAccessPlan, ParquetFileMetrics, RowGroupAccessPlanFilter,
};
use datafusion::physical_optimizer::pruning::PruningPredicate;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::{StreamExt, stream};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::{FileParts, part};

/// Bytes of footers that are read at most to know what else a statement reads.
const MAX_FOOTER_BYTES: u64 = 4 << 20;

/// What a statement reads of each file of a table.
pub struct PlannedScan<'s> {
    /// Schema of the table, with the columns that files do not have, such as `day`: the condition may name them.
    pub schema: &'s Schema,
    /// Columns whose values are read.
    pub columns: Vec<&'s str>,
    /// Condition by which the statistics of row groups exclude them; `None` if they exclude none.
    pub predicate: Option<Arc<PruningPredicate>>,
    /// Number of rows after which the statement ends.
    pub rows: u64,
}

impl PlannedScan<'_> {
    /// Adds the bytes that are read of `files` to the planned bytes of the current step. The footers of files that are not read whole are
    /// read for that: they are needed in any case, and have the sizes of columns. Files that others read are not looked at.
    pub async fn plan<'p>(&self, files: impl Iterator<Item = &'p FileParts> + Clone) {
        let kept: Vec<u64> = files.clone().map(FileParts::kept_bytes).collect();
        let is_needed = |file: &&FileParts| file.dataset().is_checked() && !file.is_read_whole();
        read_footers(files.clone().filter(is_needed)).await;
        for (file, kept) in files.zip(kept) {
            let footer = file.kept_bytes().saturating_sub(kept);
            file.plan(self.unread_bytes(file).saturating_add(footer));
        }
    }

    /// Bytes that are read of a file at most, besides those in memory.
    fn unread_bytes(&self, file: &FileParts) -> u64 {
        match file.known_metadata().filter(|_| !file.is_read_whole()) {
            None if self.columns.is_empty() => file.unread_footer_bytes(),
            None => file.unread_bytes(),
            Some(_) if self.columns.is_empty() => 0,
            Some(metadata) => self.ranges(file, &metadata).map(|range| range.end - range.start).sum(),
        }
    }

    /// The unread ranges of the row groups' columns and bloom filters, and of the page index.
    fn ranges(&self, file: &FileParts, metadata: &ParquetMetaData) -> impl Iterator<Item = Range<u64>> {
        let (mut ranges, mut rows) = (Vec::new(), 0_u64);
        for group in self.row_groups(metadata) {
            let is_needed = rows < self.rows;
            rows = rows.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
            if !is_needed {
                continue;
            }
            let is_read = |column: &&ColumnChunkMetaData| {
                let path = column.column_path().parts();
                path.first().is_some_and(|name| self.columns.contains(&name.as_str()))
            };
            let columns: Vec<_> = group.columns().iter().filter(is_read).collect();
            ranges.extend(
                file.joined(columns.iter().filter_map(|column| part::column_range(column)).collect()),
            );
            ranges.extend(columns.into_iter().filter_map(bloom_filter_range));
        }
        ranges.extend(part::page_index_range(metadata));
        ranges.into_iter().filter(|range| !file.is_known(range))
    }

    /// The row groups that their statistics do not exclude.
    fn row_groups<'m>(&self, metadata: &'m ParquetMetaData) -> Vec<&'m RowGroupMetaData> {
        let groups = metadata.row_groups();
        let mut needed = RowGroupAccessPlanFilter::new(ParquetAccessPlan::new_all(groups.len()));
        if let Some(predicate) = &self.predicate {
            let metrics = ParquetFileMetrics::new(0, "", &ExecutionPlanMetricsSet::new());
            let schema = metadata.file_metadata().schema_descr();
            needed.prune_by_statistics(self.schema, schema, groups, predicate, &metrics);
        }
        needed.row_group_indexes().filter_map(|at| groups.get(at)).collect()
    }
}

/// Reads footers, unless there are many. Errors are ignored here: the statement meets them again and reports them.
async fn read_footers<'p>(files: impl Iterator<Item = &'p FileParts> + Clone) {
    let bytes = files.clone().fold(0_u64, |sum, file| sum.saturating_add(file.unread_footer_bytes()));
    if bytes > MAX_FOOTER_BYTES {
        return;
    }
    let at_once = files.clone().next().map_or(1, |file| file.dataset().reads_at_once());
    let reading: Vec<_> = files.map(FileParts::metadata).collect();
    stream::iter(reading).buffered(at_once).for_each(|_| std::future::ready(())).await;
}

fn bloom_filter_range(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    part::range(column.bloom_filter_offset()?, column.bloom_filter_length()?)
}
