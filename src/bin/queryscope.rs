//! The command line: parses arguments, reads files into a session, prints the result.

#[path = "queryscope/comparing.rs"]
mod comparing;
#[path = "queryscope/filtering.rs"]
mod filtering;
#[path = "queryscope/hand_over.rs"]
mod hand_over;
#[path = "queryscope/image.rs"]
mod image;
#[path = "queryscope/same_named_runs.rs"]
mod same_named_runs;
#[path = "queryscope/saving.rs"]
mod saving;
#[path = "queryscope/time_range.rs"]
mod time_range;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use queryscope::export::{self, Report, SpanFormat, write_chosen_spans};
use queryscope::import::recipes::RECIPES;
use queryscope::internal::command_line::{FileFeeder, Load, formats, size};
use queryscope::protocol::{ChangedThreshold, PivotColumn, PivotSpec, PivotView, RANGE_MEANS, RANGE_WHOLE};
use queryscope::session::Session;

use comparing::CompareArguments;
use hand_over::HandedOver;
use image::{PictureArguments, PictureError};
use saving::{ExportArguments, SaveArguments, ViewArguments};
use time_range::TimeRange;

/// Analyses traces of database engines: reports, tables and checks that show where the time is spent.
///
/// A FILE is a file (plain, or packed with gzip, Zstandard, bzip2, zip or tar), a folder (all files in it, by name), a data set of
/// `convert`, one of its traces (DATASET/TRACE), or "-" for standard input. All files are merged into one trace. Exit codes: 0 if everything was read; 1 if something could not
/// be read (the rest is printed); 2 for wrong usage; 3 if a condition of `compare --fail-if` holds.
#[derive(Parser)]
#[command(name = "queryscope", version)]
struct CommandLine {
    /// Read every file as this format. [default: detected from the content]
    #[arg(long = "as", value_name = "FORMAT", global = true, value_parser = formats())]
    read_as: Option<String>,
    /// Memory limit, such as 4GB. Reading stops before the trace could exceed it. [default: 90 % of the free memory]
    #[arg(long, value_name = "SIZE", global = true, value_parser = size)]
    memory: Option<u64>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the import report and a summary of the trace: runs, outliers, datasources, buffers, findings.
    Report {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output format.
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
        /// Change a threshold of a rule of the findings, such as outliers.ratio=5. May be given several times. The chapter
        /// "Overview" of the handbook lists all.
        #[arg(long = "threshold", value_name = "KEY=VALUE", value_parser = export::parse_threshold)]
        thresholds: Vec<ChangedThreshold>,
        #[command(flatten)]
        filter: filtering::Where,
        #[command(flatten)]
        within: TimeRange,
        #[command(flatten)]
        load: Load,
    },
    /// Prints one row per span.
    Spans {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output format.
        #[arg(long, value_enum, default_value_t = RowFormat::Csv)]
        format: RowFormat,
        /// Add one row per event, without a duration, after the spans.
        #[arg(long)]
        events: bool,
        #[command(flatten)]
        filter: filtering::Where,
        #[command(flatten)]
        within: TimeRange,
        #[command(flatten)]
        load: Load,
    },
    /// Prints a pivot table: spans and events, grouped by dimensions, with any measures.
    Aggregate(AggregateArguments),
    /// Compares two runs, files or folders: totals, and for each statement the times, rows and bytes of both sides, with a test
    /// of whether the times differ by more than noise. Exit code 3 if a condition of --fail-if holds.
    Compare(CompareArguments),
    /// Prints a script that records or exports a trace.
    Recipe {
        /// The script to print. Without it, all scripts are listed.
        #[arg(value_name = "NAME", value_parser = recipes())]
        name: Option<String>,
    },
    /// Prints the trace, or a part of it, in queryscope's own format (one JSON object per line) or in that of another program.
    Export {
        #[command(flatten)]
        save: SaveArguments,
        #[command(flatten)]
        export: ExportArguments,
    },
    /// Writes a session file: the trace, or a part of it, with the view and notes, as a zip archive.
    Session {
        #[command(flatten)]
        save: SaveArguments,
        /// The file to write, such as run.queryscope; "-" for standard output.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// Writes one HTML file that holds the viewer and the trace, or a part of it, and needs no server.
    Html {
        #[command(flatten)]
        save: SaveArguments,
        /// The file to write, such as report.html; "-" for standard output.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// The viewer: queryscope-single.html of a site. [default: the viewer that is built in, if there is one]
        #[arg(long, value_name = "TEMPLATE")]
        viewer: Option<PathBuf>,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// Draws a view as an SVG image, in which text stays text.
    Svg(PictureArguments),
    /// Draws a view as a PNG image.
    #[cfg(feature = "png")]
    Png(image::PngArguments),
    /// Runs an SQL statement over traces and data sets (needs the separate program queryscope-sql).
    #[command(after_help = "All options: queryscope-sql sql --help")]
    Sql(HandedOver),
    /// Adds traces to a data set of Parquet files (needs the separate program queryscope-sql).
    #[command(after_help = "All options: queryscope-sql convert --help")]
    Convert(HandedOver),
    /// Shows how each statement's executions change from run to run, and the runs at which they changed (needs the separate program queryscope-sql).
    #[command(after_help = "All options: queryscope-sql trend --help")]
    Trend(HandedOver),
    /// Compares the server sums (summary tables) with the events: equal, or different and why.
    Reconcile {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output format.
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
    },
}

#[derive(Args)]
struct AggregateArguments {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Dimensions to group by, outermost first, separated by commas, such as kind,name. --list lists all of them.
    #[arg(long, value_name = "DIM,…", default_value = "")]
    by: String,
    /// Dimension across: one group of columns for each of its twelve largest values by the first measure, one for the
    /// others, and the row totals ("all") last.
    #[arg(long, value_name = "DIM", default_value = "")]
    across: String,
    /// Measures, separated by commas: count, sum, min, avg, max, p50, p95, …, of the duration, or of the number in
    /// brackets, such as "sum(self)" or "p95(rows read)".
    #[arg(long, value_name = "M,…", default_value = "count,sum,avg,max")]
    measure: String,
    #[command(flatten)]
    filter: filtering::Where,
    #[command(flatten)]
    within: TimeRange,
    #[command(flatten)]
    load: Load,
    /// Sort by this measure, largest first. With --across: a measure of the row totals, or a column such as "main / sum".
    /// [default: by the values of the dimensions]
    #[arg(long, value_name = "M")]
    sort: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    format: OutputFormat,
    /// List the dimensions and numbers of the files instead.
    #[arg(long)]
    list: bool,
}

impl AggregateArguments {
    fn view(&self) -> PivotView {
        let range = self.within.range();
        let (column, by_measure) = self.sorted_by();
        let same = |measure: &str| by_measure.is_some_and(|sort| measure.trim() == sort.trim());
        let mut measures = self.measure.clone();
        let mut sort = self.measure.split(',').position(same);
        if let Some(new) = by_measure.filter(|_| sort.is_none()) {
            sort = Some(self.measure.split(',').filter(|measure| !measure.trim().is_empty()).count());
            measures = format!("{measures},{new}");
        }
        let by = self.by.clone();
        let across = self.across.clone();
        let filter = self.filter.text.clone();
        let spec = PivotSpec { by, across, measures, filter, range };
        let descending = sort.is_some();
        PivotView { spec, sort: sort.map(|at| at as u32), column, descending, open: Vec::new() }
    }

    /// The column and the measure that sort the rows, from `value / measure` as in the column headers.
    fn sorted_by(&self) -> (PivotColumn, Option<&str>) {
        let sort = self.sort.as_deref();
        let with_value = sort.and_then(|sort| sort.rsplit_once(" / ")).filter(|_| !self.across.is_empty());
        let Some((value, measure)) = with_value else { return (PivotColumn::All, sort) };
        let column = match value {
            "all" => PivotColumn::All,
            _ if value == "others" || value.starts_with("others (") => PivotColumn::Others,
            _ => PivotColumn::Value(value.trim_matches(['“', '”']).to_owned()),
        };
        (column, Some(measure))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum ReportFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum OutputFormat {
    Table,
    Csv,
    Json,
    Markdown,
}

#[derive(Clone, Copy, ValueEnum)]
enum RowFormat {
    Csv,
    JsonLines,
}

/// Exit code for wrong usage.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let CommandLine { command, read_as, memory } =
        CommandLine::parse_from(saving::arguments(std::env::args_os()));
    if let Some(message) = time_range::wrong_usage(&command) {
        return wrong_usage(&message);
    }
    let files = match &command {
        Command::Recipe { name } => return recipe(name.as_deref()),
        Command::Compare(arguments) => return arguments.run(read_as.as_deref(), memory),
        Command::Sql(_) | Command::Convert(_) | Command::Trend(_) => return hand_over::run(),
        Command::Report { files, .. }
        | Command::Spans { files, .. }
        | Command::Reconcile { files, .. }
        | Command::Aggregate(AggregateArguments { files, .. })
        | Command::Export { save: SaveArguments { files, .. }, .. }
        | Command::Session { save: SaveArguments { files, .. }, .. }
        | Command::Html { save: SaveArguments { files, .. }, .. }
        | Command::Svg(PictureArguments { files, .. }) => files,
        #[cfg(feature = "png")]
        Command::Png(png) => &png.picture.files,
    };
    let (within, load) = match &command {
        Command::Report { within, load, .. } | Command::Spans { within, load, .. } => (within.range(), load),
        // The pivot table takes its range from its own arguments.
        Command::Aggregate(AggregateArguments { load, .. }) => (None, load),
        Command::Svg(PictureArguments { load, .. }) => (None, load),
        #[cfg(feature = "png")]
        Command::Png(png) => (None, &png.picture.load),
        _ => (None, &Load::default()),
    };
    if let Some(message) = load.wrong_usage() {
        return wrong_usage(&message);
    }
    let writes_spans = matches!(command, Command::Spans { .. });
    let mut reading = FileFeeder::of(files, read_as.as_deref(), load, memory, writes_spans);
    if reading.is_full {
        let takes_part =
            matches!(command, Command::Report { .. } | Command::Spans { .. } | Command::Aggregate(_));
        reading.offer_part(takes_part);
    }
    reading.session.build();
    let chosen = filtering::apply(&command, &mut reading.session, within);
    if let Some(range) = within {
        eprintln!("queryscope: note: {RANGE_MEANS} {RANGE_WHOLE}");
        reading.cut_to(range);
    }
    let files = reading.session.report();
    let report = match &command {
        Command::Report { thresholds, .. } => {
            Report::with_thresholds(reading.session.trace(), files, thresholds)
        }
        _ => Report::of_files(files),
    };
    let printed = match save(&command, &mut reading, read_as.is_none()) {
        Some(Err(message)) => return fail(&message),
        Some(Ok(())) => Ok(()),
        None => print(&command, &mut reading.session, &report, chosen.as_deref()),
    };
    match printed {
        // The reader of the output closed the pipe, for example `head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write standard output: {error}")),
        Ok(()) if reading.all_read && report.is_complete() => ExitCode::SUCCESS,
        Ok(()) => {
            report.reasons().iter().for_each(|reason| eprintln!("queryscope: {reason}"));
            ExitCode::FAILURE
        }
    }
}

/// The IDs of the scripts.
fn recipes() -> PossibleValuesParser {
    RECIPES.iter().map(|recipe| recipe.id).collect::<Vec<_>>().into()
}

fn recipe(name: Option<&str>) -> ExitCode {
    let chosen = RECIPES.iter().find(|recipe| Some(recipe.id) == name);
    let list =
        || RECIPES.iter().map(|recipe| format!("{}: {}\n", recipe.id, recipe.about)).collect::<String>();
    let text = chosen.map_or_else(list, |recipe| recipe.text.to_owned());
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(&format!("cannot write: {error}")),
        _ => ExitCode::SUCCESS,
    }
}

/// Saves the trace, if the command does that. `may_copy`: whether a session may contain the original files.
fn save(command: &Command, reading: &mut FileFeeder, may_copy: bool) -> Option<Result<(), String>> {
    let (Command::Export { save, .. } | Command::Session { save, .. } | Command::Html { save, .. }) = command
    else {
        return None;
    };
    let may_copy = may_copy && save.filter.is_empty();
    let spec = match save.spec(&mut reading.session) {
        Ok(spec) => spec,
        Err(message) => return Some(Err(message)),
    };
    let failed = |path: &Path, error: io::Error| format!("cannot write {}: {error}", path.display());
    let write = || -> Result<Vec<String>, String> {
        match command {
            Command::Session { output, view, .. } => {
                let out = saving::output(output).map_err(|error| failed(output, error))?;
                let written = saving::write_session(reading, &spec, view, may_copy, out);
                let (mut out, removed) = written.map_err(|error| failed(output, error))?;
                out.flush().map_err(|error| failed(output, error))?;
                Ok(removed)
            }
            Command::Html { output, viewer, view, .. } => {
                let mut page = Vec::new();
                let viewer = viewer.as_deref();
                let removed = saving::write_html(reading, &spec, view, may_copy, viewer, &mut page)?;
                let mut out = saving::output(output).map_err(|error| failed(output, error))?;
                out.write_all(&page).and_then(|()| out.flush()).map_err(|error| failed(output, error))?;
                Ok(removed)
            }
            Command::Export { export, .. } => export.write(&reading.session, &spec),
            _ => Ok(Vec::new()),
        }
    };
    Some(write().map(|removed| {
        if !removed.is_empty() {
            eprintln!("queryscope: removed: {}", removed.join(", "));
        }
    }))
}

fn print(
    command: &Command,
    session: &mut Session,
    report: &Report,
    chosen: Option<&[bool]>,
) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match command {
        Command::Report { format: ReportFormat::Text, .. } => report.write_text(&mut out)?,
        Command::Report { format: ReportFormat::Json, .. } => {
            serde_json::to_writer_pretty(&mut out, report)?;
            writeln!(out)?;
        }
        Command::Spans { format, events, .. } => {
            let format = match format {
                RowFormat::Csv => SpanFormat::Csv,
                RowFormat::JsonLines => SpanFormat::JsonLines,
            };
            write_chosen_spans(session.trace(), format, (*events, chosen), &mut out)?;
        }
        Command::Reconcile { format, .. } => {
            let json = matches!(format, ReportFormat::Json);
            export::write_reconciled(session.trace(), json, &mut out)?;
        }
        Command::Aggregate(AggregateArguments { list: true, .. }) => {
            export::write_choices(session.trace(), &mut out)?
        }
        Command::Aggregate(arguments) => aggregate(arguments, session, &mut out)?,
        Command::Svg(picture) => written(picture.write_svg(session))?,
        #[cfg(feature = "png")]
        Command::Png(picture) => written(picture.write(session))?,
        // Answered before.
        Command::Compare(_)
        | Command::Sql(_)
        | Command::Convert(_)
        | Command::Trend(_)
        | Command::Recipe { .. }
        | Command::Export { .. }
        | Command::Session { .. }
        | Command::Html { .. } => {}
    }
    out.flush()
}

/// Result of writing an image. Arguments that do not fit the trace are wrong usage, found only now.
fn written(result: Result<(), PictureError>) -> io::Result<()> {
    match result {
        Ok(()) => Ok(()),
        Err(PictureError::Output(_, error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Err(PictureError::Output(name, error)) => {
            Err(io::Error::new(error.kind(), format!("{name}: {error}")))
        }
        Err(PictureError::Usage(message)) => {
            eprintln!("queryscope: {message}");
            std::process::exit(2)
        }
    }
}

/// Prints a pivot table. An invalid specification is wrong usage, found only now, as attribute names depend on the trace.
fn aggregate(arguments: &AggregateArguments, session: &mut Session, out: &mut impl Write) -> io::Result<()> {
    let format = match arguments.format {
        OutputFormat::Table => export::PivotFormat::Table,
        OutputFormat::Csv => export::PivotFormat::Csv,
        OutputFormat::Json => export::PivotFormat::Json,
        OutputFormat::Markdown => export::PivotFormat::Markdown,
    };
    let (trace, pivot) = session.pivot();
    let view = arguments.view();
    let columns = pivot.page(trace, &view, 0, 0).columns;
    if !columns.is_empty() && columns.iter().all(|(column, _)| *column != view.column) {
        let known: Vec<&str> = columns.iter().map(|(_, label)| label.as_str()).collect();
        let sort = arguments.sort.as_deref().unwrap_or_default();
        let message = format!("unknown column “{sort}” (known columns: {})", known.join(", "));
        eprintln!("queryscope: {}", filtering::in_line(&message));
        std::process::exit(2);
    }
    match export::write_pivot(trace, pivot, &view, format, out)? {
        Ok(notes) => {
            // Flushed so that the table appears on a terminal before the notes.
            out.flush()?;
            notes.iter().for_each(|note| eprintln!("queryscope: note: {}", filtering::in_line(note)));
            Ok(())
        }
        Err(error) => {
            eprintln!("queryscope: {}", filtering::in_line(&error.to_string()));
            std::process::exit(2)
        }
    }
}

fn wrong_usage(message: &str) -> ExitCode {
    eprintln!("queryscope: {message}");
    ExitCode::from(WRONG_USAGE)
}

fn fail(message: &str) -> ExitCode {
    eprintln!("queryscope: {message}");
    ExitCode::FAILURE
}
