//! The containers that files are packed in: gzip, Zstandard and bzip2 as streams; zip as a whole, because its table of
//! contents is at its end.

use super::budget::Budget;
use super::bzip2::{self, Bunzip};
use super::fault::Fault;
use super::gzip::{self, Gunzip};
use super::zstd::{self, Unzstd};

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// The file is not packed.
    Plain,
    /// A stream of gzip, Zstandard or bzip2.
    Stream,
    /// A zip archive; its entries are files of their own.
    Zip,
}

/// Number of bytes from which the container is recognised.
const HEAD: usize = 4;

/// Unpacks the bytes of one file.
pub struct Unpacker {
    state: UnpackerState,
    archives: bool,
}

enum UnpackerState {
    /// Too few bytes to recognise the container.
    Head(Vec<u8>),
    Plain,
    Gzip(Gunzip),
    Zstd(Box<Unzstd>),
    Bzip2(Box<Bunzip>),
    /// The rest is not readable after an error. Holds the name of the container.
    Broken(Option<&'static str>),
    Zip(Vec<u8>),
}

impl Default for Unpacker {
    fn default() -> Self {
        Self { state: UnpackerState::Head(Vec::new()), archives: true }
    }
}

impl Unpacker {
    /// An unpacker for an entry of an archive: it may be compressed, but is not unpacked as an archive.
    pub fn entry() -> Self {
        Self { archives: false, ..Self::default() }
    }

    /// Takes as many of the next stored bytes as the budget allows; `each` receives the unpacked bytes. Returns whether
    /// to call again before more bytes arrive: bytes are left, or more output follows.
    ///
    /// # Errors
    /// The reason why the rest is not readable.
    pub fn push(
        &mut self,
        bytes: &mut &[u8],
        budget: &Budget,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, Fault> {
        if let UnpackerState::Head(head) = &mut self.state {
            let (first, rest) = bytes.split_at((HEAD - head.len()).min(bytes.len()));
            head.extend_from_slice(first);
            *bytes = rest;
            if head.len() < HEAD {
                return Ok(false);
            }
            self.begin(budget, each)?;
        }
        let unpacked = match &mut self.state {
            UnpackerState::Plain => {
                let all = std::mem::take(bytes);
                if !all.is_empty() {
                    each(all);
                }
                Ok(false)
            }
            UnpackerState::Gzip(gzip) => gzip.push(bytes, budget, each),
            UnpackerState::Zstd(zstd) => zstd.push(bytes, budget, each),
            UnpackerState::Bzip2(bzip2) => bzip2.push(bytes, budget, each),
            UnpackerState::Zip(all) => {
                all.extend_from_slice(std::mem::take(bytes));
                Ok(false)
            }
            UnpackerState::Head(_) | UnpackerState::Broken(_) => {
                *bytes = &[];
                Ok(false)
            }
        };
        if unpacked.is_err() {
            self.give_up();
        }
        unpacked
    }

    /// Stops reading the file.
    pub fn give_up(&mut self) {
        self.state = UnpackerState::Broken(self.container());
    }

    /// Finishes reading at the end of the file; `each` receives the bytes that were not unpacked yet. Returns whether
    /// it must be called again for more of them.
    ///
    /// # Errors
    /// If the file ends early.
    pub fn finish(&mut self, budget: &Budget, each: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
        if matches!(self.state, UnpackerState::Head(_)) {
            self.begin(budget, each)?;
        }
        let ended = match &mut self.state {
            UnpackerState::Gzip(gzip) => gzip.finish().map(|()| false),
            UnpackerState::Zstd(zstd) => zstd.finish(budget, each),
            UnpackerState::Bzip2(bzip2) => bzip2.finish().map(|()| false),
            UnpackerState::Head(_)
            | UnpackerState::Plain
            | UnpackerState::Broken(_)
            | UnpackerState::Zip(_) => Ok(false),
        };
        if ended.is_err() {
            self.give_up();
        }
        ended
    }

    /// Takes all bytes of a zip archive, to be read as a whole; `None` for any other file.
    pub fn take_archive(&mut self) -> Option<Vec<u8>> {
        match &mut self.state {
            UnpackerState::Zip(all) => Some(std::mem::take(all)),
            _ => None,
        }
    }

    /// Name of the container for users; `None` if the file is not packed, or the container is not known yet.
    pub fn container(&self) -> Option<&'static str> {
        match self.state {
            UnpackerState::Gzip(_) => Some("gzip"),
            UnpackerState::Zstd(_) => Some("Zstandard"),
            UnpackerState::Bzip2(_) => Some("bzip2"),
            UnpackerState::Zip(_) => Some("zip"),
            UnpackerState::Broken(container) => container,
            UnpackerState::Head(_) | UnpackerState::Plain => None,
        }
    }

    /// Clones the unpacker for a checkpoint; `None` unless the file is a gzip file or not packed.
    pub fn try_clone(&self) -> Option<Self> {
        let state = match &self.state {
            UnpackerState::Head(head) => UnpackerState::Head(head.clone()),
            UnpackerState::Plain => UnpackerState::Plain,
            UnpackerState::Gzip(gzip) => UnpackerState::Gzip(gzip.clone()),
            UnpackerState::Zstd(_)
            | UnpackerState::Bzip2(_)
            | UnpackerState::Broken(_)
            | UnpackerState::Zip(_) => return None,
        };
        Some(Self { state, ..*self })
    }

    /// How the file is packed, as far as is known.
    pub fn packing(&self) -> Packing {
        match self.state {
            UnpackerState::Gzip(_)
            | UnpackerState::Zstd(_)
            | UnpackerState::Bzip2(_)
            | UnpackerState::Broken(_) => Packing::Stream,
            UnpackerState::Zip(_) => Packing::Zip,
            UnpackerState::Head(_) | UnpackerState::Plain => Packing::Plain,
        }
    }

    /// Recognises the container by the first [`HEAD`] bytes, then unpacks them. They are so few that they cannot
    /// exceed the budget.
    fn begin(&mut self, budget: &Budget, each: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
        let UnpackerState::Head(head) = std::mem::replace(&mut self.state, UnpackerState::Plain) else {
            return Ok(());
        };
        if head.starts_with(&gzip::MAGIC) {
            self.state = UnpackerState::Gzip(Gunzip::default());
        } else if zstd::is_packed(&head) {
            self.state = UnpackerState::Zstd(Box::default());
        } else if head.starts_with(&bzip2::MAGIC) && head.get(3).is_some_and(u8::is_ascii_digit) {
            self.state = UnpackerState::Bzip2(Box::default());
        } else if self.archives && (head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")) {
            self.state = UnpackerState::Zip(Vec::new());
        }
        self.push(&mut &head[..], budget, each).map(|_| ())
    }
}
