//! The import report: the result of reading each file.

use serde::{Deserialize, Serialize};

/// Format text of a file without content: clients write an empty file for every table without rows.
pub const EMPTY_FILE: &str = "Empty.";

/// Name of the problem that reading ended before the end of the file.
pub const NOT_TO_END: &str = "not read to its end";

/// Names of the problems with bytes that could not be read at all: archives that are damaged, truncated, compressed with an
/// unsupported method, or that decompress to an implausible size.
pub const UNREADABLE: [&str; 4] =
    ["damaged archive", "cut-off archive", "not unpacked", "unpacks to too much"];

/// Name of the problem that data was already missing when the original files were converted to queryscope's format.
pub const LOST_IN_ORIGINAL: &str = "lost in the original files";

/// Names of the problems that events are missing from a file: the server had no room to record them, or the file declares more
/// events than it has. They are not among the records of the file.
pub const MISSING_EVENTS: [&str; 2] = ["events lost by the server", "event count differs"];

/// Names of the problems that a file repeats what another file has. It is shown once, so nothing is missing.
pub const SHOWN_ONCE: [&str; 3] = ["duplicate run", "duplicate file", "repeated record"];

/// Prefix of the format text of a file without a readable byte; the reason follows.
pub const NOT_READ: &str = "Not read: ";

/// Result of reading one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileReport {
    /// Index of the file in the report, used by [`ReportPlaceRequest`](super::ReportPlaceRequest).
    pub number: u32,
    /// Name of the file, with its path inside a folder or archive.
    pub name: String,
    /// Recognised format, such as "Kubling, JSON lines"; an explanatory sentence if the file was not recognised.
    pub format: String,
    /// Whether the format of the file was recognised.
    pub recognised: bool,
    /// Number of bytes read, before decompression.
    pub bytes: u64,
    /// Number of records read.
    pub records: u64,
    /// Number of records shown in the timeline.
    pub used: u64,
    /// Number of records not used, each counted by exactly one of `problems`. records = used + reported + left_out.
    pub reported: u64,
    /// Number of records left out because they are outside the chosen subset.
    pub left_out: u64,
    /// Number of log lines that are not events.
    pub other_lines: u64,
    /// Problems of the file, worst first.
    pub problems: Vec<ProblemReport>,
    /// Sentence about data that is missing because the file is damaged or truncated; `None` if nothing is known to be missing.
    pub missing: Option<String>,
    /// Index of the file in the order of opening, for reading it again as another format; `None` for an entry of an archive,
    /// which can only be read again with its archive.
    pub opened: Option<u32>,
    /// Id of the format that the user chose for the file; `None` if the format was detected.
    pub read_as: Option<String>,
}

impl FileReport {
    /// Whether the file has content in a format that was not recognised.
    pub fn is_no_trace(&self) -> bool {
        !self.recognised && self.format != EMPTY_FILE && !self.is_unread()
    }

    /// Whether no byte of the file could be read.
    pub fn is_unread(&self) -> bool {
        self.format.starts_with(NOT_READ)
    }
}

/// A kind of problem in one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProblemReport {
    /// Short, stable name of the problem, such as "cut off".
    pub name: String,
    /// Consequence for the reader of the trace, in one sentence.
    pub meaning: String,
    /// Number of occurrences.
    pub count: u64,
    /// Whether each occurrence is a record that is missing from the timeline.
    pub lost: bool,
    /// Places of the first occurrences, at most 100; fewer if the report has very many places in total.
    pub places: Vec<ProblemPlace>,
}

/// A place in a file where a problem occurs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProblemPlace {
    /// Line number, counted from 1; `None` if unknown.
    pub line: Option<u64>,
    /// Byte offset in the decompressed text.
    pub offset: u64,
    /// Text at the place, at most 120 characters.
    pub text: String,
}
