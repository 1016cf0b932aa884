//! What files are packed in: gzip, Zstandard and bzip2, streamed; zip, whole, because its table of contents stands at
//! its end.

use super::bzip2::{self, Bunzip};
use super::gzip::{self, Gunzip};
use super::zstd::{self, Unzstd};

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// As a stream of gzip, Zstandard or bzip2.
    Stream,
    /// A zip archive; its entries are files of their own.
    Zip,
}

/// Unpacks the bytes of one file.
pub struct Unpacker {
    state: State,
    archives: bool,
}

enum State {
    /// Too few bytes to tell.
    Head(Vec<u8>),
    Plain,
    Gzip(Gunzip),
    Zstd(Box<Unzstd>),
    Bzip2(Box<Bunzip>),
    /// Behind an error: the rest is not readable.
    Broken,
    Zip(Vec<u8>),
}

impl Default for Unpacker {
    fn default() -> Self {
        Self { state: State::Head(Vec::new()), archives: true }
    }
}

impl Unpacker {
    /// For what is inside an archive: it may be packed, but is no archive again.
    pub fn entry() -> Self {
        Self { archives: false, ..Self::default() }
    }

    /// The next bytes as stored; `each` is given the unpacked ones. An error says why the rest is not readable.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let unpacked = match &mut self.state {
            State::Head(head) => {
                head.extend_from_slice(bytes);
                return if head.len() < 4 { Ok(()) } else { self.begin(each) };
            }
            State::Plain => {
                each(bytes);
                Ok(())
            }
            State::Gzip(gzip) => gzip.push(bytes, each),
            State::Zstd(zstd) => zstd.push(bytes, each),
            State::Bzip2(bzip2) => bzip2.push(bytes, each),
            State::Zip(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            State::Broken => Ok(()),
        };
        if unpacked.is_err() {
            self.state = State::Broken;
        }
        unpacked
    }

    /// The file ends. The whole archive if it is one.
    pub fn finish(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<Option<Vec<u8>>, String> {
        if matches!(self.state, State::Head(_)) {
            self.begin(each)?;
        }
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Gzip(gzip) => gzip.finish().map(|()| None),
            State::Zstd(zstd) => zstd.finish(each).map(|()| None),
            State::Bzip2(bzip2) => bzip2.finish().map(|()| None),
            State::Zip(all) => Ok(Some(all)),
            State::Head(_) | State::Plain | State::Broken => Ok(None),
        }
    }

    /// One that stands where this one stands, where that is possible: gzip's state can be copied.
    pub fn twin(&self) -> Option<Self> {
        let state = match &self.state {
            State::Head(head) => State::Head(head.clone()),
            State::Plain => State::Plain,
            State::Gzip(gzip) => State::Gzip(gzip.clone()),
            State::Zstd(_) | State::Bzip2(_) | State::Broken | State::Zip(_) => return None,
        };
        Some(Self { state, ..*self })
    }

    /// How the file is packed, as far as is known.
    pub fn packing(&self) -> Packing {
        match self.state {
            State::Gzip(_) | State::Zstd(_) | State::Bzip2(_) | State::Broken => Packing::Stream,
            State::Zip(_) => Packing::Zip,
            State::Head(_) | State::Plain => Packing::Plain,
        }
    }

    fn begin(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let State::Head(head) = std::mem::replace(&mut self.state, State::Plain) else { return Ok(()) };
        if head.starts_with(&gzip::MAGIC) {
            self.state = State::Gzip(Gunzip::default());
        } else if zstd::is_packed(&head) {
            self.state = State::Zstd(Box::default());
        } else if head.starts_with(&bzip2::MAGIC) && head.get(3).is_some_and(u8::is_ascii_digit) {
            self.state = State::Bzip2(Box::default());
        } else if self.archives && (head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")) {
            self.state = State::Zip(Vec::new());
        }
        if head.is_empty() { Ok(()) } else { self.push(&head, each) }
    }
}
