//! Path of one file's text: decoder, then recognition by its head, then importer.

use super::duplicates::{DUPLICATE, FileSample};
use super::sniff;
use super::state::{ImportState, ReadContext};
use crate::base::text::beginning;
use crate::import::contract::{FileId, Format, HEADS, Head, Importer, Input, ProblemKind, Spot};
use crate::import::registry::FORMATS;
use crate::import::text::decode::{Decoder, TextSink};
use crate::trace::Trace;

const NOT_TEXT: ProblemKind =
    ProblemKind::remark("invalid text", "Bytes that are not valid text; shown as \u{FFFD}.");

/// Progress of reading the text of a file.
#[derive(Default)]
pub struct TextReading {
    decoder: Decoder,
    /// First bytes before decoding, to describe a file that no format recognises.
    first: Vec<u8>,
    sample: Box<FileSample>,
    stage: TextStage,
}

impl TextReading {
    /// State of the text decoder.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

enum TextStage {
    /// Text gathered so far to recognise the format, and the number of lengths in `HEADS` at which no format
    /// recognised it.
    Head(String, usize),
    /// Index in `FORMATS` of the format that recognised the file.
    Known(usize),
    /// No format recognises the file: the rest is only counted.
    Unknown,
}

impl Default for TextStage {
    fn default() -> Self {
        Self::Head(String::new(), 0)
    }
}

/// Passes the bytes of one file through decoder, recognition and importer.
pub struct TextPipeline<'a> {
    pub state: &'a mut ImportState,
    pub trace: &'a mut Trace,
    pub file: FileId,
    pub text: &'a mut TextReading,
}

impl ReadContext<'_> {
    /// Returns the pipeline for the bytes of `file`, which is the stored file itself or an entry of it.
    pub fn pipeline<'a>(&'a mut self, file: FileId, text: &'a mut TextReading) -> TextPipeline<'a> {
        TextPipeline { state: self.state, trace: self.trace, file, text }
    }
}

impl TextPipeline<'_> {
    /// Takes the next unpacked bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let wanted = 16_usize.saturating_sub(self.text.first.len()).min(bytes.len());
        self.text.first.extend_from_slice(&bytes[..wanted]);
        self.text.sample.push(bytes);
        let mut decoder = std::mem::take(&mut self.text.decoder);
        decoder.push(bytes, self);
        self.text.decoder = decoder;
    }

    /// Finishes reading at the end of the file.
    pub fn finish(&mut self) {
        let mut decoder = std::mem::take(&mut self.text.decoder);
        decoder.finish(self);
        let file = self.state.file(self.file);
        (file.plain, file.skipped) = (decoder.is_plain(), decoder.skipped());
        self.text.decoder = decoder;
        self.try_recognise(true);
        if let TextStage::Known(format) = self.text.stage {
            self.with_importer(format, |importer, input| importer.close(input));
            self.note_duplicate(format);
        }
    }

    fn note_duplicate(&mut self, format: usize) {
        let (first, file) = (self.state.known.file(&self.text.sample, self.file), self.file);
        let importer = self.state.importers.get_mut(format).and_then(Option::as_mut);
        if first != file && !importer.is_some_and(|importer| importer.leave_out(file, first)) {
            let name = self.state.file(first).name.clone();
            self.state.note(self.file, DUPLICATE, &name);
        }
    }

    /// Tries to recognise the format once enough text is gathered or the file is `complete`.
    fn try_recognise(&mut self, complete: bool) {
        while let TextStage::Head(text, looks) = &mut self.text.stage {
            let (size, is_last) = (HEADS[*looks], *looks + 1 == HEADS.len());
            let is_whole = text.len() < size;
            if is_whole && !complete {
                return;
            }
            // A head of exactly this size: recognition must not depend on how the bytes are split.
            let (text, looks) = (std::mem::take(text), *looks + 1);
            let head = Head { text: beginning(&text, size), complete: is_whole };
            let is_last = is_whole || is_last;
            if self.recognise(&head, is_last, &text) {
                return;
            }
            if is_last {
                return self.describe(&head);
            }
            self.text.stage = TextStage::Head(text, looks);
        }
    }

    /// Finds the format of a head and passes the text to its importer. Returns `false` if no format recognises it.
    fn recognise(&mut self, head: &Head, is_last: bool, text: &str) -> bool {
        let by = |knows: fn(&dyn Format, &Head) -> Option<&'static str>| {
            FORMATS.iter().enumerate().find_map(|(at, f)| Some((at, knows(*f, head)?)))
        };
        let found = match self.state.read_as {
            Some(at) => Some((at, FORMATS[at].sniff(head).unwrap_or("as chosen"))),
            None if is_last && head.looks_like_json() => {
                by(|f, head| f.sniff(head)).or_else(|| by(|f, head| f.inside(head)))
            }
            None => by(|f, head| f.sniff(head)),
        };
        let Some((at, shape)) = found else { return false };
        let file = self.state.file(self.file);
        (file.format, file.description) = (Some(at), format!("{}, {shape}", FORMATS[at].about().name));
        self.text.stage = TextStage::Known(at);
        self.with_importer(at, |importer, input| {
            importer.open(head, input);
            importer.push(text, input);
        });
        true
    }

    /// Describes a file that no format recognises.
    fn describe(&mut self, head: &Head) {
        // The description says more than a remark about invalid text.
        self.state.problems.forget(self.file, NOT_TEXT);
        let file = self.state.file(self.file);
        let beside = FORMATS.iter().find_map(|f| Some((f.about().name, f.sidecar(head)?)));
        file.is_sidecar = beside.is_some();
        file.description = match beside {
            Some((format, what)) => format!("{format}, {what}"),
            None => sniff::describe(&self.text.first, head),
        };
        self.text.stage = TextStage::Unknown;
    }

    fn with_importer(&mut self, format: usize, work: impl FnOnce(&mut dyn Importer, &mut Input)) {
        let ImportState { importers, records, problems, files, choice, saved, .. } = &mut *self.state;
        importers.resize_with(FORMATS.len(), || None);
        let importer = importers[format].get_or_insert_with(|| FORMATS[format].importer());
        let file = &mut files[self.file.0 as usize];
        let before = records.len();
        let Trace { strings, reported, .. } = &mut *self.trace;
        let (name, other_lines) = (&*file.name, &mut file.other_lines);
        work(
            importer.as_mut(),
            &mut Input {
                file: self.file,
                name,
                strings,
                reported,
                records,
                problems,
                other_lines,
                choice,
                saved,
            },
        );
        file.records += (records.len() - before) as u64;
    }
}

impl TextSink for TextPipeline<'_> {
    fn text(&mut self, text: &str) {
        match &mut self.text.stage {
            TextStage::Head(head, _) => {
                head.push_str(text);
                self.try_recognise(false);
            }
            TextStage::Known(format) => {
                let format = *format;
                self.with_importer(format, |importer, input| importer.push(text, input));
            }
            TextStage::Unknown => {}
        }
    }

    fn invalid(&mut self, offset: u64, bytes: &[u8]) {
        if !matches!(self.text.stage, TextStage::Unknown) {
            self.state.problems.note(self.file, NOT_TEXT, || Spot::new(None, offset, bytes));
        }
    }
}
