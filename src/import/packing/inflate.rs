//! Deflate (RFC 1951), and the sum and length by which gzip and zip check what comes out of it.

use std::sync::LazyLock;

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::budget::Budget;
use super::fault::Fault;

/// Sixteen bytes at a time. The tables are made when the first packed file comes: as constants they would be 16 kB of
/// the page's download that no compression makes smaller.
static CRC: LazyLock<Crc<u32, Table<16>>> = LazyLock::new(|| Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC));

/// Bytes that come out at a time.
const STEP: usize = 64 << 10;

/// How far unpacking came with the bytes that it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inflated {
    /// All bytes were taken, and everything that they hold has come out.
    Waits,
    /// The budget is spent: more comes out without more bytes.
    Pauses,
    /// The stream has ended; the bytes after it are left.
    Ended,
}

/// What a container keeps of the bytes that are packed in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// CRC-32 of them.
    pub sum: u32,
    /// How many they are; gzip keeps the low 32 bits only.
    pub length: u64,
}

/// Sums up bytes.
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
    /// The next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.length += bytes.len() as u64;
    }

    /// The sum and length of all bytes.
    pub fn finish(self) -> Check {
        Check { sum: self.digest.finalize(), length: self.length }
    }
}

/// A stream that is being unpacked.
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
    /// Memory for what comes out is taken when something does: many of these only stand and wait.
    fn from(state: Box<InflateState>, checker: Checker) -> Self {
        Self { state, out: Vec::new(), checker }
    }

    /// Takes of the next bytes what the budget allows; `each` is given what comes out.
    ///
    /// # Errors
    /// Why the stream is not readable any further.
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
                // Nothing goes in and nothing comes out any more: it waits for the next bytes.
                Err(MZError::Buf) => return Ok(Inflated::Waits),
                Ok(_) if step.bytes_consumed == 0 && step.bytes_written == 0 => return Ok(Inflated::Waits),
                Ok(_) if budget.is_spent() => return Ok(Inflated::Pauses),
                Ok(_) => {}
                Err(_) => return Err(Fault::damaged("")),
            }
        }
    }

    /// The sum and length of what came out.
    pub fn finish(self) -> Check {
        self.checker.finish()
    }
}
