//! `compare`: two sides of runs, their differences, and conditions on which the program fails.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use queryscope::export::{
    ComparisonFormat, ComparisonOutput, ConditionCheck, FailCondition, Report, RunSide, RunsTable,
    RunsTableOutput,
};
use queryscope::internal::command_line::{FileFeeder, GroupingArgument, Load};
use queryscope::internal::text;
use queryscope::protocol::{RANGE_MEANS, RANGE_WHOLE};
use queryscope::session::FilteredItems;

use super::filtering::Where;
use super::{TimeRange, WRONG_USAGE, fail, same_named_runs};

/// Exit code if a condition holds.
const CONDITION_HOLDS: u8 = 3;

#[derive(Args)]
pub struct CompareArguments {
    /// The side to compare with: a file, a folder whose files are merged, or "-" for standard input.
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// The side that is compared; several are shown in one table, each compared with BASE. Without it, --base-run and --new-run
    /// name two runs of BASE.
    #[arg(value_name = "NEW")]
    new: Vec<PathBuf>,
    /// Compare only the run of BASE with this name. If an earlier run has the same name, the number of the run is added, such as "NAME (run 4)".
    #[arg(long, value_name = "NAME")]
    base_run: Option<String>,
    /// Compare only the run of NEW (or of BASE, without NEW) with this name, as in --base-run.
    #[arg(long, value_name = "NAME")]
    new_run: Option<String>,
    /// What executions are grouped by.
    #[arg(long, value_enum, default_value_t = GroupingArgument::Shape)]
    by: GroupingArgument,
    /// Output format.
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    format: CompareFormat,
    /// Maximum number of groups to list. Groups that meet a condition are always listed. [default: 20 in text and Markdown, all in
    /// JSON and JUnit]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Exit with code 3 if this holds for any group, such as "p95 > +10%", "total > +5ms", "errors > 0" or "mean > +5% and slower"
    /// (repeatable), in any run. Measures: count, total, mean, p50, p95, p99, max, self, rows, returned, bytes, errors. Values with a sign are
    /// differences, others are values of NEW.
    #[arg(long, value_name = "CONDITION", value_parser = FailCondition::parse)]
    fail_if: Vec<FailCondition>,
    /// Conditions hold only for groups whose durations differ by more than noise.
    #[arg(long)]
    significant: bool,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    pub within: TimeRange,
}

#[derive(Clone, Copy, ValueEnum)]
enum CompareFormat {
    /// Tables with aligned columns.
    Text,
    /// A JSON object; times in nanoseconds.
    Json,
    /// Tables for a pull request or a job summary.
    Markdown,
    /// A test case for each group, for CI servers.
    Junit,
}

/// The base and the runs to compare with it as read from their files, and whether everything could be read.
struct LoadedSides {
    base: RunSide,
    runs: Vec<RunSide>,
    is_complete: bool,
}

/// The files of a side.
struct LoadedSide {
    reading: FileFeeder,
    /// What passes the filter; `None` without a filter.
    filter: Option<FilteredItems>,
    /// Whether everything could be read.
    is_complete: bool,
}

impl CompareArguments {
    /// Reads both sides, writes their comparison, and returns the exit code.
    pub fn run(&self, read_as: Option<&str>, memory: Option<u64>) -> ExitCode {
        if let Some(message) = self.wrong_usage() {
            eprintln!("queryscope: {message}");
            return ExitCode::from(WRONG_USAGE);
        }
        let sides = match self.sides(read_as, memory) {
            Ok(LoadedSides { base, runs, .. }) if base.is_empty() && runs.iter().all(RunSide::is_empty) => {
                return fail("nothing to compare: no execution passes the filter");
            }
            Ok(sides) => sides,
            Err(message) => return fail(&message.chars().map(text::in_line).collect::<String>()),
        };
        let table = RunsTable::of(&sides.base, sides.runs);
        let check = |groups| self.fail_if.iter().map(|of| of.check(groups, self.significant)).collect();
        let checks: Vec<Vec<ConditionCheck>> =
            table.comparisons.iter().map(|comparison| check(&comparison.groups)).collect();
        match self.write(&table, &checks) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return fail(&format!("cannot write: {error}"));
            }
            _ => {}
        }
        let mut is_unchecked = false;
        for (comparison, checks) in table.comparisons.iter().zip(&checks) {
            for check in checks.iter().filter(|check| check.checked == 0) {
                is_unchecked = true;
                let place = match table.comparisons[..] {
                    [_] => String::new(),
                    _ => format!(" in {}", comparison.new.label),
                };
                let place: String = place.chars().map(text::in_line).collect();
                eprintln!(
                    "queryscope: {}: no group{place} has the values that the condition needs",
                    check.text
                );
            }
        }
        match checks.iter().flatten().any(|check| !check.met.is_empty()) {
            true => ExitCode::from(CONDITION_HOLDS),
            false if sides.is_complete && !is_unchecked => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        }
    }

    /// Writes the comparison of two sides, or the table of more than two.
    fn write(&self, table: &RunsTable, checks: &[Vec<ConditionCheck>]) -> io::Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        let format = match self.format {
            CompareFormat::Text => ComparisonFormat::Text,
            CompareFormat::Json => ComparisonFormat::Json,
            CompareFormat::Markdown => ComparisonFormat::Markdown,
            CompareFormat::Junit => ComparisonFormat::Junit,
        };
        let limit = self.limit;
        let filter = Some(self.filter.text.trim()).filter(|text| !text.is_empty());
        match (&table.comparisons[..], checks) {
            ([comparison], [checks]) => {
                ComparisonOutput { comparison, checks, limit, filter }.write(format, &mut out)?;
            }
            _ => RunsTableOutput { table, checks, limit, filter }.write(format, &mut out)?,
        }
        out.flush()
    }

    fn wrong_usage(&self) -> Option<&'static str> {
        let paths = std::iter::once(&self.base).chain(&self.new);
        let n_stdin = paths.filter(|path| path.as_path() == Path::new("-")).count();
        match self.new.is_empty() {
            true if self.base_run.is_none() || self.new_run.is_none() => {
                Some("compare needs NEW, or two runs of BASE (--base-run NAME --new-run NAME)")
            }
            true if self.base_run == self.new_run => {
                Some("--base-run and --new-run name the same run: there is nothing to compare")
            }
            false if n_stdin > 1 && self.new.len() == 1 => Some("BASE and NEW cannot both be standard input"),
            false if n_stdin > 1 => Some("only one of BASE and NEW can be standard input"),
            _ => None,
        }
    }

    fn sides(&self, read_as: Option<&str>, memory: Option<u64>) -> Result<LoadedSides, String> {
        if self.within.range().is_some() {
            eprintln!("queryscope: note: {RANGE_MEANS} {RANGE_WHOLE}");
        }
        let base = self.read(&self.base, read_as, memory);
        let is_complete = base.is_complete;
        let base_side = self.side(&base, &self.base, self.base_run.as_deref())?;
        if self.new.is_empty() {
            let new = self.side(&base, &self.base, self.new_run.as_deref())?;
            return Ok(LoadedSides { base: base_side, runs: vec![new], is_complete });
        }
        // Only the durations of a side are kept, so that one trace at a time is in memory.
        drop(base);
        let mut sides = LoadedSides { base: base_side, runs: Vec::new(), is_complete };
        for path in &self.new {
            let new = self.read(path, read_as, memory);
            sides.runs.push(self.side(&new, path, self.new_run.as_deref())?);
            sides.is_complete &= new.is_complete;
        }
        Ok(sides)
    }

    fn side(&self, read: &LoadedSide, path: &Path, run: Option<&str>) -> Result<RunSide, String> {
        let LoadedSide { reading, filter, .. } = read;
        let label = label(path);
        let trace = reading.session.trace();
        if self.within.range().is_some() && reading.all_read && trace.is_empty() {
            return Err(format!("{label} has nothing to compare in this time range"));
        }
        let side = RunSide::of(trace, filter.as_ref(), &label, run, self.by.into())?;
        if side.is_empty() {
            let of_run = run.map_or_else(String::new, |run| format!("run “{run}” of "));
            let place: String = format!("{of_run}{label}").chars().map(text::in_line).collect();
            eprintln!("queryscope: note: no execution of {place} passes the filter");
        }
        if let Some(run) = run {
            same_named_runs::note_others(trace, &label, run);
        }
        Ok(side)
    }

    /// Reads the files of a side. Errors of reading are printed.
    fn read(&self, path: &Path, read_as: Option<&str>, memory: Option<u64>) -> LoadedSide {
        let mut reading = FileFeeder::of(&[path.to_owned()], read_as, &Load::default(), memory, false);
        if reading.is_full {
            reading.offer_part(false);
        }
        reading.session.build();
        let filter = self.filter.passing(&mut reading.session, &label(path), self.within.range());
        if let Some(range) = self.within.range() {
            reading.cut_to(range);
        }
        let report = Report::of_files(reading.session.report());
        let is_complete = reading.all_read && report.is_complete();
        if !is_complete {
            report.reasons().iter().for_each(|reason| eprintln!("queryscope: {reason}"));
        }
        LoadedSide { reading, filter, is_complete }
    }
}

/// Name of a side, for tables and messages.
fn label(path: &Path) -> Cow<'_, str> {
    if path == Path::new("-") { "standard input".into() } else { path.to_string_lossy() }
}
