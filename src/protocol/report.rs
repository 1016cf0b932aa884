//! What became of the files: the import report.

use serde::{Deserialize, Serialize};

/// What is said of a file without a byte: clients leave one for every table without rows.
pub const EMPTY_FILE: &str = "Empty.";

/// The name of the problem of a file whose reading ended before the file did.
pub const NOT_TO_END: &str = "not read to its end";

/// The names of the problems of bytes that could not be read, besides records: archives that are damaged, cut off, packed in
/// a way that is not read, or that unpack to more than any trace.
pub const UNREADABLE: [&str; 4] =
    ["damaged archive", "cut-off archive", "not unpacked", "unpacks to too much"];

/// How the description of a file begins of which not one byte could be read; the reason follows.
pub const NOT_READ: &str = "Not read: ";

/// What became of one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileReport {
    /// Its number in the report, by which its places are asked for.
    pub number: u32,
    /// Its name, with its path inside a folder or archive.
    pub name: String,
    /// What it was recognised as: "Kubling, JSON lines"; a sentence where it was not.
    pub format: String,
    /// Whether a format knew it.
    pub recognised: bool,
    /// Bytes read, as stored.
    pub bytes: u64,
    /// Records read.
    pub records: u64,
    /// Records that are part of the picture.
    pub used: u64,
    /// Records that are not, each counted by exactly one of `problems`. records = used + reported + left_out.
    pub reported: u64,
    /// Records that are not because a part without them was chosen.
    pub left_out: u64,
    /// Lines of a log that are no events.
    pub other_lines: u64,
    /// What could not be used as it is, worst first.
    pub problems: Vec<ProblemReport>,
    /// What is certainly missing of it because it is damaged or ends too early, in a sentence.
    pub missing: Option<String>,
    /// Its number in the order of opening, by which it can be read again as another format; `None` for what is in an
    /// archive, which is read with it.
    pub opened: Option<u32>,
    /// The format (its id) that somebody chose for it; `None` where its content decided.
    pub read_as: Option<String>,
}

impl FileReport {
    /// Whether there is something in it, and no format knows what.
    pub fn is_no_trace(&self) -> bool {
        !self.recognised && self.format != EMPTY_FILE && !self.is_unread()
    }

    /// Whether not one byte of it could be read.
    pub fn is_unread(&self) -> bool {
        self.format.starts_with(NOT_READ)
    }
}

/// One kind of problem in one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProblemReport {
    /// Short and stable: "cut off".
    pub name: String,
    /// What it means for the reader, in a sentence.
    pub meaning: String,
    /// How often.
    pub count: u64,
    /// Whether each occurrence is a record that is not in the picture.
    pub lost: bool,
    /// The first places, at most a hundred; fewer where there are very many in all.
    pub places: Vec<ProblemPlace>,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProblemPlace {
    /// Line, counted from 1, where that is known.
    pub line: Option<u64>,
    /// Byte offset in the text (after decompression).
    pub offset: u64,
    /// What stands there, at most 120 characters.
    pub text: String,
}
