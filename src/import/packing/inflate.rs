//! Deflate (RFC 1951), and the checksum and length with which gzip and zip verify the unpacked bytes.

use std::sync::LazyLock;

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::budget::Budget;
use super::fault::Fault;

/// CRC-32, 16 bytes at a time. The tables are computed when the first packed file is read: as constants, they would add
/// 16 kB to the page's download that no compression reduces.
static CRC: LazyLock<Crc<u32, Table<16>>> = LazyLock::new(|| Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC));

/// Maximum number of bytes unpacked at a time.
const STEP: usize = 64 << 10;

/// Reason why [`Inflater::push`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inflated {
    /// All bytes were taken, and everything in them is unpacked.
    Waits,
    /// The budget is spent; more output follows without more input.
    Pauses,
    /// The stream has ended; the bytes after it are not taken.
    Ended,
}

/// Checksum and length of unpacked bytes, as stored in a container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// CRC-32 of the unpacked bytes.
    pub sum: u32,
    /// Number of unpacked bytes; gzip stores only the low 32 bits.
    pub length: u64,
}

/// Computes the checksum and length of bytes.
#[derive(Clone)]
pub struct Checker {
    digest: Digest<'static, u32, Table<16>>,
    length: u64,
}

impl Default for Checker {
    fn default() -> Self {
        Self { digest: CRC.digest(), length: 0 }
    }
}

impl Checker {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.length += bytes.len() as u64;
    }

    /// Checksum and length of all bytes added.
    pub fn finish(self) -> Check {
        Check { sum: self.digest.finalize(), length: self.length }
    }
}

/// Unpacks a deflate stream.
pub struct Inflater {
    state: Box<InflateState>,
    out: Vec<u8>,
    checker: Checker,
}

impl Default for Inflater {
    fn default() -> Self {
        Self::from(InflateState::new_boxed(DataFormat::Raw), Checker::default())
    }
}

impl Clone for Inflater {
    fn clone(&self) -> Self {
        Self::from(self.state.clone(), self.checker.clone())
    }
}

impl Inflater {
    /// Creates an inflater from its state. Its output buffer is allocated only when something is unpacked, because
    /// many inflaters are clones in checkpoints.
    fn from(state: Box<InflateState>, checker: Checker) -> Self {
        Self { state, out: Vec::new(), checker }
    }

    /// Takes as many of the next bytes as the budget allows; `each` receives the unpacked bytes.
    ///
    /// # Errors
    /// The reason why the rest of the stream is not readable.
    pub fn push(
        &mut self,
        bytes: &mut &[u8],
        budget: &Budget,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<Inflated, Fault> {
        self.out.resize(STEP, 0);
        loop {
            let step = inflate(&mut self.state, bytes, &mut self.out, MZFlush::None);
            let unpacked = &self.out[..step.bytes_written];
            if !unpacked.is_empty() {
                self.checker.update(unpacked);
                each(unpacked);
                budget.spend(unpacked.len());
            }
            *bytes = &bytes[step.bytes_consumed..];
            match step.status {
                Ok(MZStatus::StreamEnd) => return Ok(Inflated::Ended),
                // No input is consumed and no output produced: the stream waits for the next bytes.
                Err(MZError::Buf) => return Ok(Inflated::Waits),
                Ok(_) if step.bytes_consumed == 0 && step.bytes_written == 0 => return Ok(Inflated::Waits),
                Ok(_) if budget.is_spent() => return Ok(Inflated::Pauses),
                Ok(_) => {}
                Err(_) => return Err(Fault::damaged("")),
            }
        }
    }

    /// Checksum and length of the unpacked bytes.
    pub fn finish(self) -> Check {
        self.checker.finish()
    }
}
