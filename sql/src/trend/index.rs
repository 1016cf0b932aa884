//! The index of trends, read: the rows of all traces that it has, in one file for each grouping.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;

use super::group_row::GroupRow;
use super::sample_row::{SampleRow, TEXT_HASH};
use super::stored;
use super::tables::{GROUPS, SAMPLES};
use crate::dataset::{Dataset, DatasetError, FileParts, StoredFile, StoredTrace, part};

/// Rows of a batch at most.
const BATCH: usize = 1 << 17;

/// The traces whose rows of a table the index has, without their rows.
fn indexed<T>(dataset: &Dataset, table: &str, by: &str) -> HashMap<i64, Vec<T>> {
    let manifest = dataset.manifest();
    let traces = manifest.traces.iter().filter(|trace| manifest.is_indexed(trace, table, by));
    traces.map(|trace| (trace.id(), Vec::new())).collect()
}

/// The groups in one grouping of each trace that the index has, by `trace_id`.
///
/// # Errors
/// A sentence if the index cannot be read or is damaged.
pub async fn groups(dataset: &Arc<Dataset>, by: &str) -> Result<HashMap<i64, Vec<GroupRow>>, DatasetError> {
    let mut found = indexed(dataset, GROUPS, by);
    if let Some(file) = dataset.manifest().index_file(GROUPS, by).filter(|_| !found.is_empty()) {
        for batch in whole(dataset, file).await? {
            for row in GroupRow::of_batch(&batch) {
                // What is of another trace was replaced or removed since.
                if let Some(rows) = found.get_mut(&row.trace_id) {
                    rows.push(row);
                }
            }
        }
    }
    Ok(found)
}

/// The sampled executions in one grouping of each trace that the index has, by `trace_id`.
///
/// # Errors
/// As for [`groups`].
pub async fn all_samples(
    dataset: &Arc<Dataset>,
    by: &str,
) -> Result<HashMap<i64, Vec<SampleRow>>, DatasetError> {
    let mut found = indexed(dataset, SAMPLES, by);
    if let Some(file) = dataset.manifest().index_file(SAMPLES, by).filter(|_| !found.is_empty()) {
        for batch in whole(dataset, file).await? {
            let rows = SampleRow::of_batch(&batch, |row| found.contains_key(&row.trace_id));
            for row in rows.ok_or_else(|| dataset.wrong("", file, OTHER_COLUMNS))? {
                if let Some(rows) = found.get_mut(&row.trace_id) {
                    rows.push(row);
                }
            }
        }
    }
    Ok(found)
}

const OTHER_COLUMNS: &str = "it has other columns than an index";

/// Which sampled executions are wanted.
#[derive(Default)]
pub struct WantedSamples {
    /// Hashes of the texts of their groups.
    pub hashes: BTreeSet<i64>,
    /// Numbers of their groups, by `trace_id`.
    pub groups: HashMap<i64, BTreeSet<i64>>,
}

/// Durations of the wanted executions, by trace and group. Only those parts of the file are read that have their texts.
///
/// # Errors
/// As for [`groups`].
pub async fn samples(
    dataset: &Arc<Dataset>,
    by: &str,
    wanted: &WantedSamples,
) -> Result<HashMap<(i64, i64), Vec<i64>>, DatasetError> {
    let file = dataset.manifest().index_file(SAMPLES, by).filter(|_| !wanted.groups.is_empty());
    let Some(file) = file else { return Ok(HashMap::new()) };
    let parts = FileParts::new(dataset.clone(), "", file);
    let (rows, batches) = stored::read(parts, |group| may_have(group, &wanted.hashes), None)
        .await
        .map_err(|error| part::sentence(dataset, "", file, &error))?;
    part::same_rows(dataset, "", file, rows)?;
    let is_wanted = |row: &SampleRow| {
        wanted.groups.get(&row.trace_id).is_some_and(|groups| groups.contains(&row.group_id))
    };
    let mut found = HashMap::new();
    for batch in &batches {
        let rows = SampleRow::of_batch(batch, is_wanted);
        let rows = rows.ok_or_else(|| dataset.wrong("", file, OTHER_COLUMNS))?;
        found.extend(rows.into_iter().map(|row| ((row.trace_id, row.group_id), row.durations)));
    }
    Ok(found)
}

/// Whether a row group may have rows with these hashes, by its statistics.
fn may_have(group: &RowGroupMetaData, hashes: &BTreeSet<i64>) -> bool {
    let Some(Statistics::Int64(known)) = part::statistics(group, TEXT_HASH) else { return true };
    match (known.min_opt(), known.max_opt()) {
        (Some(&min), Some(&max)) if min <= max => hashes.range(min..=max).next().is_some(),
        _ => true,
    }
}

/// All rows of a file of the index, whose hash is checked.
async fn whole(dataset: &Arc<Dataset>, file: &StoredFile) -> Result<Vec<RecordBatch>, DatasetError> {
    let bytes = dataset.read_checked("", file).await?;
    let batches = decoded(bytes).map_err(|error| dataset.wrong("", file, error))?;
    let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
    part::same_rows(dataset, "", file, rows)?;
    Ok(batches)
}

fn decoded(bytes: Bytes) -> Result<Vec<RecordBatch>, Box<dyn std::error::Error>> {
    let reader = part::reader(bytes)?.with_batch_size(BATCH).build()?;
    Ok(reader.collect::<Result<Vec<_>, _>>()?)
}

/// Bytes that a trend reads at most, if nothing is damaged: of the index, and of the files of those traces that are not in it.
pub fn planned_bytes(dataset: &Arc<Dataset>, by: &str, is_wanted: impl Fn(&StoredTrace) -> bool) -> u64 {
    let manifest = dataset.manifest();
    let unread = |file: &StoredFile| FileParts::new(dataset.clone(), "", file).unread_bytes();
    let of_table = |table: &str| {
        let wanted = manifest.traces.iter().filter(|trace| is_wanted(trace));
        let (indexed, own): (Vec<_>, Vec<_>) =
            wanted.partition(|trace| manifest.is_indexed(trace, table, by));
        let index = manifest.index_file(table, by).filter(|_| !indexed.is_empty());
        let own = own.into_iter().filter_map(|trace| trace.file(table));
        index.into_iter().chain(own).map(unread).fold(0, u64::saturating_add)
    };
    of_table(GROUPS).saturating_add(of_table(SAMPLES))
}
