//! Events as JSON objects: quickly where their shape was seen before, else by the full parser. Rows of tables that
//! were exported as JSON are read here as well: their keys are the columns' names.

use std::borrow::Cow;

use super::record::{self, Draft, Record, Value};
use super::schema::{self, Num, field_of, key_of, type_of_table};
use super::{Events, Text};
use crate::import::contract::{Field, Input};
use crate::import::json::{Frames, Match, Shapes, Sink, belongs, blank, members, string_value};
use crate::import::scalars::values::Values;
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// The shapes that were seen, and room for the values of one record.
pub struct Learned {
    shapes: Shapes,
    values: Values,
}

impl Default for Learned {
    fn default() -> Self {
        Self { shapes: Shapes::new(key_of), values: Values::default() }
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
        self.frames.push_to(text, &mut sink);
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
    fn quick(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        let Learned { shapes, values } = self.json;
        let Match { length, line_ends, .. } = shapes.read(text, values)?;
        let text = &text[..length];
        let record = Record::new(text, values);
        // Without a type it may be a row of a table, which its keys tell.
        if !record.has(Text::Type) {
            return None;
        }
        if self.input.reported.written().is_some() {
            keep_written(text, self.input);
        }
        self.events.add(&record, text, place, self.input);
        Some((length, line_ends))
    }

    #[inline(never)]
    fn record(&mut self, text: &str, place: Place) {
        if self.quick(text, place).is_some() {
            return;
        }
        let Ok(members) = members(text) else { return self.input.lose(record::BROKEN, place, text) };
        self.json.shapes.learn(text, self.input.strings);
        let values: Vec<_> = members.iter().map(|m| (&*m.key, Decoded::new(m.value))).collect();
        let mut draft = Draft::read(values.iter().map(|(key, value)| (*key, value.value())));
        // Only a row of a table tells its type by its columns; an event says it.
        if draft.text(Text::Type).is_none() && !values.iter().any(|(key, _)| *key == "runId") {
            draft.kind = type_of_table(|known| draft.has(known));
        }
        if self.input.reported.written().is_some() {
            keep_written(text, self.input);
        }
        self.events.add(&draft.record(), text, place, self.input);
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.input.lose(record::BROKEN, place, text);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.input.lose(record::CUT_OFF, place, text);
    }

    fn telling(&self) -> Option<&'static str> {
        Some("runId")
    }

    fn stray(&mut self, text: &str, place: Place) {
        if self.wrapped && belongs(text) {
            return;
        }
        self.input.note(record::STRAY, place, text);
    }
}

/// Keeps how those values of the next record are written that are of another type than their fields.
#[cold]
fn keep_written(text: &str, input: &mut Input) {
    let (Ok(members), record) = (members(text), RecordId(input.records.len() as u32)) else { return };
    for member in members {
        let Some(field) = field_of(&member.key) else { continue };
        let (Some(name), is_text) = (shown_name(field), member.value.starts_with('"')) else { continue };
        if is_text == matches!(field, schema::Field::Text(_)) || member.value == "null" {
            continue;
        }
        let name = input.strings.intern(name);
        if let Some(written) = input.reported.written_mut() {
            written.add(record, name, member.value, false);
        }
    }
}

/// What a field is called among the values of a span, where it has no column of its own.
fn shown_name(field: schema::Field) -> Option<&'static str> {
    Some(match field {
        schema::Field::Text(Text::Query) => "query id",
        schema::Field::Text(Text::TupleSource) => "tuple source",
        schema::Field::Text(Text::Error) => "error",
        schema::Field::Text(Text::Command) => "pushed command",
        schema::Field::Num(Num::Duration) => "reported duration",
        _ => return None,
    })
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
