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
    /// Time in which threads worked, all together.
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
    /// The longest chain of spans of which each needed the one before; at most its first 500 links.
    pub chain: Vec<ChainLink>,
    /// All links of the chain.
    pub n_chain: u32,
    /// Time that the spans of the chain took: no number of threads makes it shorter.
    pub chain_time: i64,
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
    /// Time in which it worked.
    pub busy: i64,
    /// Time in which it said that it waited.
    pub waiting: i64,
    /// The rest.
    pub idle: i64,
    /// Time in which it had nothing to do because what it did next needed something that was not there yet.
    pub starved: i64,
    /// What it did.
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

/// A link of the longest chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChainLink {
    /// The span.
    pub link: Link,
    /// What it got from the link before; empty for the first.
    pub via: String,
    /// From the end of the link before to its start.
    pub gap: i64,
    /// The thread that it ran in.
    pub thread: String,
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
