//! How well threads were used.

use serde::{Deserialize, Serialize};

use super::Link;

/// How well the threads of a statement, or of a range of time, were used.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Parallel {
    /// The statement; empty for a range of time.
    pub title: String,
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// Time in which threads worked, summed over the threads.
    pub busy: i64,
    /// tomograph's measure, in thousandths: 0 where one thread did all of the work, 1000 where all worked all of the time.
    /// `None` for fewer than two threads.
    pub parallelism: Option<u32>,
    /// For how long so many threads worked at the same time: none, one, two, …
    pub at_once: Vec<i64>,
    /// The threads, as they stand in the trace; at most 500.
    pub workers: Vec<Worker>,
    /// What they waited for, longest first; at most 500.
    pub producers: Vec<Producer>,
    /// The critical path: spans that each depend on the previous one; at most its first 500 parts.
    pub path: Vec<PathStep>,
    /// All parts of the critical path; 0 where the trace has no dependencies.
    pub n_path: u32,
    /// Time in the spans of the critical path, without the gaps between them.
    pub path_time: i64,
    /// The critical path by name, the longest first; at most 20.
    pub path_names: Vec<PathName>,
    /// The plan, where the trace tells it: its instructions in their order; at most 5,000.
    pub plan: Vec<PlanStep>,
    /// The instruction in it that the selected item is a run of.
    pub marked: Option<u32>,
    /// Instructions of the plan that do the same, those first that took most of the time; at most 500.
    pub equal: Vec<EqualSteps>,
    /// All of them.
    pub n_equal: u32,
    /// What was handed on, the largest first; at most 500.
    pub values: Vec<Held>,
    /// All that was handed on.
    pub n_values: u32,
    /// The moment at which most bytes of that were there, and how many; `None` where no sizes are reported.
    pub most_held: Option<(i64, i64)>,
}

/// An instruction of a plan, with all of its runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanStep {
    /// Its place in its function; [`PlanStep::NOWHERE`] where that is not told.
    pub place: i64,
    /// Its text.
    pub text: String,
    /// Its longest run.
    pub item: u32,
    /// How often it ran.
    pub runs: u32,
    /// Time of all runs.
    pub time: i64,
    /// The most rows that one run made.
    pub rows: Option<i64>,
    /// The most bytes that one run made.
    pub bytes: Option<i64>,
    /// The function that it is of, which stands in one piece; empty where that is not told.
    pub program: String,
}

impl PlanStep {
    /// Nothing tells the place.
    pub const NOWHERE: i64 = i64::MIN;
}

/// Instructions of a plan that do the same: the parts that the optimizer made of one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EqualSteps {
    /// What they do.
    pub name: String,
    /// How many there are.
    pub places: u32,
    /// How often they ran, all together.
    pub runs: u32,
    /// The shortest run.
    pub shortest: i64,
    /// The run in the middle, if they are ordered by their durations; of two, the longer one.
    pub median: i64,
    /// Time of all runs.
    pub time: i64,
    /// The slowest run.
    pub slowest: Link,
}

/// Something that was made and handed on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    /// What it is called.
    pub name: String,
    /// Who made it.
    pub link: Link,
    /// When it was there.
    pub start: i64,
    /// Until when it was needed.
    pub end: i64,
    /// How many needed it.
    pub readers: u32,
    /// Bytes of all that its maker made, where reported.
    pub bytes: Option<i64>,
}

/// How one thread was used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Worker {
    /// Its track.
    pub track: u32,
    /// Its name.
    pub name: String,
    /// Time in which it worked, in nanoseconds: CPU time where that is recorded.
    pub busy: i64,
    /// Time of recorded waits, and time in which it was in a span but on no CPU, in nanoseconds.
    pub waiting: i64,
    /// The rest of the range, in nanoseconds.
    pub idle: i64,
    /// Time in which it was idle because an input was not ready, in nanoseconds.
    pub starved: i64,
    /// Spans that are work and began in the range.
    pub spans: u32,
}

/// Something that threads had to wait for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Producer {
    /// The span.
    pub link: Link,
    /// How long, all threads together.
    pub time: i64,
    /// How often.
    pub count: u32,
}

/// A span's part of the critical path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PathStep {
    /// The span.
    pub link: Link,
    /// The input that it got from the span before; empty where it follows the span before in its thread.
    pub via: String,
    /// When the critical path enters the span, in nanoseconds since the first event of the run.
    pub start: i64,
    /// Time that the critical path spends in the span, in nanoseconds.
    pub time: i64,
    /// From the end of the part before to its start, in nanoseconds.
    pub gap: i64,
    /// The thread that it ran in.
    pub thread: String,
}

/// All parts of the critical path in spans of one name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PathName {
    /// The name.
    pub name: String,
    /// Time that the path spends in them, in nanoseconds.
    pub time: i64,
    /// Parts.
    pub count: u32,
    /// The part that takes longest.
    pub longest: Link,
}

/// How busy each core and each thread was, over time: rows of equal columns.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Heat {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// Columns along the time axis.
    pub columns: u32,
    /// Cores, where counters tell of them, then threads; at most 500.
    pub rows: Vec<HeatRow>,
    /// All of them.
    pub n_rows: u32,
}

/// A core or a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeatRow {
    /// Its track.
    pub track: u32,
    /// Its name.
    pub name: String,
    /// Whether it is a core of the machine, whoever worked there.
    pub is_core: bool,
    /// The share of each column in which it worked, in thousandths; [`HeatRow::UNKNOWN`] where nothing tells.
    pub busy: Vec<u16>,
}

impl HeatRow {
    /// Nothing tells how busy it was.
    pub const UNKNOWN: u16 = u16::MAX;
}

/// Where the time of a trace without statements went: by thread, the busiest first, and by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BusyThreads {
    /// Start of the range, in nanoseconds since the first event.
    pub start: i64,
    /// End of the range.
    pub end: i64,
    /// Time in which threads worked, summed over all threads, in nanoseconds.
    pub busy: i64,
    /// The busiest threads; empty where no thread has spans.
    pub threads: Vec<BusyThread>,
    /// All threads with spans.
    pub n_threads: u32,
    /// The names whose spans were busiest; where no thread has spans, those with the most self time.
    pub names: Vec<BusyName>,
}

/// How busy a thread was.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BusyThread {
    /// Its track.
    pub track: u32,
    /// Its name.
    pub name: String,
    /// Time in which it worked, in nanoseconds: CPU time where that is recorded.
    pub busy: i64,
    /// Time of recorded waits, and time in which it was in a span but on no CPU, in nanoseconds.
    pub waiting: i64,
    /// Its spans.
    pub spans: u32,
    /// The names of spans in which it worked most, with the time in each, in nanoseconds; at most 3.
    pub names: Vec<(String, i64)>,
    /// The span in which it worked longest without a pause.
    pub item: u32,
}

/// Spans of one name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BusyName {
    /// The name.
    pub name: String,
    /// Time in which threads worked in them and not in spans inside, in nanoseconds: CPU time where that is recorded.
    pub busy: i64,
    /// Time without that of the spans inside, in nanoseconds, whether a thread worked or not.
    pub self_time: i64,
    /// Inclusive time, in nanoseconds.
    pub total: i64,
    /// Spans.
    pub count: u64,
    /// The longest duration, in nanoseconds.
    pub longest: i64,
}
