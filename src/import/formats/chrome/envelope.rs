//! The text around the events: none, an array, or an object in which the array is one section of several.

use super::problems::{AFTER_END, EMPTY, FRAMES_CUT, NO_EVENTS, NOT_CLOSED};
use super::reader::ChromeReader;
use super::sections::TEXTS;
use super::sniff::ChromeShape;
use super::store::ChromeFile;
use crate::import::json::{EnvelopeHandler, EnvelopeReader, MAX_TEXT, MemberUse};
use crate::import::text::lines::Place;

/// Reader for a container, which finds the events in it.
pub fn reader(shape: ChromeShape) -> EnvelopeReader {
    match shape {
        ChromeShape::Object => EnvelopeReader::object(),
        ChromeShape::Array | ChromeShape::Lines => EnvelopeReader::bare(),
        ChromeShape::Inside => EnvelopeReader::searching(),
    }
}

impl EnvelopeHandler for ChromeReader<'_, '_> {
    fn member(&mut self, key: &str, first: u8, _: Place) -> MemberUse {
        if matches!(key, "traceEvents" | "samples") && first == b'[' {
            self.file.sections.sampling = key == "samples";
            self.file.has_events |= key == "traceEvents";
            return MemberUse::Records;
        }
        MemberUse::Text
    }

    fn text(&mut self, key: &str, value: &str, place: Place) {
        let Self { file, scanner, input, .. } = self;
        if TEXTS.contains(&key) && value.starts_with(['"', '{', '[']) {
            return file.sections.text(key, value, place, input);
        }
        if key != "stackFrames" || !value.starts_with('{') {
            file.trace_metadata.take(key, value, scanner);
            return;
        }
        if value.len() >= MAX_TEXT {
            input.note(FRAMES_CUT, place, "\"stackFrames\"");
        }
        file.sections.frames(value, scanner, input.strings);
    }

    fn after_end(&mut self, first: u8, place: Place) -> bool {
        // A second file may be appended to the first.
        let is_next = first == b'{';
        if !is_next {
            self.input.note(AFTER_END, place, "");
        }
        is_next
    }
}

/// Finishes reading at the end of the file.
pub fn finish(envelope: &mut EnvelopeReader, reader: &mut ChromeReader) {
    let start = Place { offset: 0, line: 1 };
    if !reader.file.has_events {
        reader.input.note(NO_EVENTS, start, "");
    } else if !reader.input.records.has(reader.file.file) {
        reader.input.note(EMPTY, start, "");
    }
    if let Some(place) = envelope.finish(reader) {
        reader.input.note(NOT_CLOSED, place, "");
    }
    let ChromeFile { sections, names, profiles, .. } = &mut *reader.file;
    profiles.list.extend(sections.profiles(names, reader.input));
}
