//! The interface between a format and the rest of import: the traits [`Format`] and [`Importer`], and the records,
//! problems and reports that they write to.
//!
//! Formats depend on this module and on the shared readers only; they know nothing about files, archives and sessions.

mod problems;
mod records;
mod selection;

use std::ops::Range;

use crate::base::interner::Interner;
use crate::import::text::lines::Place;
use crate::trace::{Cut, RecordId, RecordTable, TraceBuilder};

pub use crate::protocol::{LOST_IN_ORIGINAL, MISSING_EVENTS, SHOWN_ONCE};
pub use problems::{MAX_SPOTS, Problem, ProblemKind, Problems, SNIPPET, Spot};
pub use records::{MAX_LENGTH, Records};
pub use selection::{Choice, LEFT_OUT, QueryShare, RunKey};

/// The handle of a file or of an entry of an archive, numbered in the order of opening.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// The start of a file's text, after decompression and decoding.
pub struct Head<'a> {
    /// The first bytes of the file: one of the lengths in [`HEADS`], or the whole file if it is shorter.
    pub text: &'a str,
    /// Whether `text` is the whole file.
    pub complete: bool,
}

impl Head<'_> {
    /// Whether the text begins like JSON, tolerating one or two damaged characters. It is `false` for a document that
    /// only quotes JSON, because such a document begins with words.
    pub fn looks_like_json(&self) -> bool {
        self.text.trim_start().chars().take(3).any(|first| matches!(first, '{' | '[' | '"'))
    }
}

/// Numbers of bytes that are read to recognise a format, tried in this order: the first record may follow a long
/// preface, such as the metadata of a trace or the start of a log.
pub const HEADS: [usize; 4] = [64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// The state that an importer may use and add to while it reads one file.
pub struct Input<'a> {
    /// The file that is being read.
    pub file: FileId,
    /// Name of the file, for display only. No format depends on the name.
    pub name: &'a str,
    /// Interned text, shared by all formats and by the trace.
    pub strings: &'a mut Interner,
    /// Table of the attributes that records report, for formats that store them in columns.
    pub reported: &'a mut RecordTable,
    /// Positions of all records in their files, to which the importer adds each record that it reads.
    pub records: &'a mut Records,
    /// Problems found so far in the input.
    pub problems: &'a mut Problems,
    /// Number of lines of a log that are not events.
    pub other_lines: &'a mut u64,
    /// The subset of the files that is loaded: a record with a time is kept if [`Choice::take`] accepts it.
    pub choice: &'a mut Choice,
    /// Content of a session file other than traces.
    pub saved: &'a mut SavedSession,
}

/// Content of a session file other than traces.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SavedSession {
    /// State of the viewer, as the fragment of a link; empty if there is none.
    pub state: String,
    /// Notes of the person who saved the session.
    pub notes: String,
    /// Kinds of data that were removed from the traces before saving, one phrase each.
    pub removed: Vec<String>,
}

impl Input<'_> {
    /// Counts a problem at `place` in the file, quoting `text`.
    pub fn note(&mut self, kind: ProblemKind, place: Place, text: &str) {
        let spot = || Spot::new(Some(place.line), place.offset, text.as_bytes());
        self.problems.note(self.file, self.choice.kind_in_share(kind), spot);
    }

    /// Decides whether to keep a record that begins and ends at these times, in nanoseconds, of a file that is a single
    /// run.
    ///
    /// # Errors
    /// Returns the [`ProblemKind`] under which a record outside the loaded subset is counted.
    #[inline]
    pub fn choose(&mut self, from: i64, to: i64) -> Result<(), ProblemKind> {
        self.choice.take(RunKey::File(self.file), (from, to), || self.name.to_owned())
    }

    /// Counts a record that cannot be shown, and the problem that is the reason.
    pub fn lose(&mut self, kind: ProblemKind, place: Place, text: &str) {
        debug_assert!(kind.lost, "a record that is lost must be counted as lost");
        self.records.add(self.file, place, text.len() as u64);
        self.note(kind, place, text);
    }

    /// Counts a problem with the start of a file, quoting its first characters.
    pub fn note_beginning(&mut self, kind: ProblemKind, head: &Head) {
        let beginning: String = head.text.chars().take(SNIPPET).collect();
        self.note(kind, Place { offset: 0, line: 1 }, &beginning);
    }
}

/// Description of a format for users.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct About {
    /// Short and stable identifier, used by `--as` and in reports, such as "kubling".
    pub id: &'static str,
    /// Display name of the format.
    pub name: &'static str,
    /// One sentence on how to record such a file.
    pub how_to_record: &'static str,
}

/// A file format.
pub trait Format: Sync {
    /// Returns the identifier, display name and recording instructions of the format.
    fn about(&self) -> &'static About;
    /// Returns the shape of the file ("JSON lines", "application log", …), or `None` if the file is not of this format.
    fn sniff(&self, head: &Head) -> Option<&'static str>;
    /// Returns the shape of a file that no format recognises by its start, if it contains records of this format further on.
    fn inside(&self, _: &Head) -> Option<&'static str> {
        None
    }
    /// Returns a description of a file that holds no records but accompanies traces of this format, or `None` for other files.
    fn sidecar(&self, _: &Head) -> Option<&'static str> {
        None
    }
    /// Creates a reader for all files of this format that are opened together.
    fn importer(&self) -> Box<dyn Importer>;
    /// Returns synthetic records for warming up, for formats whose files are large.
    fn warm_up_script(&self) -> WarmUpScript {
        WarmUpScript::default()
    }
}

/// Synthetic records of a format that are read repeatedly, each time with other numbers, to warm up its importer.
#[derive(Clone, Copy, Default, Debug)]
pub struct WarmUpScript {
    /// Text at the start of the file, before the records.
    pub opening: &'static str,
    /// Lines of records; each `#` is replaced by digits that count up.
    pub records: &'static str,
}

impl WarmUpScript {
    /// Whether there are no records to warm up with.
    pub const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// Reads all files of one format, one after the other, and correlates their records.
pub trait Importer {
    /// Begins a file. `head` determines its shape; the text of `head` is passed to `push` again.
    fn open(&mut self, head: &Head, input: &mut Input);
    /// Reads the next chunk of the file's text, which may be cut at any character.
    fn push(&mut self, text: &str, input: &mut Input);
    /// Finishes the current file.
    fn close(&mut self, input: &mut Input);
    /// Called if the file just closed has the same length, start and end as the file `_like`. Returns whether the
    /// importer found the two files identical and left `_file` out, counting its records; otherwise both are shown.
    fn leave_out(&mut self, _file: FileId, _like: FileId) -> bool {
        false
    }
    /// Writes everything read so far as runs, tracks, spans and events. May be called again after more files.
    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder);
    /// Splits a record's text into named values, in the order of the text.
    fn fields(&self, file: FileId, text: &str) -> Vec<Field>;
}

/// A named value of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The key, as written in the record.
    pub name: String,
    /// The exact value as text: strings without quotes, everything else as written.
    pub value: String,
}

/// Outcome of building: the records that are shown, and the problems found.
pub struct BuildReport<'a> {
    /// Positions of all records in their files.
    pub records: &'a Records,
    /// Problems of records that could be read, such as an end without its start or a repeated record.
    pub problems: &'a mut Problems,
    /// Number of records that are shown, per file.
    pub used: &'a mut Vec<u64>,
    /// Sides of the loaded subset at which records were left out: an incomplete item there is not a problem of the file.
    pub cut: Cut,
    /// Names of files that were opened and are empty.
    pub empty_files: &'a [String],
    /// File of the most recently used record, and the range of record numbers that belongs to this file.
    last: (Range<u32>, FileId),
}

impl<'a> BuildReport<'a> {
    /// Creates a report in which no record is used yet.
    pub fn new(records: &'a Records, problems: &'a mut Problems, used: &'a mut Vec<u64>) -> Self {
        Self { records, problems, used, cut: Cut::default(), empty_files: &[], last: (0..0, FileId(0)) }
    }

    /// Counts a problem of a record that could be read; `text` identifies the record.
    pub fn note(&mut self, record: RecordId, kind: ProblemKind, text: impl FnOnce() -> String) {
        self.note_many(record, kind, 1, text);
    }

    /// Counts a problem that affects `count` records that could be read; `record` is the first.
    pub fn note_many(
        &mut self,
        record: RecordId,
        kind: ProblemKind,
        count: u64,
        text: impl FnOnce() -> String,
    ) {
        // A record that cannot be shown without records outside the loaded subset is left out, too.
        let kind = match kind.is_of(self.cut) {
            true if kind.lost => LEFT_OUT,
            true => return,
            false => kind,
        };
        if let Some((file, offset, _)) = self.records.get(record) {
            let line = self.records.line_of(record);
            let shown = || text().chars().map(crate::base::text::visible).collect();
            self.problems.note_many(file, kind, count, || Spot { line, offset, text: shown() });
        }
    }

    /// Counts a record as shown.
    pub fn used(&mut self, record: RecordId) {
        if !self.last.0.contains(&record.0) {
            let Some(found) = self.records.file_around(record) else { return };
            self.last = found;
        }
        let at = self.last.1.0 as usize;
        if self.used.len() <= at {
            self.used.resize(at + 1, 0);
        }
        self.used[at] += 1;
    }
}
