//! What files are packed in: gzip, streamed; zip, whole, because its table of contents stands at its end.

use std::io::{Cursor, Read, Write};

use flate2::write::MultiGzDecoder;
use zip::ZipArchive;

use super::salvage;

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

/// Compressed bytes that are unpacked at a time: bounds what one slice can grow to.
const STEP: usize = 64 << 10;

/// Unpacks the bytes of one file.
pub struct Unpacker {
    state: State,
    archives: bool,
}

enum State {
    /// Too few bytes to tell.
    Head(Vec<u8>),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
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
            State::Gzip(gzip) => match gunzip(gzip, bytes, each) {
                Ok(()) => Ok(()),
                Err(error) => {
                    self.state = State::Broken;
                    Err(error)
                }
            },
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
            State::Gzip(mut gzip) => {
                let ended = gzip.try_finish();
                each(gzip.get_ref());
                ended.map(|()| None).map_err(|error| reason(&error))
            }
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
        if head.starts_with(&[0x1F, 0x8B]) {
            self.state = State::Gzip(Box::new(MultiGzDecoder::new(Vec::new())));
        } else if self.archives && (head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")) {
            self.state = State::Zip(Vec::new());
        }
        if head.is_empty() { Ok(()) } else { self.push(&head, each) }
    }
}

fn gunzip(
    gzip: &mut MultiGzDecoder<Vec<u8>>,
    bytes: &[u8],
    each: &mut dyn FnMut(&[u8]),
) -> Result<(), String> {
    for part in bytes.chunks(STEP) {
        let written = gzip.write_all(part);
        each(gzip.get_ref());
        gzip.get_mut().clear();
        written.map_err(|error| reason(&error))?;
    }
    Ok(())
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "the compressed data breaks off".to_owned(),
        _ => format!("the compressed data is damaged: {error}"),
    }
}

/// The entries of a zip archive that are files.
pub struct Archive<'a> {
    bytes: &'a [u8],
    contents: Contents<'a>,
}

enum Contents<'a> {
    Listed(ZipArchive<Cursor<&'a [u8]>>),
    /// The table of contents is missing, for this reason.
    Found(Vec<salvage::Entry>, String),
}

impl<'a> Archive<'a> {
    /// Opens the archive that `bytes` are.
    pub fn new(bytes: &'a [u8]) -> Self {
        let contents = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(zip) => Contents::Listed(zip),
            Err(error) => Contents::Found(salvage::entries(bytes), error.to_string()),
        };
        Self { bytes, contents }
    }

    /// Why it has no table of contents, if so: then entries may be missing.
    pub fn damage(&self) -> Option<&str> {
        match &self.contents {
            Contents::Listed(_) => None,
            Contents::Found(_, reason) => Some(reason),
        }
    }

    /// The positions and names of all entries but folders, in the archive's order.
    pub fn files(&self) -> Vec<(usize, String)> {
        let names: Vec<String> = match &self.contents {
            Contents::Found(entries, _) => entries.iter().map(|entry| entry.name.clone()).collect(),
            Contents::Listed(zip) => {
                // A name that is no text still is the name of a file.
                let name = |at| zip.name_for_index(at)?.ok().map(|name| name.into_owned());
                (0..zip.len()).map(|at| name(at).unwrap_or_else(|| format!("entry {}", at + 1))).collect()
            }
        };
        names.into_iter().enumerate().filter(|(_, name)| !name.ends_with('/')).collect()
    }

    /// Unpacks one entry; `each` is given its bytes. An error says why the rest is not readable.
    pub fn read(&mut self, at: usize, mut each: impl FnMut(&[u8])) -> Result<(), String> {
        let zip = match &mut self.contents {
            Contents::Listed(zip) => zip,
            Contents::Found(entries, _) => {
                let entry = entries.get(at).ok_or("there is no such entry")?;
                return salvage::read(self.bytes, entry, &mut each);
            }
        };
        let mut entry = zip.by_index(at).map_err(|error| error.to_string())?;
        let mut part = vec![0; STEP];
        loop {
            match entry.read(&mut part) {
                Ok(0) => return Ok(()),
                Ok(length) => each(&part[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(reason(&error)),
            }
        }
    }
}
