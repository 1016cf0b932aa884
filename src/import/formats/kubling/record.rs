//! One event as it was read, whatever the shape of its file, and the turning of its values into fields.

use rustc_hash::FxHashSet;

use super::schema::{Field, Num, Text, Type, field_of};
use crate::import::contract::ProblemKind;
use crate::import::scalars::number::exact_i64;
use crate::import::scalars::values::{Cell, Slot, Values};
use crate::strings::{StrId, Strings};

/// The slot of `success`.
const SUCCESS: Slot = Field::Success.slot();

/// The fields of one event. What is missing and what is null are the same: not reported.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    source: &'a str,
    values: &'a Values,
    /// The type, where the file says it otherwise than in a field.
    pub kind: Option<Type>,
    /// What is remarkable about it, each at most once.
    pub notes: Notes,
}

impl<'a> Record<'a> {
    /// A record whose values stand in `source`.
    #[inline]
    pub fn new(source: &'a str, values: &'a Values) -> Self {
        let notes = Notes { unknown: values.unknown, ..Notes::default() };
        Self { source, values, kind: None, notes }
    }

    /// Whether a text was reported.
    #[inline]
    pub fn has(&self, text: Text) -> bool {
        self.values.has_text(Field::Text(text).slot())
    }

    /// A text, or [`StrId::NONE`].
    #[inline]
    pub fn text(&self, text: Text, strings: &mut Strings) -> StrId {
        self.values.intern(self.source, Field::Text(text).slot(), strings)
    }

    /// A number that was reported.
    #[inline]
    pub fn num(&self, num: Num) -> Option<i64> {
        self.values.int(Field::Num(num).slot())
    }

    /// Whether a query ended well.
    #[inline]
    pub fn success(&self) -> Option<bool> {
        self.values.truth(SUCCESS)
    }
}

/// What is remarkable about a record that is read all the same.
#[derive(Clone, Copy, Default)]
pub struct Notes {
    /// A key that this version does not know.
    pub unknown: bool,
    /// A key that stands twice.
    pub twice: bool,
    /// A value that is not of its field's type.
    pub unreadable: bool,
}

/// A value as it stands in a file.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// Not reported.
    Null,
    /// The content of a string, or of a cell of a table.
    Text(&'a str),
    /// The text of a number or literal.
    Plain(&'a str),
    /// An object or array.
    Nested,
}

/// A record in the making, from values that are looked at one by one.
#[derive(Default)]
pub struct Draft {
    values: Values,
    notes: Notes,
    /// The type, where the file says it otherwise than in a field.
    pub kind: Option<Type>,
}

impl Draft {
    /// A record whose file tells its type.
    pub fn of(kind: Type) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// The record as it is now.
    pub fn record(&self) -> Record<'_> {
        Record { source: "", values: &self.values, kind: self.kind, notes: self.notes }
    }

    /// A record of keys, in whatever spelling, and their values.
    pub fn read<'v>(members: impl Iterator<Item = (&'v str, Value<'v>)>) -> Self {
        let (mut draft, mut keys) = (Self::default(), FxHashSet::default());
        for (key, value) in members {
            draft.notes.twice |= !keys.insert(key);
            match field_of(key) {
                Some(field) => draft.set(field, value),
                None => draft.notes.unknown = true,
            }
        }
        draft
    }

    /// Whether a field was set, reported or not.
    pub fn has(&self, field: Field) -> bool {
        self.values.has(field.slot())
    }

    /// Sets a field from a value of whatever type; the last one counts.
    pub fn set(&mut self, field: Field, value: Value) {
        if field == Field::RowId {
            return;
        }
        self.notes.twice |= self.has(field);
        let cell = match field {
            Field::Text(_) => self.decoded(value),
            Field::Num(num) => self.number(num, value),
            Field::Success => self.parsed(value, as_bool).map(Cell::Bool),
            Field::RowId => None,
        };
        self.values.set(field.slot(), cell.unwrap_or(Cell::Null));
    }

    /// A text that was set.
    pub fn text(&self, text: Text) -> Option<&str> {
        self.values.decoded(Field::Text(text).slot())
    }

    /// Takes a text away that cannot be used.
    pub fn unset(&mut self, text: Text) {
        self.values.set(Field::Text(text).slot(), Cell::Null);
    }

    fn decoded(&mut self, value: Value) -> Option<Cell> {
        match value {
            Value::Null => None,
            Value::Text(text) | Value::Plain(text) => Some(self.values.decode(text)),
            Value::Nested => {
                self.notes.unreadable = true;
                None
            }
        }
    }

    fn number(&mut self, num: Num, value: Value) -> Option<Cell> {
        let number = self.parsed(value, exact_i64)?;
        // The lowest number is the mark for "not reported" in the columns of a trace.
        let kept = number != i64::MIN || num == Num::Timestamp;
        self.notes.unreadable |= !kept;
        kept.then_some(Cell::Int(number, 0, 0))
    }

    fn parsed<T>(&mut self, value: Value, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = match value {
            Value::Null => return None,
            Value::Text(text) | Value::Plain(text) => text.trim(),
            Value::Nested => "",
        };
        let parsed = parse(text);
        self.notes.unreadable |= parsed.is_none();
        parsed
    }
}

/// Databases write truth in many ways.
fn as_bool(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(text));
    if is(&["true", "1", "t", "y", "yes"]) {
        Some(true)
    } else if is(&["false", "0", "f", "n", "no"]) {
        Some(false)
    } else {
        None
    }
}

/// A record that is no event.
pub const NO_EVENT: ProblemKind = ProblemKind::lost(
    "not an event",
    "A record without any of the fields by which an event is known (type, runId, queryId).",
);
/// A record without a type.
pub const NO_TYPE: ProblemKind =
    ProblemKind::lost("no type", "An event that does not say of which type it is.");
/// A record without a place in time.
pub const NO_TIMESTAMP: ProblemKind = ProblemKind::lost(
    "no timestamp",
    "An event without a timestamp that is a whole number of 64 bits: it has no place on the time axis.",
);
/// A record of which the parser says that it is no JSON, YAML, …
pub const BROKEN: ProblemKind = ProblemKind::lost(
    "broken record",
    "The text of the record breaks the rules of its format; reading went on behind it.",
);
/// A record whose end is missing.
pub const CUT_OFF: ProblemKind = ProblemKind::lost(
    "cut off",
    "The file ends inside this record, as when the process was killed while it wrote.",
)
.at_end();
/// A file whose end is missing.
pub const NOT_CLOSED: ProblemKind =
    ProblemKind::remark("array not closed", "The file ends before its array does; events may be missing.")
        .at_end();
/// Text that is no record.
pub const STRAY: ProblemKind = ProblemKind::remark(
    "text between records",
    "Text that belongs to no record; reading went on at the next one.",
);
/// A field that is not known.
pub const UNKNOWN_FIELD: ProblemKind = ProblemKind::remark(
    "unknown field",
    "The record has fields that this version does not know; the details panel shows them.",
);
/// A type that is not known.
pub const UNKNOWN_TYPE: ProblemKind = ProblemKind::remark(
    "unknown event type",
    "An event of a type that this version does not know; it is shown as a mark on its query.",
);
/// A field that stands twice.
pub const TWICE: ProblemKind =
    ProblemKind::remark("field twice", "The record has a field twice; the last one counts.");
/// A value that cannot be used.
pub const UNREADABLE: ProblemKind = ProblemKind::remark(
    "unreadable value",
    "A value is not of its field's type, or too large for 64 bits; it counts as not reported.",
);
/// An event of no run.
pub const NO_RUN: ProblemKind = ProblemKind::remark(
    "no runId",
    "The event does not say to which run it belongs; all such events are shown as one run.",
);
/// An event of no query.
pub const NO_QUERY: ProblemKind = ProblemKind::remark(
    "no queryId",
    "The event does not say to which query it belongs; it is shown below the run.",
);
/// A table whose statements are compressed.
pub const COMPRESSED_SQL: ProblemKind = ProblemKind::remark(
    "unreadable SQL",
    "The statement is compressed or no text; the query is shown by its id.",
);
