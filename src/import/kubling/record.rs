//! One event as it was read, whatever the shape of its file, and the turning of its values into fields.

use super::schema::{Field, NUMS, Num, TEXTS, Text, Type};
use crate::import::number::exact_i64;
use crate::import::problems::ProblemKind;

/// The fields of one event. What is missing and what is null are the same: not reported.
#[derive(Clone, Copy, Default)]
pub struct Record<'a> {
    texts: [Option<&'a str>; TEXTS],
    nums: [Option<i64>; NUMS],
    /// Whether a query ended well.
    pub success: Option<bool>,
    /// The type, where the file says it otherwise than in a field.
    pub kind: Option<Type>,
    /// Set fields, by the codes of texts and numbers, to see what comes twice.
    seen: u32,
    /// What is remarkable about it, each at most once.
    pub notes: Notes,
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

impl<'a> Record<'a> {
    /// A text that was reported.
    pub fn text(&self, text: Text) -> Option<&'a str> {
        self.texts[text as usize]
    }

    /// A number that was reported.
    pub fn num(&self, num: Num) -> Option<i64> {
        self.nums[num as usize]
    }

    /// Sets a text.
    #[inline]
    pub fn set_text(&mut self, text: Text, value: Option<&'a str>) {
        self.texts[text as usize] = value;
    }

    /// Sets a number.
    #[inline]
    pub fn set_num(&mut self, num: Num, value: Option<i64>) {
        // The lowest number is the mark for "not reported" in the columns of a trace.
        let kept = value.filter(|&n| n != i64::MIN || num == Num::Timestamp);
        self.notes.unreadable |= kept != value;
        self.nums[num as usize] = kept;
    }

    /// Sets a field from a value of whatever type; the last one counts.
    pub fn set(&mut self, field: Field, value: Value<'a>) {
        let code = match field {
            Field::Text(text) => text as u32,
            Field::Num(num) => TEXTS as u32 + num as u32,
            Field::Success => 30,
            Field::RowId => return,
        };
        self.notes.twice |= self.seen >> code & 1 == 1;
        self.seen |= 1 << code;
        match field {
            Field::Text(text) => self.set_text(text, self.as_text(value)),
            Field::Num(num) => {
                let number = self.parsed(value, exact_i64);
                self.set_num(num, number);
            }
            Field::Success => self.success = self.parsed(value, as_bool),
            Field::RowId => {}
        }
        if let (Field::Text(_), Value::Nested) = (field, value) {
            self.notes.unreadable = true;
        }
    }

    fn as_text(&self, value: Value<'a>) -> Option<&'a str> {
        match value {
            Value::Null | Value::Nested => None,
            Value::Text(text) | Value::Plain(text) => Some(text),
        }
    }

    fn parsed<T>(&mut self, value: Value<'a>, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
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
pub const NO_EVENT: ProblemKind = ProblemKind {
    name: "not an event",
    meaning: "A record without any of the fields by which an event is known (type, runId, queryId).",
    lost: true,
};
/// A record without a type.
pub const NO_TYPE: ProblemKind =
    ProblemKind { name: "no type", meaning: "An event that does not say of which type it is.", lost: true };
/// A record without a place in time.
pub const NO_TIMESTAMP: ProblemKind = ProblemKind {
    name: "no timestamp",
    meaning: "An event without a timestamp that is a whole number of 64 bits: it has no place on the time axis.",
    lost: true,
};
/// A record of which the parser says that it is no JSON, YAML, …
pub const BROKEN: ProblemKind = ProblemKind {
    name: "broken record",
    meaning: "The text of the record breaks the rules of its format; reading went on behind it.",
    lost: true,
};
/// A record whose end is missing.
pub const CUT_OFF: ProblemKind = ProblemKind {
    name: "cut off",
    meaning: "The file ends inside this record, as when the process was killed while it wrote.",
    lost: true,
};
/// A file whose end is missing.
pub const NOT_CLOSED: ProblemKind = ProblemKind {
    name: "array not closed",
    meaning: "The file ends before its array does; events may be missing.",
    lost: false,
};
/// Text that is no record.
pub const STRAY: ProblemKind = ProblemKind {
    name: "text between records",
    meaning: "Text that belongs to no record; reading went on at the next one.",
    lost: false,
};
/// A field that is not known.
pub const UNKNOWN_FIELD: ProblemKind = ProblemKind {
    name: "unknown field",
    meaning: "The record has fields that this version does not know; the details panel shows them.",
    lost: false,
};
/// A type that is not known.
pub const UNKNOWN_TYPE: ProblemKind = ProblemKind {
    name: "unknown event type",
    meaning: "An event of a type that this version does not know; it is shown as a mark on its query.",
    lost: false,
};
/// A field that stands twice.
pub const TWICE: ProblemKind = ProblemKind {
    name: "field twice",
    meaning: "The record has a field twice; the last one counts.",
    lost: false,
};
/// A value that cannot be used.
pub const UNREADABLE: ProblemKind = ProblemKind {
    name: "unreadable value",
    meaning: "A value is not of its field's type, or too large for 64 bits; it counts as not reported.",
    lost: false,
};
/// An event of no run.
pub const NO_RUN: ProblemKind = ProblemKind {
    name: "no runId",
    meaning: "The event does not say to which run it belongs; all such events are shown as one run.",
    lost: false,
};
/// An event of no query.
pub const NO_QUERY: ProblemKind = ProblemKind {
    name: "no queryId",
    meaning: "The event does not say to which query it belongs; it is shown below the run.",
    lost: false,
};
/// A table whose statements are compressed.
pub const COMPRESSED_SQL: ProblemKind = ProblemKind {
    name: "unreadable SQL",
    meaning: "The statement is compressed or no text; the query is shown by its id.",
    lost: false,
};
