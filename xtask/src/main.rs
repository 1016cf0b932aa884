//! The commands for development: `cargo xtask serve`, `site`, `docs`, `test`, `bench`, `screenshots`, `fuzz`, `generate`.

mod bench;
mod browser;
mod docs;
mod element;
mod fuzz;
mod generate;
mod npm;
mod python;
mod run;
mod screenshots;
mod serve;
mod single_file;
mod site;
mod test;
mod tools;
mod viewers;
mod weight;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, serves, tests and measures queryscope", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Builds the release site and serves it on 127.0.0.1; the page opens the given files.
    Serve(serve::Arguments),
    /// Builds the static site into dist/, ready for any host and any sub-path.
    Site,
    /// Builds the handbook into dist/handbook/, next to the site, and rewrites its generated pages.
    Docs,
    /// Runs all checks, as CI does: formatting, lints, engine, wasm and browser tests.
    Test(test::Arguments),
    /// Measures loading, memory and frame times in a real browser; writes docs/bench.md and the README's numbers.
    Bench(bench::Arguments),
    /// Takes the screenshots of the README and the handbook in a real browser; writes docs/pictures/.
    Screenshots(screenshots::Arguments),
    /// Feeds damaged traces to every reader for the given time; reports panics, slow inputs and differences.
    Fuzz(fuzz::Arguments),
    /// Writes a realistic trace of any size; the same seed writes the same bytes.
    Generate(GenerateArguments),
}

#[derive(clap::Args)]
struct GenerateArguments {
    /// Format of the trace.
    #[arg(long, value_enum, default_value_t = Format::Kubling)]
    format: Format,
    /// Number of events.
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Seed of the random numbers: the same seed writes the same bytes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write.
    file: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A Kubling run as JSON lines.
    Kubling,
    /// Chrome Trace JSON, as a database engine would write it.
    Chrome,
    /// MySQL's table of waits, as tab-separated values.
    Mysql,
    /// The event stream of MonetDB's profiler, as JSON.
    Monetdb,
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let done = run::end_together().and_then(|()| execute(command));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Site => site::publish().map(|dist| println!("the site is in {}", dist.display())),
        Command::Docs => docs::build_all().map(|book| println!("the handbook is in {}", book.display())),
        Command::Test(arguments) => test::test(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Screenshots(arguments) => screenshots::take(&arguments),
        Command::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Command::Generate(a) => match a.format {
            Format::Kubling => generate::write(&a.file, a.events, a.seed),
            Format::Chrome => generate::chrome::write(&a.file, a.events, a.seed),
            Format::Mysql => generate::mysql::write(&a.file, a.events, a.seed),
            Format::Monetdb => generate::monetdb::write(&a.file, a.events, a.seed),
        },
    }
}
