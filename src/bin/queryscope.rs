//! The command line: parse flags, feed the session, print.

#[path = "queryscope/memory.rs"]
mod memory;
#[path = "queryscope/reading.rs"]
mod reading;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use queryscope::export::{self, Report, SpanFormat, write_spans};
use queryscope::import::ABOUT;
use queryscope::import::recipes::RECIPES;
use queryscope::protocol::{PivotColumn, PivotSpec, PivotView, RANGE_MEANS, RANGE_WHOLE};
use queryscope::session::Session;
use queryscope::text::{parse_bytes, parse_duration};

use reading::{Load, Reading};

/// Reads traces of database engines: what is in them, and where the time went.
///
/// A FILE is a file (plain, or packed with gzip, Zstandard, bzip2, zip or tar), a folder (all files in it, in the order of their names) or "-" for standard
/// input. All files together are one trace. Exit code 0: everything was read; 1: something could not be read (what
/// could is printed); 2: wrong usage.
#[derive(Parser)]
#[command(name = "queryscope", version)]
struct Arguments {
    /// Read every file as this format, whatever it looks like.
    #[arg(long = "as", value_name = "FORMAT", global = true, value_parser = formats())]
    read_as: Option<String>,
    /// Memory that the program may take: 4GB. Reading stops before the trace that is made of what was read could take
    /// more. [default: nine tenths of what is free]
    #[arg(long, value_name = "SIZE", global = true, value_parser = size)]
    memory: Option<u64>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What became of the files, and what is in them: runs, outliers, data sources, buffers.
    Report {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// For people, or for programs.
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
        #[command(flatten)]
        within: TimeRange,
        #[command(flatten)]
        load: Load,
    },
    /// One row per span.
    Spans {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// How rows are written.
        #[arg(long, value_enum, default_value_t = RowFormat::Csv)]
        format: RowFormat,
        /// Also one row per event, behind the spans, without a duration.
        #[arg(long)]
        events: bool,
        #[command(flatten)]
        within: TimeRange,
        #[command(flatten)]
        load: Load,
    },
    /// Spans and events, grouped by any attributes and measured in any way.
    Aggregate(Aggregate),
    /// Prints a script that records or exports a trace.
    Recipe {
        /// Which one; without it, all are named.
        #[arg(value_name = "NAME", value_parser = recipes())]
        name: Option<String>,
    },
    /// The sums that a database server made itself, against those of its events: equal, or different and why.
    Reconcile {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// For people, or for programs.
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
    },
}

/// A time range. What overlaps it counts, with its time clipped to it.
#[derive(Args, Clone, Default)]
struct TimeRange {
    /// Only what overlaps the time from here on, since the run's first event, its time clipped: 20ms.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<i64>,
    /// Only what overlaps the time before this, its time clipped.
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<i64>,
}

impl TimeRange {
    fn range(&self) -> Option<(i64, i64)> {
        let is_range = self.from.is_some() || self.to.is_some();
        is_range.then(|| (self.from.unwrap_or(i64::MIN), self.to.unwrap_or(i64::MAX)))
    }
}

#[derive(Args)]
struct Aggregate {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Dimensions, separated by commas: kind,name[/2] (--list names them all).
    #[arg(long, value_name = "DIM,…", default_value = "")]
    by: String,
    /// One more dimension: each of its values (the twelve largest by the first measure, the others together) is a group of
    /// columns, with the row totals ("all") last.
    #[arg(long, value_name = "DIM", default_value = "")]
    across: String,
    /// Measures, separated by commas: count, sum, min, avg, max, p50, p95, …; of durations, or of another number in
    /// brackets: "sum(self)", "p95(rows read)".
    #[arg(long, value_name = "M,…", default_value = "count,sum,avg,max")]
    measure: String,
    /// Words and conditions that a span or event must meet: "kind = query duration > 5ms".
    #[arg(long = "where", value_name = "FILTER", default_value = "")]
    filter: String,
    #[command(flatten)]
    within: TimeRange,
    #[command(flatten)]
    load: Load,
    /// The measure that orders the rows, the largest first; without it, they are in the order of their values. With
    /// --across: a measure of all, or a column: "main / sum".
    #[arg(long, value_name = "M")]
    sort: Option<String>,
    /// How rows are written.
    #[arg(long, value_enum, default_value_t = PivotFormat::Table)]
    format: PivotFormat,
    /// Names the dimensions and numbers of the files instead.
    #[arg(long)]
    list: bool,
}

impl Aggregate {
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
        let (by, across, filter) = (self.by.clone(), self.across.clone(), self.filter.clone());
        let spec = PivotSpec { by, across, measures, filter, range };
        let descending = sort.is_some();
        PivotView { spec, sort: sort.map(|at| at as u32), column, descending, open: Vec::new() }
    }

    /// The columns and the measure that order the rows: `value / measure`, as in the heads of columns.
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

fn size(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text).and_then(|bytes| u64::try_from(bytes).ok());
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| format!("{text} is no size such as 4GB"))
}

fn time(text: &str) -> Result<i64, String> {
    parse_duration(text).ok_or_else(|| format!("{text} is no time such as 20ms"))
}

#[derive(Clone, Copy, ValueEnum)]
enum ReportFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum PivotFormat {
    Table,
    Csv,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum RowFormat {
    Csv,
    JsonLines,
}

fn main() -> ExitCode {
    let Arguments { command, read_as, memory } = Arguments::parse();
    let files = match &command {
        Command::Recipe { name } => return recipe(name.as_deref()),
        Command::Report { files, .. }
        | Command::Spans { files, .. }
        | Command::Reconcile { files, .. }
        | Command::Aggregate(Aggregate { files, .. }) => files,
    };
    let (within, load) = match &command {
        Command::Report { within, load, .. } | Command::Spans { within, load, .. } => (within.range(), load),
        // The pivot table has its range from its own arguments.
        Command::Aggregate(Aggregate { load, .. }) => (None, load),
        _ => (None, &Load::default()),
    };
    let writes_spans = matches!(command, Command::Spans { .. });
    let mut reading = Reading::of(files, read_as.as_deref(), load, memory, writes_spans);
    if reading.is_full {
        reading.offer_part(!matches!(command, Command::Reconcile { .. }));
    }
    reading.session.build();
    if let Some(range) = within {
        reading.session.cut_to(range);
        eprintln!("queryscope: note: {RANGE_MEANS} {RANGE_WHOLE}");
    }
    let report = Report::of(reading.session.trace(), reading.session.report());
    match print(&command, &mut reading.session, &report) {
        // Whoever reads the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write: {error}")),
        Ok(()) if reading.all_read && report.is_complete() => ExitCode::SUCCESS,
        Ok(()) => {
            report.reasons().iter().for_each(|reason| eprintln!("queryscope: {reason}"));
            ExitCode::FAILURE
        }
    }
}

/// The formats that can be chosen.
fn formats() -> PossibleValuesParser {
    ABOUT.iter().map(|format| format.id).collect::<Vec<_>>().into()
}

/// The scripts that can be chosen.
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

fn print(command: &Command, session: &mut Session, report: &Report) -> io::Result<()> {
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
            write_spans(session.trace(), format, *events, &mut out)?;
        }
        Command::Reconcile { format, .. } => {
            let json = matches!(format, ReportFormat::Json);
            export::write_reconciled(session.trace(), json, &mut out)?;
        }
        Command::Aggregate(Aggregate { list: true, .. }) => export::write_choices(session.trace(), &mut out)?,
        Command::Aggregate(arguments) => aggregate(arguments, session, &mut out)?,
        // Needs no trace, and was answered before.
        Command::Recipe { .. } => {}
    }
    out.flush()
}

/// A question that cannot be understood is wrong usage: only a trace knows what its attributes are called.
fn aggregate(arguments: &Aggregate, session: &mut Session, out: &mut impl Write) -> io::Result<()> {
    let format = match arguments.format {
        PivotFormat::Table => export::PivotFormat::Table,
        PivotFormat::Csv => export::PivotFormat::Csv,
        PivotFormat::Json => export::PivotFormat::Json,
    };
    let (trace, pivot) = session.pivot();
    let view = arguments.view();
    let columns = pivot.page(trace, &view, 0, 0).columns;
    if !columns.is_empty() && columns.iter().all(|(column, _)| *column != view.column) {
        let known: Vec<&str> = columns.iter().map(|(_, label)| label.as_str()).collect();
        let sort = arguments.sort.as_deref().unwrap_or_default();
        eprintln!("queryscope: no column is called “{sort}” (there are columns of {})", known.join(", "));
        std::process::exit(2);
    }
    match export::write_pivot(trace, pivot, &view, format, out)? {
        Ok(notes) => {
            // What comes first on a terminal comes first.
            out.flush()?;
            notes.iter().for_each(|note| eprintln!("queryscope: note: {note}"));
            Ok(())
        }
        Err(error) => {
            eprintln!("queryscope: {error}");
            std::process::exit(2)
        }
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("queryscope: {message}");
    ExitCode::FAILURE
}
