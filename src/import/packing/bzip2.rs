//! Bzip2, in slices: streams one after the other.

use bzip2::{Decompress, Status};

use super::budget::Budget;
use super::fault::Fault;

/// How a file begins; the size of its blocks follows, a digit.
pub const MAGIC: [u8; 3] = *b"BZh";
/// Bytes that are unpacked at a time.
const STEP: usize = 64 << 10;

/// Unpacks a file.
pub struct Bunzip {
    stream: Decompress,
    buffer: Vec<u8>,
    /// Whether more may come out without more bytes.
    is_full: bool,
    /// Whether bytes of the stream were read, and how many streams were read to their end.
    begun: bool,
    streams: u64,
}

impl Default for Bunzip {
    fn default() -> Self {
        let (stream, buffer) = (Decompress::new(false), Vec::with_capacity(STEP));
        Self { stream, buffer, is_full: false, begun: false, streams: 0 }
    }
}

impl Bunzip {
    /// Takes of the next bytes what the budget allows; `each` is given the unpacked ones. Whether more comes out without
    /// more bytes, or bytes are left.
    ///
    /// # Errors
    /// Why the rest is not readable.
    #[inline(never)]
    pub fn push(
        &mut self,
        bytes: &mut &[u8],
        budget: &Budget,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, Fault> {
        while !bytes.is_empty() || self.is_full {
            let before = self.stream.total_in();
            self.buffer.clear();
            let status = self.stream.decompress_vec(bytes, &mut self.buffer);
            let status = status.map_err(|error| Fault::damaged(&format!(": {error}")))?;
            let read = (self.stream.total_in() - before) as usize;
            *bytes = bytes.get(read..).unwrap_or_default();
            self.begun |= read > 0;
            self.is_full = self.buffer.len() == STEP;
            if !self.buffer.is_empty() {
                each(&self.buffer);
            }
            // A block is unpacked as a whole, into memory of its own, however little comes out.
            budget.spend(self.buffer.len().max(read));
            if matches!(status, Status::StreamEnd) {
                (self.stream, self.begun, self.is_full) = (Decompress::new(false), false, false);
                self.streams += 1;
                budget.spend(STEP);
            }
            if budget.is_spent() && (!bytes.is_empty() || self.is_full) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The file ends.
    ///
    /// # Errors
    /// If it ends inside a stream.
    pub fn finish(&self) -> Result<(), Fault> {
        if self.begun || self.streams == 0 { Err(Fault::CutOff) } else { Ok(()) }
    }
}
