//! [`run_groups`]: the executions of each group in each run of a trace, in a few numbers and a sample of bounded size, which can be
//! stored and read without the trace.

use super::executions::{ChosenExecution, ChosenExecutions, ExecutionGroup, ExecutionSource};
use super::measures::{GroupSamples, RunMeasure, narrowed};
use crate::analysis::{Queries, SqlShapes, Statements};
use crate::base::{FxHashMap, sort};
use crate::protocol::GroupBy;
use crate::trace::{RunId, SpanId, Trace, TrackId};

/// Maximum number of executions in the sample of a group. With no more executions, the sample is all of them.
pub const SAMPLE: usize = 64;
/// Maximum number of groups of a run that are listed: those with the most total time. All others are one group without a text.
pub const LARGEST: usize = 200;

/// A complete execution of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampledExecution {
    /// Span of the execution.
    pub span: u32,
    /// Start, in nanoseconds since time 0 of the run.
    pub start: i64,
    /// Duration in nanoseconds.
    pub duration: i64,
}

/// The executions of one group in one run. Times are those of complete executions, in nanoseconds. Sums are clamped to
/// 64 bits.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GroupSummary {
    /// Complete executions: those with both their start and their end in the trace.
    pub executions: u64,
    /// Executions whose start or end is not in the trace.
    pub incomplete: u64,
    /// Failed executions, including incomplete ones.
    pub errors: u64,
    /// Sum of the durations; `None` if no execution is complete.
    pub total: Option<i64>,
    /// Time that no nested span covers; `None` if no execution is complete.
    pub self_time: Option<i64>,
    /// Shortest duration; `None` if no execution is complete.
    pub min: Option<i64>,
    /// Median of the durations (nearest rank); `None` if no execution is complete.
    pub p50: Option<i64>,
    /// 95th percentile of the durations; `None` if no execution is complete.
    pub p95: Option<i64>,
    /// 99th percentile of the durations; `None` if no execution is complete.
    pub p99: Option<i64>,
    /// Longest duration; `None` if no execution is complete.
    pub max: Option<i64>,
    /// Sum of the rows read; `None` if not reported.
    pub rows_read: Option<i64>,
    /// Sum of the rows returned; `None` if not reported.
    pub rows_returned: Option<i64>,
    /// Sum of the bytes; `None` if not reported.
    pub bytes: Option<i64>,
    /// Start of the first execution, complete or not, since time 0 of the run.
    pub first_start: Option<i64>,
    /// The longest complete execution, or the first in the trace if several are equally long; `None` if no execution is
    /// complete.
    pub slowest: Option<SampledExecution>,
}

impl GroupSummary {
    /// Value of a measure; `None` if it was not reported, or if no execution is complete.
    pub fn get(&self, measure: RunMeasure) -> Option<i64> {
        let count = |count: u64| i64::try_from(count).ok();
        match measure {
            RunMeasure::Count => count(self.executions),
            RunMeasure::Total => self.total,
            RunMeasure::Mean => {
                self.total.zip(count(self.executions).filter(|&n| n > 0)).map(|(sum, n)| sum / n)
            }
            RunMeasure::P50 => self.p50,
            RunMeasure::P95 => self.p95,
            RunMeasure::P99 => self.p99,
            RunMeasure::Max => self.max,
            RunMeasure::SelfTime => self.self_time,
            RunMeasure::RowsRead => self.rows_read,
            RunMeasure::RowsReturned => self.rows_returned,
            RunMeasure::Bytes => self.bytes,
            RunMeasure::Errors => count(self.errors),
        }
    }
}

/// A group of executions in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunGroup {
    /// The run.
    pub run: RunId,
    /// Text of the group: a statement without its literals, or a name; `None` for all groups beyond [`LARGEST`].
    pub text: Option<String>,
    /// Its executions in numbers.
    pub summary: GroupSummary,
    /// Complete executions in ascending order of their durations: all of them, or [`SAMPLE`] at equal distances of rank. Empty for
    /// the group without a text.
    pub sample: Vec<SampledExecution>,
}

/// The executions of one group while they are collected.
#[derive(Clone, Default)]
struct GroupExecutions {
    samples: GroupSamples,
    list: Vec<SampledExecution>,
    first_start: Option<i64>,
}

impl GroupExecutions {
    fn join(&mut self, other: Self) {
        self.samples.join(&other.samples);
        self.list.extend(other.list);
        self.first_start = self.first_start.into_iter().chain(other.first_start).min();
    }

    fn finish(mut self, run: RunId, text: Option<String>) -> RunGroup {
        self.samples.sort();
        sort::by(&mut self.list, |a, b| (a.duration, b.span).cmp(&(b.duration, a.span)));
        let get = |measure| self.samples.get(measure).map(narrowed);
        let summary = GroupSummary {
            executions: self.list.len() as u64,
            incomplete: self.samples.incomplete(),
            errors: self.samples.get(RunMeasure::Errors).and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
            total: get(RunMeasure::Total),
            self_time: get(RunMeasure::SelfTime),
            min: self.list.first().map(|first| first.duration),
            p50: get(RunMeasure::P50),
            p95: get(RunMeasure::P95),
            p99: get(RunMeasure::P99),
            max: get(RunMeasure::Max),
            rows_read: get(RunMeasure::RowsRead),
            rows_returned: get(RunMeasure::RowsReturned),
            bytes: get(RunMeasure::Bytes),
            first_start: self.first_start,
            slowest: self.list.last().copied(),
        };
        let sample = if text.is_some() { sampled(&self.list) } else { Vec::new() };
        RunGroup { run, text, summary, sample }
    }
}

/// Selects a sample of a list: the whole list, or, if it has more than [`SAMPLE`] executions, the middle one of each of
/// [`SAMPLE`] equal parts.
fn sampled(list: &[SampledExecution]) -> Vec<SampledExecution> {
    if list.len() <= SAMPLE {
        return list.to_vec();
    }
    (0..SAMPLE).map(|at| list[(2 * at + 1) * list.len() / (2 * SAMPLE)]).collect()
}

/// Groups the executions of each run of a trace in each of the ways in `groupings`; the groups of a run are in
/// descending order of total time.
pub fn run_groups(trace: &Trace, groupings: &[GroupBy]) -> Vec<(GroupBy, Vec<RunGroup>)> {
    let (queries, mut shapes) = (Queries::of(trace), SqlShapes::default());
    let statements = Statements::of(trace, &queries, &mut shapes);
    let source = ExecutionSource::new(trace, &queries, &statements, &shapes);
    let runs = || (0..trace.runs.len() as u32).map(RunId);
    let of = |by: GroupBy| (by, runs().flat_map(|run| groups_of_run(&source, run, by)).collect());
    groupings.iter().copied().map(of).collect()
}

fn groups_of_run(source: &ExecutionSource, run: RunId, by: GroupBy) -> Vec<RunGroup> {
    let reader = source.reader();
    let mut found: FxHashMap<ExecutionGroup, GroupExecutions> = FxHashMap::default();
    source.for_each(&ChosenExecutions::all(vec![run]), by, |group, execution| {
        let sample = source.sample(execution, &reader);
        let group = found.entry(group).or_default();
        group.samples.add(sample);
        let (span, start) = place(source, execution);
        group.first_start = Some(group.first_start.map_or(start, |first| first.min(start)));
        if sample.is_whole {
            group.list.push(SampledExecution { span: span.0, start, duration: sample.duration });
        }
    });
    let mut named: FxHashMap<String, GroupExecutions> = FxHashMap::default();
    found
        .into_iter()
        .for_each(|(group, executions)| named.entry(source.text(group)).or_default().join(executions));
    let mut groups: Vec<(String, GroupExecutions)> = named.into_iter().collect();
    let total = |group: &GroupExecutions| group.samples.get(RunMeasure::Total).unwrap_or_default();
    sort::by(&mut groups, |a, b| total(&b.1).cmp(&total(&a.1)).then_with(|| a.0.cmp(&b.0)));
    let others = groups.split_off(groups.len().min(LARGEST));
    let mut finished: Vec<RunGroup> =
        groups.into_iter().map(|(text, executions)| executions.finish(run, Some(text))).collect();
    if !others.is_empty() {
        let mut rest = GroupExecutions::default();
        others.into_iter().for_each(|(_, executions)| rest.join(executions));
        finished.push(rest.finish(run, None));
    }
    finished
}

fn place(source: &ExecutionSource, execution: ChosenExecution) -> (SpanId, i64) {
    let span = source.span(execution);
    (span, source.trace.spans.start(span))
}

/// Version of the engine that recorded a run: the text of an attribute of the run's track whose name is or ends in the
/// word `version`, or else the name of one of its first `TRACKS` tracks if it is a product and a number, such as
/// MySQL 8.0. `None` if there is neither.
pub fn engine_version(trace: &Trace, track: TrackId) -> Option<String> {
    const PRODUCTS: [&str; 3] = ["MySQL ", "MariaDB ", "MonetDB "];
    let is_version = |name: &str| {
        let name = name.to_lowercase();
        name == "version" || name.ends_with(" version") || name.ends_with(".version")
    };
    let mut texts = trace.track_texts.of(track);
    if let Some((_, text)) = texts.find(|(key, _)| is_version(trace.str(trace.keys.get(*key).name))) {
        return Some(trace.str(text).to_owned());
    }
    let names = trace.tracks.subtree(track).take(TRACKS).map(|track| trace.tracks.get(TrackId(track)).name);
    let products = names.filter_map(|name| {
        let name = trace.str(name);
        let has_number = |product: &&str| {
            name.strip_prefix(*product).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        PRODUCTS.iter().any(has_number).then(|| name.to_owned())
    });
    products.into_iter().next()
}

/// Maximum number of tracks of a run whose names are searched for a version.
const TRACKS: usize = 64;
