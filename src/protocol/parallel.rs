//! Thread utilisation and intermediate results of a statement or time range.

use serde::{Deserialize, Serialize};

use super::Link;

/// Thread utilisation, critical path and intermediate results of a statement or time range.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Parallel {
    /// Text of the statement; empty for a time range.
    pub title: String,
    /// Start of the range, in nanoseconds since the run's first event.
    pub start: i64,
    /// End of the range, in nanoseconds since the run's first event.
    pub end: i64,
    /// Time in which threads worked, summed over all threads, in nanoseconds.
    pub busy: i64,
    /// Busy share of all cores (tomograph's measure), in thousandths: 1000 if every core worked all of the time. `None` with
    /// fewer than two cores.
    pub parallelism: Option<u32>,
    /// Concurrency: time with exactly N threads running, by N from 0, in nanoseconds.
    pub at_once: Vec<i64>,
    /// Start and end, in nanoseconds, of the longest period with exactly N threads running, by N from 0; empty if there is none.
    pub longest_at_once: Vec<(i64, i64)>,
    /// Threads, in the order of the trace; at most 500.
    pub workers: Vec<Worker>,
    /// Producers that threads waited for, longest wait first; at most 500.
    pub producers: Vec<Producer>,
    /// Instructions of the plan, in order; at most 5,000. Empty if the trace contains no plan.
    pub plan: Vec<PlanStep>,
    /// Index in `plan` of the instruction that the selected item executed; `None` if there is none.
    pub marked: Option<u32>,
    /// Groups of equivalent plan instructions, most total time first; at most 500.
    pub equal: Vec<EqualSteps>,
    /// Total number of groups of equivalent instructions.
    pub n_equal: u32,
    /// Intermediate results, largest first; at most 500.
    pub values: Vec<Held>,
    /// Total number of intermediate results.
    pub n_values: u32,
    /// Time and size, in bytes, of the peak of all intermediate results; `None` if no sizes are reported.
    pub most_held: Option<(i64, i64)>,
}

/// An instruction of a plan, with the sums over its executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanStep {
    /// Position of the instruction in its function; [`PlanStep::NOWHERE`] if unknown.
    pub place: i64,
    /// Text of the instruction.
    pub text: String,
    /// Item code of the longest execution.
    pub item: u32,
    /// Number of executions.
    pub runs: u32,
    /// Total time of all executions, in nanoseconds.
    pub time: i64,
    /// Maximum number of rows that one execution produced; `None` if not reported.
    pub rows: Option<i64>,
    /// Maximum number of bytes that one execution produced; `None` if not reported.
    pub bytes: Option<i64>,
    /// Name of the function that contains the instruction; empty if unknown. All instructions of a function are adjacent.
    pub program: String,
}

impl PlanStep {
    /// Value of [`PlanStep::place`] if the place is unknown.
    pub const NOWHERE: i64 = i64::MIN;
}

/// Equivalent instructions of a plan: the parallel copies that the optimizer made of one instruction.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EqualSteps {
    /// Text of the instruction without the parts that differ between the copies.
    pub name: String,
    /// Number of copies in the plan.
    pub places: u32,
    /// Number of executions of all copies.
    pub runs: u32,
    /// Shortest execution, in nanoseconds.
    pub shortest: i64,
    /// Median duration of the executions, in nanoseconds; for an even number of executions, the upper median.
    pub median: i64,
    /// Total time of all executions, in nanoseconds.
    pub time: i64,
    /// Link to the slowest execution.
    pub slowest: Link,
}

/// An intermediate result: a value that one span produced and other spans read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    /// Name of the intermediate result.
    pub name: String,
    /// Link to the span that produced it.
    pub link: Link,
    /// Start of its lifetime: the end of the span that produced it, in nanoseconds.
    pub start: i64,
    /// End of its lifetime: the end of the last span that read it, in nanoseconds.
    pub end: i64,
    /// Number of spans that read it.
    pub readers: u32,
    /// Size of all results of the producing span, in bytes; `None` if not reported.
    pub bytes: Option<i64>,
}

/// Utilisation of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Worker {
    /// Track id of the thread.
    pub track: u32,
    /// Name of the thread.
    pub name: String,
    /// Time in which the thread worked, in nanoseconds: CPU time where it is recorded.
    pub busy: i64,
    /// Time in recorded waits, and time inside spans while the thread had no CPU, in nanoseconds.
    pub waiting: i64,
    /// Time in which the thread was neither working nor waiting, in nanoseconds.
    pub idle: i64,
    /// Part of `idle` in which an input was not ready, in nanoseconds.
    pub starved: i64,
    /// Number of spans that are work and began in the range.
    pub spans: u32,
    /// Item code of the span of the longest period in which the thread worked, or else waited, without a pause.
    pub item: u32,
}

/// A producer: a span that threads waited for because they needed its result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Producer {
    /// Link to the span.
    pub link: Link,
    /// Time that threads waited for the span, summed over all threads, in nanoseconds.
    pub time: i64,
    /// Number of waits.
    pub count: u32,
}

/// Heat map: how busy each core and each thread was over time, in columns of equal width.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Heat {
    /// Start of the range, in nanoseconds.
    pub start: i64,
    /// End of the range, in nanoseconds.
    pub end: i64,
    /// Number of columns along the time axis.
    pub columns: u32,
    /// Cores (if the trace has counters for them), then threads; at most 500 rows.
    pub rows: Vec<HeatRow>,
    /// Total number of cores and threads.
    pub n_rows: u32,
}

/// A row of the heat map: a core or a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeatRow {
    /// Track id of the core or thread.
    pub track: u32,
    /// Name of the core or thread.
    pub name: String,
    /// Whether the row is a core of the machine, which may also have run other processes.
    pub is_core: bool,
    /// Busy share per column, in thousandths; [`HeatRow::UNKNOWN`] where it is not recorded.
    pub busy: Vec<u16>,
}

impl HeatRow {
    /// Busy share of a column that is not recorded.
    pub const UNKNOWN: u16 = u16::MAX;
}

/// Busy time in a trace without statements: by thread, busiest first, and by span name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BusyThreads {
    /// Start of the range, in nanoseconds since the run's first event.
    pub start: i64,
    /// End of the range, in nanoseconds since the run's first event.
    pub end: i64,
    /// Time in which threads worked, summed over all threads, in nanoseconds.
    pub busy: i64,
    /// Busiest threads, busiest first; empty if no thread has spans.
    pub threads: Vec<BusyThread>,
    /// Total number of threads that have spans.
    pub n_threads: u32,
    /// Span names with the most busy time; if no thread has spans, the names with the most self time.
    pub names: Vec<BusyName>,
}

/// Busy time of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BusyThread {
    /// Track id of the thread.
    pub track: u32,
    /// Name of the thread.
    pub name: String,
    /// Time in which the thread worked, in nanoseconds: CPU time where it is recorded.
    pub busy: i64,
    /// Time in recorded waits, and time inside spans while the thread had no CPU, in nanoseconds.
    pub waiting: i64,
    /// Number of spans of the thread.
    pub spans: u32,
    /// Span names with the most busy time of the thread, at most 3, with that time in nanoseconds.
    pub names: Vec<(String, i64)>,
    /// Item code of the span in which the thread worked longest without a pause.
    pub item: u32,
}

/// Sums over all spans of one name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BusyName {
    /// Name of the spans.
    pub name: String,
    /// Busy time in these spans, without nested spans, in nanoseconds: CPU time where it is recorded.
    pub busy: i64,
    /// Self time, in nanoseconds, regardless of whether a thread was working.
    pub self_time: i64,
    /// Inclusive time, in nanoseconds.
    pub total: i64,
    /// Number of spans.
    pub count: u64,
    /// Longest duration of a span, in nanoseconds.
    pub longest: i64,
}
