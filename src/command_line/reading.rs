//! Reads files into a session, within a memory limit; and the arguments that say how.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::memory::Memory;
use super::stored::StoredPath;
use crate::base::text::{self, parse_bytes, parse_duration};
use crate::import::ABOUT;
use crate::protocol::Subset;
use crate::session::{QueryShare, Session};

/// Number of bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// Ids of the formats, for arguments that name one.
pub fn formats() -> PossibleValuesParser {
    ABOUT.iter().map(|format| format.id).collect::<Vec<_>>().into()
}

/// Reads an argument such as `4GB`, in bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text).and_then(|bytes| u64::try_from(bytes).ok());
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| "expected a size such as 4GB".to_owned())
}

/// Reads an argument such as `20ms`, in nanoseconds.
pub fn time(text: &str) -> Result<i64, String> {
    parse_duration(text).ok_or_else(|| "expected a time such as 20ms".to_owned())
}

/// An error message if a time range ends before it starts. Each end is the name of its option and its value.
pub fn reversed_range(from: (&str, Option<i64>), to: (&str, Option<i64>)) -> Option<String> {
    let (start, end) = from.1.zip(to.1).filter(|(start, end)| end < start)?;
    let start = text::duration_exact(start);
    let end = text::duration_exact(end);
    Some(format!("the time range is reversed: {} ({end}) is before {} ({start})", to.0, from.0))
}

/// The part of the files that is loaded, so that less memory is needed. Everything else is counted as left out.
#[derive(Args, Clone, Default)]
pub struct Load {
    /// Load only records from this time on, since the first record of the run, such as 20ms. The files are read twice.
    #[arg(long, value_name = "TIME", value_parser = time)]
    load_from: Option<i64>,
    /// Load only records up to this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    load_to: Option<i64>,
    /// Load only the run with this name (repeatable). In a format with one run per file, the run has the name of the
    /// file.
    #[arg(long = "run", value_name = "NAME")]
    runs: Vec<String>,
    #[arg(skip)]
    share: Option<ShareLoad>,
}

/// One of the shares in which files are read that do not fit into memory at once.
#[derive(Clone, Copy)]
struct ShareLoad {
    share: QueryShare,
    /// Number of records that fit into memory.
    fits: u64,
    /// Number of times that the share was halved because it did not fit.
    halved: u32,
}

/// Maximum number of times that a share of the queries is halved because it does not fit into memory. One that still does not fit is read
/// up to the limit.
const MAX_HALVED: u32 = 6;
/// Maximum number of shares. Each share needs a pass over the files.
const MAX_SHARES: u32 = 256;

impl Load {
    fn part(&self, zeros: Vec<(String, i64)>) -> Subset {
        let (from, to) = (self.load_from.unwrap_or(i64::MIN), self.load_to.unwrap_or(i64::MAX));
        let range = self.is_range().then_some((from, to));
        Subset { range, runs: (!self.runs.is_empty()).then(|| self.runs.clone()), zeros }
    }

    /// The two halves of a share that does not fit into memory; empty if halves would not fit either, or if this is no share.
    pub fn halves(&self) -> Vec<Self> {
        let halve = |load: ShareLoad| Some((load, load.share.halves().filter(|_| load.halved < MAX_HALVED)?));
        let Some((load, halves)) = self.share.and_then(halve) else { return Vec::new() };
        let half = |share| ShareLoad { share, halved: load.halved + 1, ..load };
        halves.map(|share| Self { share: Some(half(share)), ..self.clone() }).into()
    }

    /// An error message if the end of the time range is before its start.
    pub fn wrong_usage(&self) -> Option<String> {
        reversed_range(("--load-from", self.load_from), ("--load-to", self.load_to))
    }

    fn is_range(&self) -> bool {
        self.load_from.is_some() || self.load_to.is_some()
    }
}

/// Reads files into a session through one buffer.
pub struct FileFeeder {
    /// The session that receives the files.
    pub session: Session,
    piece: Vec<u8>,
    /// Whether every file could be read to its end.
    pub all_read: bool,
    /// Files that were opened, in order.
    pub paths: Vec<PathBuf>,
    /// Whether standard input was read.
    pub has_stdin: bool,
    /// Whether read errors are printed.
    tells: bool,
    memory: Memory,
    /// Whether reading stopped because the memory limit was reached.
    pub is_full: bool,
    /// Total size of all files, in bytes.
    expected: u64,
}

const FULL: &str = "the memory limit was reached, and reading stopped";

impl FileFeeder {
    /// Restricts the trace to a time range. Prints a note if no span or event is in the range.
    pub fn cut_to(&mut self, range: (i64, i64)) {
        self.session.cut_to(range);
        if self.session.trace().is_empty() {
            eprintln!("queryscope: note: no span or event is in the time range");
        }
    }

    /// Reads the files, or a part of them. The start of a run is known only after all its files are read, so that a time
    /// range requires a first pass over the files, from which nothing is kept. If spans will be exported (`writes_spans`), the
    /// source text of their arguments is kept.
    pub fn of(
        files: &[PathBuf],
        read_as: Option<&str>,
        load: &Load,
        memory: Option<u64>,
        writes_spans: bool,
    ) -> Self {
        let read = |part: Subset, tells: bool| {
            let session = Session::default();
            let piece = vec![0; PIECE];
            let memory = Memory::new(memory, load.share.map(|load| load.fits));
            let mut reading = FileFeeder {
                session,
                piece,
                all_read: true,
                paths: Vec::new(),
                has_stdin: false,
                tells,
                memory,
                is_full: false,
                expected: 0,
            };
            reading.session.read_as(read_as).expect("the command line takes known formats only");
            reading.session.choose(part);
            if let Some(load) = load.share {
                reading.session.choose_share(load.share);
            }
            if writes_spans && tells {
                reading.session.keep_written();
            }
            files.iter().for_each(|file| reading.argument(file));
            reading
        };
        // Standard input can be read only once.
        let twice = load.is_range() && !files.iter().any(|file| file == Path::new("-"));
        let nothing = Subset { runs: Some(Vec::new()), ..Subset::default() };
        let runs = if twice { read(nothing, false).session.subset_choices().runs } else { Vec::new() };
        read(load.part(runs.into_iter().map(|run| (run.name, run.zero)).collect()), true)
    }

    fn argument(&mut self, path: &Path) {
        if path == Path::new("-") {
            self.has_stdin = true;
            self.feed("standard input", &mut io::stdin().lock());
        } else if let Some(stored) = StoredPath::of(path) {
            self.dataset(path, &stored);
        } else if path.is_dir() {
            match StoredPath::without_manifest(path) {
                Some(message) => self.failed(&message),
                None => self.folder(path),
            }
        } else {
            self.file(path);
        }
    }

    /// Reads traces of a data set.
    fn dataset(&mut self, path: &Path, stored: &StoredPath) {
        let traces = match stored.traces() {
            Ok(traces) => traces,
            Err(message) => return self.failed(&message),
        };
        for trace in traces {
            match stored.open(&trace) {
                Ok(mut reader) => self.feed(&trace, &mut reader),
                Err(error) => return self.broken(path, &error),
            }
        }
    }

    /// Reads all files of a folder and its subfolders, by name, without hidden files and links to folders.
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
                self.paths.push(path.to_owned());
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
                        if self.memory.is_full(self.session.n_kept()) {
                            return self.stop();
                        }
                    }
                    if self.memory.is_full(self.session.n_kept()) {
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

    /// Ends a file: unpacks and reads its rest.
    fn close(&mut self) {
        while self.session.close_step(None) {
            if self.memory.is_full(self.session.n_kept()) {
                return self.stop();
            }
        }
    }

    fn stop(&mut self) {
        self.session.stop(&format!("{FULL} here"));
        (self.is_full, self.all_read) = (true, false);
    }

    /// After reading stopped at the memory limit: the shares of the queries in which the same files can be read one after the other,
    /// each of them within the limit. Empty if the files cannot be read again, as pipes, have records of formats that know no queries while
    /// they are read, or are so large that the passes would not end.
    pub fn shares(&self) -> Vec<Load> {
        let (_, read) = self.session.opened();
        let can_repeat = !self.has_stdin && self.paths.iter().all(|path| path.is_file());
        if !self.is_full || !can_repeat || !self.session.has_shares() {
            return Vec::new();
        }
        // A share has three quarters of what fits: hashes do not divide queries evenly.
        let of = (self.expected.max(read).saturating_mul(4)).div_ceil(read.saturating_mul(3).max(1));
        let Ok(of @ ..=MAX_SHARES) = u32::try_from(of.max(2)) else { return Vec::new() };
        let fits = self.session.n_kept();
        let load = |number| ShareLoad { share: QueryShare { number, of }, fits, halved: 0 };
        (0..of).map(|number| Load { share: Some(load(number)), ..Load::default() }).collect()
    }

    /// Prints how much was read, and how to load less.
    pub fn offer_part(&self, takes_part: bool) {
        let size = |bytes: u64| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
        let (_, read) = self.session.opened();
        let of = Some(self.expected).filter(|&all| all > read).map(|all| format!(" of {}", size(all)));
        eprintln!(
            "queryscope: memory limit of {} reached: {}{} were read and are shown.",
            size(self.memory.limit()),
            size(read),
            of.unwrap_or_default()
        );
        let runs = self.session.subset_choices().runs;
        let until = runs.iter().map(|run| run.length).max().filter(|&length| takes_part && length > 0);
        // Suggests half of the time range that was read: most files are not in time order.
        let range =
            until.map(|until| format!("a time range (--load-from 0s --load-to {}), ", time_of(until / 2)));
        let run = (takes_part && runs.len() > 1).then_some("a run (--run NAME), ");
        eprintln!(
            "Load {}{}fewer files, or raise the limit (--memory {}).",
            range.unwrap_or_default(),
            run.unwrap_or_default(),
            size(self.memory.limit().saturating_mul(2)).replace(' ', "")
        );
    }

    fn broken(&mut self, path: &Path, error: &io::Error) {
        self.failed(&format!("cannot read {}: {error}", path.display()));
    }

    fn failed(&mut self, message: &str) {
        self.all_read = false;
        if self.tells {
            eprintln!("queryscope: {message}");
        }
    }
}

/// Formats a time as a command-line argument: `412ms`.
fn time_of(ns: i64) -> String {
    match ns {
        0..10_000_000 => format!("{}us", ns / 1_000),
        10_000_000..10_000_000_000 => format!("{}ms", ns / 1_000_000),
        _ => format!("{}s", ns / 1_000_000_000),
    }
}
