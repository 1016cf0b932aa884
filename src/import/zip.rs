//! Zip archives, whole in memory: their table of contents stands at the end.

use std::ops::Range;

use rawzip::{ZipArchive, ZipFileHeaderRecord, ZipSliceArchive};

use super::container::Unpacker;
use super::inflate::{CUT_OFF, Check, Checker, Inflater};
use super::salvage;

/// The entries of an archive.
pub struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
    damage: Option<String>,
}

/// An entry, whole or cut off.
pub struct Entry {
    /// Its name in the archive.
    pub name: String,
    /// How it is packed.
    pub method: Method,
    /// Where it is packed.
    pub data: Range<usize>,
    /// Why it is not all there, if so.
    pub broken: Option<String>,
    /// What the archive keeps to check it by.
    pub check: Option<Check>,
}

/// How an entry is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Stored,
    Deflated,
    /// As a stream that tells how it is packed: bzip2 or Zstandard.
    Stream,
    Encrypted,
    /// By a method of this number.
    Other(u16),
}

impl Method {
    /// What a header says: whether the entry is encrypted, and the number of its method.
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

/// Methods that archivers have on offer (APPNOTE of PKWARE, 4.4.5).
const NAMES: [(u16, &str); 4] = [(9, " (Deflate64)"), (14, " (LZMA)"), (95, " (xz)"), (98, " (PPMd)")];

impl<'a> Archive<'a> {
    /// Opens the archive that `bytes` are.
    pub fn new(bytes: &'a [u8]) -> Self {
        match listed(bytes) {
            Ok(entries) => Self { bytes, entries, damage: None },
            Err(error) => Self { bytes, entries: salvage::entries(bytes), damage: Some(error.to_string()) },
        }
    }

    /// Why it has no table of contents, if so: then entries may be missing.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// The positions and names of all entries but folders, in the archive's order.
    pub fn files(&self) -> Vec<(usize, String)> {
        let files = self.entries.iter().enumerate().filter(|(_, entry)| !entry.name.ends_with('/'));
        files.map(|(at, entry)| (at, entry.name.clone())).collect()
    }

    /// Unpacks one entry; `each` is given its bytes. An error says why the rest is not readable.
    pub fn read(&self, at: usize, mut each: impl FnMut(&[u8])) -> Result<(), String> {
        let entry = self.entries.get(at).ok_or("there is no such entry")?;
        let data = self.bytes.get(entry.data.clone()).ok_or(CUT_OFF)?;
        let found = match entry.method {
            Method::Stored => copy(data, &mut each),
            Method::Deflated => inflate(data, &mut each)?.1,
            Method::Stream => unpack(data, &mut each)?,
            Method::Encrypted => return Err("the entry is encrypted".to_owned()),
            Method::Other(method) => {
                let name = NAMES.iter().find(|(number, _)| *number == method).map_or("", |(_, name)| name);
                return Err(format!("the entry is compressed by method {method}{name}, which is not read"));
            }
        };
        if let Some(reason) = &entry.broken {
            return Err(reason.clone());
        }
        let same = entry.check.is_none_or(|expected| expected == found);
        if same { Ok(()) } else { Err("the compressed data is damaged: its checksum is another".to_owned()) }
    }
}

/// What the table of contents lists.
fn listed(bytes: &[u8]) -> Result<Vec<Entry>, rawzip::Error> {
    let zip = ZipArchive::from_slice(bytes)?;
    let (mut entries, mut records) = (Vec::new(), zip.entries());
    while let Some(record) = records.next_entry()? {
        entries.push(entry(&zip, &record));
    }
    Ok(entries)
}

fn entry(zip: &ZipSliceArchive<&[u8]>, record: &ZipFileHeaderRecord) -> Entry {
    let (data, broken, check) = match zip.get_entry(record.wayfinder()) {
        Ok(stored) => {
            let ((from, to), expected) = (stored.compressed_data_range(), stored.claim_verifier());
            let check = Check { sum: expected.crc, length: expected.uncompressed_size };
            (from as usize..to as usize, None, Some(check))
        }
        Err(error) => (0..0, Some(error.to_string()), None),
    };
    let method = Method::of(record.flags().is_encrypted(), record.compression_method().as_u16());
    let name = String::from_utf8_lossy(record.file_path().as_bytes()).into_owned();
    Entry { name, method, data, broken, check }
}

fn copy(bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Check {
    let mut checker = Checker::default();
    checker.update(bytes);
    each(bytes);
    checker.finish()
}

fn unpack(bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<Check, String> {
    let (mut checker, mut unpacker) = (Checker::default(), Unpacker::entry());
    let mut both = |part: &[u8]| {
        checker.update(part);
        each(part);
    };
    unpacker.push(bytes, &mut both)?;
    unpacker.finish(&mut both)?;
    Ok(checker.finish())
}

/// Unpacks the stream that `data` begins with. Returns how many bytes it has, and what came out.
pub fn inflate(data: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(usize, Check), String> {
    let mut stream = Inflater::default();
    let rest = stream.push(data, each)?.ok_or(CUT_OFF)?;
    Ok((data.len() - rest.len(), stream.finish()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use rawzip::CompressionMethod;

    use super::*;

    /// An archive of a folder and one file, which holds `stored` and should hold "text".
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

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let archive = Archive::new(bytes);
        assert_eq!(archive.damage(), None);
        assert_eq!(archive.files(), [(1, "run/a.json".to_owned())]);
        let mut text = Vec::new();
        let read = archive.read(1, |part| text.extend_from_slice(part));
        match expected {
            Ok(expected) => assert_eq!((read, text.as_slice()), (Ok(()), expected.as_bytes())),
            Err(part) => assert!(read.as_ref().is_err_and(|e| e.contains(part)), "{part}: {read:?}"),
        }
    }

    #[test]
    fn entries_are_unpacked_and_checked() {
        // A block that is stored as it is: deflate, too.
        const DEFLATED: &[u8] = b"\x01\x04\x00\xFB\xFFtext";
        const BZIP2: &[u8] = b"BZh91AY&SY\xCB(\xD3-\x00\x00\x00\x81\x80\x02\x00\x04@ \x00!\x98\x19\x83,.\xE4\x8Ap\xA1!\x96Q\xA6Z";
        check(&archive(CompressionMethod::STORE, b"text"), Ok("text"));
        check(&archive(CompressionMethod::DEFLATE, DEFLATED), Ok("text"));
        check(&archive(CompressionMethod::STORE, b"next"), Err("checksum"));
        check(&archive(CompressionMethod::STORE, b"texts"), Err("checksum"));
        check(&archive(CompressionMethod::DEFLATE, &DEFLATED[..7]), Err("breaks off"));
        check(&archive(CompressionMethod::DEFLATE, b"\x07"), Err("damaged"));
        check(&archive(CompressionMethod::LZMA, b"text"), Err("method 14 (LZMA)"));
        check(&archive(CompressionMethod::BZIP2, BZIP2), Ok("text"));
        check(&archive(CompressionMethod::BZIP2, &BZIP2[..BZIP2.len() - 4]), Err("breaks off"));
        let mut encrypted = archive(CompressionMethod::STORE, b"text");
        let flags = encrypted.windows(4).rposition(|part| part == b"PK\x01\x02").expect("a record") + 8;
        encrypted[flags] |= 1;
        check(&encrypted, Err("encrypted"));
    }

    #[test]
    fn an_archive_that_ends_early_is_damaged_and_no_more() {
        let whole = archive(CompressionMethod::STORE, b"text");
        for length in 0..whole.len() {
            let cut = Archive::new(&whole[..length]);
            assert!(cut.damage().is_some(), "{length} of {} bytes", whole.len());
            cut.files().iter().for_each(|(at, _)| drop(cut.read(*at, |_| ())));
        }
        assert!(Archive::new(&whole).read(2, |_| ()).is_err());
    }
}
