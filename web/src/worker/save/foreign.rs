//! The trace in the format of another program.

use std::io::{self, Write};

use js_sys::{Array, Uint8Array};
use queryscope::export::{ForeignFormat, ForeignSummary, write_foreign};
use queryscope::protocol::ExportSpec;
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::{JOINED, REPORT_MS, Saving, blob, form};
use crate::words::save as words;
use crate::worker::pause;

/// Number of bytes that are passed to the browser at a time.
const CHUNK: usize = 1 << 20;

impl Saving {
    /// Writes the file; returns it with a summary of the data that it lacks, or `None` if a newer order was received. The engine
    /// writes the whole file without a pause, so a newer order is received only afterwards.
    pub(super) async fn foreign(
        &mut self,
        format: ForeignFormat,
        spec: &ExportSpec,
    ) -> Result<Option<(Blob, ForeignSummary)>, String> {
        let (worker, total) = (self.worker.clone(), form::counted_bytes(&self.worker));
        let mut out = BlobWriter {
            saving: self,
            chunk: Vec::new(),
            joined: Array::new(),
            parts: Array::new(),
            size: 0,
            total,
            reported: 0.0,
        };
        let written = write_foreign(worker.session.borrow().trace(), spec, format, &mut out);
        let summary = written.map_err(|_| words::NO_ROOM.to_owned())?;
        let file = out.end()?;
        pause(0).await;
        Ok(self.is_wanted().then_some((file, summary)))
    }
}

/// Passes the written bytes to the browser, which may store them outside of its memory.
struct BlobWriter<'a> {
    saving: &'a mut Saving,
    chunk: Vec<u8>,
    /// Chunks that are not yet part of a `Blob`.
    joined: Array,
    /// All earlier chunks, as `Blob`s.
    parts: Array,
    size: u64,
    /// Size of the trace in queryscope's format, as an estimate.
    total: u64,
    /// Time of the last report of progress, in milliseconds.
    reported: f64,
}

impl BlobWriter<'_> {
    fn give(&mut self) -> Result<(), String> {
        self.size += self.chunk.len() as u64;
        self.joined.push(&Uint8Array::from(&self.chunk[..]));
        self.chunk.clear();
        if self.joined.length() == JOINED {
            self.parts.push(blob(&std::mem::take(&mut self.joined))?.as_ref());
        }
        if js_sys::Date::now() - self.reported > REPORT_MS {
            self.reported = js_sys::Date::now();
            self.saving.form.progress = Some((self.size, self.size.max(self.total)));
            self.saving.form.status = words::writing(self.size);
            self.saving.say(&JsValue::UNDEFINED);
        }
        Ok(())
    }

    fn end(mut self) -> Result<Blob, String> {
        self.give()?;
        self.parts.push(blob(&self.joined)?.as_ref());
        Blob::new_with_blob_sequence(&self.parts).map_err(|_| words::NO_ROOM.to_owned())
    }
}

impl Write for BlobWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK {
            self.give().map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
