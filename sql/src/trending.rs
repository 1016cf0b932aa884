//! `trend`: the runs of data sets and files, how their groups of executions change, and the result.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use queryscope::export::{GroupBy, RunMeasure, TrendFormat, TrendOutput};
use queryscope::internal::command_line::{GroupingArgument, Load};
use queryscope_sql::console::{self, fail, print};
use queryscope_sql::dataset::{self, block_on};
use queryscope_sql::trend::{RunOrder, TrendInputs, grouping_name};

use super::{name_of, read};

#[derive(Args)]
pub struct TrendArguments {
    /// Data sets (folders), and traces (a file or folder each).
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// What executions are grouped by.
    #[arg(long, value_enum, default_value_t = GroupingArgument::Shape)]
    by: GroupingArgument,
    /// The value of each run in which changes are sought: count, total, mean, p50, p95, p99, max, self, rows, returned, bytes, errors.
    #[arg(long, value_name = "MEASURE", default_value = "p50", value_parser = measure)]
    measure: RunMeasure,
    /// Only traces of this engine, such as kubling.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Order of the runs.
    #[arg(long, value_enum, default_value_t = Order::Time)]
    order: Order,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Maximum number of groups to list. Groups with a change are always listed. [default: 20 in text and Markdown, all in JSON and CSV]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    /// By the clocks of the runs where these show dates, else by the day of their trace; then by name.
    Time,
    /// By the names of their traces; numbers in names are compared as numbers.
    Name,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Tables with aligned columns.
    Text,
    /// A JSON object; times in nanoseconds.
    Json,
    /// Tables for a pull request or a wiki.
    Markdown,
    /// A row for each group in each run.
    Csv,
}

fn measure(name: &str) -> Result<RunMeasure, String> {
    let names = || RunMeasure::ALL.map(RunMeasure::name).join(", ");
    let found = RunMeasure::ALL.into_iter().find(|measure| measure.name() == name);
    found.ok_or_else(|| format!("expected one of {}", names()))
}

impl TrendArguments {
    /// Reads the runs and prints their trend. The exit code is a failure if a file could not be read completely.
    pub fn run(&self, read_as: Option<&str>, memory: Option<u64>) -> ExitCode {
        let by = GroupBy::from(self.by);
        let group_title = match by {
            GroupBy::Shape => "statement",
            other => grouping_name(other),
        };
        let mut inputs = TrendInputs::new(by);
        let mut all_read = true;
        let (sets, files): (Vec<PathBuf>, Vec<PathBuf>) =
            self.inputs.iter().cloned().partition(|path| dataset::is_dataset(path));
        for path in &console::each_once(sets) {
            let opened = dataset::Dataset::of_folder(path).map(std::sync::Arc::new);
            let added = opened.and_then(|set| block_on(inputs.add_dataset(&set, self.engine.as_deref())));
            if let Err(error) = added {
                return fail(error);
            }
        }
        for path in &files {
            let file = std::slice::from_ref(path);
            let (trace, is_read) = read(file, &name_of(path), read_as, &Load::default(), memory);
            all_read &= is_read;
            if trace.tables.files.iter().any(|file| file.recognised) {
                inputs.add_trace(&trace, self.engine.as_deref());
            }
        }
        let order = match self.order {
            Order::Time => RunOrder::Time,
            Order::Name => RunOrder::Name,
        };
        let trend = match block_on(inputs.trend(self.measure, order)) {
            Ok(trend) => trend,
            Err(error) => return fail(error),
        };
        for warning in &trend.warnings {
            eprintln!("queryscope: {}", warning.text);
            // Where no trace is named, nothing is missing.
            all_read &= warning.trace.is_none();
        }
        let format = match self.format {
            Format::Text => TrendFormat::Text,
            Format::Json => TrendFormat::Json,
            Format::Markdown => TrendFormat::Markdown,
            Format::Csv => TrendFormat::Csv,
        };
        let output = TrendOutput { trend: &trend, group_title, limit: self.limit };
        let printed = print(|mut out| output.write(format, &mut out));
        if all_read { printed } else { ExitCode::FAILURE }
    }
}
