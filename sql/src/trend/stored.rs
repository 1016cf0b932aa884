//! The rows of `execution_groups` and `execution_samples` of one trace, read back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use datafusion::arrow::array::{Array, Int64Array, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;

use super::group_row::{BatchColumns, GroupRow};
use super::tables::{GROUPS, SAMPLES};
use crate::dataset::{Dataset, DatasetError, FileParts, StoredTrace, part};

/// Rows of a batch at most.
const BATCH: i64 = 1 << 17;

/// The groups of a trace in one grouping.
///
/// # Errors
/// A sentence if the file is not as the manifest says.
pub async fn groups(
    dataset: &Arc<Dataset>,
    trace: &StoredTrace,
    by: &str,
) -> Result<Vec<GroupRow>, DatasetError> {
    let batches = batches(dataset, trace, GROUPS, by, None).await?;
    let mut rows: Vec<GroupRow> = batches.iter().flat_map(GroupRow::of_batch).collect();
    rows.iter_mut().for_each(|row| row.trace_id = trace.id());
    Ok(rows)
}

/// Durations of the sampled executions of some groups of a trace in one grouping, by the numbers of the groups.
///
/// # Errors
/// As for [`groups`].
pub async fn samples(
    dataset: &Arc<Dataset>,
    trace: &StoredTrace,
    by: &str,
    groups: &BTreeSet<i64>,
) -> Result<HashMap<i64, Vec<i64>>, DatasetError> {
    let mut found: HashMap<i64, Vec<i64>> = HashMap::new();
    let wanted = ["group_id", "duration_ns"];
    for batch in batches(dataset, trace, SAMPLES, by, Some(&wanted)).await? {
        let [numbers, durations] = wanted.map(|name| BatchColumns(&batch).numbers(name));
        let number = |column: Option<&Int64Array>, row: usize| {
            column.filter(|column| column.is_valid(row)).map_or(0, |column| column.value(row))
        };
        for row in 0..batch.num_rows() {
            let group = number(numbers, row);
            if groups.contains(&group) {
                found.entry(group).or_default().push(number(durations, row));
            }
        }
    }
    Ok(found)
}

/// The row groups of a table that are of one grouping.
async fn batches(
    dataset: &Arc<Dataset>,
    trace: &StoredTrace,
    table: &str,
    by: &str,
    columns: Option<&[&str]>,
) -> Result<Vec<RecordBatch>, DatasetError> {
    let Some(file) = trace.file(table) else { return Ok(Vec::new()) };
    let parts = FileParts::new(dataset.clone(), &trace.name, file);
    let (rows, batches) = read(parts, |group| is_of(group, by), columns)
        .await
        .map_err(|error| part::sentence(dataset, &trace.name, file, &error))?;
    part::same_rows(dataset, &trace.name, file, rows)?;
    Ok(batches)
}

/// The number of rows of a file, and its wanted row groups.
pub async fn read(
    parts: FileParts,
    is_wanted: impl Fn(&RowGroupMetaData) -> bool,
    columns: Option<&[&str]>,
) -> ParquetResult<(u64, Vec<RecordBatch>)> {
    let metadata = parts.metadata().await?;
    let groups = 0..metadata.num_row_groups();
    let wanted: Vec<usize> = groups.filter(|&at| is_wanted(metadata.row_group(at))).collect();
    parts.keep_row_groups(wanted.iter().map(|&at| metadata.row_group(at))).await?;
    let about = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::default())?;
    let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(parts, about);
    if let Some(columns) = columns {
        let mask = ProjectionMask::columns(reader.parquet_schema(), columns.iter().copied());
        reader = reader.with_projection(mask);
    }
    let rows = metadata.file_metadata().num_rows();
    let batches = reader.with_batch_size(rows.clamp(1, BATCH) as usize).with_row_groups(wanted).build()?;
    let batches = batches.collect::<Result<Vec<_>, _>>()?;
    Ok((u64::try_from(rows).unwrap_or(0), batches))
}

/// Whether all rows of a row group are of a grouping. Its statistics say so.
fn is_of(group: &RowGroupMetaData, by: &str) -> bool {
    part::statistics(group, "grouped_by").and_then(Statistics::min_bytes_opt) == Some(by.as_bytes())
}
