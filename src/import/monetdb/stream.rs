//! Files of JSON objects in any framing: one per line, laid out, in an array, glued together.

use std::borrow::Cow;

use super::object::Objects;
use super::problems::{BROKEN, CONTROL, CUT_OFF, STRAY};
use super::reader::Reader;
use super::store::Store;
use super::words::cleaned;
use crate::import::Input;
use crate::import::json::{Frames, Sink};
use crate::import::lines::Place;

/// The state between two texts of one file.
#[derive(Default)]
pub struct Stream {
    frames: Frames,
    end: Place,
}

impl Stream {
    /// The next text of the file.
    pub fn push(&mut self, text: &str, store: &mut Store, objects: &mut Objects, input: &mut Input) {
        let clean = cleaned(text);
        if let Cow::Owned(clean) = &clean {
            self.tell_controls(text, clean, input);
        }
        self.end.offset += text.len() as u64;
        self.end.line += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        self.frames.push(&clean, &mut Taker { store, objects, input });
    }

    /// The file ends.
    pub fn finish(&mut self, store: &mut Store, objects: &mut Objects, input: &mut Input) {
        self.frames.finish(&mut Taker { store, objects, input });
    }

    /// Tells of every byte that was replaced.
    fn tell_controls(&self, text: &str, clean: &str, input: &mut Input) {
        let bytes = text.bytes().zip(clean.bytes()).enumerate();
        for (at, _) in bytes.filter(|(_, (was, is))| was != is) {
            let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64;
            let place = Place { offset: self.end.offset + at as u64, line: self.end.line + 1 + lines };
            input.note(CONTROL, place, "");
        }
    }
}

struct Taker<'a, 'b> {
    store: &'a mut Store,
    objects: &'a mut Objects,
    input: &'a mut Input<'b>,
}

impl Taker<'_, '_> {
    /// Takes what was read last, from `text`.
    fn add(&mut self, text: &str, place: Place) {
        let Self { store, objects, input, .. } = self;
        let record = input.records.add(input.file, place, text.len() as u64);
        let mut reader = Reader::new(store, input);
        if let Err(kind) = reader.add(&objects.object(text), record) {
            input.note(kind, place, text);
        }
    }
}

impl Sink for Taker<'_, '_> {
    fn quick(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        if let Some(found) = self.objects.recall(text) {
            self.add(&text[..found.length], place);
            return Some((found.length, found.line_ends));
        }
        let length = self.objects.parse(text, self.input.strings)?;
        self.add(&text[..length], place);
        Some((length, memchr::memchr_iter(b'\n', &text.as_bytes()[..length]).count() as u64))
    }

    fn record(&mut self, text: &str, place: Place) {
        if self.objects.read(text, self.input.strings).is_none() {
            return self.input.lose(BROKEN, place, text);
        }
        self.add(text, place);
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.input.lose(BROKEN, place, text);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.input.lose(CUT_OFF, place, text);
    }

    fn stray(&mut self, text: &str, place: Place) {
        self.input.note(STRAY, place, text);
    }
}
