//! Compares one execution of a statement with another, or with all others of the same statement: which steps took
//! longer, and which are missing.
//!
//! Executions belong to the same *statement* if their texts differ only in their values. The work of an execution is
//! divided into *steps*: the steps that a format reports as [`attribute_names::STEP`], otherwise kinds and names. If
//! spans have places in a plan, a step is one instruction of the plan.
//!
//! [`attribute_names::STEP`]: crate::trace::attribute_names::STEP

mod aligned;
mod pairs;
mod preferred;
mod runs;
mod siblings;
mod steps;

#[cfg(test)]
mod tests;

use crate::analysis::{ChildSpans, FilteredItems, Queries, SqlShapes, Statement, Statements};
use crate::base::sort;
use crate::base::text;
use crate::protocol::{
    Compare, CompareColumn, CompareRequest, CompareRunsGroupRequest, CompareRunsRequest, CompareStep,
    CompareView, CompareWith, ComparedRunGroup, ComparedRuns, Execution, Repeated, RunTablePage,
    RunTableRequest, StepSum,
};
use crate::trace::{Item, SpanId, Trace, attribute_names};
pub use aligned::{AlignedSpans, span_at};
use pairs::StepPair;
use preferred::PreferredSides;
#[cfg(feature = "export")]
pub use runs::{
    ComparedGroup, ConditionCheck, DurationVerdict, FEWEST, FEWEST_RUNS, FailCondition, GroupBy,
    GroupSamples, GroupSummary, LARGEST, MeasureUnit, PairRatio, RankTest, RunComparison, RunGroup,
    RunMeasure, RunSide, RunsRow, RunsTable, SAMPLE, SampledExecution, Trend, TrendChange, TrendGroup,
    TrendGroups, TrendRun, TrendWarning, engine_version, run_groups,
};
use runs::{ExecutionSource, RunComparisons};
use steps::{Sides, SpanSelfTimes, StepRuns};

/// Maximum number of listed statements.
const STATEMENTS: usize = 200;
const EXECUTIONS: usize = 500;
/// Maximum number of listed steps.
const STEPS: usize = 5_000;
/// Maximum length of a title, in characters.
const TITLE: usize = 300;

/// Cached data that the comparisons of one trace share.
#[derive(Default)]
pub struct Comparison {
    statements: Option<Statements>,
    shapes: SqlShapes,
    own: SpanSelfTimes,
    runs: RunComparisons,
}

impl Comparison {
    /// Returns a page of the groups of a comparison of runs. `filter` is the result of the request's filter.
    pub fn compare_runs(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        filter: Option<FilteredItems>,
        request: &CompareRunsRequest,
    ) -> ComparedRuns {
        let (source, runs) = self.source(trace, queries);
        let source = source.filtered(filter);
        runs.page(&source, &request.list, request.first, request.count)
    }

    /// Returns a page of the table that compares every run with one of them. `filter` is the result of the request's filter.
    pub fn run_table(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        filter: Option<FilteredItems>,
        request: &RunTableRequest,
    ) -> RunTablePage {
        let (source, runs) = self.source(trace, queries);
        let source = source.filtered(filter);
        runs.table_page(&source, request)
    }

    /// Returns one group of a comparison of runs; `None` if there is no such group. `filter` is the result of the request's filter.
    pub fn compared_group(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        filter: Option<FilteredItems>,
        request: &CompareRunsGroupRequest,
    ) -> Option<ComparedRunGroup> {
        let (source, runs) = self.source(trace, queries);
        let source = source.filtered(filter);
        runs.group(&source, &request.spec, request.group)
    }

    /// Groups the executions by statement unless they are cached; returns whether it had to.
    pub fn group_ahead(&mut self, trace: &Trace, queries: &Queries) -> bool {
        let is_missing = self.statements.is_none();
        self.source(trace, queries);
        is_missing
    }

    /// The source of executions for comparisons of runs, and the cached comparisons.
    fn source<'a>(
        &'a mut self,
        trace: &'a Trace,
        queries: &'a Queries,
    ) -> (ExecutionSource<'a>, &'a mut RunComparisons) {
        let Self { statements, shapes, runs, .. } = self;
        let statements = statements.get_or_insert_with(|| Statements::of(trace, queries, shapes));
        (ExecutionSource::new(trace, queries, statements, shapes), runs)
    }

    /// Returns the contents of a comparison view. An item that is not part of an execution is ignored. With sides that the user
    /// chose, a selection on the base decides the statement only, and a selection on neither side is ignored.
    pub fn compare(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        children: &ChildSpans,
        request: &CompareRequest,
    ) -> Compare {
        let Self { statements, shapes, own, .. } = self;
        let view = &request.view;
        let preferred = PreferredSides { queries, sides: request.sides.as_ref() };
        let statements = statements.get_or_insert_with(|| Statements::of(trace, queries, shapes));
        let mut reply = Compare {
            statements: statements
                .largest()
                .take(STATEMENTS)
                .map(|of| repeated(&preferred, shapes, of))
                .collect(),
            n_statements: statements.len() as u32,
            ..Compare::default()
        };
        let selected = row_of(trace, queries, request.selection)
            .and_then(|row| preferred.new_for(row, statements.rows_like(row)));
        let chosen = row_of(trace, queries, view.a).or(selected);
        let first = || preferred.first(statements).or_else(|| statements.first(queries));
        let Some(a) = chosen.or_else(first) else { return reply };
        let executions = statements.rows_like(a);
        let listed = preferred.ordered(executions);
        reply.executions =
            listed.iter().take(EXECUTIONS).map(|&row| execution(trace, queries, row)).collect();
        reply.n_executions = executions.len() as u32;
        reply.a = Some(execution(trace, queries, a));
        let b = compared_with(trace, &preferred, view.b, a, executions);
        reply.n_b = b.len() as u32;
        reply.b = Some(&b).filter(|b| b.len() == 1).map(|b| execution(trace, queries, b[0]));
        let roots = |rows: &[u32]| rows.iter().map(|&row| queries.span(row)).collect::<Vec<SpanId>>();
        let own = Some(&*own).filter(|_| !view.inclusive);
        let sides = Sides::of(trace, shapes, children, [&roots(&[a]), &roots(&b)], own);
        reply.has_places = sides.has_places;
        fill(&mut reply, trace, shapes, sides, view);
        reply
    }
}

/// Row of the execution that an item is part of; `None` if the item does not exist or is part of none.
fn row_of(trace: &Trace, queries: &Queries, code: Option<u32>) -> Option<u32> {
    let item = Some(Item::from_code(code?)).filter(|&item| trace.contains(item))?;
    queries.row_of(trace, item)
}

/// Rows of the executions that `a` is compared with according to `chosen`; `executions` are all executions of its
/// statement.
fn compared_with(
    trace: &Trace,
    preferred: &PreferredSides,
    chosen: CompareWith,
    a: u32,
    executions: &[u32],
) -> Vec<u32> {
    let queries = preferred.queries;
    let mut others: Vec<u32> = executions.iter().copied().filter(|&row| row != a).collect();
    match chosen {
        CompareWith::Item(code) => return row_of(trace, queries, Some(code)).into_iter().collect(),
        CompareWith::Others => return others,
        CompareWith::Typical => {}
    }
    let is_restricted = preferred.keep_opposite(a, &mut others);
    if !is_restricted && others.iter().any(|&row| queries.run(row) != queries.run(a)) {
        others.retain(|&row| queries.run(row) != queries.run(a));
    }
    // Incomplete executions are left out if there are complete ones: their true duration is unknown.
    if others.iter().any(|&row| queries.is_whole(row)) {
        others.retain(|&row| queries.is_whole(row));
    }
    sort::by_key(&mut others, |&row| (queries.duration(row), u64::from(row)));
    others.get(others.len() / 2).copied().into_iter().collect()
}

fn repeated(preferred: &PreferredSides, shapes: &SqlShapes, of: &Statement) -> Repeated {
    let longest = preferred.longest(&of.rows);
    Repeated {
        title: text::shortened(shapes.get(of.shape), TITLE),
        count: of.rows.len() as u32,
        time: of.time,
        item: longest.map_or(0, |row| Item::Span(preferred.queries.span(row)).code()),
    }
}

fn execution(trace: &Trace, queries: &Queries, row: u32) -> Execution {
    let run = text::shortened(trace.run_name(queries.run(row)), TITLE);
    let row = queries.row(trace, row);
    Execution {
        item: row.item,
        title: text::shortened(&row.sql, TITLE),
        run,
        query: row.query,
        start: row.start,
        duration: row.duration,
        outcome: row.outcome,
    }
}

fn fill(reply: &mut Compare, trace: &Trace, shapes: &SqlShapes, sides: Sides, view: &CompareView) {
    let mut pairs = pairs::pairs(sides, view.fold);
    let sum = |of: fn(&StepPair) -> &Option<StepRuns>| {
        pairs.iter().filter_map(|pair| of(pair).as_ref()).map(|sum| sum.time).fold(0, i64::saturating_add)
    };
    reply.sums = (sum(|pair| &pair.a), sum(|pair| &pair.b));
    let count = |of: fn(&StepPair) -> bool| pairs.iter().filter(|pair| of(pair)).count() as u32;
    // If there is no execution to compare with, missing steps are not counted.
    if reply.n_b > 0 {
        reply.only = (count(|pair| pair.b.is_none()), count(|pair| pair.a.is_none()));
    }
    reply.n_steps = pairs.len() as u32;
    order(&mut pairs, view, i64::from(reply.n_b.max(1)));
    reply.steps = pairs.iter().take(STEPS).map(|pair| step(trace, shapes, pair, view.fold)).collect();
}

/// Sorts steps by the column of the view. The times of side B are averages over its `n_b` executions. Steps with equal
/// values keep the order of their plan.
fn order(pairs: &mut [StepPair], view: &CompareView, n_b: i64) {
    let time = |sum: &Option<StepRuns>, of: i64| sum.as_ref().map_or(0, |sum| sum.time / of);
    let turned = |key: i64| if view.ascending { key } else { key.saturating_neg() };
    sort::by_key(pairs, |pair| {
        let (a, b) = (time(&pair.a, 1), time(&pair.b, n_b));
        let key = match view.sort {
            CompareColumn::Step => 0,
            CompareColumn::A => a,
            CompareColumn::B => b,
            CompareColumn::Difference => a.saturating_sub(b).saturating_abs(),
            CompareColumn::Ratio => ratio(a, b),
        };
        (turned(key), 0)
    });
    if view.sort == CompareColumn::Step && !view.ascending {
        pairs.reverse();
    }
}

/// Ratio of the longer to the shorter time, in millionths.
fn ratio(a: i64, b: i64) -> i64 {
    let (longer, shorter) = (i128::from(a.max(b)), i128::from(a.min(b)));
    if shorter <= 0 {
        return if longer > 0 { i64::MAX } else { 0 };
    }
    i64::try_from(longer * 1_000_000 / shorter).unwrap_or(i64::MAX)
}

fn step(trace: &Trace, shapes: &SqlShapes, pair: &StepPair, fold: bool) -> CompareStep {
    // The text of an instruction contains its variables. It is shown only if each step is a single instruction.
    let instruction = || {
        let sum = pair.a.as_ref().or(pair.b.as_ref()).filter(|_| !fold)?;
        trace.text(Item::Span(sum.longest), trace.key(attribute_names::PLAN_TEXT)?)
    };
    let name = instruction().map_or_else(|| pair.label.text(trace, shapes), |text| trace.str(text));
    CompareStep {
        color: pair.kind.slot(),
        kind: pair.kind.name().to_owned(),
        name: text::shortened(name, TITLE),
        a: pair.a.as_ref().map(step_sum),
        b: pair.b.as_ref().map(step_sum),
    }
}

fn step_sum(sum: &StepRuns) -> StepSum {
    let StepRuns { longest, most, place, runs, time, rows, bytes } = *sum;
    StepSum { item: Item::Span(longest).code(), place, runs, time, longest: most, rows, bytes }
}
