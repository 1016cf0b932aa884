//! The rows of `execution_groups` and `execution_samples` of one trace, read back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::RowGroupMetaData;
use queryscope::export::{GroupSummary, SampledExecution};

use crate::dataset::{Dataset, DatasetError, FileParts, StoredTrace, part};

/// A row of `execution_groups`.
pub struct StoredGroup {
    pub run_id: u32,
    pub run: String,
    pub version: Option<String>,
    pub origin: i64,
    pub group_id: i64,
    /// `None` for all groups beyond the largest.
    pub text: Option<String>,
    pub summary: GroupSummary,
}

/// The groups of a trace in one grouping.
///
/// # Errors
/// A sentence if the file is not as the manifest says, or the data set has none, because an older version wrote it.
pub async fn groups(
    dataset: &Arc<Dataset>,
    trace: &StoredTrace,
    by: &str,
) -> Result<Vec<StoredGroup>, DatasetError> {
    let mut found = Vec::new();
    for batch in batches(dataset, trace, "execution_groups", by, None).await? {
        let columns = BatchColumns(&batch);
        let texts = ["text", "run", "version"].map(|name| columns.texts(name));
        let text = |at: usize, row: usize| {
            texts[at].as_ref().filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row).to_owned())
        };
        let number = |name: &str, row: usize| columns.number(name, row);
        let count =
            |name: &str, row: usize| number(name, row).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        let id = |name: &str, row: usize| number(name, row).and_then(|n| u32::try_from(n).ok());
        for row in 0..batch.num_rows() {
            let slowest = id("slowest_span_id", row).and_then(|span| {
                let (start, duration) = (number("slowest_start_ns", row)?, number("max_ns", row)?);
                Some(SampledExecution { span, start, duration })
            });
            found.push(StoredGroup {
                run_id: id("run_id", row).unwrap_or(0),
                run: text(1, row).unwrap_or_default(),
                version: text(2, row),
                origin: number("origin_ns", row).unwrap_or(0),
                group_id: number("group_id", row).unwrap_or(0),
                text: text(0, row),
                summary: GroupSummary {
                    executions: count("executions", row),
                    incomplete: count("incomplete", row),
                    errors: count("errors", row),
                    total: number("total_ns", row),
                    self_time: number("self_ns", row),
                    min: number("min_ns", row),
                    p50: number("p50_ns", row),
                    p95: number("p95_ns", row),
                    p99: number("p99_ns", row),
                    max: number("max_ns", row),
                    rows_read: number("rows_read", row),
                    rows_returned: number("rows_returned", row),
                    bytes: number("bytes", row),
                    first_start: number("first_start_ns", row),
                    slowest,
                },
            });
        }
    }
    Ok(found)
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
    for batch in batches(dataset, trace, "execution_samples", by, Some(&wanted)).await? {
        let columns = BatchColumns(&batch);
        for row in 0..batch.num_rows() {
            let [group, duration] = wanted.map(|name| columns.number(name, row).unwrap_or(0));
            if groups.contains(&group) {
                found.entry(group).or_default().push(duration);
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
    let Some(file) = trace.files.iter().find(|file| file.table == table) else { return Ok(Vec::new()) };
    let (rows, batches) = read(FileParts::new(dataset.clone(), &trace.name, file), by, columns)
        .await
        .map_err(|error| part::sentence(dataset, &trace.name, file, &error))?;
    part::same_rows(dataset, &trace.name, file, u64::try_from(rows).unwrap_or(0))?;
    Ok(batches)
}

/// The number of rows of a file, and those of one grouping.
async fn read(
    parts: FileParts,
    by: &str,
    columns: Option<&[&str]>,
) -> ParquetResult<(i64, Vec<RecordBatch>)> {
    let metadata = parts.metadata().await?;
    let groups = 0..metadata.num_row_groups();
    let wanted: Vec<usize> = groups.filter(|&at| is_of(metadata.row_group(at), by)).collect();
    for &at in &wanted {
        parts.keep_row_group(metadata.row_group(at)).await?;
    }
    let about = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::default())?;
    let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(parts, about);
    if let Some(columns) = columns {
        let mask = ProjectionMask::columns(reader.parquet_schema(), columns.iter().copied());
        reader = reader.with_projection(mask);
    }
    let batches = reader.with_row_groups(wanted).build()?.collect::<Result<Vec<_>, _>>()?;
    Ok((metadata.file_metadata().num_rows(), batches))
}

/// Whether all rows of a row group are of a grouping. Its statistics say so.
fn is_of(group: &RowGroupMetaData, by: &str) -> bool {
    let column = group.columns().iter().find(|column| column.column_path().string() == "grouped_by");
    let least = column.and_then(|column| column.statistics()?.min_bytes_opt());
    least == Some(by.as_bytes())
}

/// Columns of a batch by their names.
struct BatchColumns<'b>(&'b RecordBatch);

impl BatchColumns<'_> {
    fn number(&self, name: &str, row: usize) -> Option<i64> {
        let column = self.0.column_by_name(name)?.as_primitive_opt::<Int64Type>()?;
        column.is_valid(row).then(|| column.value(row))
    }

    fn texts(&self, name: &str) -> Option<StringArray> {
        let column = cast(self.0.column_by_name(name)?, &DataType::Utf8).ok()?;
        column.as_string_opt::<i32>().cloned()
    }
}
