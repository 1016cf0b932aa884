//! [`TraceIdentity`]: the columns that have one value in all rows of a trace.

use queryscope::import::ABOUT;

use crate::arrays::ConstantValue;
use crate::schema;

/// Values that identify a trace in the tables of a data set: id, name, engine and day.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceIdentity {
    /// Id of the trace: a hash of its name, see [`trace_id`].
    pub id: i64,
    pub name: String,
    /// Id of the trace's format, such as `mysql`.
    pub engine: String,
    /// Value of the column `day`, such as `2026-03-31`; `None` if unknown.
    pub day: Option<String>,
}

impl TraceIdentity {
    pub fn new(name: &str, engine: &str, day: Option<String>) -> Self {
        Self { id: trace_id(name), name: name.to_owned(), engine: engine.to_owned(), day }
    }

    /// The value of a column that has the same value in all rows of the trace; `None` for any other column.
    pub fn constant(&self, column: &str) -> Option<ConstantValue<'_>> {
        match column {
            "trace_id" => Some(ConstantValue::Number(self.id)),
            "engine" => Some(ConstantValue::Text(Some(&self.engine))),
            "day" => Some(ConstantValue::Text(self.day.as_deref())),
            _ => None,
        }
    }
}

/// Id of the trace with this name: a hash, at least 0.
pub fn trace_id(name: &str) -> i64 {
    (schema::stable_hash(name) >> 1) as i64
}

/// Id of the trace's first known format; `unknown` if there is none. `formats`: names of its files' formats in the import report, which may
/// include formats of archives, which are skipped.
pub fn engine_of<'a>(formats: impl IntoIterator<Item = &'a str>) -> &'static str {
    formats.into_iter().find_map(format_id).unwrap_or("unknown")
}

fn format_id(name: &str) -> Option<&'static str> {
    let known = ABOUT.iter().filter(|about| name.to_lowercase().starts_with(&about.name.to_lowercase()));
    known.max_by_key(|about| about.name.len()).map(|about| about.id)
}
