//! The entries of a zip archive whose end is missing, and with it the table of contents: found by the header that stands
//! before each (4.3.7 and 4.3.9 of <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>).

use super::inflate::{CUT_OFF, Check};
use super::zip::{Entry, Method, inflate};

const HEADER: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// All entries whose header is there.
pub fn entries(archive: &[u8]) -> Vec<Entry> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(entry) = find(archive, HEADER, from).and_then(|at| entry(archive, at)) {
        from = entry.data.end;
        found.push(entry);
    }
    found
}

fn entry(archive: &[u8], at: usize) -> Option<Entry> {
    let header = archive.get(at..at + 30)?;
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let name = at + 30;
    let start = name + usize::from(short(26));
    let data = start + usize::from(short(28));
    let method = Method::of(short(6) & 1 == 1, short(8));
    // A writer that cannot seek writes the size behind the entry; of 4 GiB and more it stands elsewhere.
    let known = Some(word(18)).filter(|&size| short(6) & 8 == 0 && size != u32::MAX && word(22) != u32::MAX);
    let end = match known {
        Some(size) => data.checked_add(size as usize),
        None => end_of(archive, data, method),
    };
    let end = end.filter(|&end| end <= archive.len());
    Some(Entry {
        name: String::from_utf8_lossy(archive.get(name..start)?).into_owned(),
        data: data.min(archive.len())..end.unwrap_or(archive.len()),
        method,
        broken: end.is_none().then(|| CUT_OFF.to_owned()),
        check: known.map(|_| Check { sum: word(14), length: word(22).into() }),
    })
}

/// Where the data of an entry ends whose header does not say it.
fn end_of(archive: &[u8], data: usize, method: Method) -> Option<usize> {
    let rest = archive.get(data..)?;
    if method == Method::Deflated {
        return inflate(rest, &mut |_| {}).ok().map(|(length, _)| data + length);
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

fn find(bytes: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, wanted).map(|at| from + at)
}
