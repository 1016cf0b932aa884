//! `queryscope-sql`: the commands `sql`, `convert` and `trend`, which `queryscope` hands on to this program.

mod converting;
mod trending;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use clap::{Args, Parser, Subcommand};
use queryscope::internal::command_line::{FileFeeder, Load, formats, size};
use queryscope_sql::console::{self, StatementOptions, fail, print};
use queryscope_sql::dataset::{self, Dataset, block_on};
use queryscope_sql::query::Engine;
use queryscope_sql::rows::TraceRows;
use queryscope_sql::statements;

use converting::ConvertArguments;
use trending::TrendArguments;

/// SQL over traces of database engines, and Parquet data sets of them.
///
/// Exit codes: 0 if everything was read; 1 if something could not be read or a statement failed; 2 for wrong usage.
#[derive(Parser)]
#[command(name = "queryscope-sql", version)]
struct CommandLine {
    /// Read every file as this format. [default: detected from the content]
    #[arg(long = "as", value_name = "FORMAT", global = true, value_parser = formats())]
    read_as: Option<String>,
    /// Memory limit for reading, such as 4GB. [default: 90 % of the free memory]
    #[arg(long, value_name = "SIZE", global = true, value_parser = size)]
    memory: Option<u64>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs an SQL statement over traces, data sets, or both.
    Sql(SqlArguments),
    /// Adds traces to a data set of Parquet files, one trace per FILE. A trace of the same name is replaced.
    Convert(ConvertArguments),
    /// Shows how the executions of each statement change from run to run: their distribution, and change points that are larger than
    /// noise.
    Trend(TrendArguments),
    /// Prints a trace of a data set in the format "queryscope".
    #[command(hide = true)]
    Stored { folder: PathBuf, trace: String },
}

#[derive(Args)]
struct SqlArguments {
    /// Files of one trace and folders of data sets, and last the statement: SQL, the name of a statement in --list, or "-" to
    /// read it from standard input.
    #[arg(value_name = "FILE… STATEMENT", required_unless_present = "list")]
    arguments: Vec<String>,
    /// List the statements that can be run by name, or with one name print its SQL.
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    options: StatementOptions,
    #[command(flatten)]
    load: Load,
}

fn main() -> ExitCode {
    let CommandLine { command, read_as, memory } = CommandLine::parse_from(console::arguments());
    match command {
        Command::Sql(arguments) if arguments.list => list(arguments.arguments.first().map(String::as_str)),
        Command::Sql(arguments) => sql(&arguments, read_as.as_deref(), memory),
        Command::Convert(arguments) => arguments.run(read_as.as_deref(), memory),
        Command::Trend(arguments) => arguments.run(read_as.as_deref(), memory),
        Command::Stored { folder, trace } => {
            let opened = Dataset::of_folder(&folder);
            match opened.and_then(|dataset| block_on(dataset.read_trace(&trace))) {
                Ok(content) => print(|out| out.write_all(content.lines.as_bytes())),
                Err(error) => fail(error),
            }
        }
    }
}

fn list(name: Option<&str>) -> ExitCode {
    let text = match name.map(statements::named) {
        Some(Some(statement)) => statement.sql.to_owned(),
        Some(None) => return fail("there is no statement of this name; --list alone lists all"),
        None => {
            let line = |statement: &statements::ReadyStatement| {
                format!("{}: {}\n", statement.name, statement.about())
            };
            statements::STATEMENTS.iter().map(line).collect()
        }
    };
    print(|out| out.write_all(text.as_bytes()))
}

/// Reads files as one trace. Also returns whether all files could be read completely.
fn read(
    files: &[PathBuf],
    name: &str,
    read_as: Option<&str>,
    load: &Load,
    memory: Option<u64>,
) -> (TraceRows, bool) {
    let reading = FileFeeder::of(files, read_as, load, memory, false);
    if reading.is_full {
        reading.offer_part(false);
    }
    rows(reading, name)
}

/// The rows of everything that was read. Also returns whether all files could be read completely.
fn rows(mut reading: FileFeeder, name: &str) -> (TraceRows, bool) {
    reading.session.build();
    let day = last_written(&reading.paths);
    let rows = TraceRows::new(reading.session, name, day);
    let mut all_read = reading.all_read;
    for file in rows.tables.files.iter().filter(|file| !file.recognised) {
        eprintln!("queryscope: {}: {}", file.name, file.format);
        all_read = false;
    }
    (rows, all_read)
}

/// Day on which the newest file was last written, in UTC; `None` if unknown.
fn last_written(files: &[PathBuf]) -> Option<String> {
    let times = files.iter().filter_map(|file| std::fs::metadata(file).ok()?.modified().ok());
    let since = times.max()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    queryscope_sql::rows::day_of((since.as_secs() / 86_400) as i64)
}

fn sql(arguments: &SqlArguments, read_as: Option<&str>, memory: Option<u64>) -> ExitCode {
    let Some((statement, inputs)) = arguments.arguments.split_last() else { return ExitCode::FAILURE };
    if inputs.is_empty() {
        eprintln!("queryscope: name at least one file or data set, and then the statement");
        return ExitCode::from(2);
    }
    if let Some(message) = arguments.load.wrong_usage() {
        eprintln!("queryscope: {message}");
        return ExitCode::from(2);
    }
    let statement = match console::statement_text(statement) {
        Ok(text) => text,
        Err(error) => return fail(format!("cannot read the statement: {error}")),
    };
    let (sets, files): (Vec<PathBuf>, Vec<PathBuf>) =
        inputs.iter().map(PathBuf::from).partition(|path| dataset::is_dataset(path));
    let sets = console::each_once(sets);
    let mut traces = Vec::new();
    let mut all_read = true;
    if !files.is_empty() {
        let names: Vec<String> = files.iter().map(|file| name_of(file)).collect();
        let (trace, is_read) = read(&files, &names.join(", "), read_as, &arguments.load, memory);
        if sets.is_empty() && trace.tables.files.iter().all(|file| !file.recognised) {
            return fail(format!(
                "the statement is not run, because no trace could be read: {} (name a trace, a folder of traces, or a data set \
                 made by queryscope convert)",
                names.join(", ")
            ));
        }
        (all_read, traces) = (is_read, vec![Arc::new(trace)]);
    }
    let tables = |folder: &PathBuf| block_on(Arc::new(Dataset::of_folder(folder)?).tables_of(&statement));
    let stored = match sets.iter().map(tables).collect() {
        Ok(stored) => stored,
        Err(error) => return fail(error),
    };
    let result = match Engine::new(&traces, stored, arguments.options.limits())
        .and_then(|engine| engine.run(&statement))
    {
        Ok(result) => result,
        Err(error) => return fail(error),
    };
    let printed = arguments.options.print(&result);
    if all_read { printed } else { ExitCode::FAILURE }
}

/// Name of a trace: the path as given, with `/` as separator.
fn name_of(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
