//! [`Reread`]: the text of one record, out of a packed file that is unpacked once more, up to there.

use super::container::Unpacker;
use super::contents::Pick;
use super::decode::{Decoder, TextSink};
use super::file::Entry;
use super::marks::{Mark, Marks};
use super::tar::Untar;
use super::zip::Archive;

/// Unpacks a stored file in parts, so that others are heard between them, until the text of a record is there.
pub struct Reread {
    entry: Option<Entry>,
    start: u64,
    /// The bytes of a zip archive, whose table of contents stands at its end.
    zip: Vec<u8>,
    outer: Unpacker,
    untar: Untar,
    /// How many entries of a tar archive have begun.
    count: usize,
    text: Text,
}

/// The bytes of one text on their way to the place that is wanted of it.
struct Text {
    unpacker: Unpacker,
    decoder: Decoder,
    window: Window,
}

impl Reread {
    /// The text from `from` to `to` of a file, or of its entry of an archive.
    pub(super) fn new(entry: Option<Entry>, from: u64, to: u64, marks: &Marks) -> Self {
        let number = match entry {
            None => 0,
            Some(Entry::Tar(at)) => at + 1,
            Some(Entry::Zip(_)) => return Self::from_start(entry, from, to),
        };
        let mark = marks.before(number, from).and_then(Mark::twin);
        let Some(Mark { stored, count, at, outer, untar, text, decoder }) = mark else {
            return Self::from_start(entry, from, to);
        };
        let mut found = Self { start: stored, untar, count, ..Self::from_start(entry, from, to) };
        match entry {
            None => found.text.unpacker = outer,
            Some(_) => found.outer = outer,
        }
        // Of another entry nothing is of use but where it ends.
        if count == number {
            found.text.decoder = decoder;
            found.text.window.at = at;
            if entry.is_some() {
                found.text.unpacker = text;
            }
        }
        found
    }

    fn from_start(entry: Option<Entry>, from: u64, to: u64) -> Self {
        let window = Window { from, to, at: 0, text: Vec::new() };
        let text = Text { unpacker: Unpacker::entry(), decoder: Decoder::default(), window };
        let (outer, untar) = (Unpacker::default(), Untar::default());
        Self { entry, start: 0, zip: Vec::new(), outer, untar, count: 0, text }
    }

    /// Where the bytes begin, of the file as stored, that it needs.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The next bytes of the file as stored, from [`start`](Self::start) on. Whether more are needed.
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        let Self { entry, zip, outer, untar, count, text, .. } = self;
        // What is damaged does not matter here; the report tells of it.
        match *entry {
            None => text.push(bytes),
            Some(Entry::Zip(_)) => zip.extend_from_slice(bytes),
            Some(Entry::Tar(wanted)) => {
                let mut pick = Pick { wanted, count: *count, each: &mut |bytes| text.push(bytes) };
                drop(outer.push(bytes, &mut |bytes| drop(untar.push(bytes, &mut pick))));
                *count = pick.count;
            }
        }
        text.window.at < text.window.to
    }

    /// The text, once no more bytes are needed or none are left; `None` if it is not there.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        if let Some(Entry::Zip(at)) = self.entry {
            drop(Archive::new(&self.zip).read(at, |bytes| self.text.push(bytes)));
        }
        let Text { mut unpacker, mut decoder, mut window } = self.text;
        drop(unpacker.finish(&mut |bytes| decoder.push(bytes, &mut window)));
        decoder.finish(&mut window);
        (!window.text.is_empty()).then_some(window.text)
    }
}

impl Text {
    fn push(&mut self, bytes: &[u8]) {
        let Self { unpacker, decoder, window } = self;
        drop(unpacker.push(bytes, &mut |bytes| decoder.push(bytes, window)));
    }
}

/// Cuts the text at one place out of all of it.
struct Window {
    from: u64,
    to: u64,
    at: u64,
    text: Vec<u8>,
}

impl TextSink for Window {
    fn text(&mut self, text: &str) {
        let end = self.at + text.len() as u64;
        let (from, to) = (self.from.clamp(self.at, end), self.to.clamp(self.at, end));
        self.text.extend_from_slice(&text.as_bytes()[(from - self.at) as usize..(to - self.at) as usize]);
        self.at = end;
    }

    fn invalid(&mut self, _: u64, _: &[u8]) {}
}
