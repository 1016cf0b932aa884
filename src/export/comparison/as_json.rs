//! A comparison of runs as JSON. Its form is stable: see `docs/command-line.md`.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::many::RunsTableOutput;
use super::{ComparisonOutput, RunSide, cells, met_by};
use crate::compare::{ComparedGroup, ConditionCheck, GroupSamples, RankTest, RunMeasure, RunsRow};
use crate::protocol::TimeRank;

#[derive(Serialize)]
struct ComparisonJson<'a> {
    base: SideJson<'a>,
    new: SideJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<&'a str>,
    groups: Vec<GroupJson<'a>>,
    /// Number of groups that are not listed.
    not_listed: usize,
    tested: usize,
    conditions: Vec<ConditionJson<'a>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct SideJson<'a> {
    label: &'a str,
    runs: &'a [String],
    wall_ns: i128,
    incomplete: u64,
    #[serde(flatten)]
    measures: MeasuresJson<'a>,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    text: &'a str,
    verdict: &'a str,
    base: Option<MeasuresJson<'a>>,
    new: Option<MeasuresJson<'a>>,
    difference: DifferencesJson<'a>,
    percent: PercentsJson<'a>,
    test: Option<TestJson>,
    /// The conditions that the group meets.
    conditions: Vec<&'a str>,
}

/// Rank test of the durations of a group.
#[derive(Serialize)]
struct TestJson {
    u: f64,
    p: f64,
    corrected_p: f64,
    exact: bool,
    cliffs_delta: f64,
    shift_ns: i128,
    shift_low_ns: i128,
    shift_high_ns: i128,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
}

#[derive(Serialize)]
struct ConditionJson<'a> {
    condition: &'a str,
    met: usize,
    checked: usize,
}

/// All measures of one side, as an object with a member per measure.
struct MeasuresJson<'a>(&'a GroupSamples);

/// The differences of all measures.
struct DifferencesJson<'a>(&'a ComparedGroup);

/// The differences of all measures, in percent of the base side.
struct PercentsJson<'a>(&'a ComparedGroup);

/// Serializes a value for each measure, in the order of tables.
fn map<T: Serialize, S: Serializer>(
    to: S,
    key: impl Fn(RunMeasure) -> String,
    value: impl Fn(RunMeasure) -> T,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(RunMeasure::ALL.len()))?;
    for measure in RunMeasure::ALL {
        map.serialize_entry(&key(measure), &value(measure))?;
    }
    map.end()
}

impl Serialize for MeasuresJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        map(to, RunMeasure::json_key, |measure| self.0.get(measure))
    }
}

impl Serialize for DifferencesJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        map(to, RunMeasure::json_key, |measure| self.0.difference(measure))
    }
}

impl Serialize for PercentsJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let name = |measure: RunMeasure| measure.name().to_owned();
        map(to, name, |measure| {
            let [base, _] = self.0.values(measure);
            cells::percent(self.0.difference(measure)?, base?)
        })
    }
}

pub(super) fn write(output: &ComparisonOutput, out: &mut impl Write) -> io::Result<()> {
    let comparison = output.comparison;
    let all = comparison.groups.len();
    let listed = output.limit.unwrap_or(all).min(all);
    let is_listed = |at: usize| at < listed || output.met_by(at).next().is_some();
    let groups: Vec<GroupJson> = (0..all)
        .filter(|&at| is_listed(at))
        .map(|at| group(&comparison.groups[at], output.met_by(at).map(|check| check.text.as_str()).collect()))
        .collect();
    let json = ComparisonJson {
        base: side(&comparison.base),
        new: side(&comparison.new),
        filter: output.filter,
        not_listed: all - groups.len(),
        groups,
        tested: comparison.tested,
        conditions: output.checks.iter().map(condition).collect(),
        notes: output.notes(),
    };
    serde_json::to_writer_pretty(&mut *out, &json)?;
    writeln!(out)
}

fn side(side: &RunSide) -> SideJson<'_> {
    SideJson {
        label: &side.label,
        runs: &side.runs,
        wall_ns: side.wall,
        incomplete: side.all.incomplete(),
        measures: MeasuresJson(&side.all),
    }
}

fn group<'a>(group: &'a ComparedGroup, conditions: Vec<&'a str>) -> GroupJson<'a> {
    GroupJson {
        text: &group.text,
        verdict: group.verdict.name(),
        base: group.base.as_deref().map(MeasuresJson),
        new: group.new.as_deref().map(MeasuresJson),
        difference: DifferencesJson(group),
        percent: PercentsJson(group),
        test: group.test.map(|test| rank_test(test, group.corrected_p)),
        conditions,
    }
}

fn rank_test(test: RankTest, corrected_p: f64) -> TestJson {
    let RankTest { u, p, is_exact, delta, shift, interval, ratio } = test;
    TestJson {
        u,
        p,
        corrected_p,
        exact: is_exact,
        cliffs_delta: delta,
        shift_ns: shift,
        shift_low_ns: interval.0,
        shift_high_ns: interval.1,
        ratio: ratio.map(|ratio| ratio.median),
        ratio_low: ratio.map(|ratio| ratio.interval.0),
        ratio_high: ratio.map(|ratio| ratio.interval.1),
    }
}

#[derive(Serialize)]
struct RunsTableJson<'a> {
    base: SideJson<'a>,
    /// The runs that are compared with the base.
    runs: Vec<SideJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<&'a str>,
    groups: Vec<RunsRowJson<'a>>,
    /// Number of groups that are not listed.
    not_listed: usize,
    tested: usize,
    /// Results of the conditions, for each run.
    conditions: Vec<Vec<ConditionJson<'a>>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct RunsRowJson<'a> {
    text: &'a str,
    base: Option<MeasuresJson<'a>>,
    /// Rank of the base's median among the medians of the row, as a word; `None` if it is neither the smallest nor the
    /// largest.
    base_median: Option<&'static str>,
    /// The group in each run; `None` where neither the base nor the run has executions.
    runs: Vec<Option<RunInRowJson<'a>>>,
}

#[derive(Serialize)]
struct RunInRowJson<'a> {
    verdict: &'a str,
    new: Option<MeasuresJson<'a>>,
    /// Rank of the run's median among the medians of the row, as a word; `None` if it is neither the smallest nor the
    /// largest.
    median: Option<&'static str>,
    difference: DifferencesJson<'a>,
    percent: PercentsJson<'a>,
    test: Option<TestJson>,
    /// The conditions that the group meets in this run.
    conditions: Vec<&'a str>,
}

/// Writes several runs that are compared with one base.
pub(super) fn write_runs(output: &RunsTableOutput, out: &mut impl Write) -> io::Result<()> {
    let table = output.table;
    let Some(first) = table.comparisons.first() else { return Ok(()) };
    let groups: Vec<RunsRowJson> = output.listed(usize::MAX).map(|row| runs_row(output, row)).collect();
    let json = RunsTableJson {
        base: side(&first.base),
        runs: table.comparisons.iter().map(|comparison| side(&comparison.new)).collect(),
        filter: output.filter,
        not_listed: table.rows.len() - groups.len(),
        groups,
        tested: first.tested,
        conditions: output.checks.iter().map(|checks| checks.iter().map(condition).collect()).collect(),
        notes: output.notes(),
    };
    serde_json::to_writer_pretty(&mut *out, &json)?;
    writeln!(out)
}

fn condition(check: &ConditionCheck) -> ConditionJson<'_> {
    ConditionJson { condition: &check.text, met: check.met.len(), checked: check.checked }
}

fn runs_row<'a>(output: &RunsTableOutput<'a>, row: &'a RunsRow) -> RunsRowJson<'a> {
    let table = output.table;
    let mut medians = table.ranks(row, RunMeasure::P50).into_iter().map(|rank| rank.map(TimeRank::name));
    let base_median = medians.next().flatten();
    let base = table.groups(row).flatten().find_map(|group| group.base.as_deref());
    let runs = table.groups(row).zip(&row.groups).zip(output.checks).zip(medians);
    let runs = runs.map(|(((group, at), checks), median)| {
        let (found, at) = (group?, (*at)?);
        Some(RunInRowJson {
            verdict: found.verdict.name(),
            new: found.new.as_deref().map(MeasuresJson),
            median,
            difference: DifferencesJson(found),
            percent: PercentsJson(found),
            test: found.test.map(|test| rank_test(test, found.corrected_p)),
            conditions: met_by(checks, at).map(|check| check.text.as_str()).collect(),
        })
    });
    RunsRowJson { text: &row.text, base: base.map(MeasuresJson), base_median, runs: runs.collect() }
}
