//! [`Reread`]: reads the text of one record again from a packed file, by unpacking the file up to that text.

use super::archive_reader::Pick;
use super::checkpoints::{Checkpoint, Checkpoints};
use super::file::ArchiveEntry;
use crate::import::packing::budget::{Budget, PendingBytes};
use crate::import::packing::container::Unpacker;
use crate::import::packing::fault::Fault;
use crate::import::packing::inflate::{Inflated, Inflater};
use crate::import::packing::tar::Untar;
use crate::import::packing::zip::{Method, ZipPlace};
use crate::import::text::decode::{Decoder, TextSink};

/// Unpacks a stored file in steps, so that other messages can be handled in between, until the text of a record is found.
pub struct Reread {
    start: u64,
    way: UnpackPath,
    text: TextBytes,
}

/// Path from the stored bytes of a file to the text that is wanted.
enum UnpackPath {
    /// The text is the content of the file.
    File,
    Tar(Box<TarWay>),
    /// The text is an entry of a zip archive: number of its packed bytes still to come, and its decoder.
    Zip(u64, ZipWay),
}

struct TarWay {
    outer: Unpacker,
    untar: Untar,
    /// Number of entries of the tar archive that have begun.
    count: usize,
    wanted: usize,
    kept: PendingBytes,
}

enum ZipWay {
    Stored,
    Stream(Box<Unpacker>),
    Deflated(Box<Inflater>),
}

/// Unpacks and decodes one text up to the wanted range.
struct TextBytes {
    unpacker: Unpacker,
    decoder: Decoder,
    window: Window,
    kept: PendingBytes,
}

impl Reread {
    /// Prepares to read bytes `from..to` of the text of a file or of an entry.
    pub fn new(entry: Option<ArchiveEntry>, from: u64, to: u64, marks: &Checkpoints) -> Self {
        let number = match entry {
            None => 0,
            Some(ArchiveEntry::Tar(at)) => at + 1,
            Some(ArchiveEntry::Zip(place)) => return Self::of_zip(place, from, to),
        };
        let mark = marks.before(number, from).and_then(Checkpoint::try_clone).unwrap_or_default();
        let Checkpoint { stored, count, at, outer, untar, text: unpacker, decoder } = mark;
        let mut text = TextBytes::new(from, to);
        // If the checkpoint is in another entry, the state of its text is of no use.
        if count == number {
            text.decoder = decoder;
            text.window.at = at;
        }
        let way = match entry {
            None => {
                text.unpacker = outer;
                UnpackPath::File
            }
            Some(_) => {
                if count == number {
                    text.unpacker = unpacker;
                }
                let kept = PendingBytes::default();
                UnpackPath::Tar(Box::new(TarWay { outer, untar, count, wanted: number - 1, kept }))
            }
        };
        Self { start: stored, way, text }
    }

    fn of_zip(ZipPlace { from: start, to: end, method }: ZipPlace, from: u64, to: u64) -> Self {
        let way = match method {
            Method::Deflated => ZipWay::Deflated(Box::default()),
            Method::Stream => ZipWay::Stream(Box::new(Unpacker::entry())),
            Method::Stored | Method::Encrypted | Method::Other(_) => ZipWay::Stored,
        };
        Self { start, way: UnpackPath::Zip(end - start, way), text: TextBytes::new(from, to) }
    }

    /// Offset in the stored file of the first byte needed.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Takes the next stored bytes, from [`start`](Self::start) on. Returns whether more are needed.
    pub fn push(&mut self, mut bytes: &[u8]) -> bool {
        while self.push_step(&mut bytes) {}
        self.needs_more()
    }

    /// One bounded step of [`push`](Self::push): takes bytes from the start of `bytes`. Returns whether it must be
    /// called again before the bytes after `bytes` are passed.
    pub fn push_step(&mut self, bytes: &mut &[u8]) -> bool {
        let budget = Budget::step();
        // Errors are ignored: the import report shows them.
        let more = self.text.resume(&budget) || self.unpack(bytes, &budget).unwrap_or(false);
        more && self.needs_more()
    }

    fn unpack(&mut self, bytes: &mut &[u8], budget: &Budget) -> Result<bool, Fault> {
        let Self { way, text, .. } = self;
        match way {
            UnpackPath::File => {
                text.push(std::mem::take(bytes), budget);
                Ok(text.kept.has_more())
            }
            UnpackPath::Tar(tar) => tar.push(bytes, text, budget),
            UnpackPath::Zip(left, way) => {
                let length = (*left).min(bytes.len() as u64) as usize;
                let mut part = &bytes[..length];
                let more = match way {
                    ZipWay::Stored => {
                        text.push(std::mem::take(&mut part), budget);
                        Ok(false)
                    }
                    ZipWay::Stream(unpacker) => {
                        unpacker.push(&mut part, budget, &mut |plain| text.push(plain, budget))
                    }
                    ZipWay::Deflated(inflater) => inflater
                        .push(&mut part, budget, &mut |plain| text.push(plain, budget))
                        .map(|inflated| inflated == Inflated::Pauses),
                };
                let taken = length - part.len();
                *left -= taken as u64;
                *bytes = &bytes[taken..];
                more.map(|more| more || text.kept.has_more())
            }
        }
    }

    /// Whether the end of the wanted text is not reached yet.
    pub fn needs_more(&self) -> bool {
        self.text.window.at < self.text.window.to
    }

    /// Returns the text, once no more bytes are needed or none are left; `None` if the file does not reach it.
    pub fn finish(self) -> Option<Vec<u8>> {
        let mut text = self.text;
        while text.resume(&Budget::step()) {}
        let TextBytes { mut unpacker, mut decoder, mut window, .. } = text;
        while window.at < window.to
            && unpacker
                .finish(&Budget::step(), &mut |bytes| decoder.push(bytes, &mut window))
                .unwrap_or(false)
        {}
        decoder.finish(&mut window);
        (!window.text.is_empty()).then_some(window.text)
    }
}

impl TarWay {
    fn push(&mut self, bytes: &mut &[u8], text: &mut TextBytes, budget: &Budget) -> Result<bool, Fault> {
        let Self { outer, untar, count, wanted, kept } = self;
        let mut pick = Pick { wanted: *wanted, count: *count, each: &mut |bytes| text.push(bytes, budget) };
        let mut read = kept.resume(|bytes| untar.push(bytes, &mut pick));
        let mut more = Ok(false);
        if read == Ok(false) {
            more = outer.push(bytes, budget, &mut |plain| {
                if read.is_ok() {
                    read = kept.push(plain, |bytes| untar.push(bytes, &mut pick));
                }
            });
        }
        *count = pick.count;
        Ok(read? | more? | text.kept.has_more())
    }
}

impl TextBytes {
    fn new(from: u64, to: u64) -> Self {
        let window = Window { from, to, at: 0, text: Vec::new() };
        Self {
            unpacker: Unpacker::entry(),
            decoder: Decoder::default(),
            window,
            kept: PendingBytes::default(),
        }
    }

    /// Takes the next bytes and keeps those that exceed the budget.
    fn push(&mut self, bytes: &[u8], budget: &Budget) {
        let Self { unpacker, decoder, window, kept } = self;
        drop(
            kept.push(bytes, |bytes| unpacker.push(bytes, budget, &mut |plain| decoder.push(plain, window))),
        );
    }

    /// Continues with the kept bytes. Returns whether bytes are still kept.
    fn resume(&mut self, budget: &Budget) -> bool {
        let Self { unpacker, decoder, window, kept } = self;
        kept.resume(|bytes| unpacker.push(bytes, budget, &mut |plain| decoder.push(plain, window)))
            .unwrap_or(false)
    }
}

/// Collects the bytes `from..to` of a text that arrives in parts.
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
