//! `export`, `session` and `html`: traces written to files, whole or in part, and without the texts that are to be removed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use queryscope::export::{ForeignFormat, SessionFile, SinglePage, write_foreign};
use queryscope::import::SavedSession;
use queryscope::internal::command_line::FileFeeder;
use queryscope::internal::session_file::state_kept;
use queryscope::protocol::{ExportSpec, QueryList, QueryListRequest, Redaction};
use queryscope::session::Session;

use super::filtering::{Where, in_line};
use super::{TimeRange, same_named_runs};

/// The viewer that the build embedded; empty if there is none. See `build.rs`.
const VIEWER: &str = include_str!(concat!(env!("OUT_DIR"), "/viewer.html"));

/// Number of queries that are listed at a time.
const PAGE: u32 = 1_000;

/// Options that select and redact the saved part of a trace.
#[derive(Args)]
pub struct SaveArguments {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Replace literals in SQL, and quoted texts and numbers in messages, with "?".
    #[arg(long)]
    strip_literals: bool,
    /// Replace the names of schemas, tables, columns, users, hosts, paths and other objects with stable names, such as table_7.
    #[arg(long)]
    replace_identifiers: bool,
    /// Drop SQL and error messages.
    #[arg(long)]
    drop_texts: bool,
    #[command(flatten)]
    pub within: TimeRange,
    /// Save only the run with this name.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Save only the query with this ID, or the only one whose ID or SQL contains this text.
    #[arg(long, value_name = "ID")]
    query: Option<String>,
    #[command(flatten)]
    pub filter: Where,
}

/// The format and the file of an export.
#[derive(Args)]
pub struct ExportArguments {
    /// Output format, also `--to FORMAT` (with a time, `--to` is the end of the time range). Data that the format cannot hold is listed on standard error.
    #[arg(long, value_enum, default_value_t = ExportFormat::Queryscope)]
    format: ExportFormat,
    /// The file to write; "-" for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Returns the arguments of the program with `--format FORMAT` for `export --to FORMAT`. No time is called like a format.
pub fn arguments(written: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = written.collect();
    let is_format =
        |name: &OsString| name.to_str().is_some_and(|name| ExportFormat::from_str(name, true).is_ok());
    let Some(command) = arguments.iter().position(|argument| argument == "export") else { return arguments };
    for at in command + 1..arguments.len() {
        if arguments[at] == "--to" && arguments.get(at + 1).is_some_and(is_format) {
            arguments[at] = "--format".into();
        }
    }
    arguments
}

/// Formats in which a trace can be written.
#[derive(Clone, Copy, ValueEnum)]
enum ExportFormat {
    /// The format of this program, which holds everything: one JSON object per line.
    Queryscope,
    /// Chrome's Trace Event Format, as JSON: Perfetto UI, chrome://tracing.
    Chrome,
    /// speedscope's file format, as JSON: a profile for each track.
    Speedscope,
    /// Folded stacks by self time in nanoseconds: flamegraph.pl, inferno.
    Folded,
    /// OpenTelemetry traces as OTLP/JSON: collectors, Jaeger.
    Otlp,
}

impl ExportArguments {
    /// Writes the selected part of the trace, and returns what was removed.
    ///
    /// # Errors
    /// A sentence if the file cannot be written.
    pub fn write(&self, session: &Session, spec: &ExportSpec) -> Result<Vec<String>, String> {
        let is_stdout = self.output == Path::new("-");
        let written = output(&self.output).and_then(|mut out| {
            let removed = self.write_to(session, spec, &mut out)?;
            out.flush().map(|()| removed)
        });
        match written {
            // The reader of the output closed the pipe, for example `head`.
            Err(error) if is_stdout && error.kind() == io::ErrorKind::BrokenPipe => Ok(Vec::new()),
            Err(error) if is_stdout => Err(format!("cannot write standard output: {error}")),
            Err(error) => Err(format!("cannot write {}: {error}", self.output.display())),
            Ok(removed) => Ok(removed),
        }
    }

    fn write_to(&self, session: &Session, spec: &ExportSpec, out: &mut dyn Write) -> io::Result<Vec<String>> {
        let format = match self.format {
            ExportFormat::Queryscope => return write_trace(session, spec, out),
            ExportFormat::Chrome => ForeignFormat::Chrome,
            ExportFormat::Speedscope => ForeignFormat::Speedscope,
            ExportFormat::Folded => ForeignFormat::Folded,
            ExportFormat::Otlp => ForeignFormat::Otlp,
        };
        let summary = write_foreign(session.trace(), spec, format, out)?;
        out.flush()?;
        summary.notes.iter().for_each(|note| eprintln!("queryscope: note: {note}"));
        if !summary.not_written.is_empty() {
            eprintln!("queryscope: not written: {}", summary.not_written.join(", "));
        }
        Ok(summary.removed)
    }
}

/// Options for the view and notes that are saved with the trace.
#[derive(Args)]
pub struct ViewArguments {
    /// The view to open: the part of a link after "#", without trace=.
    #[arg(long, value_name = "FRAGMENT", default_value = "")]
    state: String,
    /// Notes on the whole trace, one per line.
    #[arg(long, value_name = "TEXT", default_value = "")]
    notes: String,
}

impl SaveArguments {
    /// The part of the trace to save.
    ///
    /// # Errors
    /// A sentence if there is no such run or query.
    pub fn spec(&self, session: &mut Session) -> Result<ExportSpec, String> {
        let Self { strip_literals: literals, replace_identifiers: identifiers, drop_texts: texts, .. } =
            *self;
        let run = self.run.as_deref().map(|name| run_number(session, name)).transpose()?;
        let query = self.query.as_deref().map(|id| query_item(session, id)).transpose()?;
        let redaction = Redaction { literals, identifiers, texts };
        Ok(ExportSpec { redaction, range: self.within.range(), run, query })
    }
}

fn run_number(session: &Session, name: &str) -> Result<u32, String> {
    let trace = session.trace();
    let names = || trace.runs.iter().map(|run| trace.str(run.name));
    let found = names().position(|run| run == name);
    let known: Vec<&str> = names().take(20).collect();
    let found = found.ok_or_else(|| in_line(&format!("no run “{name}” (runs: {})", known.join(", "))))?;
    same_named_runs::note_others(trace, "the trace", name);
    Ok(found as u32)
}

/// The item code of the query whose ID or SQL contains a text.
fn query_item(session: &mut Session, wanted: &str) -> Result<u32, String> {
    let mut similar = Vec::new();
    for first in (0..).step_by(PAGE as usize) {
        let page = session.answer(&QueryListRequest { list: QueryList::default(), first, count: PAGE });
        if let Some(row) = page.rows.iter().find(|row| row.query == wanted) {
            return Ok(row.item);
        }
        let is_similar =
            |row: &&queryscope::protocol::QueryRow| row.query.contains(wanted) || row.sql.contains(wanted);
        similar.extend(page.rows.iter().filter(is_similar).map(|row| row.item));
        if first + PAGE >= page.matched {
            break;
        }
    }
    match similar[..] {
        [item] => Ok(item),
        [] => Err(format!("no query “{wanted}”")),
        _ => Err(format!("{} queries contain “{wanted}”; give the ID of one", similar.len())),
    }
}

/// Writes the trace in the format `queryscope`, and returns what was removed.
pub fn write_trace(session: &Session, spec: &ExportSpec, out: &mut dyn Write) -> io::Result<Vec<String>> {
    let mut export = session.export(spec);
    let mut part = Vec::new();
    let mut more = true;
    while more {
        more = export.step(session.trace(), &mut part);
        out.write_all(&part)?;
        part.clear();
    }
    Ok(export.removed())
}

/// Writes a session file, and returns what was removed. With `may_copy`, the file contains the original files if the whole
/// trace is saved unchanged and the files can be opened from an archive.
pub fn write_session<W: Write>(
    reading: &FileFeeder,
    spec: &ExportSpec,
    view: &ViewArguments,
    may_copy: bool,
    out: W,
) -> io::Result<(W, Vec<String>)> {
    let session = &reading.session;
    let notes = view.notes.clone();
    let mut saved = SavedSession { state: state_kept(&view.state, false), notes, removed: Vec::new() };
    let is_original =
        may_copy && spec.is_whole() && !session.has_archives() && !reading.has_stdin && reading.all_read;
    if is_original {
        let mut file = SessionFile::new(out, &saved)?;
        for (path, name) in reading.paths.iter().zip(names_below(&reading.paths)) {
            let mut stored = File::open(path)?;
            let mut head = Vec::new();
            Read::by_ref(&mut stored).take(4).read_to_end(&mut head)?;
            file.trace(&name, &head, |out| {
                out.write_all(&head)?;
                io::copy(&mut stored, out).map(drop)
            })?;
        }
        return Ok((file.finish()?, Vec::new()));
    }
    // The state stands before the trace, and what was removed is known after it.
    saved.removed = write_trace(session, spec, &mut io::sink())?;
    // A search or filter may hold what was removed.
    saved.state = state_kept(&view.state, spec.redaction.is_any() || !saved.removed.is_empty());
    let mut file = SessionFile::new(out, &saved)?;
    let name = match (spec.redaction.identifiers, reading.paths.first()) {
        (false, Some(path)) => {
            path.file_stem().map_or("trace".into(), |name| name.to_string_lossy()).into_owned()
        }
        _ => "trace".to_owned(),
    };
    file.trace(&format!("{name}.queryscope.ndjson"), b"", |out| write_trace(session, spec, out).map(drop))?;
    Ok((file.finish()?, saved.removed))
}

/// Names of files, below the folder that holds all of them.
fn names_below(paths: &[PathBuf]) -> Vec<String> {
    let mut above: Option<PathBuf> = paths.first().and_then(|path| path.parent()).map(Path::to_path_buf);
    while let Some(folder) =
        above.as_ref().filter(|folder| !paths.iter().all(|path| path.starts_with(folder)))
    {
        above = folder.parent().map(Path::to_path_buf);
    }
    let below = |path: &PathBuf| {
        let name = above.as_ref().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
        name.to_string_lossy().into_owned()
    };
    paths.iter().map(below).collect()
}

/// Writes one HTML file of viewer, state and trace, and returns what was removed.
pub fn write_html(
    reading: &FileFeeder,
    spec: &ExportSpec,
    view: &ViewArguments,
    may_copy: bool,
    viewer: Option<&Path>,
    out: &mut impl Write,
) -> Result<Vec<String>, String> {
    let text = match viewer {
        Some(path) => {
            fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?
        }
        None if VIEWER.is_empty() => {
            return Err("this build has no viewer inside; give --viewer FILE, the queryscope-single.html of a site (cargo xtask site \
                 writes it to dist/)"
                .to_owned());
        }
        None => VIEWER.to_owned(),
    };
    let name = viewer.map_or("the embedded viewer".into(), Path::to_string_lossy);
    let page =
        SinglePage::new(&text).map_err(|reason| format!("{name} is not a single-file viewer: {reason}"))?;
    let failed = |error: io::Error| format!("cannot write: {error}");
    let (session, removed) = write_session(reading, spec, view, may_copy, Vec::new()).map_err(failed)?;
    let title = match (spec.redaction.identifiers, reading.paths.first().and_then(|path| path.file_name())) {
        (false, Some(name)) => name.to_string_lossy(),
        _ => "".into(),
    };
    page.write(&title, &session, out).map_err(failed)?;
    Ok(removed)
}

/// The file to write, or standard output for "-".
pub fn output(path: &Path) -> io::Result<Box<dyn Write>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufWriter::new(io::stdout().lock())));
    }
    Ok(Box::new(BufWriter::new(File::create(path)?)))
}
