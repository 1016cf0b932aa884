//! Bzip2, in slices: a sequence of streams.

use bzip2::{Decompress, Status};

use super::budget::Budget;
use super::fault::Fault;

/// First bytes of a file; a digit, the block size, follows.
pub const MAGIC: [u8; 3] = *b"BZh";
/// Maximum number of bytes unpacked at a time.
const STEP: usize = 64 << 10;

/// Unpacks a bzip2 file.
pub struct Bunzip {
    stream: Decompress,
    buffer: Vec<u8>,
    /// Whether the last call filled the output buffer, so that more output may follow without more input.
    is_full: bool,
    /// Whether bytes of the current stream were read (`begun`), and the number of streams read to their end (`streams`).
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
    /// Takes as many of the next bytes as the budget allows; `each` receives the unpacked bytes. Returns whether to
    /// call again before more bytes arrive: bytes are left, or more output follows.
    ///
    /// # Errors
    /// The reason why the rest is not readable.
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
            // A block is unpacked as a whole into its own memory, even if little output follows.
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

    /// Finishes reading at the end of the file.
    ///
    /// # Errors
    /// If the file ends inside a stream.
    pub fn finish(&self) -> Result<(), Fault> {
        if self.begun || self.streams == 0 { Err(Fault::CutOff) } else { Ok(()) }
    }
}
