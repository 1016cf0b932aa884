//! [`StoredSamples`]: the sampled executions near changes, of the traces of data sets.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use futures::{StreamExt, stream};
use queryscope::export::TrendWarning;

use super::index::{self, WantedSamples};
use super::stored;
use super::tables::SAMPLES;
use crate::dataset::{Dataset, DatasetError, StoredTrace};

/// Durations of sampled executions by trace, as its position in [`TracesOfSets`], and group.
pub type StoredSamples = HashMap<usize, HashMap<i64, Vec<i64>>>;
/// The traces of data sets.
pub type TracesOfSets = [(Arc<Dataset>, StoredTrace)];

/// The groups of a trace whose executions are wanted: their numbers, with the hashes of their texts.
pub type WantedGroups = BTreeMap<i64, u64>;

/// Reads the sampled executions of some groups of each trace: from the index of its data set, else from its own file.
///
/// # Errors
/// Only if more would be read than a step may, or no file can be read. What else cannot be read is added to the warnings.
pub async fn read(
    traces: &TracesOfSets,
    by: &str,
    mut wanted: BTreeMap<usize, WantedGroups>,
    warnings: &mut Vec<TrendWarning>,
) -> Result<StoredSamples, DatasetError> {
    let mut found = StoredSamples::new();
    for of_set in by_dataset(traces, by, &wanted) {
        let read = index::samples(of_set.dataset, by, &of_set.samples).await;
        match read {
            Ok(mut samples) => {
                for (at, groups) in of_set.traces.iter().filter_map(|at| Some((*at, wanted.remove(at)?))) {
                    let id = traces[at].1.id();
                    let durations =
                        groups.into_keys().filter_map(|group| Some((group, samples.remove(&(id, group))?)));
                    found.insert(at, durations.collect());
                }
            }
            Err(error) => warnings.push(index_warning(of_set.dataset, error)?),
        }
    }
    let at_once = traces.iter().map(|(dataset, _)| dataset.reads_at_once()).max().unwrap_or(1);
    let reading = wanted.iter().map(|(&at, groups)| async move {
        let (dataset, trace) = &traces[at];
        let groups: BTreeSet<i64> = groups.keys().copied().collect();
        (at, stored::samples(dataset, trace, by, &groups).await)
    });
    let mut reading = stream::iter(reading).buffered(at_once);
    while let Some((at, samples)) = reading.next().await {
        match samples {
            Ok(samples) => _ = found.insert(at, samples),
            Err(error) => {
                let (dataset, trace) = &traces[at];
                let about = format!("The executions of “{}” near changes are not compared", trace.name);
                warnings.push(warning(dataset, Some(trace), &about, error)?);
            }
        }
    }
    Ok(found)
}

/// What is wanted of the index of one data set.
struct WantedOfIndex<'t> {
    dataset: &'t Arc<Dataset>,
    /// Positions of its traces.
    traces: Vec<usize>,
    samples: WantedSamples,
}

fn by_dataset<'t>(
    traces: &'t TracesOfSets,
    by: &str,
    wanted: &BTreeMap<usize, WantedGroups>,
) -> Vec<WantedOfIndex<'t>> {
    let mut found: Vec<WantedOfIndex> = Vec::new();
    for (&at, groups) in wanted {
        let (dataset, trace) = &traces[at];
        if !dataset.manifest().is_indexed(trace, SAMPLES, by) {
            continue;
        }
        let known = found.iter().position(|of| Arc::ptr_eq(of.dataset, dataset));
        let known = known.unwrap_or_else(|| {
            found.push(WantedOfIndex { dataset, traces: Vec::new(), samples: WantedSamples::default() });
            found.len() - 1
        });
        let of = &mut found[known];
        of.traces.push(at);
        of.samples.hashes.extend(groups.values().map(|hash| hash.cast_signed()));
        of.samples.groups.insert(trace.id(), groups.keys().copied().collect());
    }
    found
}

/// The warning that an index is not used.
///
/// # Errors
/// As for [`warning`].
pub fn index_warning(dataset: &Dataset, error: DatasetError) -> Result<TrendWarning, DatasetError> {
    warning(dataset, None, "The index of trends is not used, so the files of each trace are read", error)
}

/// A warning `about` a trace that cannot be read; of the index if there is no trace. The error is its reason.
///
/// # Errors
/// The error, if more would be read than a step may, or no file of the data set can be read.
pub fn warning(
    dataset: &Dataset,
    trace: Option<&StoredTrace>,
    about: &str,
    error: DatasetError,
) -> Result<TrendWarning, DatasetError> {
    match dataset.is_over_limit() || dataset.has_fault() {
        true => Err(error),
        false => {
            let trace = trace.map(|trace| trace.name.clone());
            Ok(TrendWarning { trace, text: format!("{about}: {error}") })
        }
    }
}
