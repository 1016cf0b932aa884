//! Trends as JSON. Its form is stable: see `docs/sql.md`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::TrendOutput;
use crate::compare::{
    GroupSummary, RankTest, RunMeasure, SampledExecution, TrendChange, TrendGroup, TrendWarning,
};

#[derive(Serialize)]
struct TrendJson<'a> {
    /// Name of the measure whose values, one for each run, were searched for changes.
    measure: &'static str,
    runs: Vec<TrendRunJson<'a>>,
    groups: Vec<TrendGroupJson<'a>>,
    /// Number of groups that are not listed.
    not_listed: u64,
    /// Number of groups that have values in enough runs to be searched for changes.
    tested: usize,
    notes: Vec<String>,
    warnings: Vec<TrendWarningJson<'a>>,
}

/// Something that could not be read.
#[derive(Serialize)]
struct TrendWarningJson<'a> {
    /// Trace whose runs or executions are missing; null if nothing is.
    trace: Option<&'a str>,
    text: &'a str,
}

#[derive(Serialize)]
struct TrendRunJson<'a> {
    /// The trace id in decimal digits, as a string, because many JSON readers lose digits of numbers beyond 2^53.
    trace_id: String,
    trace: &'a str,
    run_id: u32,
    name: &'a str,
    day: Option<&'a str>,
    version: Option<&'a str>,
}

#[derive(Serialize)]
struct TrendGroupJson<'a> {
    text: &'a str,
    tested: bool,
    total_ns: i128,
    changes: Vec<TrendChangeJson<'a>>,
    points: Vec<TrendPointJson>,
}

#[derive(Serialize)]
struct TrendPointJson {
    /// Index of the run in `runs`.
    run: usize,
    #[serde(flatten)]
    measures: BTreeMap<String, Option<i64>>,
    incomplete: u64,
    min_ns: Option<i64>,
    first_start_ns: Option<i64>,
    slowest: Option<ExecutionJson>,
}

/// An execution: its span, start and duration in the trace of the run.
#[derive(Serialize)]
struct ExecutionJson {
    span_id: u32,
    start_ns: i64,
    duration_ns: i64,
}

#[derive(Serialize)]
struct TrendChangeJson<'a> {
    change: &'a str,
    /// Index in `runs` of the first run with the new values.
    run: usize,
    /// Index in `runs` of the last run with the old values.
    previous: usize,
    runs_before: usize,
    runs_after: usize,
    median_before: i64,
    median_after: i64,
    corrected_p: f64,
    /// Rank test of the values of the runs.
    of_runs: EffectJson,
    /// Rank test of the durations of sampled executions.
    of_executions: Option<EffectJson>,
    slowest: Option<ExecutionJson>,
}

/// Rank test of the values before and after a change.
#[derive(Serialize)]
struct EffectJson {
    p: f64,
    exact: bool,
    cliffs_delta: f64,
    shift: i128,
    shift_low: i128,
    shift_high: i128,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
}

impl EffectJson {
    fn of(test: RankTest) -> Self {
        let RankTest { p, is_exact, delta, shift, interval, ratio, .. } = test;
        Self {
            p,
            exact: is_exact,
            cliffs_delta: delta,
            shift,
            shift_low: interval.0,
            shift_high: interval.1,
            ratio: ratio.map(|ratio| ratio.median),
            ratio_low: ratio.map(|ratio| ratio.interval.0),
            ratio_high: ratio.map(|ratio| ratio.interval.1),
        }
    }
}

pub(super) fn write(output: &TrendOutput, out: &mut impl Write) -> io::Result<()> {
    let trend = output.trend;
    let listed = output.listed(usize::MAX);
    let runs = trend.runs.iter().map(|run| TrendRunJson {
        trace_id: run.trace_id.to_string(),
        trace: &run.trace,
        run_id: run.run_id,
        name: &run.name,
        day: run.day.as_deref(),
        version: run.version.as_deref(),
    });
    let json = TrendJson {
        measure: trend.measure.name(),
        runs: runs.collect(),
        not_listed: (trend.groups.len() - listed.len()) as u64 + trend.left_out,
        groups: listed.into_iter().map(|group| of_group(output, group)).collect(),
        tested: trend.groups.iter().filter(|group| group.is_tested).count(),
        notes: output.notes(),
        warnings: trend
            .warnings
            .iter()
            .map(|TrendWarning { trace, text }| TrendWarningJson { trace: trace.as_deref(), text })
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &json)?;
    writeln!(out)
}

fn of_group<'a>(output: &TrendOutput<'a>, group: &'a TrendGroup) -> TrendGroupJson<'a> {
    TrendGroupJson {
        text: &group.text,
        tested: group.is_tested,
        total_ns: group.total(),
        changes: group.changes.iter().map(|change| of_change(output, group, change)).collect(),
        points: group.points.iter().map(|(run, summary)| point(*run, summary)).collect(),
    }
}

fn point(run: usize, summary: &GroupSummary) -> TrendPointJson {
    let measures = RunMeasure::ALL.map(|measure| (measure.json_key(), summary.get(measure)));
    TrendPointJson {
        run,
        measures: measures.into_iter().collect(),
        incomplete: summary.incomplete,
        min_ns: summary.min,
        first_start_ns: summary.first_start,
        slowest: summary.slowest.map(execution),
    }
}

fn execution(at: SampledExecution) -> ExecutionJson {
    ExecutionJson { span_id: at.span, start_ns: at.start, duration_ns: at.duration }
}

fn of_change<'a>(output: &TrendOutput<'a>, group: &TrendGroup, change: &TrendChange) -> TrendChangeJson<'a> {
    TrendChangeJson {
        change: output.verdict(change),
        run: change.run,
        previous: change.previous,
        runs_before: change.runs_before,
        runs_after: change.runs_after,
        median_before: change.medians.0,
        median_after: change.medians.1,
        corrected_p: change.p,
        of_runs: EffectJson::of(change.test),
        of_executions: change.executions.map(EffectJson::of),
        slowest: output.slowest(group, change.run).map(execution),
    }
}
