//! What files are packed in: gzip, streamed; zip, whole, because its table of contents stands at its end.

use super::gzip::{self, Gunzip};

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// One or several gzip members.
    Gzip,
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
    /// For what is inside an archive: it may be gzipped, but is no archive again.
    pub fn entry() -> Self {
        Self { archives: false, ..Self::default() }
    }

    /// The next bytes as stored; `each` is given the unpacked ones. An error says why the rest is not readable.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        match &mut self.state {
            State::Head(head) => {
                head.extend_from_slice(bytes);
                if head.len() < 4 {
                    return Ok(());
                }
                self.begin(each)
            }
            State::Plain => {
                each(bytes);
                Ok(())
            }
            State::Gzip(gzip) => {
                let unpacked = gzip.push(bytes, each);
                if unpacked.is_err() {
                    self.state = State::Broken;
                }
                unpacked
            }
            State::Zip(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            State::Broken => Ok(()),
        }
    }

    /// The file ends. The whole archive if it is one.
    pub fn finish(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<Option<Vec<u8>>, String> {
        if matches!(self.state, State::Head(_)) {
            self.begin(each)?;
        }
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Gzip(gzip) => gzip.finish().map(|()| None),
            State::Zip(all) => Ok(Some(all)),
            _ => Ok(None),
        }
    }

    /// How the file is packed, as far as is known.
    pub fn packing(&self) -> Packing {
        match self.state {
            State::Gzip(_) | State::Broken => Packing::Gzip,
            State::Zip(_) => Packing::Zip,
            State::Head(_) | State::Plain => Packing::Plain,
        }
    }

    fn begin(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let State::Head(head) = std::mem::replace(&mut self.state, State::Plain) else { return Ok(()) };
        if head.starts_with(&gzip::MAGIC) {
            self.state = State::Gzip(Gunzip::default());
        } else if self.archives && (head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")) {
            self.state = State::Zip(Vec::new());
        }
        if head.is_empty() { Ok(()) } else { self.push(&head, each) }
    }
}
