//! Reads events as JSON objects: quickly if their shape is known, else by the full parser. Rows of tables that were
//! exported as JSON are read, too; their keys are column names.

use std::borrow::Cow;

use super::record::{self, KublingRecord, KublingValue, RecordDraft};
use super::schema::{self, KublingNumberField, field_of, key_of, type_of_table};
use super::{KublingEventSink, KublingTextField};
use crate::import::contract::{Field, Input};
use crate::import::json::{
    Match, Member, RecordHandler, RecordReader, RecordSplitter, belongs, blank, members, string_value,
};
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// Reads events, fast if their shape is known.
pub struct KublingJsonParser {
    records: RecordReader,
}

impl Default for KublingJsonParser {
    fn default() -> Self {
        Self { records: RecordReader::new(key_of) }
    }
}

/// A file of JSON objects.
#[derive(Default)]
pub struct KublingJsonFile {
    splitter: RecordSplitter,
    /// Whether the records are in an array inside an object.
    wrapped: bool,
    /// Number of bytes before the first record that are still to be skipped.
    before: usize,
}

impl KublingJsonFile {
    /// A file whose records are in an array inside an object, with `before` bytes before the first record.
    pub fn wrapped(before: usize) -> Self {
        Self { wrapped: true, before, ..Self::default() }
    }

    /// Reads the next part of the text.
    pub fn push(
        &mut self,
        mut text: &str,
        json: &mut KublingJsonParser,
        events: &mut KublingEventSink,
        input: &mut Input,
    ) {
        let mut sink = KublingJsonSink { json, events, input, wrapped: self.wrapped };
        if self.before > 0 {
            let (wrapper, rest) = text.split_at_checked(self.before).unwrap_or((text, ""));
            self.splitter.push(&blank(wrapper), &mut sink);
            self.before -= wrapper.len();
            text = rest;
        }
        self.splitter.push_to(text, &mut sink);
    }

    /// Finishes reading at the end of the file.
    pub fn finish(&mut self, json: &mut KublingJsonParser, events: &mut KublingEventSink, input: &mut Input) {
        let mut sink = KublingJsonSink { json, events, input, wrapped: self.wrapped };
        if self.splitter.finish(&mut sink) {
            input.note(record::NOT_CLOSED, self.splitter.end(), "");
        }
    }
}

struct KublingJsonSink<'a, 'b> {
    json: &'a mut KublingJsonParser,
    events: &'a mut KublingEventSink,
    input: &'a mut Input<'b>,
    wrapped: bool,
}

impl RecordHandler for KublingJsonSink<'_, '_> {
    #[inline]
    fn try_read(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        let Match { length, line_ends, .. } = self.json.records.recall(text)?;
        let text = &text[..length];
        let record = KublingRecord::new(text, &self.json.records.values);
        // A record without a type may be a table row, which is recognised by its keys.
        if !record.has(KublingTextField::Type) {
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
        if self.try_read(text, place).is_some() {
            return;
        }
        let Ok(members) = members(text) else { return self.input.lose(record::BROKEN, place, text) };
        self.json.records.learn(text, self.input.strings);
        let is_event = members.iter().any(|member| member.key == "runId");
        let mut draft =
            RecordDraft::read(members.into_iter().map(|member| (member.key, value(member.value))));
        // The type of a table row follows from its columns; an event names its type.
        if draft.text(KublingTextField::Type).is_none() && !is_event {
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

    fn resync_key(&self) -> Option<&'static str> {
        Some("runId")
    }

    fn stray(&mut self, text: &str, place: Place) {
        if self.wrapped && belongs(text) {
            return;
        }
        self.input.note(record::STRAY, place, text);
    }
}

/// Stores, for the record that is added next, the original text of each value that does not have the type of its field.
#[cold]
fn keep_written(text: &str, input: &mut Input) {
    let (Ok(members), record) = (members(text), RecordId(input.records.len() as u32)) else { return };
    for member in members {
        let Some(field) = field_of(&member.key) else { continue };
        let (Some(name), is_text) = (shown_name(field), member.value.starts_with('"')) else { continue };
        if is_text == matches!(field, schema::KublingField::Text(_)) || member.value == "null" {
            continue;
        }
        let name = input.strings.intern(name);
        if let Some(written) = input.reported.written_mut() {
            written.add(record, name, member.value, false);
        }
    }
}

/// Name of a field among the values of a span; `None` if the field has a column of its own.
fn shown_name(field: schema::KublingField) -> Option<&'static str> {
    Some(match field {
        schema::KublingField::Text(KublingTextField::Query) => "query id",
        schema::KublingField::Text(KublingTextField::TupleSource) => "tuple source",
        schema::KublingField::Text(KublingTextField::Error) => "error",
        schema::KublingField::Text(KublingTextField::Command) => "pushed command",
        schema::KublingField::Num(KublingNumberField::Duration) => "reported duration",
        _ => return None,
    })
}

/// Value of a JSON text.
fn value(json: &str) -> KublingValue<'_> {
    match json {
        "null" => KublingValue::Null,
        _ if json.starts_with(['{', '[']) => KublingValue::Nested,
        _ => string_value(json).map_or(KublingValue::Plain(json.into()), KublingValue::Text),
    }
}

/// Fields of an event, to show its record.
pub fn fields(text: &str) -> Vec<Field> {
    let field = |member: Member| Field {
        name: member.key.into_owned(),
        value: string_value(member.value).map_or_else(|| member.value.to_owned(), Cow::into_owned),
    };
    members(text).unwrap_or_default().into_iter().map(field).collect()
}
