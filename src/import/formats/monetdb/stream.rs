//! Files of JSON objects in any framing: one per line, pretty-printed, in an array, or concatenated.

use std::borrow::Cow;

use super::object::MonetDbObjectReader;
use super::problems::{BROKEN, CONTROL, CUT_OFF, STRAY, TORN};
use super::reader::MonetDbReader;
use super::store::MonetDbStore;
use super::torn;
use super::words::cleaned;
use crate::import::contract::{Input, ProblemKind};
use crate::import::json::{RecordHandler, RecordSplitter};
use crate::import::text::lines::Place;

/// Parser state between two chunks of a file.
#[derive(Default)]
pub struct JsonFileState {
    splitter: RecordSplitter,
    end: Place,
    /// End of the previous chunk, if it may begin a [slip](torn::without_slips).
    held: String,
}

impl JsonFileState {
    /// Reads the next chunk of the file.
    pub fn push(
        &mut self,
        text: &str,
        store: &mut MonetDbStore,
        objects: &mut MonetDbObjectReader,
        input: &mut Input,
    ) {
        let text = match self.held.is_empty() {
            true => Cow::Borrowed(text),
            false => Cow::Owned(std::mem::take(&mut self.held) + text),
        };
        let (text, held) = text.split_at(text.len() - torn::begun(&text));
        held.clone_into(&mut self.held);
        self.take(text, store, objects, input);
    }

    fn take(
        &mut self,
        text: &str,
        store: &mut MonetDbStore,
        objects: &mut MonetDbObjectReader,
        input: &mut Input,
    ) {
        let (whole, slips) = torn::without_slips(text);
        for at in slips {
            input.note(TORN, self.place(text, at), &text[at..]);
        }
        let clean = cleaned(&whole);
        if let Cow::Owned(clean) = &clean {
            self.tell_controls(&whole, clean, input);
        }
        self.splitter.push(&clean, &mut MonetDbJsonSink { store, objects, input });
        self.end.offset += text.len() as u64;
        // Lines inside records were counted by the splitter; lines of text that is scanned again were not.
        let counted = Some(self.splitter.end()).filter(|end| end.offset == self.end.offset);
        let passed = || memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        self.end.line = counted.map_or_else(|| self.end.line + passed(), |end| end.line - 1);
    }

    /// Reads the rest at the end of the file.
    pub fn finish(&mut self, store: &mut MonetDbStore, objects: &mut MonetDbObjectReader, input: &mut Input) {
        let held = std::mem::take(&mut self.held);
        self.take(&held, store, objects, input);
        self.splitter.finish(&mut MonetDbJsonSink { store, objects, input });
    }

    /// Place of a byte of the current chunk in the file.
    fn place(&self, text: &str, at: usize) -> Place {
        let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64;
        Place { offset: self.end.offset + at as u64, line: self.end.line + 1 + lines }
    }

    /// Reports each control character that was replaced.
    fn tell_controls(&self, text: &str, clean: &str, input: &mut Input) {
        let bytes = text.bytes().zip(clean.bytes()).enumerate();
        for (at, _) in bytes.filter(|(_, (was, is))| was != is) {
            input.note(CONTROL, self.place(text, at), &text[at..]);
        }
    }
}

struct MonetDbJsonSink<'a, 'b> {
    store: &'a mut MonetDbStore,
    objects: &'a mut MonetDbObjectReader,
    input: &'a mut Input<'b>,
}

impl MonetDbJsonSink<'_, '_> {
    /// Adds the record that was read last, from `text`.
    fn add(&mut self, text: &str, place: Place) {
        let Self { store, objects, input, .. } = self;
        let record = input.records.add(input.file, place, text.len() as u64);
        let mut reader = MonetDbReader::new(store, input);
        if let Err(kind) = reader.add(&objects.object(text), record) {
            input.note(kind, place, text);
        }
    }
}

impl MonetDbJsonSink<'_, '_> {
    /// Adds the complete members of a truncated record. If they are not enough to show the event, the whole record is
    /// reported as lost.
    fn keep_rest(&mut self, kind: ProblemKind, text: &str, place: Place) {
        let Self { store, objects, input } = self;
        let rest = torn::whole_members(text).filter(|rest| {
            objects.read(rest, input.strings).is_some() && torn::is_enough(&objects.object(rest))
        });
        let Some(rest) = rest else { return input.lose(kind, place, text) };
        let record = input.records.add(input.file, place, text.len() as u64);
        let mut reader = MonetDbReader::new(store, input);
        match reader.add(&objects.object(&rest), record) {
            Ok(()) => input.note(TORN, place, text),
            Err(kind) => input.note(kind, place, text),
        }
    }
}

impl RecordHandler for MonetDbJsonSink<'_, '_> {
    fn try_read(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        let objects = &mut *self.objects;
        let found = objects.recall(text).or_else(|| objects.parse(text, self.input.strings))?;
        self.add(&text[..found.length], place);
        Some((found.length, found.line_ends))
    }

    fn record(&mut self, text: &str, place: Place) {
        if self.objects.read(text, self.input.strings).is_none() {
            return self.input.lose(BROKEN, place, text);
        }
        self.add(text, place);
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.keep_rest(BROKEN, text, place);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.keep_rest(CUT_OFF, text, place);
    }

    fn stray(&mut self, text: &str, place: Place) {
        self.input.note(STRAY, place, text);
    }
}
