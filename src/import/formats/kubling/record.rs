//! One event as read from a file of any shape, and the conversion of its values to fields.

use std::borrow::Cow;

use super::schema::{KublingEventType, KublingField, KublingNumberField, KublingTextField, field_of};
use crate::base::FxHashSet;
use crate::base::interner::{Interner, StrId};
use crate::import::contract::ProblemKind;
use crate::import::scalars::number::exact_i64;
use crate::import::scalars::values::{Cell, Slot, Values};
use crate::trace::word_hash;

/// Slot of `success`.
const SUCCESS: Slot = KublingField::Success.slot();

/// Fields of one event. A field that is missing or null is not reported.
#[derive(Clone, Copy)]
pub struct KublingRecord<'a> {
    source: &'a str,
    values: &'a Values,
    /// Event type, if it follows from the file instead of a field.
    pub kind: Option<KublingEventType>,
    /// Remarks about the record, each at most once.
    pub notes: RecordRemarks,
}

impl<'a> KublingRecord<'a> {
    /// A record whose values are in `source`.
    #[inline]
    pub fn new(source: &'a str, values: &'a Values) -> Self {
        let notes = RecordRemarks { unknown: values.unknown, ..RecordRemarks::default() };
        Self { source, values, kind: None, notes }
    }

    /// Whether a text field is reported.
    #[inline]
    pub fn has(&self, text: KublingTextField) -> bool {
        self.values.has_text(KublingField::Text(text).slot())
    }

    /// Value of a text field, or [`StrId::NONE`].
    #[inline]
    pub fn text(&self, text: KublingTextField, strings: &mut Interner) -> StrId {
        self.values.intern(self.source, KublingField::Text(text).slot(), strings)
    }

    /// Hash of the id of the query that the event belongs to, equal in all files and shapes; `None` if it is not reported.
    pub fn query_hash(&self) -> Option<u64> {
        let query = self.values.text(self.source, KublingField::Text(KublingTextField::Query).slot())?;
        Some(word_hash::fnv_1a(query.bytes()))
    }

    /// Value of a number field; `None` if it is not reported.
    #[inline]
    pub fn num(&self, num: KublingNumberField) -> Option<i64> {
        self.values.int(KublingField::Num(num).slot())
    }

    /// Whether the query succeeded; `None` if it is not reported.
    #[inline]
    pub fn success(&self) -> Option<bool> {
        self.values.truth(SUCCESS)
    }
}

/// Remarks on a record that is shown nevertheless.
#[derive(Clone, Copy, Default)]
pub struct RecordRemarks {
    /// Whether the record has a key that this version does not know.
    pub unknown: bool,
    /// Whether a key is repeated.
    pub twice: bool,
    /// Whether a value does not have the type of its field.
    pub unreadable: bool,
}

/// A value as it is read from a file of any shape, before it is converted to its field's type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KublingValue<'a> {
    /// The value is not reported.
    Null,
    /// Content of a string, or of a table cell.
    Text(Cow<'a, str>),
    /// Text of a number or literal.
    Plain(Cow<'a, str>),
    /// An object or array.
    Nested,
}

/// A record under construction, from values that are converted one by one.
#[derive(Default)]
pub struct RecordDraft {
    values: Values,
    notes: RecordRemarks,
    /// Event type, if it follows from the file instead of a field.
    pub kind: Option<KublingEventType>,
}

impl RecordDraft {
    /// A record whose type follows from its file.
    pub fn of(kind: KublingEventType) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// The record with the fields set so far.
    pub fn record(&self) -> KublingRecord<'_> {
        KublingRecord { source: "", values: &self.values, kind: self.kind, notes: self.notes }
    }

    /// Reads a record from keys, either field names or column names, and their values.
    pub fn read<'v>(members: impl Iterator<Item = (Cow<'v, str>, KublingValue<'v>)>) -> Self {
        let (mut draft, mut keys) = (Self::default(), FxHashSet::default());
        for (key, value) in members {
            match field_of(&key) {
                Some(field) => draft.set(field, value),
                None => draft.notes.unknown = true,
            }
            draft.notes.twice |= !keys.insert(key);
        }
        draft
    }

    /// Whether a field was set, even to null.
    pub fn has(&self, field: KublingField) -> bool {
        self.values.has(field.slot())
    }

    /// Sets a field from a value of any type; the last value counts.
    pub fn set(&mut self, field: KublingField, value: KublingValue) {
        if field == KublingField::RowId {
            return;
        }
        self.notes.twice |= self.has(field);
        let cell = match field {
            KublingField::Text(_) => self.decoded(value),
            KublingField::Num(num) => self.number(num, value),
            KublingField::Success => self.parsed(value, as_bool).map(Cell::Bool),
            KublingField::RowId => None,
        };
        self.values.set(field.slot(), cell.unwrap_or(Cell::Null));
    }

    /// Value of a text field; `None` if it is not reported.
    pub fn text(&self, text: KublingTextField) -> Option<&str> {
        self.values.decoded(KublingField::Text(text).slot())
    }

    /// Removes the value of a text field.
    pub fn unset(&mut self, text: KublingTextField) {
        self.values.set(KublingField::Text(text).slot(), Cell::Null);
    }

    fn decoded(&mut self, value: KublingValue) -> Option<Cell> {
        match value {
            KublingValue::Null => None,
            KublingValue::Text(text) | KublingValue::Plain(text) => Some(self.values.decode(&text)),
            KublingValue::Nested => {
                self.notes.unreadable = true;
                None
            }
        }
    }

    fn number(&mut self, num: KublingNumberField, value: KublingValue) -> Option<Cell> {
        let number = self.parsed(value, exact_i64)?;
        // The minimum number means "not reported" in the columns of a trace.
        let kept = number != i64::MIN || num == KublingNumberField::Timestamp;
        self.notes.unreadable |= !kept;
        kept.then_some(Cell::Int(number, 0, 0))
    }

    fn parsed<T>(&mut self, value: KublingValue, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let parsed = match value {
            KublingValue::Null => return None,
            KublingValue::Text(text) | KublingValue::Plain(text) => parse(text.trim()),
            KublingValue::Nested => None,
        };
        self.notes.unreadable |= parsed.is_none();
        parsed
    }
}

/// Reads a Boolean, which databases write in many ways.
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

/// A record that is not an event.
pub const NO_EVENT: ProblemKind = ProblemKind::lost(
    "not an event",
    "A record without any of the fields that identify an event (type, runId, queryId).",
);
/// An event without a type.
pub const NO_TYPE: ProblemKind = ProblemKind::lost("no type", "An event without a type.");
/// An event without a timestamp.
pub const NO_TIMESTAMP: ProblemKind = ProblemKind::lost(
    "no timestamp",
    "An event without a timestamp (a whole number of at most 64 bits): it cannot be placed on the time axis.",
);
/// A record that is not valid JSON or YAML.
pub const BROKEN: ProblemKind =
    ProblemKind::lost("broken record", "The record is not valid in its format. Reading continued after it.");
/// A record whose end is missing.
pub const CUT_OFF: ProblemKind = ProblemKind::lost(
    "cut off",
    "The file ends inside this record, for example because the process was killed while it wrote.",
)
.at_end();
/// A file whose end is missing.
pub const NOT_CLOSED: ProblemKind =
    ProblemKind::remark("array not closed", "The file ends before its array does. Events may be missing.")
        .at_end();
/// Text that is not a record.
pub const STRAY: ProblemKind = ProblemKind::remark(
    "text between records",
    "Text that belongs to no record. Reading continued at the next record.",
);
/// An event with fields that this version does not know.
pub const UNKNOWN_FIELD: ProblemKind = ProblemKind::remark(
    "unknown field",
    "The record has fields that this version does not know. The details panel shows them.",
);
/// An event of a type that this version does not know.
pub const UNKNOWN_TYPE: ProblemKind = ProblemKind::remark(
    "unknown event type",
    "This version does not know the type of the event. The event is shown as a mark on its query.",
);
/// A record with a repeated field.
pub const TWICE: ProblemKind =
    ProblemKind::remark("duplicate field", "The record has the same field twice. The last one counts.");
/// A record with a value that cannot be used.
pub const UNREADABLE: ProblemKind = ProblemKind::remark(
    "unreadable value",
    "A value does not have the type of its field, or does not fit into 64 bits. It counts as not reported.",
);
/// An event without a run id.
pub const NO_RUN: ProblemKind =
    ProblemKind::remark("no runId", "The event names no run. All such events are shown as one run.");
/// An event without a query id.
pub const NO_QUERY: ProblemKind =
    ProblemKind::remark("no queryId", "The event names no query. It is shown below the run.");
/// A table row whose statement is compressed.
pub const COMPRESSED_SQL: ProblemKind = ProblemKind::remark(
    "unreadable SQL",
    "The statement is compressed or not text. The query is shown by its id.",
);
