//! Entries of a zip archive whose end, and with it the table of contents, is missing. They are found by their local
//! headers (4.3.7 and 4.3.9 of <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>).

use super::fault::Fault;
use super::inflate::Check;
use super::zip::{Method, ZipEntry, ZipPlace};

const HEADER: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// Returns the first entry whose header begins at byte `from` or later. A deflated entry without a recorded size extends
/// to the end of the archive until it is unpacked, which finds its real end.
pub fn next(archive: &[u8], from: usize) -> Option<ZipEntry> {
    find(archive, HEADER, from).and_then(|at| entry(archive, at))
}

fn entry(archive: &[u8], at: usize) -> Option<ZipEntry> {
    let header = archive.get(at..at + 30)?;
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let name = at + 30;
    let start = name + usize::from(short(26));
    let data = start + usize::from(short(28));
    let method = Method::of(short(6) & 1 == 1, short(8));
    // A writer that cannot seek writes the size after the entry; a size of 4 GiB or more is in another field.
    let known = Some(word(18)).filter(|&size| short(6) & 8 == 0 && size != u32::MAX && word(22) != u32::MAX);
    let end = match (known, method) {
        (Some(size), _) => data.checked_add(size as usize),
        (None, Method::Deflated) => Some(archive.len()),
        (None, _) => end_of(archive, data),
    };
    let end = end.filter(|&end| end <= archive.len());
    let refused = method.fault();
    let (from, to) = (data.min(archive.len()) as u64, end.unwrap_or(archive.len()) as u64);
    Some(ZipEntry {
        name: String::from_utf8_lossy(archive.get(name..start)?).into_owned(),
        place: ZipPlace { from, to, method },
        is_refused: refused.is_some(),
        broken: refused.or(end.is_none().then_some(Fault::CutOff)),
        check: known.map(|_| Check { sum: word(14), length: word(22).into() }),
    })
}

/// Returns the end of an entry's data whose header does not record the size: the first position at which a descriptor
/// follows that states this size. `None` if there is none.
fn end_of(archive: &[u8], data: usize) -> Option<usize> {
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
