//! The command line: parse flags, feed the session, print.

#[path = "queryscope/memory.rs"]
mod memory;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use queryscope::export::{self, Report, SpanFormat, write_spans};
use queryscope::import::ABOUT;
use queryscope::import::recipes::RECIPES;
use queryscope::protocol::{Part, PivotSpec, PivotView};
use queryscope::session::Session;
use queryscope::text::{self, parse_bytes, parse_duration};

use memory::Memory;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

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
        part: PartOf,
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
        part: PartOf,
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

/// The part of the files that is read; everything else is counted as left out.
#[derive(Args, Clone, Default)]
struct PartOf {
    /// Only what happens at this time or later, since the run's first record: 20ms. The files are read twice.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<i64>,
    /// Only what happens until this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<i64>,
    /// Only the run with this name (may be given several times); a file that is a run of its own has the file's name.
    #[arg(long = "run", value_name = "NAME")]
    runs: Vec<String>,
}

impl PartOf {
    fn part(&self, zeros: Vec<(String, i64)>) -> Part {
        let range = self.is_range().then(|| (self.from.unwrap_or(i64::MIN), self.to.unwrap_or(i64::MAX)));
        Part { range, runs: (!self.runs.is_empty()).then(|| self.runs.clone()), zeros }
    }

    fn is_range(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

#[derive(Args)]
struct Aggregate {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Dimensions, separated by commas: kind,name[/2] (--list names them all).
    #[arg(long, value_name = "DIM,…", default_value = "")]
    by: String,
    /// Measures, separated by commas: count, sum, min, avg, max, p50, p95, …; of durations, or of another number in
    /// brackets: "sum(self)", "p95(rows read)".
    #[arg(long, value_name = "M,…", default_value = "count,sum,avg,max")]
    measure: String,
    /// Words and conditions that a span or event must meet: "kind = query duration > 5ms".
    #[arg(long = "where", value_name = "FILTER", default_value = "")]
    filter: String,
    /// Only what starts at this time or later, since the run's first event: 20ms.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<i64>,
    /// Only what starts before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<i64>,
    /// The measure that orders the rows, the largest first; without it, they are in the order of their values.
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
        let range = (self.from.is_some() || self.to.is_some())
            .then(|| (self.from.unwrap_or(i64::MIN), self.to.unwrap_or(i64::MAX)));
        let same = |measure: &str| self.sort.as_ref().is_some_and(|sort| measure.trim() == sort.trim());
        let mut measures = self.measure.clone();
        let mut sort = self.measure.split(',').position(same);
        if let Some(new) = self.sort.as_ref().filter(|_| sort.is_none()) {
            sort = Some(self.measure.split(',').filter(|measure| !measure.trim().is_empty()).count());
            measures = format!("{measures},{new}");
        }
        let (by, filter) = (self.by.clone(), self.filter.clone());
        let spec = PivotSpec { by, measures, filter, range };
        PivotView { spec, sort: sort.map(|at| at as u32), descending: sort.is_some(), open: Vec::new() }
    }
}

fn time(text: &str) -> Result<i64, String> {
    parse_duration(text).ok_or_else(|| format!("{text} is no time such as 20ms"))
}

/// A time as an argument: `412ms`.
fn time_of(ns: i64) -> String {
    match ns {
        0..10_000_000 => format!("{}us", ns / 1_000),
        10_000_000..10_000_000_000 => format!("{}ms", ns / 1_000_000),
        _ => format!("{}s", ns / 1_000_000_000),
    }
}

fn size(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text).and_then(|bytes| u64::try_from(bytes).ok());
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| format!("{text} is no size such as 4GB"))
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
    let (part, takes_part) = match &command {
        Command::Report { part, .. } | Command::Spans { part, .. } => (part.clone(), true),
        _ => (PartOf::default(), false),
    };
    let mut reading = Reading::of(files, read_as.as_deref(), &part, memory);
    if reading.is_full {
        reading.offer_part(takes_part);
    }
    reading.session.build();
    let report = Report::of(reading.session.trace(), reading.session.report());
    match print(&command, &mut reading.session, &report) {
        // Whoever reads the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write: {error}")),
        Ok(()) if reading.all_read && report.is_complete() => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
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
    match export::write_pivot(trace, pivot, &arguments.view(), format, out)? {
        Ok(()) => Ok(()),
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

/// Feeds files to a session, through one buffer.
struct Reading {
    session: Session,
    piece: Vec<u8>,
    all_read: bool,
    /// Whether what cannot be read is told.
    tells: bool,
    memory: Memory,
    /// Whether reading stopped for the memory that it takes.
    is_full: bool,
    /// Bytes of all files.
    expected: u64,
}

const FULL: &str = "the memory that the program may take is full, and reading stopped";

impl Reading {
    /// Reads a part of the files. When the first record of a run was made is known only when all are read: for a range
    /// of time they are read once before, and nothing of them is kept.
    fn of(files: &[PathBuf], read_as: Option<&str>, part: &PartOf, memory: Option<u64>) -> Self {
        let read = |part: Part, tells: bool| {
            let (session, piece, memory) = (Session::default(), vec![0; PIECE], Memory::new(memory));
            let mut reading =
                Reading { session, piece, all_read: true, tells, memory, is_full: false, expected: 0 };
            reading.session.read_as(read_as);
            reading.session.choose(part);
            files.iter().for_each(|file| reading.argument(file));
            reading
        };
        // What comes through a pipe comes once.
        let twice = part.is_range() && !files.iter().any(|file| file == Path::new("-"));
        let nothing = Part { runs: Some(Vec::new()), ..Part::default() };
        let runs = if twice { read(nothing, false).session.parts().runs } else { Vec::new() };
        read(part.part(runs.into_iter().map(|run| (run.name, run.zero)).collect()), true)
    }

    fn argument(&mut self, path: &Path) {
        if path == Path::new("-") {
            self.feed("standard input", &mut io::stdin().lock());
        } else if path.is_dir() {
            self.folder(path);
        } else {
            self.file(path);
        }
    }

    /// All files of a folder and of the folders in it, by name. Hidden ones, and links to folders, are left out.
    fn folder(&mut self, path: &Path) {
        let entries = std::fs::read_dir(path).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.broken(path, &error),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = entry.path();
            match (is_hidden, is_folder) {
                (true, _) => {}
                (false, true) => self.folder(&path),
                (false, false) if path.is_dir() => {}
                (false, false) => self.file(&path),
            }
        }
    }

    fn file(&mut self, path: &Path) {
        match File::open(path) {
            Ok(mut file) => {
                self.expected += file.metadata().map_or(0, |about| about.len());
                self.feed(&path.to_string_lossy(), &mut file);
            }
            Err(error) => self.broken(path, &error),
        }
    }

    fn feed(&mut self, name: &str, from: &mut impl Read) {
        self.session.open(name);
        if self.is_full {
            return self.session.stop(&format!("{FULL} before"));
        }
        loop {
            match from.read(&mut self.piece) {
                Ok(0) => return self.close(),
                Ok(length) => {
                    let mut rest = &self.piece[..length];
                    while self.session.push_step(&mut rest) {
                        if self.memory.is_full(self.session.n_records()) {
                            return self.stop();
                        }
                    }
                    if self.memory.is_full(self.session.n_records()) {
                        return self.stop();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.session.close(Some(&error.to_string()));
                    return self.broken(Path::new(name), &error);
                }
            }
        }
    }

    /// Unpacks what is left of a file.
    fn close(&mut self) {
        while self.session.close_step(None) {
            if self.memory.is_full(self.session.n_records()) {
                return self.stop();
            }
        }
    }

    fn stop(&mut self) {
        self.session.stop(&format!("{FULL} here"));
        (self.is_full, self.all_read) = (true, false);
    }

    /// Says how much was read, and how less can be read.
    fn offer_part(&self, takes_part: bool) {
        let size = |bytes: u64| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
        let (_, read) = self.session.opened();
        let of = Some(self.expected).filter(|&all| all > read).map(|all| format!(" of {}", size(all)));
        eprintln!(
            "queryscope: the memory that it may take ({}) is full: {}{} were read, and they are shown.",
            size(self.memory.limit()),
            size(read),
            of.unwrap_or_default()
        );
        let runs = self.session.parts().runs;
        let until = runs.iter().map(|run| run.length).max().filter(|&length| takes_part && length > 0);
        // Up to half of what was read: most files are not written in the order of their times.
        let range = until.map(|until| format!("a range of time (--from 0s --to {}), ", time_of(until / 2)));
        let run = (takes_part && runs.len() > 1).then_some("a run (--run NAME), ");
        eprintln!(
            "Read {}{}fewer files, or allow more (--memory {}).",
            range.unwrap_or_default(),
            run.unwrap_or_default(),
            size(self.memory.limit().saturating_mul(2)).replace(' ', "")
        );
    }

    fn broken(&mut self, path: &Path, error: &io::Error) {
        self.all_read = false;
        if !self.tells {
            return;
        }
        eprintln!("queryscope: cannot read {}: {error}", path.display());
    }
}
