//! Events as JSON objects: quickly where their shape was seen before, else by the full parser. Rows of tables that
//! were exported as JSON are read here as well: their keys are the columns' names.

use rustc_hash::FxHashSet;
use std::borrow::Cow;

use super::record::{self, Record, Value};
use super::schema::{Field as Known, field, slot_of, type_of_table};
use super::{Events, Text};
use crate::import::json::{Cell, Frames, Shapes, Sink, Values, belongs, blank, members, string_value};
use crate::import::lines::Place;
use crate::import::{Field, Input};

/// The shapes that were seen, and room for the values of one record.
pub struct Learned {
    shapes: Shapes,
    values: Values,
    /// Strings whose escapes were decoded, one after the other, and where each ends.
    decoded: String,
    ends: Vec<usize>,
}

impl Default for Learned {
    fn default() -> Self {
        Self {
            shapes: Shapes::new(slot_of),
            values: Values::default(),
            decoded: String::new(),
            ends: Vec::new(),
        }
    }
}

/// A file of JSON objects.
#[derive(Default)]
pub struct EventFile {
    frames: Frames,
    /// Whether the records stand in an array inside an object,
    wrapped: bool,
    /// whose first bytes, so many, are not read yet.
    before: usize,
}

impl EventFile {
    /// For records in an array inside an object: `before` bytes stand before the first.
    pub fn wrapped(before: usize) -> Self {
        Self { wrapped: true, before, ..Self::default() }
    }

    /// The next text.
    pub fn push(&mut self, mut text: &str, json: &mut Learned, events: &mut Events, input: &mut Input) {
        let mut sink = JsonSink { json, events, input, wrapped: self.wrapped };
        if self.before > 0 {
            let (wrapper, rest) = text.split_at_checked(self.before).unwrap_or((text, ""));
            self.frames.push(&blank(wrapper), &mut sink);
            self.before -= wrapper.len();
            text = rest;
        }
        self.frames.push(text, &mut sink);
    }

    /// The file ends.
    pub fn finish(&mut self, json: &mut Learned, events: &mut Events, input: &mut Input) {
        let mut sink = JsonSink { json, events, input, wrapped: self.wrapped };
        if self.frames.finish(&mut sink) {
            input.note(record::NOT_CLOSED, self.frames.end(), "");
        }
    }
}

struct JsonSink<'a, 'b> {
    json: &'a mut Learned,
    events: &'a mut Events,
    input: &'a mut Input<'b>,
    wrapped: bool,
}

impl Sink for JsonSink<'_, '_> {
    #[inline]
    fn quick(&mut self, text: &str, place: Place) -> Option<usize> {
        let length = self.json.shapes.read(text, &mut self.json.values)?;
        let record = self.json.record(text)?;
        self.events.add(&record, &text[..length], place, self.input);
        Some(length)
    }

    fn record(&mut self, text: &str, place: Place) {
        if self.quick(text, place).is_some() {
            return;
        }
        let Ok(members) = members(text) else { return self.input.lose(record::BROKEN, place, text) };
        self.json.shapes.learn(text);
        let values: Vec<_> = members.iter().map(|m| (&*m.key, Decoded::new(m.value))).collect();
        let mut record = Record::default();
        let (mut has, mut keys) = (Vec::new(), FxHashSet::default());
        for (key, value) in &values {
            record.notes.twice |= !keys.insert(*key);
            match slot_of(key).map(field) {
                Some(known) => {
                    record.set(known, value.value());
                    has.push(known);
                }
                None => record.notes.unknown = true,
            }
        }
        // Only a row of a table tells its type by its columns; an event says it.
        if record.text(Text::Type).is_none() && !keys.contains("runId") {
            record.kind = type_of_table(|known| has.contains(&known));
        }
        self.events.add(&record, text, place, self.input);
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.input.lose(record::BROKEN, place, text);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.input.lose(record::CUT_OFF, place, text);
    }

    fn stray(&mut self, text: &str, place: Place) {
        if self.wrapped && belongs(text) {
            return;
        }
        self.input.note(record::STRAY, place, text);
    }
}

impl Learned {
    /// The record whose values were just read; `None` if one of them is for the full parser.
    #[inline]
    fn record<'a>(&'a mut self, text: &'a str) -> Option<Record<'a>> {
        self.decoded.clear();
        self.ends.clear();
        for (_, cell) in self.values.iter() {
            if let Cell::Escaped(from, to) = cell {
                let literal = text.get(from as usize - 1..to as usize + 1)?;
                self.decoded.push_str(&string_value(literal)?);
                self.ends.push(self.decoded.len());
            }
        }
        let mut record = Record::default();
        record.notes.unknown = self.values.unknown;
        let (mut ends, mut start) = (self.ends.iter(), 0);
        for (slot, cell) in self.values.iter() {
            match (field(slot), cell) {
                (Known::Text(known), Cell::Text(from, to) | Cell::Int(_, from, to)) => {
                    record.set_text(known, Some(text.get(from as usize..to as usize)?));
                }
                (Known::Text(known), Cell::Escaped(..)) => {
                    let end = *ends.next()?;
                    record.set_text(known, self.decoded.get(start..end));
                    start = end;
                }
                (Known::Num(known), Cell::Int(number, ..)) => record.set_num(known, Some(number)),
                (Known::Success, Cell::Bool(success)) => record.success = Some(success),
                (Known::RowId, Cell::Int(..)) | (_, Cell::Null) => {}
                // A value that is not of its field's type.
                _ => return None,
            }
        }
        // Without a type it may be a row of a table, which its keys tell.
        record.text(Text::Type).is_some().then_some(record)
    }
}

/// A value with its escapes decoded.
enum Decoded<'a> {
    Text(Cow<'a, str>),
    Plain(&'a str),
}

impl<'a> Decoded<'a> {
    fn new(value: &'a str) -> Self {
        match string_value(value) {
            Some(text) if value.starts_with('"') => Self::Text(text),
            _ => Self::Plain(value),
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(text),
            Self::Plain("null") => Value::Null,
            Self::Plain(text) if text.starts_with(['{', '[']) => Value::Nested,
            Self::Plain(text) => Value::Plain(text),
        }
    }
}

/// The values of an event that is shown again.
pub fn fields(text: &str) -> Vec<Field> {
    let members = members(text).unwrap_or_default();
    let field = |member: crate::import::json::Member| Field {
        name: member.key.into_owned(),
        value: match Decoded::new(member.value) {
            Decoded::Text(text) => text.into_owned(),
            Decoded::Plain(text) => text.to_owned(),
        },
    };
    members.into_iter().map(field).collect()
}
