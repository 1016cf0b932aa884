//! The command line: parse flags, feed the session, print.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueEnum};
use queryscope::export::{Report, SpanFormat, write_spans};
use queryscope::import::ABOUT;
use queryscope::session::Session;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

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
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum ReportFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum RowFormat {
    Csv,
    JsonLines,
}

fn main() -> ExitCode {
    let Arguments { command, read_as } = Arguments::parse();
    let (Command::Report { files, .. } | Command::Spans { files, .. }) = &command;
    let mut reading = Reading { session: Session::default(), piece: vec![0; PIECE], all_read: true };
    reading.session.read_as(read_as.as_deref());
    files.iter().for_each(|file| reading.argument(file));
    reading.session.build();
    let report = Report::of(reading.session.trace(), reading.session.report());
    match print(&command, &reading.session, &report) {
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

fn print(command: &Command, session: &Session, report: &Report) -> io::Result<()> {
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
    }
    out.flush()
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
}

impl Reading {
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
            Ok(mut file) => self.feed(&path.to_string_lossy(), &mut file),
            Err(error) => self.broken(path, &error),
        }
    }

    fn feed(&mut self, name: &str, from: &mut impl Read) {
        self.session.open(name);
        loop {
            match from.read(&mut self.piece) {
                Ok(0) => return self.session.close(None),
                Ok(length) => self.session.push(&self.piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.session.close(Some(&error.to_string()));
                    return self.broken(Path::new(name), &error);
                }
            }
        }
    }

    fn broken(&mut self, path: &Path, error: &io::Error) {
        self.all_read = false;
        eprintln!("queryscope: cannot read {}: {error}", path.display());
    }
}
