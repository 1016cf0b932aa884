//! One execution of a statement beside another.

use serde::{Deserialize, Serialize};

use super::Outcome;

/// What is compared with what, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CompareView {
    /// Any item of the one execution; `None` for the longest of the statement that took most of the time.
    pub a: Option<u32>,
    /// What stands beside it.
    pub b: CompareWith,
    /// Whether everything that is the same step is one row, wherever it stands in its plan.
    pub fold: bool,
    /// Whether times are whole; else without what other steps inside account for.
    pub inclusive: bool,
    /// The column that orders the steps.
    pub sort: CompareColumn,
    /// Smallest first; else largest.
    pub ascending: bool,
}

/// What stands beside an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum CompareWith {
    /// The execution of the same statement that is most like the rest: the median, of other runs if there are some.
    #[default]
    Typical,
    /// All other executions of the same statement, on average.
    Others,
    /// The execution of this item, of whatever statement.
    Item(u32),
}

/// A column of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CompareColumn {
    Step,
    A,
    B,
    /// By how much, whichever took longer.
    #[default]
    Difference,
    /// How many times as long, whichever took longer.
    Ratio,
}

/// One execution beside another, or beside all others.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Compare {
    /// Statements, the one that took most of the time first; at most 200.
    pub statements: Vec<Repeated>,
    /// All statements.
    pub n_statements: u32,
    /// Executions of the statement that `a` is of, by run and start; at most 500.
    pub executions: Vec<Execution>,
    /// All of them.
    pub n_executions: u32,
    /// The one.
    pub a: Option<Execution>,
    /// The other; `None` where there is none, or where it is several.
    pub b: Option<Execution>,
    /// How many executions `b` is the average of.
    pub n_b: u32,
    /// Whether steps have places in a plan, so that folding makes a difference.
    pub has_places: bool,
    /// The steps, in the order that was asked for; at most 5,000.
    pub steps: Vec<CompareStep>,
    /// All of them.
    pub n_steps: u32,
    /// Steps that only the one has, and only the other.
    pub only: (u32, u32),
    /// Time of all steps, of the one and of the other.
    pub sums: (i64, i64),
}

/// A statement with its executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Repeated {
    /// Its text, without the values in it.
    pub title: String,
    /// How often it ran.
    pub count: u32,
    /// All of that.
    pub time: i64,
    /// Its longest execution.
    pub item: u32,
}

/// An execution of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Execution {
    /// Its span.
    pub item: u32,
    /// The statement, with its values.
    pub title: String,
    /// The run's name.
    pub run: String,
    /// The engine's name for it.
    pub query: String,
    /// Start.
    pub start: i64,
    /// Duration.
    pub duration: i64,
    /// How it ended.
    pub outcome: Outcome,
}

/// A step, in one or both executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CompareStep {
    /// Its colour slot by kind.
    pub color: u16,
    /// What it is.
    pub kind: String,
    /// What it does: the instruction as it stands in the plan of the one, or without what differs between executions.
    pub name: String,
    /// In the one; `None` where it did not run.
    pub a: Option<StepSum>,
    /// In the other, all executions together.
    pub b: Option<StepSum>,
}

/// All runs of a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StepSum {
    /// Its longest run.
    pub item: u32,
    /// Where it stands in the plan.
    pub place: Option<i64>,
    /// How often it ran.
    pub runs: u32,
    /// Time of all runs.
    pub time: i64,
    /// Time of the longest run.
    pub longest: i64,
    /// The most rows that one run made.
    pub rows: Option<i64>,
    /// The most bytes that one run made.
    pub bytes: Option<i64>,
}
