//! Formats: bytes in, calls of the [`TraceBuilder`] out.
//!
//! ```text
//! file ─ container (gzip, zip) ─ text (BOM, UTF-16) ─ sniff ─ importer.push(…)* ─ close
//!                                                                    │ once per format, for all files together
//!                                             importer.build() ──────┴──→ TraceBuilder → Trace
//! ```
//! A format sees the first bytes and says whether they are its own; never the file's name. What cannot be used is a
//! [`Problem`]: named, counted, located. An importer never fails and never panics, whatever it is fed.

mod problems;
mod records;

use crate::strings::Strings;
use crate::trace::{RecordId, TraceBuilder};

pub use problems::{Problem, ProblemKind, Problems, SNIPPET, Spot};
pub use records::{MAX_LENGTH, Records};

/// The handle of a file (or of an entry of an archive), in the order of opening.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// The first bytes of a file's text, after decompression and decoding to UTF-8.
pub struct Head<'a> {
    /// At most 64 KiB.
    pub bytes: &'a [u8],
    /// Whether that is the whole file.
    pub complete: bool,
}

/// What an importer may use and add to while it reads one file.
pub struct Input<'a> {
    /// The file that is being read.
    pub file: FileId,
    /// Interned text, shared by all formats and by the trace.
    pub strings: &'a mut Strings,
    /// Where every record stands.
    pub records: &'a mut Records,
    /// What could not be used as it is.
    pub problems: &'a mut Problems,
}

/// A file format.
pub trait Format: Sync {
    /// Short and stable, for `--format` and reports: "kubling".
    fn id(&self) -> &'static str;
    /// As people read it.
    fn name(&self) -> &'static str;
    /// One sentence on how to record such a file.
    fn how_to_record(&self) -> &'static str;
    /// The shape of the file ("JSON lines", "application log", …) if it is this format's, else `None`.
    fn sniff(&self, head: &Head) -> Option<&'static str>;
    /// A reader for all files of this format that are opened together.
    fn importer(&self) -> Box<dyn Importer>;
}

/// Reads all files of one format, one after the other, and correlates what they hold.
pub trait Importer {
    /// A file begins. `head` is looked at again to choose the shape; its bytes come once more through `push`.
    fn open(&mut self, head: &Head, input: &mut Input);
    /// The next bytes of the file. Where they are cut never matters.
    fn push(&mut self, bytes: &[u8], input: &mut Input);
    /// The file ends.
    fn close(&mut self, input: &mut Input);
    /// Everything read so far, as runs, tracks, spans and events. May be called again after more files.
    fn build(&mut self, outcome: &mut Outcome, builder: &mut TraceBuilder);
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
pub struct Outcome<'a> {
    /// Where every record stands.
    pub records: &'a Records,
    /// What was found wrong with records that could be read (an end without its start, a repeated record, …).
    pub problems: &'a mut Problems,
    /// Records that are part of the picture, per file.
    pub used: &'a mut Vec<u64>,
}

impl Outcome<'_> {
    /// Counts a record as part of the picture.
    pub fn used(&mut self, record: RecordId) {
        if let Some(file) = self.records.file_of(record) {
            let at = file.0 as usize;
            if self.used.len() <= at {
                self.used.resize(at + 1, 0);
            }
            self.used[at] += 1;
        }
    }
}
