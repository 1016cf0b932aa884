//! Bzip2, in slices: streams one after the other.

use bzip2::{Decompress, Status};

use super::inflate::CUT_OFF;

/// How a file begins; the size of its blocks follows, a digit.
pub const MAGIC: [u8; 3] = *b"BZh";
/// Bytes that are unpacked at a time.
const STEP: usize = 64 << 10;

/// Unpacks a file.
pub struct Bunzip {
    stream: Decompress,
    buffer: Vec<u8>,
    /// Whether bytes of the stream were read, and how many streams were read to their end.
    begun: bool,
    streams: u64,
}

impl Default for Bunzip {
    fn default() -> Self {
        Self { stream: Decompress::new(false), buffer: Vec::with_capacity(STEP), begun: false, streams: 0 }
    }
}

impl Bunzip {
    /// The next bytes; `each` is given the unpacked ones.
    ///
    /// # Errors
    /// Why the rest is not readable.
    #[inline(never)]
    pub fn push(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        loop {
            let before = self.stream.total_in();
            self.buffer.clear();
            let status = self.stream.decompress_vec(bytes, &mut self.buffer);
            let status = status.map_err(|error| format!("the compressed data is damaged: {error}"))?;
            let read = (self.stream.total_in() - before) as usize;
            bytes = bytes.get(read..).unwrap_or_default();
            self.begun |= read > 0;
            if !self.buffer.is_empty() {
                each(&self.buffer);
            }
            if matches!(status, Status::StreamEnd) {
                (self.stream, self.begun) = (Decompress::new(false), false);
                self.streams += 1;
            }
            // Nothing is left to read, and what was read has come out.
            if bytes.is_empty() && self.buffer.len() < STEP {
                return Ok(());
            }
        }
    }

    /// The file ends.
    ///
    /// # Errors
    /// If it ends inside a stream.
    pub fn finish(self) -> Result<(), String> {
        if self.begun || self.streams == 0 { Err(CUT_OFF.to_owned()) } else { Ok(()) }
    }
}
