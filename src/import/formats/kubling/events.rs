//! Events as JSON objects: quickly where their shape was seen before, else by the full parser. Rows of tables that
//! were exported as JSON are read here as well: their keys are the columns' names.

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

/// Reads events of known shapes.
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
    /// Bytes of that object that are still to be skipped before the first record.
    before: usize,
}

impl KublingJsonFile {
    /// For records in an array inside an object: `before` bytes stand before the first.
    pub fn wrapped(before: usize) -> Self {
        Self { wrapped: true, before, ..Self::default() }
    }

    /// The next text.
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

    /// The file ends.
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
        // Without a type it may be a row of a table, which is known by its keys.
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
        // The type of a row of a table follows from its columns; an event names its type.
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

/// Keeps how values of the next record are written that have another type than their fields.
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

/// What a field is called among the values of a span, where it has no column of its own.
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

/// The value that a JSON text is.
fn value(json: &str) -> KublingValue<'_> {
    match json {
        "null" => KublingValue::Null,
        _ if json.starts_with(['{', '[']) => KublingValue::Nested,
        _ => string_value(json).map_or(KublingValue::Plain(json.into()), KublingValue::Text),
    }
}

/// The values of an event that is shown again.
pub fn fields(text: &str) -> Vec<Field> {
    let field = |member: Member| Field {
        name: member.key.into_owned(),
        value: string_value(member.value).map_or_else(|| member.value.to_owned(), Cow::into_owned),
    };
    members(text).unwrap_or_default().into_iter().map(field).collect()
}
