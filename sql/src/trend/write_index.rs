//! [`write_index`]: the index of trends, made of the index that there is and of the files of those traces that are not in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use parquet::file::metadata::KeyValue;

use super::group_row::GroupRow;
use super::sample_row::SampleRow;
use super::tables::{GROUPINGS, GROUPS, SAMPLES};
use super::{index, stored};
use crate::dataset::{
    Dataset, DatasetError, INDEX_FOLDER, Manifest, NewFile, StoredFile, StoredTrace, TrendIndex, block_on,
    index_name, index_properties,
};
use crate::schema::{self, stable_hash};

/// Groups of a row group at most.
const GROUP_ROWS: usize = 1 << 17;
/// Durations after which a row group ends: changes of a few groups need no more than a few of these.
const DURATIONS: usize = 1 << 15;
/// Key of a file's metadata that holds the grouping of its rows.
const GROUPED_BY: &str = "queryscope.grouped_by";

/// Writes the files of an index of all traces. Nothing changes for readers before the manifest names them.
///
/// # Errors
/// A sentence if the folder cannot be written to.
pub fn write_index(folder: &Path, manifest: &Manifest) -> Result<TrendIndex, DatasetError> {
    let dataset = Arc::new(Dataset::of_manifest(folder, manifest.clone()));
    let mut writer = IndexWriter { folder, dataset, unreadable: BTreeSet::new() };
    let mut files = BTreeMap::new();
    for (by, _) in GROUPINGS {
        files.insert(by.to_owned(), block_on(writer.write(by))?);
    }
    let readable = manifest.traces.iter().enumerate().filter(|(at, _)| !writer.unreadable.contains(at));
    let traces = readable.map(|(_, trace)| (trace.trace_id.clone(), trace.trend_hashes())).collect();
    Ok(TrendIndex { files, traces })
}

struct IndexWriter<'w> {
    folder: &'w Path,
    dataset: Arc<Dataset>,
    /// Positions of the traces whose files cannot be read. They are not in the index, and readers say what is wrong with them.
    unreadable: BTreeSet<usize>,
}

impl IndexWriter<'_> {
    /// Writes the files of one grouping.
    async fn write(&mut self, by: &str) -> Result<Vec<StoredFile>, DatasetError> {
        // An index that cannot be read is made again from the files of the traces.
        let mut known_groups = index::groups(&self.dataset, by).await.unwrap_or_default();
        let mut known_samples = index::all_samples(&self.dataset, by).await.unwrap_or_default();
        let dataset = self.dataset.clone();
        let (mut groups, mut samples) = (Vec::new(), Vec::new());
        for (at, trace) in dataset.manifest().traces.iter().enumerate() {
            let known = (known_groups.remove(&trace.id()), known_samples.remove(&trace.id()));
            match self.rows(trace, by, known).await {
                Ok((of_groups, of_samples)) => {
                    groups.extend(of_groups.into_iter().map(|row| (at, row)));
                    samples.extend(of_samples.into_iter().map(|row| (at, row)));
                }
                Err(_) => _ = self.unreadable.insert(at),
            }
        }
        // Rows of one text are next to each other, in the order of the traces, so that they compress well and are read together.
        groups.sort_by(|(left_at, left), (right_at, right)| {
            let key = |at: usize, row: &GroupRow| (at, row.run_id, row.group_id);
            left.text.cmp(&right.text).then_with(|| key(*left_at, left).cmp(&key(*right_at, right)))
        });
        samples.sort_by_key(|(at, row)| (row.text_hash, *at, row.group_id));
        let groups: Vec<GroupRow> = groups.into_iter().map(|(_, row)| row).collect();
        let samples: Vec<SampleRow> = samples.into_iter().map(|(_, row)| row).collect();
        let schema = schema::stored_schema(&super::TREND_TABLES[0]);
        let batches = groups.chunks(GROUP_ROWS).map(|rows| GroupRow::batch(rows, by, &schema));
        let groups = self.write_file(GROUPS, by, &schema, batches)?;
        let batches = divided(&samples).into_iter().map(SampleRow::batch);
        let samples = self.write_file(SAMPLES, by, &SampleRow::schema(), batches)?;
        Ok(groups.into_iter().chain(samples).collect())
    }

    /// The rows of a trace: those that the index has, else those of its own files.
    async fn rows(
        &self,
        trace: &StoredTrace,
        by: &str,
        known: (Option<Vec<GroupRow>>, Option<Vec<SampleRow>>),
    ) -> Result<(Vec<GroupRow>, Vec<SampleRow>), DatasetError> {
        let groups = match known.0 {
            Some(groups) => groups,
            None => stored::groups(&self.dataset, trace, by).await?,
        };
        if let Some(samples) = known.1 {
            return Ok((groups, samples));
        }
        let hash = |group: &GroupRow| Some((group.group_id, stable_hash(group.text.as_ref()?).cast_signed()));
        let hashes: HashMap<i64, i64> = groups.iter().filter_map(hash).collect();
        let wanted = hashes.keys().copied().collect();
        let samples = stored::samples(&self.dataset, trace, by, &wanted).await?;
        let row = |(group_id, durations)| SampleRow {
            text_hash: hashes.get(&group_id).copied().unwrap_or_default(),
            trace_id: trace.id(),
            group_id,
            durations,
        };
        Ok((groups, samples.into_iter().map(row).collect()))
    }

    fn write_file(
        &self,
        table: &'static str,
        by: &str,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<Option<StoredFile>, DatasetError> {
        let new = NewFile {
            root: self.folder,
            table,
            place: INDEX_FOLDER.to_owned(),
            name: index_name(table, by),
            properties: index_properties(schema),
        };
        // A file without rows is written as well: it says that no trace has any.
        new.write(schema, batches, Some(KeyValue::new(GROUPED_BY.to_owned(), by.to_owned())))
    }
}

/// Parts with about [`DURATIONS`] durations each.
fn divided(rows: &[SampleRow]) -> Vec<&[SampleRow]> {
    let (mut parts, mut start, mut durations) = (Vec::new(), 0, 0);
    for (at, row) in rows.iter().enumerate() {
        durations += row.durations.len();
        if durations >= DURATIONS {
            parts.push(&rows[start..=at]);
            (start, durations) = (at + 1, 0);
        }
    }
    parts.push(&rows[start..]);
    parts
}
