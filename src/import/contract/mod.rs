//! What a format is to the rest of import, and what it is given: the traits [`Format`] and [`Importer`], and the accounts that
//! they write to.
//!
//! Formats know this module and the readers that they share, and nothing of files, archives and sessions.

mod problems;
mod records;
mod selection;

use std::ops::Range;

use crate::base::interner::Interner;
use crate::import::text::lines::Place;
use crate::trace::{Cut, RecordId, RecordTable, TraceBuilder};

pub use problems::{MAX_SPOTS, Problem, ProblemKind, Problems, SNIPPET, Spot};
pub use records::{MAX_LENGTH, Records};
pub use selection::{Choice, LEFT_OUT, RunKey};

/// The handle of a file (or of an entry of an archive), in the order of opening.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// The start of a file's text, after decompression and decoding.
pub struct Head<'a> {
    /// The first bytes, as many as one of [`HEADS`] says, or all if the file is shorter.
    pub text: &'a str,
    /// Whether `text` is the whole file.
    pub complete: bool,
}

impl Head<'_> {
    /// Whether it begins as JSON does, if a character or two are damaged: documents that quote JSON begin with words.
    pub fn looks_like_json(&self) -> bool {
        self.text.trim_start().chars().take(3).any(|first| matches!(first, '{' | '[' | '"'))
    }
}

/// Bytes of text that are read to recognise a format; more where fewer do not suffice, since the first record may follow a long
/// preface: the metadata of a trace, the start of a log.
pub const HEADS: [usize; 4] = [64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// What an importer may use and add to while it reads one file.
pub struct Input<'a> {
    /// The file that is being read.
    pub file: FileId,
    /// Its name, to be shown; nothing is read out of it.
    pub name: &'a str,
    /// Interned text, shared by all formats and by the trace.
    pub strings: &'a mut Interner,
    /// What records report, where a format leaves it in columns.
    pub reported: &'a mut RecordTable,
    /// Where every record stands.
    pub records: &'a mut Records,
    /// What could not be used as it is.
    pub problems: &'a mut Problems,
    /// Lines of a log that are no events.
    pub other_lines: &'a mut u64,
    /// The part of the files that is wanted: a record with a time is kept if [`Choice::take`] says so.
    pub choice: &'a mut Choice,
}

impl Input<'_> {
    /// Counts a problem at a place of the file, and quotes `text`.
    pub fn note(&mut self, kind: ProblemKind, place: Place, text: &str) {
        let spot = || Spot::new(Some(place.line), place.offset, text.as_bytes());
        self.problems.note(self.file, kind, spot);
    }

    /// Whether a record of a file that is a run of its own is wanted: when it begins and ends, in nanoseconds.
    ///
    /// # Errors
    /// Why it is counted instead.
    #[inline]
    pub fn choose(&mut self, from: i64, to: i64) -> Result<(), ProblemKind> {
        self.choice.take(RunKey::File(self.file), (from, to), || self.name.to_owned())
    }

    /// Counts a record that cannot be shown.
    pub fn lose(&mut self, kind: ProblemKind, place: Place, text: &str) {
        debug_assert!(kind.lost, "a record that is lost must be counted as lost");
        self.records.add(self.file, place, text.len() as u64);
        self.note(kind, place, text);
    }

    /// Counts a problem of how a file begins.
    pub fn note_beginning(&mut self, kind: ProblemKind, head: &Head) {
        let beginning: String = head.text.chars().take(SNIPPET).collect();
        self.note(kind, Place { offset: 0, line: 1 }, &beginning);
    }
}

/// The description of a format for its users.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct About {
    /// Short and stable, for `--as` and reports: "kubling".
    pub id: &'static str,
    /// Display name of the format.
    pub name: &'static str,
    /// One sentence on how to record such a file.
    pub how_to_record: &'static str,
}

/// A file format.
pub trait Format: Sync {
    /// What it is called, and how it is made.
    fn about(&self) -> &'static About;
    /// The shape of the file ("JSON lines", "application log", …) if it is this format's, else `None`.
    fn sniff(&self, head: &Head) -> Option<&'static str>;
    /// The shape of a file that no format knows by how it begins, if records of this format stand in it.
    fn inside(&self, _: &Head) -> Option<&'static str> {
        None
    }
    /// What a file is that programs write next to a trace of this format and that holds no record.
    fn sidecar(&self, _: &Head) -> Option<&'static str> {
        None
    }
    /// A reader for all files of this format that are opened together.
    fn importer(&self) -> Box<dyn Importer>;
    /// Records for warming up, for formats whose files are large.
    fn warm_up_script(&self) -> WarmUpScript {
        WarmUpScript::default()
    }
}

/// Made-up records of a format, to be read again and again with other numbers.
#[derive(Clone, Copy, Default, Debug)]
pub struct WarmUpScript {
    /// What a file begins with.
    pub opening: &'static str,
    /// Lines of records; a `#` stands for digits that count up.
    pub records: &'static str,
}

impl WarmUpScript {
    /// Whether there is nothing to warm up with.
    pub const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// Reads all files of one format, one after the other, and correlates what they hold.
pub trait Importer {
    /// A file begins. The shape is chosen by `head`; its text comes once more through `push`.
    fn open(&mut self, head: &Head, input: &mut Input);
    /// The next text of the file. Where it is cut never matters.
    fn push(&mut self, text: &str, input: &mut Input);
    /// The file ends.
    fn close(&mut self, input: &mut Input);
    /// The file that was closed is as long as another one, and begins and ends as it does. Whether the importer finds
    /// both equal, leaves the file out and reports its records; else all of it is shown and counted twice.
    fn leave_out(&mut self, _file: FileId, _like: FileId) -> bool {
        false
    }
    /// Everything read so far, as runs, tracks, spans and events. May be called again after more files.
    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder);
    /// A record's text as named values, in the order in which they stand.
    fn fields(&self, file: FileId, text: &str) -> Vec<Field>;
}

/// A value of a record, by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The key, as it stands in the record.
    pub name: String,
    /// The value as text, exact: strings without quotes, everything else as it stands.
    pub value: String,
}

/// What became of the records, found while building.
pub struct BuildReport<'a> {
    /// Where every record stands.
    pub records: &'a Records,
    /// What was found wrong with records that could be read (an end without its start, a repeated record, …).
    pub problems: &'a mut Problems,
    /// Records that are shown, per file.
    pub used: &'a mut Vec<u64>,
    /// Where records were left out by choice: what lacks a side there is no problem of the file.
    pub cut: Cut,
    /// The names of files that were opened and have no byte in them.
    pub empty_files: &'a [String],
    /// The file that the last one was of, and its records.
    last: (Range<u32>, FileId),
}

impl<'a> BuildReport<'a> {
    /// Nothing is used yet.
    pub fn new(records: &'a Records, problems: &'a mut Problems, used: &'a mut Vec<u64>) -> Self {
        Self { records, problems, used, cut: Cut::default(), empty_files: &[], last: (0..0, FileId(0)) }
    }

    /// Counts a problem of a record that could be read; `text` says which.
    pub fn note(&mut self, record: RecordId, kind: ProblemKind, text: impl FnOnce() -> String) {
        self.note_many(record, kind, 1, text);
    }

    /// Counts a problem of `count` records that could be read; `record` is the first.
    pub fn note_many(
        &mut self,
        record: RecordId,
        kind: ProblemKind,
        count: u64,
        text: impl FnOnce() -> String,
    ) {
        // A record that nothing can be made of without what was left out is left out, too.
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
