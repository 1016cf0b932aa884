//! Zip archives, as a whole in memory, because their table of contents is at the end.

use std::ops::Range;

use rawzip::{ZipArchive, ZipFileHeaderRecord, ZipSliceArchive};

use super::budget::Budget;
use super::container::Unpacker;
use super::fault::Fault;
use super::inflate::{Check, Checker, Inflated, Inflater};
use super::zip_recovery;

/// A zip archive whose entries are taken one after the other.
pub struct Archive {
    bytes: Vec<u8>,
    entries: ZipEntries,
    damage: Option<String>,
}

enum ZipEntries {
    /// Remaining entries of the table of contents, in reverse order.
    Listed(Vec<ZipEntry>),
    /// Position in bytes from which the next entry is searched, if the table of contents is missing.
    From(usize),
}

/// An entry of a zip archive, whole or cut off.
pub struct ZipEntry {
    /// Name of the entry in its archive.
    pub name: String,
    /// Position of the packed data in the archive, and its compression method.
    pub place: ZipPlace,
    /// Reason why the entry is not read, or not to its end; `None` if the whole entry can be read.
    pub broken: Option<Fault>,
    /// Whether nothing of the entry can be read, because of `broken`.
    pub is_refused: bool,
    /// Expected checksum and length; `None` if the archive does not record them.
    pub check: Option<Check>,
}

/// Byte range of an entry's packed data in its archive, and its compression method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ZipPlace {
    pub from: u64,
    pub to: u64,
    pub method: Method,
}

/// Compression method of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Stored,
    Deflated,
    /// A bzip2 or Zstandard stream, recognised by its first bytes.
    Stream,
    Encrypted,
    /// Another compression method, as its number in the header.
    Other(u16),
}

impl Method {
    /// Returns the method for two fields of an entry's header: whether the entry is encrypted, and the number of its
    /// compression method.
    pub fn of(is_encrypted: bool, number: u16) -> Self {
        match number {
            _ if is_encrypted => Method::Encrypted,
            0 => Method::Stored,
            8 => Method::Deflated,
            12 | 93 => Method::Stream,
            other => Method::Other(other),
        }
    }
}

impl Method {
    /// Reason why an entry with this method is not read; `None` if the method is supported.
    pub fn fault(self) -> Option<Fault> {
        match self {
            Method::Encrypted => Some(Fault::Refused("the entry is encrypted".to_owned())),
            Method::Other(method) => {
                let name = NAMES.iter().find(|(number, _)| *number == method).map_or("", |(_, name)| name);
                let reason =
                    format!("the entry is compressed by method {method}{name}, which is not supported");
                Some(Fault::Refused(reason))
            }
            Method::Stored | Method::Deflated | Method::Stream => None,
        }
    }
}

/// Maximum number of bytes of an uncompressed entry that are read at a time.
const STORED: usize = 256 << 10;
/// Names of unsupported methods that archivers offer (APPNOTE of PKWARE, 4.4.5).
const NAMES: [(u16, &str); 4] = [(9, " (Deflate64)"), (14, " (LZMA)"), (95, " (xz)"), (98, " (PPMd)")];

impl Archive {
    /// Opens the archive with these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        match listed(&bytes) {
            Ok(mut entries) => {
                refuse_overlaps(&mut entries);
                entries.reverse();
                Self { bytes, entries: ZipEntries::Listed(entries), damage: None }
            }
            Err(error) => Self { bytes, entries: ZipEntries::From(0), damage: Some(error.to_string()) },
        }
    }

    /// Reason why the table of contents is missing, so that entries may be missing; `None` if it was read.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Next entry that is not a folder, in the archive's order.
    pub fn next(&mut self) -> Option<ZipEntry> {
        loop {
            let entry = match &mut self.entries {
                ZipEntries::Listed(entries) => entries.pop(),
                ZipEntries::From(from) => {
                    let found = zip_recovery::next(&self.bytes, *from);
                    let place = found.as_ref().map(|entry| entry.place);
                    *from = place.map_or(self.bytes.len(), |place| place.to as usize);
                    found
                }
            }?;
            if !entry.name.ends_with('/') {
                return Some(entry);
            }
            // A folder has no data, even if its header records a size.
            self.goes_on_at(entry.place.from);
        }
    }

    /// Packed bytes of an entry.
    pub fn packed(&self, place: ZipPlace) -> &[u8] {
        self.bytes.get(place.from as usize..place.to as usize).unwrap_or_default()
    }

    /// Sets the byte at which the search for the next entry continues; without effect if the archive has a table of
    /// contents.
    pub fn goes_on_at(&mut self, byte: u64) {
        if let ZipEntries::From(from) = &mut self.entries {
            *from = byte as usize;
        }
    }
}

/// Reads the entries of the table of contents.
fn listed(bytes: &[u8]) -> Result<Vec<ZipEntry>, rawzip::Error> {
    let zip = ZipArchive::from_slice(bytes)?;
    let (mut entries, mut records) = (Vec::new(), zip.entries());
    while let Some(record) = records.next_entry()? {
        entries.push(entry(&zip, &record));
    }
    Ok(entries)
}

fn entry(zip: &ZipSliceArchive<&[u8]>, record: &ZipFileHeaderRecord) -> ZipEntry {
    let method = Method::of(record.flags().is_encrypted(), record.compression_method().as_u16());
    let name = String::from_utf8_lossy(record.file_path().as_bytes()).into_owned();
    let place = |Range { start: from, end: to }: Range<u64>| ZipPlace { from, to, method };
    match zip.get_entry(record.wayfinder()) {
        Ok(stored) => {
            let ((from, to), expected) = (stored.compressed_data_range(), stored.claim_verifier());
            let check = Check { sum: expected.crc, length: expected.uncompressed_size };
            let broken = method.fault();
            ZipEntry {
                name,
                place: place(from..to),
                is_refused: broken.is_some(),
                broken,
                check: Some(check),
            }
        }
        Err(error) => {
            let broken = Some(Fault::Damaged(error.to_string()));
            ZipEntry { name, place: place(0..0), broken, is_refused: true, check: None }
        }
    }
}

/// Refuses entries whose data overlaps other data: a few bytes would unpack to any size. Of overlapping entries, only
/// the first in the archive is read.
fn refuse_overlaps(entries: &mut [ZipEntry]) {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    crate::base::sort::by_key(&mut order, |&at| (entries[at].place.from as i64, at as u64));
    let mut last: Option<usize> = None;
    for at in order {
        let ZipPlace { from, to, .. } = entries[at].place;
        match last.map(|last| &entries[last]).filter(|last| from < last.place.to && from < to) {
            Some(other) => {
                let reason = format!("it shares its data with {}", other.name);
                (entries[at].broken, entries[at].is_refused) = (Some(Fault::Refused(reason)), true);
            }
            None if from < to => last = Some(at),
            None => {}
        }
    }
}

/// Unpacks one entry, step by step.
pub struct EntryUnpacker {
    stream: EntryStream,
    checker: Checker,
    /// Number of packed bytes of the entry that were read so far.
    pub taken: usize,
}

enum EntryStream {
    Stored,
    Deflated(Box<Inflater>),
    Packed(Box<Unpacker>),
}

impl EntryUnpacker {
    /// An unpacker for an entry with this method.
    pub fn new(method: Method) -> Self {
        let stream = match method {
            Method::Deflated => EntryStream::Deflated(Box::default()),
            Method::Stream => EntryStream::Packed(Box::new(Unpacker::entry())),
            Method::Stored | Method::Encrypted | Method::Other(_) => EntryStream::Stored,
        };
        Self { stream, checker: Checker::default(), taken: 0 }
    }

    /// Unpacks more of the entry, from byte [`taken`](Self::taken) of its packed bytes on, as far as the budget allows;
    /// `each` receives the unpacked bytes. Returns whether there is more to unpack.
    ///
    /// # Errors
    /// The reason why the rest is not readable.
    pub fn step(
        &mut self,
        packed: &[u8],
        budget: &Budget,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, Fault> {
        let mut rest = packed.get(self.taken..).unwrap_or_default();
        let more = match &mut self.stream {
            EntryStream::Stored => {
                let (now, after) = rest.split_at(rest.len().min(STORED));
                rest = after;
                self.checker.update(now);
                each(now);
                budget.spend(now.len());
                Ok(!rest.is_empty())
            }
            EntryStream::Deflated(inflater) => match inflater.push(&mut rest, budget, each) {
                Ok(Inflated::Ended) => Ok(false),
                Ok(Inflated::Pauses) => Ok(true),
                Ok(Inflated::Waits) => Err(Fault::CutOff),
                Err(fault) => Err(fault),
            },
            EntryStream::Packed(unpacker) => {
                let mut both = |part: &[u8]| {
                    self.checker.update(part);
                    each(part);
                };
                match unpacker.push(&mut rest, budget, &mut both) {
                    Ok(false) => unpacker.finish(budget, &mut both),
                    more => more,
                }
            }
        };
        self.taken = packed.len() - rest.len();
        more
    }

    /// Verifies the checksum and length of the unpacked bytes.
    ///
    /// # Errors
    /// If they do not match.
    pub fn finish(self, expected: Option<Check>) -> Result<(), Fault> {
        let found = match self.stream {
            EntryStream::Deflated(inflater) => inflater.finish(),
            EntryStream::Stored | EntryStream::Packed(_) => self.checker.finish(),
        };
        if expected.is_none_or(|expected| expected == found) { Ok(()) } else { Err(Fault::wrong_sum()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use rawzip::CompressionMethod;

    use super::*;

    /// Creates an archive with a folder and a file. The packed data of the file is `stored`, and its checksum is that
    /// of "text".
    fn archive(method: CompressionMethod, stored: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut zip = rawzip::ZipArchiveWriter::new(&mut bytes);
        zip.new_dir("run/").create().expect("a folder");
        let (mut entry, config) =
            zip.new_file("run/a.json").compression_method(method).start().expect("an entry");
        let mut sum = config.wrap(std::io::sink());
        sum.write_all(b"text").expect("a sink takes everything");
        let (_, descriptor) = sum.finish().expect("a sum");
        entry.write_all(stored).expect("memory");
        entry.finish(descriptor).expect("an entry");
        zip.finish().expect("an archive");
        bytes
    }

    fn read(archive: &Archive, entry: ZipEntry, text: &mut Vec<u8>) -> Result<(), Fault> {
        if let Some(fault) = entry.broken {
            return Err(fault);
        }
        let mut unpacker = EntryUnpacker::new(entry.place.method);
        let mut each = |part: &[u8]| text.extend_from_slice(part);
        while unpacker.step(archive.packed(entry.place), &Budget::step(), &mut each)? {}
        unpacker.finish(entry.check)
    }

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let mut archive = Archive::new(bytes.to_vec());
        assert_eq!(archive.damage(), None);
        let entry = archive.next().expect("an entry");
        assert_eq!(entry.name, "run/a.json");
        assert!(archive.next().is_none());
        let mut text = Vec::new();
        let read = read(&archive, entry, &mut text);
        match expected {
            Ok(expected) => assert_eq!((read, text.as_slice()), (Ok(()), expected.as_bytes())),
            Err(part) => assert!(read.as_ref().is_err_and(|e| e.reason().contains(part)), "{part}: {read:?}"),
        }
    }

    #[test]
    fn entries_are_unpacked_and_checked() {
        // A stored block, so that the text is readable: this is valid deflate data, too.
        const DEFLATED: &[u8] = b"\x01\x04\x00\xFB\xFFtext";
        const BZIP2: &[u8] = b"BZh91AY&SY\xCB(\xD3-\x00\x00\x00\x81\x80\x02\x00\x04@ \x00!\x98\x19\x83,.\xE4\x8Ap\xA1!\x96Q\xA6Z";
        check(&archive(CompressionMethod::STORE, b"text"), Ok("text"));
        check(&archive(CompressionMethod::DEFLATE, DEFLATED), Ok("text"));
        check(&archive(CompressionMethod::STORE, b"next"), Err("checksum"));
        check(&archive(CompressionMethod::STORE, b"texts"), Err("checksum"));
        check(&archive(CompressionMethod::DEFLATE, &DEFLATED[..7]), Err("ends early"));
        check(&archive(CompressionMethod::DEFLATE, b"\x07"), Err("damaged"));
        check(&archive(CompressionMethod::LZMA, b"text"), Err("method 14 (LZMA)"));
        check(&archive(CompressionMethod::BZIP2, BZIP2), Ok("text"));
        check(&archive(CompressionMethod::BZIP2, &BZIP2[..BZIP2.len() - 4]), Err("ends early"));
        let mut encrypted = archive(CompressionMethod::STORE, b"text");
        let flags = encrypted.windows(4).rposition(|part| part == b"PK\x01\x02").expect("a record") + 8;
        encrypted[flags] |= 1;
        check(&encrypted, Err("encrypted"));
    }

    #[test]
    fn an_archive_that_ends_early_is_damaged_and_no_more() {
        let whole = archive(CompressionMethod::STORE, b"text");
        for length in 0..whole.len() {
            let mut cut = Archive::new(whole[..length].to_vec());
            assert!(cut.damage().is_some(), "{length} of {} bytes", whole.len());
            while let Some(entry) = cut.next() {
                drop(read(&cut, entry, &mut Vec::new()));
            }
        }
    }
}
