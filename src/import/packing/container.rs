//! What files are packed in: gzip, Zstandard and bzip2, streamed; zip, whole, because its table of contents stands at
//! its end.

use super::budget::Budget;
use super::bzip2::{self, Bunzip};
use super::fault::Fault;
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

/// Bytes that tell how a file is packed.
const HEAD: usize = 4;

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
    /// After an error the rest is not readable. What it was packed by.
    Broken(Option<&'static str>),
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

    /// Takes of the next bytes, as stored, what the budget allows; `each` is given the unpacked ones. Whether more comes
    /// out without more bytes, or bytes are left.
    ///
    /// # Errors
    /// Why the rest is not readable.
    pub fn push(
        &mut self,
        bytes: &mut &[u8],
        budget: &Budget,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, Fault> {
        if let State::Head(head) = &mut self.state {
            let (first, rest) = bytes.split_at((HEAD - head.len()).min(bytes.len()));
            head.extend_from_slice(first);
            *bytes = rest;
            if head.len() < HEAD {
                return Ok(false);
            }
            self.begin(budget, each)?;
        }
        let unpacked = match &mut self.state {
            State::Plain => {
                let all = std::mem::take(bytes);
                if !all.is_empty() {
                    each(all);
                }
                Ok(false)
            }
            State::Gzip(gzip) => gzip.push(bytes, budget, each),
            State::Zstd(zstd) => zstd.push(bytes, budget, each),
            State::Bzip2(bzip2) => bzip2.push(bytes, budget, each),
            State::Zip(all) => {
                all.extend_from_slice(std::mem::take(bytes));
                Ok(false)
            }
            State::Head(_) | State::Broken(_) => {
                *bytes = &[];
                Ok(false)
            }
        };
        if unpacked.is_err() {
            self.give_up();
        }
        unpacked
    }

    /// Nothing more is read of the file.
    pub fn give_up(&mut self) {
        self.state = State::Broken(self.container());
    }

    /// The file ends; `each` is given what was held back. Whether more of that comes out.
    ///
    /// # Errors
    /// What is missing.
    pub fn finish(&mut self, budget: &Budget, each: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
        if matches!(self.state, State::Head(_)) {
            self.begin(budget, each)?;
        }
        let ended = match &mut self.state {
            State::Gzip(gzip) => gzip.finish().map(|()| false),
            State::Zstd(zstd) => zstd.finish(budget, each),
            State::Bzip2(bzip2) => bzip2.finish().map(|()| false),
            State::Head(_) | State::Plain | State::Broken(_) | State::Zip(_) => Ok(false),
        };
        if ended.is_err() {
            self.give_up();
        }
        ended
    }

    /// The whole archive, if the file is one that is read whole.
    pub fn take_archive(&mut self) -> Option<Vec<u8>> {
        match &mut self.state {
            State::Zip(all) => Some(std::mem::take(all)),
            _ => None,
        }
    }

    /// What packed it, as people call it; `None` if nothing did, as far as is known.
    pub fn container(&self) -> Option<&'static str> {
        match self.state {
            State::Gzip(_) => Some("gzip"),
            State::Zstd(_) => Some("Zstandard"),
            State::Bzip2(_) => Some("bzip2"),
            State::Zip(_) => Some("zip"),
            State::Broken(container) => container,
            State::Head(_) | State::Plain => None,
        }
    }

    /// One that stands where this one stands, where that is possible: gzip's state can be copied.
    pub fn twin(&self) -> Option<Self> {
        let state = match &self.state {
            State::Head(head) => State::Head(head.clone()),
            State::Plain => State::Plain,
            State::Gzip(gzip) => State::Gzip(gzip.clone()),
            State::Zstd(_) | State::Bzip2(_) | State::Broken(_) | State::Zip(_) => return None,
        };
        Some(Self { state, ..*self })
    }

    /// How the file is packed, as far as is known.
    pub fn packing(&self) -> Packing {
        match self.state {
            State::Gzip(_) | State::Zstd(_) | State::Bzip2(_) | State::Broken(_) => Packing::Stream,
            State::Zip(_) => Packing::Zip,
            State::Head(_) | State::Plain => Packing::Plain,
        }
    }

    /// Knows by the first bytes how the file is packed, and takes them. They are too few to spend a budget.
    fn begin(&mut self, budget: &Budget, each: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
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
        self.push(&mut &head[..], budget, each).map(|_| ())
    }
}
