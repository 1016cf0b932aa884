//! Definitions of the terms that headings link to, as in docs/glossary.md.

/// A glossary term that may be unknown to new users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Term {
    Concurrency,
    CriticalPath,
    Finding,
    IdleGap,
    LockWait,
    Measure,
    OverFetch,
    PartitionSkew,
    Projection,
    Score,
    SelfTime,
    ServerSums,
    Slack,
    SpillShare,
    Starved,
    StatementShape,
    WallTime,
}

impl Term {
    /// Returns the term's name and its definition.
    pub const fn entry(self) -> (&'static str, &'static str) {
        match self {
            Term::Concurrency => ("Concurrency", "Number of threads that were busy at the same time."),
            Term::CriticalPath => (
                "Critical path",
                "The chain of steps that decided how long something took: only a shorter step on it brings the end forward.",
            ),
            Term::Finding => (
                "Finding",
                "A problem that a rule detected, such as a statement that failed, used no index or read far more rows than it returned. Thresholds of the rules can be changed.",
            ),
            Term::IdleGap => (
                "Idle gap",
                "Time inside a transaction in which its thread ran no statement, while locks were held.",
            ),
            Term::LockWait => (
                "Lock wait",
                "Time in which a thread waits for a lock that another thread holds, its blocker.",
            ),
            Term::Measure => (
                "Measure",
                "A value that a pivot table computes for each group: count, sum, average, minimum, maximum or a percentile, of a duration or of any number.",
            ),
            Term::OverFetch => (
                "Over-fetch",
                "Rows read divided by rows returned. A high ratio means that a source or an index delivered rows that were discarded.",
            ),
            Term::PartitionSkew => (
                "Partition skew",
                "How unevenly time is spread over the parallel copies of one step: the longest execution divided by the average.",
            ),
            Term::Projection => (
                "Projection",
                "A function of an attribute's value before grouping: the first parts of a name, digits masked, multiples of a step.",
            ),
            Term::Score => (
                "Score",
                "Weighted sum of a query's duration, rows read and buffer bytes, each divided by the largest value of a completed query.",
            ),
            Term::SelfTime => ("Self time", "Time of a span that is not covered by nested spans."),
            Term::ServerSums => (
                "Server sums",
                "MySQL: the summary tables that the server maintains. The import report and queryscope reconcile compare them with the exported events.",
            ),
            Term::Slack => (
                "Slack",
                "How much longer a span off the critical path could have taken without delaying the end.",
            ),
            Term::SpillShare => (
                "Spill share",
                "Bytes of PHYSICAL_WRITE and SPILL events, which reached secondary storage, divided by these and those of LOGICAL_WRITE events.",
            ),
            Term::Starved => (
                "Starved",
                "Idle because an input was not ready: the thread's next span depends on a result that another thread had yet to produce.",
            ),
            Term::StatementShape => (
                "Statement shape",
                "A statement with its literals replaced by ?. Statements of the same shape are compared as executions of one statement.",
            ),
            Term::WallTime => {
                ("Wall time", "Elapsed time between two points, regardless of what the threads did in it.")
            }
        }
    }
}

/// Label of the button that shows a definition.
pub fn question(term: &str) -> String {
    format!("What is {}?", term.to_lowercase())
}

/// Text on the button that shows a definition.
pub const SIGN: &str = "?";
