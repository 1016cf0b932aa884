//! The entries of a zip archive whose end is missing, and with it the table of contents: found by the header that stands
//! before each (4.3.7 and 4.3.9 of <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>).

use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};

const HEADER: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Bytes that are unpacked at a time.
const STEP: usize = 64 << 10;
const BREAKS_OFF: &str = "the compressed data breaks off";

/// An entry, whole or cut off.
pub struct Entry {
    /// Its name in the archive.
    pub name: String,
    data: Range<usize>,
    packing: Packing,
    whole: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    Stored,
    Deflated,
    Encrypted,
    /// By a method of this number.
    Other(u16),
}

/// All entries whose header is there.
pub fn entries(archive: &[u8]) -> Vec<Entry> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(entry) = find(archive, HEADER, from).and_then(|at| entry(archive, at)) {
        from = entry.data.end;
        found.push(entry);
    }
    found
}

/// Unpacks one of them; `each` is given its bytes. An error says why the rest is not readable.
pub fn read(archive: &[u8], entry: &Entry, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
    let data = archive.get(entry.data.clone()).ok_or(BREAKS_OFF)?;
    match entry.packing {
        Packing::Deflated => inflate(data, each).map(drop),
        Packing::Encrypted => Err("the entry is encrypted".to_owned()),
        Packing::Other(method) => Err(format!("the entry is compressed by method {method}")),
        Packing::Stored => {
            data.chunks(STEP).for_each(each);
            if entry.whole { Ok(()) } else { Err(BREAKS_OFF.to_owned()) }
        }
    }
}

fn entry(archive: &[u8], at: usize) -> Option<Entry> {
    let header = archive.get(at..at + 30)?;
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let size = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let name = at + 30;
    let start = name + usize::from(short(26));
    let data = start + usize::from(short(28));
    let packing = match (short(6) & 1, short(8)) {
        (1, _) => Packing::Encrypted,
        (_, 0) => Packing::Stored,
        (_, 8) => Packing::Deflated,
        (_, method) => Packing::Other(method),
    };
    // A writer that cannot seek writes the size behind the entry; of 4 GiB and more it stands elsewhere.
    let known = Some(size(18)).filter(|&size| short(6) & 8 == 0 && size != u32::MAX);
    let end = match known {
        Some(size) => Some(data + size as usize),
        None => end_of(archive, data, packing),
    };
    let end = end.filter(|&end| end <= archive.len());
    Some(Entry {
        name: String::from_utf8_lossy(archive.get(name..start)?).into_owned(),
        data: data.min(archive.len())..end.unwrap_or(archive.len()),
        packing,
        whole: end.is_some(),
    })
}

/// Where the data of an entry ends whose header does not say it.
fn end_of(archive: &[u8], data: usize, packing: Packing) -> Option<usize> {
    let rest = archive.get(data..)?;
    if packing == Packing::Deflated {
        return inflate(rest, &mut |_| {}).ok().map(|length| data + length);
    }
    // The descriptor behind it repeats its length.
    let mut from = data;
    while let Some(at) = find(archive, DESCRIPTOR, from) {
        let length = archive.get(at + 8..at + 12)?;
        if length == ((at - data) as u32).to_le_bytes() {
            return Some(at);
        }
        from = at + DESCRIPTOR.len();
    }
    None
}

/// Unpacks a deflated stream, and returns how many bytes it has.
fn inflate(data: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<usize, String> {
    let (mut inflater, mut part) = (Decompress::new(false), vec![0; STEP]);
    loop {
        let (read, written) = (inflater.total_in(), inflater.total_out());
        let rest = &data[read as usize..];
        let status = inflater.decompress(rest, &mut part, FlushDecompress::None);
        let length = (inflater.total_out() - written) as usize;
        each(&part[..length]);
        match status {
            Ok(Status::StreamEnd) => return Ok(inflater.total_in() as usize),
            Ok(_) if length == 0 && inflater.total_in() == read => return Err(BREAKS_OFF.to_owned()),
            Ok(_) => {}
            Err(error) => return Err(format!("the compressed data is damaged: {error}")),
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, wanted).map(|at| from + at)
}
