//! `queryscope-sql-cluster`: statements over data sets on a cluster.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use queryscope_sql::console::{self, StatementOptions, fail};
use queryscope_sql_cluster::{FileLocation, PARTITIONS, PlacedDataset, SchedulerAddress, engine};

/// Runs an SQL statement over data sets on a cluster of Apache DataFusion Ballista.
///
/// Exit codes: 0 if there is an answer; 1 if a data set could not be read or the statement failed; 2 for wrong usage.
#[derive(Parser)]
#[command(name = "queryscope-sql-cluster", version)]
struct CommandLine {
    /// Folders of data sets, and last the statement: SQL, the name of a ready-made statement, or "-" to read it from standard input.
    #[arg(value_name = "FOLDER… STATEMENT", required = true)]
    arguments: Vec<String>,
    /// Address of the scheduler.
    #[arg(long, value_name = "ADDRESS", default_value = "df://127.0.0.1:50050")]
    scheduler: SchedulerAddress,
    /// Where the executors find the files of FOLDER, such as /data/runs or s3://bucket/runs; FOLDER then needs no more than the manifest.
    /// [default: FOLDER]
    #[arg(long, value_name = "PLACE")]
    files: Option<String>,
    /// Maximum number of parts into which each stage is divided.
    #[arg(long, value_name = "N", default_value_t = PARTITIONS as u16, value_parser = clap::value_parser!(u16).range(1..=4096))]
    partitions: u16,
    #[command(flatten)]
    options: StatementOptions,
}

fn main() -> ExitCode {
    let CommandLine { arguments, scheduler, files, partitions, options } =
        CommandLine::parse_from(console::arguments());
    let Some((statement, folders)) = arguments.split_last() else { return ExitCode::FAILURE };
    if folders.is_empty() || files.is_some() && folders.len() > 1 {
        let text = match folders.is_empty() {
            true => "name at least one data set, and then the statement",
            false => "--files needs exactly one FOLDER",
        };
        eprintln!("queryscope: {text}");
        return ExitCode::from(2);
    }
    let statement = match console::statement_text(statement) {
        Ok(text) => text,
        Err(error) => return fail(format!("cannot read the statement: {error}")),
    };
    let place = match files.as_deref().map(FileLocation::parse).transpose() {
        Ok(place) => place,
        Err(error) => return fail(error),
    };
    let placed = |folder: &PathBuf| match &place {
        Some(place) => PlacedDataset::elsewhere(folder, place.clone()),
        None => PlacedDataset::here(folder),
    };
    let folders = console::each_once(folders.iter().map(PathBuf::from).collect());
    let sets = match folders.iter().map(placed).collect() {
        Ok(sets) => sets,
        Err(error) => return fail(error),
    };
    let result = engine(&scheduler, sets, usize::from(partitions), options.limits())
        .and_then(|engine| engine.run(&statement));
    match result {
        Ok(result) => options.print(&result),
        Err(error) => fail(error),
    }
}
