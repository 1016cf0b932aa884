//! Problems of events that could be read but do not fit together.

use crate::import::contract::{ProblemKind, SHOWN_ONCE};
use crate::trace::Cut;

/// An event that another file also contains.
pub const REPEATED: ProblemKind =
    ProblemKind::lost(SHOWN_ONCE[2], "The same event is also in another file. It is shown once.");
/// A query id that starts in a second file of its run.
pub const BEGINS_AGAIN: ProblemKind = ProblemKind::remark(
    "query id begins again",
    "A query with the same id also starts in another file. If the files are two recordings with the same `runId`, \
     they are shown as one run, and totals count both.",
);
/// An event whose timestamp is too far from the rest of its run.
pub const FAR: ProblemKind = ProblemKind::lost(
    "timestamp out of range",
    "The timestamp is too far from the rest of the run (64 bits of nanoseconds hold 292 years).",
);

/// A query with neither a start event nor an end event.
pub const NEITHER: ProblemKind = ProblemKind::remark(
    "no QUERY_START and no QUERY_END",
    "Only other events of this query are in the files. Drawn from its first event to its last.",
)
.unless_cut(Cut::ANYWHERE);

/// Problems reported for an interval without an end or without a start.
pub struct UnpairedProblems {
    pub no_end: ProblemKind,
    pub no_start: ProblemKind,
}

const fn without_end(name: &'static str) -> ProblemKind {
    ProblemKind::remark(name, "The end is not in the files. Drawn to the last event of the query.")
        .unless_cut(Cut::AFTER)
}

const fn without_start(name: &'static str) -> ProblemKind {
    ProblemKind::remark(name, "The start is not in the files. Drawn from the first event of the query.")
        .unless_cut(Cut::BEFORE)
}

/// Problems of queries without a start or without an end.
pub const QUERY: UnpairedProblems =
    UnpairedProblems { no_end: without_end("no QUERY_END"), no_start: without_start("no QUERY_START") };
/// Problems of sources without a start or without an end.
pub const SOURCE: UnpairedProblems =
    UnpairedProblems { no_end: without_end("no SOURCE_END"), no_start: without_start("no SOURCE_START") };
/// Problems of source executions without a start or without an end.
pub const EXECUTION: UnpairedProblems = UnpairedProblems {
    no_end: without_end("no SOURCE_EXECUTION_END"),
    no_start: without_start("no SOURCE_EXECUTION_START"),
};
