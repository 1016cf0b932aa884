//! Comparison of two executions of a statement, or of one execution with the average of the others. Users see A as *new* and B as
//! *base*, as in the comparison of runs.

use serde::{Deserialize, Serialize};

use super::Outcome;

/// The executions to compare, and display options.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CompareView {
    /// Any item of execution A; `None` for the one of the selection or, without one, the longest execution of the statement with the
    /// most total time: with sides, of a statement that both sides executed, and on the new side.
    pub a: Option<u32>,
    /// Side B: the execution or executions with which A is compared.
    pub b: CompareWith,
    /// Whether identical steps are merged into one row, regardless of their places in the plan.
    pub fold: bool,
    /// Whether times are inclusive; `false` for self time.
    pub inclusive: bool,
    /// Column that orders the steps.
    pub sort: CompareColumn,
    /// Whether the smallest value comes first.
    pub ascending: bool,
}

/// Side B of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum CompareWith {
    /// The execution of the same statement with the median duration, among those of the opposite side if the request has sides, or
    /// else of other runs, if there are any.
    #[default]
    Typical,
    /// The average of all other executions of the same statement.
    Others,
    /// The execution that contains this item, of any statement.
    Item(u32),
}

/// A column of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CompareColumn {
    Step,
    A,
    B,
    /// Absolute difference of the times of A and B.
    #[default]
    Difference,
    /// The longer of the two times divided by the shorter one.
    Ratio,
}

/// Comparison of execution A with side B: one execution, or the average of several executions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Compare {
    /// Statements of the trace, in descending order of total time; at most 200.
    pub statements: Vec<Repeated>,
    /// Total number of statements in the trace.
    pub n_statements: u32,
    /// Executions of the statement of `a`: those on the sides of the request first, then by run and start; at most 500.
    pub executions: Vec<Execution>,
    /// Total number of executions of the statement of `a`.
    pub n_executions: u32,
    /// Execution A; `None` if the trace has no statements.
    pub a: Option<Execution>,
    /// The execution on side B; `None` if side B is empty or consists of several executions.
    pub b: Option<Execution>,
    /// Number of executions on side B.
    pub n_b: u32,
    /// Whether the steps have places in a plan, so that merging identical steps makes a difference.
    pub has_places: bool,
    /// Steps in the requested order; at most 5,000.
    pub steps: Vec<CompareStep>,
    /// Total number of steps.
    pub n_steps: u32,
    /// Number of steps that occur only in A, and only in B.
    pub only: (u32, u32),
    /// Sum of the times of all steps in A and in B, in nanoseconds.
    pub sums: (i64, i64),
}

impl Compare {
    /// Whether side B has executions other than A.
    pub fn has_base(&self) -> bool {
        let item = |of: &Option<Execution>| of.as_ref().map(|of| of.item);
        self.n_b > 0 && item(&self.a) != item(&self.b)
    }
}

/// A statement with the sums over its executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Repeated {
    /// Text of the statement, with its literals replaced.
    pub title: String,
    /// Number of executions.
    pub count: u32,
    /// Total time of all executions, in nanoseconds.
    pub time: i64,
    /// Item code of the longest execution on the new side of the request, or of all if none is on it.
    pub item: u32,
}

/// An execution of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Execution {
    /// Item code of the execution's span.
    pub item: u32,
    /// Text of the statement, with its literals.
    pub title: String,
    /// Name of the run.
    pub run: String,
    /// Query id that the engine assigned.
    pub query: String,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds.
    pub duration: i64,
    /// Outcome of the execution.
    pub outcome: Outcome,
}

/// A step that occurs in A, in B or in both.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CompareStep {
    /// Colour slot of the step's kind.
    pub color: u16,
    /// Name of the step's kind.
    pub kind: String,
    /// Name of the step: the plan instruction in A, or the part of the instruction that all executions have in common.
    pub name: String,
    /// Sums of the step in A; `None` if the step was not executed in A.
    pub a: Option<StepSum>,
    /// Sums of the step over all executions on side B; `None` if the step was executed in none of them.
    pub b: Option<StepSum>,
}

/// Sums over all executions of a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StepSum {
    /// Item code of the longest execution of the step.
    pub item: u32,
    /// Place of the step in the plan; `None` if unknown.
    pub place: Option<i64>,
    /// Number of executions of the step.
    pub runs: u32,
    /// Total time of all executions of the step, in nanoseconds.
    pub time: i64,
    /// Time of the longest execution of the step, in nanoseconds.
    pub longest: i64,
    /// Maximum number of rows that one execution of the step produced, returned or read: the first of these that it reports;
    /// `None` if none.
    pub rows: Option<i64>,
    /// Maximum number of bytes that one execution of the step produced; `None` if not reported.
    pub bytes: Option<i64>,
}

/// An execution compared with the other complete executions of its statement; a span that is no execution of a statement,
/// compared with the others of its kind, name and category.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecutionSiblings {
    /// Number of executions of the statement, including this one.
    pub executions: u32,
    /// Number of executions that took longer.
    pub longer: u32,
    /// Duration of the execution, in nanoseconds.
    pub duration: i64,
    /// Median duration of all executions (nearest rank), in nanoseconds.
    pub median: i64,
    /// Item code of the execution.
    pub execution: u32,
    /// Item code of the execution with the median duration among the others, or of this one if it is the only one.
    pub typical: u32,
    /// Whether the executions are spans of one kind, name and category, and not executions of a statement.
    pub is_of_slices: bool,
    /// Step whose self time exceeds that of `typical` the most; `None` if no step took longer.
    pub step: Option<SlowerStep>,
}

/// A step that took longer than in another execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SlowerStep {
    /// Name of the step's kind.
    pub kind: String,
    /// Name of the step, shortened.
    pub name: String,
    /// Self time minus the self time in the other execution, in nanoseconds; above 0.
    pub excess: i64,
    /// Whether more than half of the excess was spent on reading rows.
    pub is_reading: bool,
    /// Item code of the longest execution of the step.
    pub item: u32,
}

/// Two executions in timelines, one below the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SideBySideSummary {
    /// Time from the start of an execution to its last moment, for the longer of both, in nanoseconds; at least 1.
    pub length: i64,
    /// Durations of A and B, in nanoseconds.
    pub durations: [i64; 2],
    /// Whether A and B are the same execution.
    pub is_same: bool,
    /// Number of pairs of spans that execute the same step in both executions, the executions themselves included.
    pub common: u32,
    /// Number of spans without such a partner, in A and in B.
    pub only: [u32; 2],
    /// The step of the requested item; `None` if it belongs to neither execution.
    pub step: Option<AlignedStep>,
}

/// A step of two executions: a span of one of them, and the span that executes the same step in the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AlignedStep {
    /// Label of the span, shortened.
    pub name: String,
    /// Item codes in A and B; `None` if the execution has no such span.
    pub items: [Option<u32>; 2],
    /// Durations in A and B, in nanoseconds.
    pub durations: [Option<i64>; 2],
}

/// Requests a description of two executions in timelines, one below the other; the reply is `None` if one of them does not
/// exist.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SideBySideRequest {
    /// Item codes of the root spans of A and B.
    pub executions: [u32; 2],
    /// Item code of an item whose step is described; `None` to describe no step.
    pub item: Option<u32>,
}
