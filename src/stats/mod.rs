//! Questions with numbers as answers: one file per question. None knows a file format or a pixel.
//!
//! Two rules hold everywhere. What was not reported is no 0: it is in no sum, no average, and meets no condition. And
//! what the trace does not hold to its end (an unfinished query) is in no average either: its duration is a bound.

mod bits;
mod buffers;
mod charts;
mod details;
pub(crate) mod filter;
#[cfg(any(test, feature = "export"))]
mod filtering;
mod findings;
mod innermost;
mod locks;
mod merged;
mod outliers;
mod parallel;
mod pauses;
mod queries;
mod query_rows;
mod range;
pub(crate) mod search;
mod self_time;
mod sum;
mod summary;
mod tables;
mod transactions;

#[cfg(test)]
pub(crate) mod sample;

use crate::base::text;
use crate::protocol::Outcome;
use crate::trace::{Flags, Key, Kind, Trace};
pub(crate) use crate::trace::{clipped, overlaps};

pub(crate) use bits::Bits;
pub use buffers::{BufferSum, buffers};
pub use charts::charts;
pub use details::{card, details, records};
pub use filter::{FilterError, QueryFilter};
#[cfg(any(test, feature = "export"))]
pub use filtering::datasources;
pub use findings::findings;
pub use locks::lock_waits;
pub use merged::{FrameLabel, FrameNode, Merged, SqlShapes, arguments, first_path, frame_card};
pub use outliers::Thresholds;
#[cfg(any(test, feature = "export"))]
pub use outliers::{Outlier, outliers};
pub use parallel::{ParallelScope, busiest, has_parallel, has_plans, heat, parallel};
pub use pauses::{Gap, pauses};
pub use queries::{NO_QUERY, Order, Queries};
pub use range::range;
pub use search::Hits;
pub use self_time::{SelfTimes, self_times, self_times_in};
pub use sum::Sum;
pub use summary::{n_queries, reconstructed, summaries};
pub use tables::{TableRows, n_tables, tables};
pub use transactions::{Transactions, has_transactions};

/// What the numbers or texts under a key are called, as it is shown. Names of arguments come from the files as other names do.
pub fn key_name(trace: &Trace, key: Key) -> String {
    text::visible_name(trace.str(trace.keys.get(key).name))
}

/// The key with a name, as it stands in the file or as it [is shown](key_name).
pub fn key_called(trace: &Trace, name: &str) -> Option<Key> {
    let shown = || trace.keys.iter().map(|(key, _)| key).find(|&key| key_name(trace, key) == name);
    trace.key(name).or_else(|| name.contains(char::REPLACEMENT_CHARACTER).then(shown).flatten())
}

/// Whether both its start and its end are in the trace.
pub fn is_whole(flags: Flags) -> bool {
    !flags.has(Flags::OPEN_START) && !flags.has(Flags::OPEN_END)
}

/// Whether it is a source execution that ended: what the analysis of the tracer calls a source call.
pub fn is_source_call((kind, flags): (Kind, Flags)) -> bool {
    kind == Kind::Execution && !flags.has(Flags::OPEN_END)
}

/// How something ended. A failure is the most that can be known; then what is missing.
pub fn outcome(flags: Flags) -> Outcome {
    match flags {
        _ if flags.has(Flags::FAILED) => Outcome::Failed,
        _ if flags.has(Flags::OPEN_END) => Outcome::Unfinished,
        _ if flags.has(Flags::OPEN_START) => Outcome::NoStart,
        _ => Outcome::Ok,
    }
}

const OUTCOMES: [Outcome; 4] = [Outcome::Ok, Outcome::Failed, Outcome::Unfinished, Outcome::NoStart];

/// An outcome as people read it, and as the filter takes it.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Failed => "failed",
        Outcome::Unfinished => "unfinished",
        Outcome::NoStart => "no-start",
    }
}
