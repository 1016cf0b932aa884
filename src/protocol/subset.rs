//! A part of the files, for those of which not all is wanted, or fits into memory.

use serde::{Deserialize, Serialize};

/// What must be known about a trace of which something was left out by choice.
pub const LEFT_OUT_MEANS: &str = "Times count from the first loaded record of each run. Spans that start \
     before the loaded range or end after it lack their start or end, and may be reported for that.";

/// What of the files is to be kept: everything by default.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Subset {
    /// What happens in this range, both ends included: nanoseconds since each run's first record.
    pub range: Option<(i64, i64)>,
    /// The runs with these names; all for `None`.
    pub runs: Option<Vec<String>>,
    /// What the clocks of runs read when their times were 0. Of a run that is not listed it is its first record, in the
    /// order of reading.
    pub zeros: Vec<(String, i64)>,
}

/// The part that was chosen, and what there is to choose from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SubsetChoices {
    /// What was chosen.
    pub chosen: Subset,
    /// The runs of which records were read, chosen or not.
    pub runs: Vec<SubsetRun>,
}

/// A run of which records were read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SubsetRun {
    /// Its name: what the records say, or the file's.
    pub name: String,
    /// What its clock read at its first record.
    pub zero: i64,
    /// Nanoseconds from there to the last one that was read.
    pub length: i64,
    /// How many records were read, whether they were chosen or not. Those that tell no time are not among them.
    pub records: u64,
    /// Nanoseconds from `zero` to the first record that was kept, from which the times of the trace count; `None` where
    /// no part was chosen, or none of this run was kept.
    pub kept_from: Option<i64>,
}
