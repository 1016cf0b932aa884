//! Zip archives made of parts that the browser keeps: the content of an entry is never copied to the engine's memory.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::words::save as words;

/// Signature of an entry's header before its content.
const LOCAL: u32 = 0x0403_4b50;
/// Signature of an entry of the directory at the archive's end.
const CENTRAL: u32 = 0x0201_4b50;
/// Signature of the archive's last record.
const END: u32 = 0x0605_4b50;
/// Version 2.0 of the format: deflated entries.
const VERSION: u16 = 20;
/// Flag of a name in UTF-8.
const UTF8: u16 = 1 << 11;
/// Flag of an encrypted entry.
const ENCRYPTED: u16 = 1;
/// The first day that an archive can name, 1 January 1980, so that the same trace gives the same bytes.
const DAY: u16 = 0x21;
/// Largest possible length of the last record with its comment, in bytes.
const LONGEST_END: f64 = 65_557.0;

/// An entry: its name and its content as it is stored.
#[derive(Clone)]
pub struct StoredEntry {
    /// Path inside the archive.
    pub name: String,
    /// Compression method: 0 for none, 8 for deflate.
    pub method: u16,
    /// CRC-32 of the uncompressed content.
    pub crc: u32,
    /// Size of the uncompressed content, in bytes.
    pub size: u64,
    /// The stored content.
    pub content: Blob,
}

/// Joins entries to an archive.
///
/// # Errors
/// If the archive is too large for the format without its 64-bit extension, with a text for the user.
pub fn archive(entries: &[StoredEntry]) -> Result<Blob, String> {
    let too_large = |_| words::TOO_LARGE.to_owned();
    let parts = Array::new();
    let mut directory = Vec::new();
    let mut offset = 0_u64;
    for entry in entries {
        let name_length = u16::try_from(entry.name.len()).map_err(too_large)?;
        let mut fields = Vec::new();
        [VERSION, UTF8, entry.method, 0, DAY]
            .into_iter()
            .for_each(|field| fields.extend(field.to_le_bytes()));
        let packed = u32::try_from(entry.content.size() as u64).map_err(too_large)?;
        let size = u32::try_from(entry.size).map_err(too_large)?;
        [entry.crc, packed, size].into_iter().for_each(|field| fields.extend(field.to_le_bytes()));
        fields.extend(name_length.to_le_bytes());
        fields.extend([0; 2]);
        let head = [&LOCAL.to_le_bytes()[..], &fields, entry.name.as_bytes()].concat();
        directory.extend(CENTRAL.to_le_bytes());
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&fields);
        // No comment, on disk 0, no attributes.
        directory.extend([0; 10]);
        directory.extend(u32::try_from(offset).map_err(too_large)?.to_le_bytes());
        directory.extend(entry.name.as_bytes());
        parts.push(&Uint8Array::from(&head[..]));
        parts.push(&entry.content);
        offset += head.len() as u64 + u64::from(packed);
    }
    let number = u16::try_from(entries.len()).map_err(too_large)?.to_le_bytes();
    let length = u32::try_from(directory.len()).map_err(too_large)?.to_le_bytes();
    let start = u32::try_from(offset).map_err(too_large)?.to_le_bytes();
    directory.extend([&END.to_le_bytes()[..], &[0; 4], &number, &number, &length, &start, &[0; 2]].concat());
    parts.push(&Uint8Array::from(&directory[..]));
    Blob::new_with_u8_array_sequence(&parts).map_err(|_| words::TOO_LARGE.to_owned())
}

/// Whether a file is an archive whose first entry has this name.
pub async fn begins_with(file: &Blob, name: &str) -> bool {
    let head = match slice(file, 0.0, 30.0 + name.len() as f64) {
        Some(head) => bytes(&head).await.unwrap_or_default(),
        None => Vec::new(),
    };
    head.starts_with(&LOCAL.to_le_bytes()) && head.get(30..) == Some(name.as_bytes())
}

/// The entries of an archive, with their stored content; `None` if its directory is damaged, or an entry cannot be copied.
pub async fn entries(archive: &Blob) -> Option<Vec<StoredEntry>> {
    let all = archive.size();
    let tail = bytes(&slice(archive, (all - LONGEST_END).max(0.0), all)?).await?;
    let end = tail.windows(4).rposition(|four| four == END.to_le_bytes())?;
    // The length of the comment, which is the last field.
    number(&tail, end + 20, 2)?;
    let length = number(&tail, end + 12, 4)?;
    let start = number(&tail, end + 16, 4)?;
    let directory = bytes(&slice(archive, start as f64, (start + length) as f64)?).await?;
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..number(&tail, end + 10, 2)? {
        if number(&directory, at, 4)? != u64::from(CENTRAL)
            || number(&directory, at + 8, 2)? as u16 & ENCRYPTED != 0
        {
            return None;
        }
        let name_length = number(&directory, at + 28, 2)? as usize;
        let rest = number(&directory, at + 30, 2)? + number(&directory, at + 32, 2)?;
        let name = directory.get(at + 46..at + 46 + name_length)?;
        let local = number(&directory, at + 42, 4)?;
        let head = bytes(&slice(archive, local as f64, local as f64 + 30.0)?).await?;
        let content = local + 30 + number(&head, 26, 2)? + number(&head, 28, 2)?;
        let packed = number(&directory, at + 20, 4)?;
        if number(&head, 0, 4)? != u64::from(LOCAL) || content + packed > all as u64 {
            return None;
        }
        found.push(StoredEntry {
            name: String::from_utf8(name.to_vec()).ok()?,
            method: number(&directory, at + 10, 2)? as u16,
            crc: number(&directory, at + 16, 4)? as u32,
            size: number(&directory, at + 24, 4)?,
            content: slice(archive, content as f64, (content + packed) as f64)?,
        });
        at += 46 + name_length + rest as usize;
    }
    Some(found)
}

/// A little-endian number of `length` bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// A part of a file.
pub fn slice(blob: &Blob, start: f64, end: f64) -> Option<Blob> {
    blob.slice_with_f64_and_f64(start, end).ok()
}

/// All bytes of a file; `None` if it cannot be read.
pub async fn bytes(blob: &Blob) -> Option<Vec<u8>> {
    let buffer: JsValue = JsFuture::from(blob.array_buffer()).await.ok()?;
    Some(Uint8Array::new(buffer.unchecked_ref::<ArrayBuffer>()).to_vec())
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn blob(bytes: &[u8]) -> Blob {
        Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).expect("memory")
    }

    fn entry(name: &str, content: &[u8]) -> StoredEntry {
        StoredEntry {
            name: name.to_owned(),
            method: 0,
            crc: 7,
            size: content.len() as u64,
            content: blob(content),
        }
    }

    #[wasm_bindgen_test]
    async fn an_archive_gives_back_its_entries() {
        let long = [b'x'; 70_000];
        let made = archive(&[entry("session.json", b"{}"), entry("traces/ä", &long), entry("traces/0", b"")]);
        let found = entries(&made.expect("it is small")).await.expect("a directory");
        let names: Vec<_> = found.iter().map(|entry| (entry.name.as_str(), entry.size, entry.crc)).collect();
        assert_eq!(names, [("session.json", 2, 7), ("traces/ä", 70_000, 7), ("traces/0", 0, 7)]);
        assert_eq!(bytes(&found[1].content).await.as_deref(), Some(&long[..]));
    }

    #[wasm_bindgen_test]
    async fn a_damaged_archive_gives_nothing() {
        let made = archive(&[entry("a", b"content")]).expect("it is small");
        assert!(begins_with(&made, "a").await && !begins_with(&made, "b").await);
        let whole = bytes(&made).await.expect("bytes");
        for at in 0..whole.len() {
            assert!(entries(&blob(&whole[..at])).await.is_none(), "cut at {at}");
        }
        // Wrong values of offset, size and number of entries.
        for (from_end, value) in [(4, 200), (22 + 26 + 1, 255), (22 - 10, 9)] {
            let mut lying = whole.clone();
            let at = lying.len() - from_end;
            lying[at] = value;
            assert!(entries(&blob(&lying)).await.is_none(), "{from_end} from the end");
        }
        assert!(entries(&blob(b"")).await.is_none());
    }
}
