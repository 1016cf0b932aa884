//! Packs files as entries of a session file: reads them in slices and has the browser compress them.

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};
use js_sys::{Array, Uint8Array};
use queryscope::internal::session_file::is_compressed;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStream, Response, WritableStream, WritableStreamDefaultWriter};

use super::REPORT_MS;
use super::zip::{self, StoredEntry};
use crate::words::save as words;

#[wasm_bindgen]
extern "C" {
    /// The browser's compressor.
    type CompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &CompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &CompressionStream) -> WritableStream;
}

static CRC: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// Bytes that are read at a time.
const SLICE: f64 = 1_048_576.0;
/// Compression methods of an entry.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Compresses the pushed bytes.
pub struct Compressor {
    writer: WritableStreamDefaultWriter,
    /// All compressed bytes, once the writer is closed.
    packed: JsFuture,
    crc: Digest<'static, u32, Table<1>>,
    size: u64,
}

impl Compressor {
    /// Begins an entry.
    ///
    /// # Errors
    /// If the browser cannot compress, with a text for the user.
    pub fn begin() -> Result<Self, String> {
        let no_browser = |_| words::NO_BROWSER.to_owned();
        let stream = CompressionStream::new("deflate-raw").map_err(no_browser)?;
        let packed = Response::new_with_opt_readable_stream(Some(&stream.readable())).map_err(no_browser)?;
        let packed = packed.blob().map_err(no_browser)?;
        let writer = stream.writable().get_writer().map_err(no_browser)?;
        Ok(Self { writer, packed: packed.into(), crc: CRC.digest(), size: 0 })
    }

    /// Number of bytes that were added.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds bytes; waits until the browser has compressed most of the bytes before.
    ///
    /// # Errors
    /// If the browser cannot keep them, with a text for the user.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        let written = JsFuture::from(self.writer.write_with_chunk(&Uint8Array::from(bytes)));
        written.await.map(|_| ()).map_err(|_| words::NO_ROOM.to_owned())
    }

    /// Ends the entry.
    ///
    /// # Errors
    /// If the browser cannot keep it, with a text for the user.
    pub async fn end(self, name: String) -> Result<StoredEntry, String> {
        let no_room = |_| words::NO_ROOM.to_owned();
        JsFuture::from(self.writer.close()).await.map_err(no_room)?;
        let content = self.packed.await.map_err(no_room)?.unchecked_into();
        Ok(StoredEntry { name, method: DEFLATED, crc: self.crc.finalize(), size: self.size, content })
    }
}

/// Packs files one after the other, and measures the progress over all of them.
pub struct Packer {
    done: u64,
    reported: f64,
}

impl Packer {
    /// Creates a packer without files.
    pub fn new() -> Self {
        Self { done: 0, reported: js_sys::Date::now() }
    }

    /// Packs a file; a file that is compressed already is stored unchanged. `goes_on` is called at intervals with the
    /// number of bytes that were read, and returns whether to continue; if not, the result is `None`.
    ///
    /// # Errors
    /// If the file cannot be read or the browser cannot compress it, with a text for the user.
    pub async fn pack(
        &mut self,
        name: String,
        file: &Blob,
        mut goes_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<StoredEntry>, String> {
        let not_read = || words::not_read(&name);
        let first = zip::slice(file, 0.0, 4.0).ok_or_else(not_read)?;
        let first = zip::bytes(&first).await.ok_or_else(not_read)?;
        let mut compressor = if is_compressed(&first) { None } else { Some(Compressor::begin()?) };
        let mut crc = CRC.digest();
        let mut at = 0.0;
        while at < file.size() {
            let end = (at + SLICE).min(file.size());
            let part = zip::slice(file, at, end).ok_or_else(not_read)?;
            let bytes = zip::bytes(&part).await.ok_or_else(not_read)?;
            match &mut compressor {
                Some(compressor) => compressor.push(&bytes).await?,
                None => crc.update(&bytes),
            }
            self.done += bytes.len() as u64;
            at = end;
            if self.is_due() && !goes_on(self.done) {
                return Ok(None);
            }
        }
        match compressor {
            Some(compressor) => compressor.end(name).await.map(Some),
            None => {
                let content = file.clone();
                let size = file.size() as u64;
                Ok(Some(StoredEntry { name, method: STORED, crc: crc.finalize(), size, content }))
            }
        }
    }

    /// Whether the last progress report was more than [`REPORT_MS`] ago. If so, the next interval begins now.
    fn is_due(&mut self) -> bool {
        let now = js_sys::Date::now();
        let is_due = now - self.reported > REPORT_MS;
        if is_due {
            self.reported = now;
        }
        is_due
    }
}

/// An entry that is not compressed; `None` if the browser cannot keep it.
pub fn stored(name: String, content: &[u8]) -> Option<StoredEntry> {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(content))).ok()?;
    let size = content.len() as u64;
    Some(StoredEntry { name, method: STORED, crc: CRC.checksum(content), size, content: blob })
}
