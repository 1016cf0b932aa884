//! Loading a subset of the records, for files that do not fit into memory or are only partly of interest.

use serde::{Deserialize, Serialize};

/// Explains how to read a trace from which records were left out by choice.
pub const LEFT_OUT_MEANS: &str = "Times count from the first loaded record of each run. Spans that start \
     before the loaded range or end after it lack their start or end, and may be reported for that.";

/// Selection of the records to load; the default selects everything.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Subset {
    /// Records inside this range, both ends included, in nanoseconds since each run's first record; `None` for all times.
    pub range: Option<(i64, i64)>,
    /// Runs to load, by name; `None` for all runs.
    pub runs: Option<Vec<String>>,
    /// Clock readings, by run name, that correspond to time 0. A run that is not listed uses the clock reading of its first
    /// record, in the order of reading.
    pub zeros: Vec<(String, i64)>,
}

/// The loaded subset, and the runs that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubsetChoices {
    /// The loaded subset.
    pub chosen: Subset,
    /// Runs whose records were read, loaded or not.
    pub runs: Vec<SubsetRun>,
}

/// A run whose records were read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SubsetRun {
    /// Name of the run, from its records or from the file.
    pub name: String,
    /// Clock reading at the first record, in nanoseconds.
    pub zero: i64,
    /// Time from `zero` to the last record that was read, in nanoseconds.
    pub length: i64,
    /// Number of records that were read, loaded or not, except records without a time.
    pub records: u64,
    /// Time from `zero` to the first loaded record, which is time 0 of the trace, in nanoseconds; `None` if everything was
    /// loaded, or nothing of this run.
    pub kept_from: Option<i64>,
}
