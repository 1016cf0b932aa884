//! Critical path: the chain of steps that decided how long a query, a span or a time range took.

use serde::{Deserialize, Serialize};

use super::Link;

/// How a critical path was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum PathRule {
    /// The longest chain of spans that each need a result of the previous one.
    Dependencies,
    /// Backwards through the threads, and along the arrows that woke them.
    Arrows,
    /// Backwards through nested spans: into the child that ended last.
    #[default]
    Nesting,
    /// Like `Nesting`; waits for a lock go on in the span that holds the lock.
    NestingAndLocks,
}

/// Critical path of a query, a span or a time range.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Text of the statement, or name of the span; empty for a time range.
    pub title: String,
    /// Item code of the statement or span; `None` for a time range.
    pub item: Option<u32>,
    /// Start of the scope, in nanoseconds since the run's first event.
    pub start: i64,
    /// End of the scope, in nanoseconds since the run's first event.
    pub end: i64,
    /// How the path was found.
    pub rule: PathRule,
    /// Parts of the path in chronological order; at most the first 500.
    pub path: Vec<PathStep>,
    /// Total number of parts; 0 if there is no path.
    pub n_path: u32,
    /// Time in the parts, without the gaps between them, in nanoseconds.
    pub path_time: i64,
    /// Parts grouped by name, longest first; at most 20 names.
    pub path_names: Vec<PathName>,
    /// The rest of the scope's time: with the times of `path_names`, it adds up to the time from `start` to `end`.
    pub path_rest: Vec<PathRest>,
    /// Spans off the path, least slack first; at most 100.
    pub slack: Vec<SlackSpan>,
    /// Total number of spans off the path whose slack is known.
    pub n_slack: u32,
    /// Whether all listed spans are on threads. `false` if any is on a track of another kind, such as a query or a source.
    pub on_threads: bool,
}

/// Part of the critical path in one span.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PathStep {
    /// Link to the span.
    pub link: Link,
    /// Name of the input from the previous span; empty if the span only follows the previous one on the same thread.
    pub via: String,
    /// Time at which the critical path enters the span, in nanoseconds since the run's first event.
    pub start: i64,
    /// Time that the critical path spends in this part, in nanoseconds.
    pub time: i64,
    /// Time between the end of the previous part (for the first part: the start of the scope) and the start of this part, in
    /// nanoseconds.
    pub gap: i64,
    /// Name of the span's track: the thread that executed it, if the track is a thread.
    pub thread: String,
}

/// Sums over the critical path's spans of one name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PathName {
    /// Name of the spans.
    pub name: String,
    /// Time that the critical path spends in these spans, in nanoseconds.
    pub time: i64,
    /// Number of parts of the critical path.
    pub count: u32,
    /// Time by which the scope (for [`PathRule::Dependencies`]: the path) would be shorter if the own work of all spans
    /// of this name took no time, in nanoseconds: at most `time`, and less if another chain becomes critical. `None` if
    /// it was not computed because the scope is too large.
    pub saved: Option<i64>,
    /// Link to the span that would decide the end without the own work of this name, if `saved` is less than `time`
    /// because another branch takes over: the outermost span with which that branch ends, for
    /// [`PathRule::Dependencies`] the last span of the other chain that is not on this one. A parent on the path is
    /// linked if its own work before a nested span of this name is what takes over. Where branches replace several
    /// sections of the path, the link leads to the one that reduces `saved` most. `None` if all of `time` would be saved,
    /// if `saved` was not computed, or if only time in no span takes over, such as idle time of a thread
    /// ([`PathRule::Arrows`]) or of a time range. Parts in which the path by nesting of a time range only waits for the
    /// start of the next span save nothing, and nothing limits them.
    pub limited_by: Option<Link>,
    /// Link to the span with the longest part.
    pub longest: Link,
}

/// What the critical path was in while it was in no span of a listed name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PathRestKind {
    /// In spans of names that are not listed.
    OtherNames,
    /// Between two spans, after the result or the arrow that the second one needed.
    Waiting,
    /// In no span, while spans off the path ran: before the first part, after the last one, or where the trace does not
    /// record why a thread was idle.
    OffPath,
    /// In no span, while nothing ran.
    NoSpan,
}

impl PathRestKind {
    /// All kinds, each at the position of its number.
    pub const ALL: [Self; 4] = [Self::OtherNames, Self::Waiting, Self::OffPath, Self::NoSpan];
}

/// Part of the scope's time that is in no span of a listed name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PathRest {
    /// What the path was in.
    pub kind: PathRestKind,
    /// Total time, in nanoseconds.
    pub time: i64,
    /// Number of periods.
    pub count: u32,
    /// Start and end of the longest period, in nanoseconds since the run's first event.
    pub longest: (i64, i64),
}

/// A span off the critical path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SlackSpan {
    /// Link to the span.
    pub link: Link,
    /// How much longer it could have taken without delaying the end, in nanoseconds.
    pub slack: i64,
    /// Name of the span's track: the thread that executed it, if the track is a thread.
    pub thread: String,
}

/// The steps on the critical paths of the executions of a shape.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ShapePath {
    /// The rule by which the paths of most executions were found.
    pub rule: PathRule,
    /// Number of executions whose path was found by another rule.
    pub other_rules: u32,
    /// Number of complete executions whose paths were found.
    pub executions: u32,
    /// Number of complete executions that were not examined, because the executions before them were large enough
    /// together.
    pub left_out: u32,
    /// Time of the executions that were examined, to which the times of all steps add up, in nanoseconds.
    pub time: i64,
    /// Steps by kind and name, most time first; at most 500.
    pub steps: Vec<ShapePathStep>,
    /// Total number of steps.
    pub n_steps: u32,
}

/// Steps of one kind and name on the critical paths of the executions of a shape.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapePathStep {
    /// Kind of the spans.
    pub kind: String,
    /// Name of the step; "(self time)" for the time of the statement itself, in which no step on the path ran.
    pub name: String,
    /// Number of executions with the step on their path.
    pub executions: u32,
    /// Filter that shows these executions; `None` if there are more than 100.
    pub condition: Option<String>,
    /// Time on the paths, in nanoseconds.
    pub time: i64,
    /// Longest time on the path of one execution, in nanoseconds.
    pub most: i64,
    /// Item code of the span of the longest part of the step, in the execution with the longest time.
    pub longest: u32,
}

/// Marks of the critical path in a view, in chronological order.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PathMarks {
    /// The longest parts, in chronological order; at most 500. Parts in collapsed tracks are marked at the track.
    pub marks: Vec<PathMark>,
    /// Number of further parts.
    pub more: u32,
}

/// Mark of a part of the critical path.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PathMark {
    /// Start of the part, in nanoseconds since the run's first event.
    pub start: i64,
    /// End of the part, in nanoseconds since the run's first event.
    pub end: i64,
    /// Bottom of the bar, in CSS pixels from the top of the content.
    pub bottom: f64,
}
