//! Several runs compared with one base, as one table: text, JSON, Markdown or JUnit.

use std::io::{self, Write};

use super::super::table::{Align, TextTable, plain};
use super::{ComparisonFormat, ComparisonOutput, LISTED, as_json, as_junit, as_markdown, as_text, cells};
use crate::base::markdown::code;
use crate::base::text;
use crate::compare::{ComparedGroup, ConditionCheck, GroupSamples, RunMeasure, RunSide, RunsRow, RunsTable};
use crate::protocol::TimeRank;

/// Several runs compared with one base, to be written.
pub struct RunsTableOutput<'a> {
    /// The runs and their groups.
    pub table: &'a RunsTable,
    /// The conditions that were checked, for each run.
    pub checks: &'a [Vec<ConditionCheck>],
    /// Maximum number of groups to list; for `None` a few in text and Markdown, all in other formats.
    pub limit: Option<usize>,
    /// Text of the filter that restricts the executions; `None` without a filter.
    pub filter: Option<&'a str>,
}

/// Titles of the columns of a run, between its name and the text of the group.
const COLUMNS: [&str; 8] =
    ["executions", "total", "Δ total", "p50", "p95", "typical change (95 % interval)", "median", "durations"];

impl RunsTableOutput<'_> {
    /// Writes the table.
    pub fn write(&self, format: ComparisonFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            ComparisonFormat::Text => self.text(out),
            ComparisonFormat::Json => as_json::write_runs(self, out),
            ComparisonFormat::Markdown => self.markdown(out),
            ComparisonFormat::Junit => as_junit::write_runs(&self.outputs().collect::<Vec<_>>(), out),
        }
    }

    /// The comparison of each run with the base.
    fn outputs(&self) -> impl Iterator<Item = ComparisonOutput<'_>> {
        let comparisons = self.table.comparisons.iter().zip(self.checks);
        let &Self { limit, filter, .. } = self;
        comparisons.map(move |(comparison, checks)| ComparisonOutput { comparison, checks, limit, filter })
    }

    /// The base, then the other runs.
    fn sides(&self) -> impl Iterator<Item = &RunSide> {
        let comparisons = &self.table.comparisons;
        comparisons.first().map(|first| &first.base).into_iter().chain(comparisons.iter().map(|of| &of.new))
    }

    /// Name of a run in tables: "base", then numbers from 2.
    fn name(at: usize) -> String {
        if at == 0 { "base".to_owned() } else { format!("run {}", at + 1) }
    }

    /// Rows that are listed: as many as the limit allows, or `default` without a limit, and all rows that meet a
    /// condition.
    pub(super) fn listed(&self, default: usize) -> impl Iterator<Item = &RunsRow> {
        let listed = self.limit.unwrap_or(default);
        let is_met = |row: &RunsRow| {
            let mut met = self.outputs().zip(&row.groups);
            met.any(|(output, group)| group.is_some_and(|group| output.met_by(group).next().is_some()))
        };
        self.table.rows.iter().enumerate().filter(move |(at, row)| *at < listed || is_met(row)).map(|at| at.1)
    }

    /// The row of the base and of each run that has the group: the run's name, then a text for each of [`COLUMNS`].
    fn lines(&self, row: &RunsRow) -> Vec<Vec<String>> {
        let ranks = self.table.ranks(row, RunMeasure::P50);
        let groups: Vec<Option<&ComparedGroup>> = self.table.groups(row).collect();
        let base = groups.iter().flatten().find_map(|group| group.base.as_deref());
        let mut lines: Vec<Vec<String>> =
            base.map(|base| line(0, base, ranks[0], None)).into_iter().collect();
        for (at, group) in groups.into_iter().enumerate() {
            let Some(group) = group else { continue };
            let none = GroupSamples::default();
            let samples = group.new.as_deref().unwrap_or(&none);
            lines.push(line(at + 1, samples, ranks[at + 1], Some(group)));
        }
        lines
    }

    fn totals(&self) -> Vec<Vec<String>> {
        let base = self.sides().next();
        let line = |(at, side): (usize, &RunSide)| {
            let mut cells = vec![Self::name(at)];
            let value = |measure: RunMeasure| {
                text::or_dash(side.all.get(measure), |value| cells::value(measure.unit(), value))
            };
            cells.extend([RunMeasure::Count, RunMeasure::Total].map(value));
            let total = [
                base.filter(|_| at > 0).and_then(|base| base.all.get(RunMeasure::Total)),
                side.all.get(RunMeasure::Total),
            ];
            cells.push(cells::change(RunMeasure::Total.unit(), total));
            cells.extend([RunMeasure::P50, RunMeasure::P95, RunMeasure::Errors].map(value));
            cells
        };
        self.sides().enumerate().map(line).collect()
    }

    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        for (at, side) in self.sides().enumerate() {
            writeln!(out, "{}: {}", Self::name(at), as_text::side(side))?;
        }
        as_text::filter(self.filter, out)?;
        writeln!(out)?;
        let mut totals = TextTable::new(&TOTALS.map(|title| (title, align(title))));
        self.totals().into_iter().for_each(|line| totals.row(line));
        totals.write("Totals", out)?;
        let group = self.group_title();
        let titles: Vec<&str> = std::iter::once("run").chain(COLUMNS).chain([group]).collect();
        let mut table =
            TextTable::new(&titles.iter().map(|title| (*title, align(title))).collect::<Vec<_>>());
        for row in self.listed(LISTED) {
            let mut title = text::shortened(&row.text, as_text::TITLE);
            for mut line in self.lines(row) {
                line.push(std::mem::take(&mut title));
                table.row(line);
            }
        }
        table.write(&format!("By difference of total time{}", self.not_listed()), out)?;
        self.notes().iter().try_for_each(|note| writeln!(out, "{}", plain(note)))?;
        for output in self.outputs() {
            as_text::conditions(&output, &format!(" in {}", output.comparison.new.label), out)?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut impl Write) -> io::Result<()> {
        for output in self.outputs() {
            as_markdown::conditions(&output, &format!(" in {}", code(&output.comparison.new.label)), out)?;
        }
        for (at, side) in self.sides().enumerate() {
            writeln!(out, "- {}: {}", Self::name(at), code(&as_text::side(side)))?;
        }
        as_markdown::filter(self.filter, out)?;
        writeln!(out)?;
        as_markdown::table(&TOTALS.map(str::to_owned), 1, self.totals().into_iter(), out)?;
        let titles = [self.group_title(), "run"].into_iter().chain(COLUMNS);
        let lines = self.listed(LISTED).flat_map(|row| {
            let title = code(&text::shortened(&row.text, as_markdown::TITLE));
            let titles = std::iter::once(title).chain(std::iter::repeat(String::new()));
            titles.zip(self.lines(row)).map(|(title, line)| [vec![title], line].concat())
        });
        as_markdown::table(&titles.map(str::to_owned).collect::<Vec<_>>(), 2, lines, out)?;
        let notes = self.notes();
        notes.iter().try_for_each(|note| writeln!(out, "{}", text::shortened(note, 2_000)))
    }

    fn group_title(&self) -> &'static str {
        if self.outputs().all(|output| output.has_statements()) { "statement" } else { "name" }
    }

    fn not_listed(&self) -> String {
        match self.table.rows.len() - self.listed(LISTED).count() {
            0 => String::new(),
            more => format!("; {more} more are not listed"),
        }
    }

    /// The verdicts of each run, and sentences about the meaning and the limits of the numbers. A sentence that is not true of
    /// all runs names its run.
    pub(super) fn notes(&self) -> Vec<String> {
        let name = |at: usize| Self::name(at + 1);
        let verdicts = self.outputs().enumerate();
        let mut notes: Vec<String> =
            verdicts.map(|(at, output)| format!("{}: {}", name(at), output.verdicts())).collect();
        let of_runs: Vec<Vec<String>> = self.outputs().map(|output| output.notes()).collect();
        for (at, of_run) in of_runs.iter().enumerate() {
            for note in of_run {
                let is_common = of_runs.iter().all(|notes| notes.contains(note));
                let note = if is_common { note.clone() } else { format!("{}: {note}", name(at)) };
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        notes
    }
}

/// Titles of the totals.
const TOTALS: [&str; 7] = ["run", "executions", "total", "Δ total", "p50", "p95", "errors"];

fn align(title: &str) -> Align {
    match title {
        "run" | "median" | "durations" | "statement" | "name" => Align::Left,
        _ => Align::Right,
    }
}

fn line(
    at: usize,
    samples: &GroupSamples,
    rank: Option<TimeRank>,
    group: Option<&ComparedGroup>,
) -> Vec<String> {
    let value = |measure: RunMeasure| {
        text::or_dash(samples.get(measure), |value| cells::value(measure.unit(), value))
    };
    let change =
        |group: &ComparedGroup| cells::change(RunMeasure::Total.unit(), group.values(RunMeasure::Total));
    let verdict = |group: &ComparedGroup| group.verdict.name().to_owned();
    vec![
        RunsTableOutput::name(at),
        value(RunMeasure::Count),
        value(RunMeasure::Total),
        group.map_or_else(|| text::NOT_REPORTED.to_owned(), change),
        value(RunMeasure::P50),
        value(RunMeasure::P95),
        group.map_or_else(|| text::NOT_REPORTED.to_owned(), cells::typical_change),
        rank.map_or("", TimeRank::name).to_owned(),
        group.map_or_else(String::new, verdict),
    ]
}
