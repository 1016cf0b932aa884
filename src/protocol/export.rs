//! Options for saving a trace: the selected part, and the redaction of texts.

use serde::{Deserialize, Serialize};

/// Redaction of the texts of a trace before the trace is saved.
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
    /// Whether any text is changed or dropped.
    pub fn is_any(self) -> bool {
        self.literals || self.identifiers || self.texts
    }
}

/// The part of a trace to save, and the redaction of its texts. The default is the whole trace, unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExportSpec {
    /// Redaction of the texts.
    pub redaction: Redaction,
    /// If set, only items that overlap this half-open time range, in nanoseconds since the first event of each run;
    /// times are clipped to the range.
    pub range: Option<(i64, i64)>,
    /// If set, only the run with this index.
    pub run: Option<u32>,
    /// If set, only the query with this item code, and its descendants.
    pub query: Option<u32>,
}

impl ExportSpec {
    /// Whether the whole trace is saved unchanged, so that the original files can be saved instead.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }
}

/// Requests a preview of saving, which takes about as long as saving.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExportPreviewRequest {
    /// What to save.
    pub spec: ExportSpec,
}

/// Preview of saving: counts of the saved and of the removed data.
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
    /// One phrase with a count for each kind of removed data, such as "1,234 SQL literals".
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
