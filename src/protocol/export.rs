//! What is written when a trace is saved: a part of it, and without the texts that are to be removed.

use serde::{Deserialize, Serialize};

/// What is removed from the texts of a trace before it is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Redaction {
    /// Replaces the literals of SQL, and quoted texts and numbers of messages, by `?`.
    pub literals: bool,
    /// Replaces the names of schemas, tables, columns, users, hosts, paths and other objects by stable names, such as `table_7`.
    pub identifiers: bool,
    /// Drops SQL and error messages altogether.
    pub texts: bool,
}

impl Redaction {
    /// Whether anything is removed.
    pub fn is_any(self) -> bool {
        self.literals || self.identifiers || self.texts
    }
}

/// The part of a trace to save, and what is removed from its texts. The default is the whole trace, unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExportSpec {
    /// What is removed from texts.
    pub redaction: Redaction,
    /// Only what overlaps this half-open time range, in nanoseconds since the first event of each run, with times clipped to it.
    pub range: Option<(i64, i64)>,
    /// Only the run with this index.
    pub run: Option<u32>,
    /// Only the query with this item code, and everything below it.
    pub query: Option<u32>,
}

impl ExportSpec {
    /// Whether the whole trace is saved, unchanged: the original files say the same.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }
}

/// Requests what would be saved, and what would be removed. Takes about as long as saving.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExportPreviewRequest {
    /// What to save.
    pub spec: ExportSpec,
}

/// What would be saved, and what would be removed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExportPreview {
    /// Number of runs.
    pub runs: u32,
    /// Number of spans.
    pub spans: u64,
    /// Number of events.
    pub events: u64,
    /// Number of rows of side tables.
    pub rows: u64,
    /// Number of distinct SQL texts in the saved part, before anything is removed.
    pub statements: u64,
    /// Number of distinct error messages in the saved part, before anything is removed.
    pub errors: u64,
    /// Identifiers in the saved part by role, before anything is removed.
    pub identifiers: Vec<IdentifierCount>,
    /// One phrase for each kind of thing that would be removed, with its count: "1,234 SQL literals".
    pub removed: Vec<String>,
    /// Size of the trace in the file, in bytes, before compression.
    pub bytes: u64,
}

/// Identifiers of one role.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct IdentifierCount {
    /// The role: "schema", "table", "column", "user", "host", "path", ….
    pub role: String,
    /// Number of distinct identifiers.
    pub count: u64,
    /// The first identifiers, at most five.
    pub examples: Vec<String>,
}
