//! [`RecordReader`]: reads the values of a record into slots. A record of a known shape is compared with the shape, any
//! other is parsed member by member; the resulting [`Values`] are the same.
//!
//! Chrome and MonetDB read all records with it. Kubling uses the learned shapes and otherwise parses by the strict
//! grammar, since the same records also occur in YAML and CSV. TopoExec's files are small and use only [`Cursor`].

use super::shapes::{Known, LearnedShapes, Match, Schema};
use super::splitter::line_ends;
use super::{Cursor, Text, Value};
use crate::base::interner::Interner;
use crate::import::scalars::decimal::Decimal;
use crate::import::scalars::values::{Cell, Values};

/// Reads records one after the other.
pub struct RecordReader<S = fn(&str) -> Known> {
    /// Shapes learned from previous records.
    pub shapes: LearnedShapes<S>,
    /// Values of the most recently read record.
    pub values: Values,
}

impl<S: Schema> RecordReader<S> {
    /// Creates a reader without learned shapes.
    pub fn new(schema: S) -> Self {
        Self { shapes: LearnedShapes::new(schema), values: Values::default() }
    }

    /// Reads the record at the start of `text` if it has the shape of an earlier one.
    #[inline]
    pub fn recall(&mut self, text: &str) -> Option<Match> {
        self.shapes.read(text, &mut self.values)
    }

    /// Parses the record at the start of `text` member by member; `None` if it is invalid or incomplete. Of a repeated
    /// key, the last value is kept. Members for which the schema has no slot are passed to `other`.
    // Called from several places, and too long to inline.
    #[inline(never)]
    pub fn parse<'a>(
        &mut self,
        text: &'a str,
        mut other: impl FnMut(&str, Text<'a>, Value<'a>),
    ) -> Option<Match> {
        let Self { shapes: LearnedShapes { schema, scanner, .. }, values } = self;
        let text = text.get(..text.len().min(u32::MAX as usize))?;
        values.clear();
        let length = Cursor::new(text).each(scanner, |key, value| {
            let name = key.content();
            match schema.field(&name) {
                Some((slot, _)) => {
                    let cell = cell_of(value, text, schema, values);
                    values.set(slot, cell);
                }
                None => other(&name, key, value),
            }
        })?;
        Some(Match { length, line_ends: line_ends(&text.as_bytes()[..length]), shape: 0 })
    }

    /// Learns the shape of a parsed record.
    pub fn learn(&mut self, record: &str, strings: &mut Interner) {
        self.shapes.learn(record, strings);
    }
}

/// Returns the offset of `part`, which must be a slice of `text`.
pub fn offset_in(part: &str, text: &str) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}

/// Returns the cell of a value in `text`.
fn cell_of(value: Value, text: &str, schema: &impl Schema, values: &mut Values) -> Cell {
    let place = |part: &str| {
        let start = offset_in(part, text) as u32;
        (start, start + part.len() as u32)
    };
    let part = match value {
        Value::Text(string) => {
            return match schema.content(string) {
                std::borrow::Cow::Borrowed(plain) => {
                    let (from, to) = place(plain);
                    Cell::Text(from, to)
                }
                std::borrow::Cow::Owned(plain) => values.decode(&plain),
            };
        }
        Value::Word("null") => return Cell::Null,
        Value::Word("true") => return Cell::Bool(true),
        Value::Word("false") => return Cell::Bool(false),
        Value::Word(part) | Value::Nested(part) => part,
    };
    let (from, to) = place(part);
    if let Ok(number) = part.parse() {
        return Cell::Int(number, from, to);
    }
    match Decimal::parse(part).filter(|_| part.contains('.')) {
        Some(Decimal { mantissa, scale }) => Cell::Decimal(mantissa, scale, from, to),
        None => Cell::Raw(from, to),
    }
}
