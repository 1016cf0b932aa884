//! [`TraceIdentity`]: the columns that have one value in all rows of a trace.

use queryscope::import::ABOUT;

use crate::arrays::ConstantValue;
use crate::schema;

/// What tells one trace from others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceIdentity {
    /// Number of the trace, made from its name.
    pub id: i64,
    pub name: String,
    /// Id of its format.
    pub engine: String,
    /// Day on which it was recorded, as `2026-03-31`; `None` if that is not known.
    pub day: Option<String>,
}

impl TraceIdentity {
    pub fn new(name: &str, engine: &str, day: Option<String>) -> Self {
        Self { id: trace_id(name), name: name.to_owned(), engine: engine.to_owned(), day }
    }

    /// The value of a column, if it is one of those that have the same value in all rows.
    pub fn constant(&self, column: &str) -> Option<ConstantValue<'_>> {
        match column {
            "trace_id" => Some(ConstantValue::Number(self.id)),
            "engine" => Some(ConstantValue::Text(Some(&self.engine))),
            "day" => Some(ConstantValue::Text(self.day.as_deref())),
            _ => None,
        }
    }
}

/// Number of a trace with this name.
pub fn trace_id(name: &str) -> i64 {
    (schema::stable_hash(name) >> 1) as i64
}

/// Id of the first format of a trace, by the names of its files' formats in an import report. That of an archive is none.
pub fn engine_of<'a>(formats: impl IntoIterator<Item = &'a str>) -> &'static str {
    formats.into_iter().find_map(format_id).unwrap_or("unknown")
}

fn format_id(name: &str) -> Option<&'static str> {
    let known = ABOUT.iter().filter(|about| name.to_lowercase().starts_with(&about.name.to_lowercase()));
    known.max_by_key(|about| about.name.len()).map(|about| about.id)
}
