//! Zstandard (RFC 8878), in slices: a sequence of frames, each with a header, blocks and an optional checksum.
//!
//! A slice may end anywhere. The ends of blocks are found in this module, so that the decoder only receives whole blocks.

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::io::Read;

use super::budget::Budget;
use super::fault::Fault;
use crate::base::text;

/// First bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// First bytes of a skippable frame. The lowest four bits of the first byte may have any value.
const SKIPPED: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];
/// Length of a block header in bytes.
const BLOCK: usize = 3;
/// Maximum number of bytes taken out of the decoder at a time.
const STEP: usize = 64 << 10;
/// Maximum window size of a frame in bytes: the default limit of zstd itself.
const MAX_WINDOW: u64 = 1 << 27;
/// An empty last block, followed by four zero bytes in place of the checksum that a frame may have.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Whether a file begins with a frame or a skippable frame.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || is_skipped(head)
}

fn is_skipped(head: &[u8]) -> bool {
    head.first_chunk().is_some_and(|&[a, b, c, d]| [a & 0xF0, b, c, d] == SKIPPED)
}

/// Unpacks a Zstandard file.
pub struct Unzstd {
    decoder: FrameDecoder,
    /// Input; the bytes from `at` on are not decoded yet.
    pending: Vec<u8>,
    at: usize,
    state: UnzstdState,
    /// Whether the decoder may still contain unpacked bytes, which must be taken out before more input is decoded.
    drains: bool,
    /// Reason why the rest is not readable, reported once the decoder is drained.
    broken: Option<Fault>,
    buffer: Vec<u8>,
    frames: u64,
}

enum UnzstdState {
    Header,
    /// Blocks; `checksum` is whether a checksum follows the last block.
    Blocks {
        checksum: bool,
    },
    /// The last block was decoded.
    End,
    /// Number of bytes of a skippable frame that are still to be skipped.
    Skip(usize),
}

impl Default for Unzstd {
    fn default() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            decoder,
            pending: Vec::new(),
            at: 0,
            state: UnzstdState::Header,
            drains: false,
            broken: None,
            buffer: vec![0; STEP],
            frames: 0,
        }
    }
}

impl Unzstd {
    /// Takes the next bytes and unpacks as much as the budget allows; `each` receives the unpacked bytes. Returns whether
    /// more output follows without more input.
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
        self.pending.extend_from_slice(std::mem::take(bytes));
        let more = loop {
            if self.drains && !self.drain(budget, each) {
                break true;
            }
            if let Some(reason) = self.broken.take() {
                return Err(reason);
            }
            match self.step() {
                Ok(true) if budget.is_spent() => break true,
                Ok(true) => {}
                Ok(false) => break false,
                Err(reason) => {
                    self.let_go();
                    self.broken = Some(reason);
                }
            }
        };
        self.pending.drain(..self.at);
        self.at = 0;
        Ok(more)
    }

    /// Ends the file; `each` receives the rest of a frame that is cut off. Returns whether more output follows.
    ///
    /// # Errors
    /// If the file ends inside a frame.
    pub fn finish(&mut self, budget: &Budget, each: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
        self.let_go();
        if self.drains && !self.drain(budget, each) {
            return Ok(true);
        }
        let whole = matches!(self.state, UnzstdState::Header) && self.pending.is_empty() && self.frames > 0;
        if whole { Ok(false) } else { Err(Fault::CutOff) }
    }

    /// Advances by one header or block. Returns `false` if it is not complete yet.
    fn step(&mut self) -> Result<bool, Fault> {
        let rest = &self.pending[self.at..];
        match self.state {
            UnzstdState::Header => self.header(),
            UnzstdState::Skip(left) => {
                let now = left.min(rest.len());
                self.at += now;
                self.state = if now == left { UnzstdState::Header } else { UnzstdState::Skip(left - now) };
                Ok(now == left)
            }
            UnzstdState::Blocks { checksum } => {
                let Some((length, last)) = block(rest, checksum).filter(|(length, _)| *length <= rest.len())
                else {
                    return Ok(false);
                };
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&rest[..length], strategy).map_err(|error| damaged(&error))?;
                self.at += length;
                self.drains = true;
                if last {
                    self.state = UnzstdState::End;
                }
                Ok(true)
            }
            UnzstdState::End => self.end_frame(),
        }
    }

    fn header(&mut self) -> Result<bool, Fault> {
        let rest = &self.pending[self.at..];
        let Some(&[a, b, c, d, descriptor]) = rest.first_chunk() else { return Ok(false) };
        if is_skipped(rest) {
            let Some(&[.., e, f, g, h]) = rest.first_chunk::<8>() else { return Ok(false) };
            self.at += 8;
            self.state = UnzstdState::Skip(u32::from_le_bytes([e, f, g, h]) as usize);
            self.frames += 1;
            return Ok(true);
        }
        if [a, b, c, d] != MAGIC {
            return Err(Fault::damaged(": a frame header is missing"));
        }
        let length = 5 + fields(descriptor);
        let Some(header) = rest.get(..length) else { return Ok(false) };
        self.decoder.reset(header).map_err(|error| match error {
            FrameDecoderError::WindowSizeTooBig { requested, .. } => too_large(requested),
            error => damaged(&error),
        })?;
        self.at += length;
        self.state = UnzstdState::Blocks { checksum: descriptor & 4 != 0 };
        Ok(true)
    }

    /// Takes as many bytes out of the decoder as the budget allows. Returns whether the decoder is empty.
    fn drain(&mut self, budget: &Budget, each: &mut dyn FnMut(&[u8])) -> bool {
        while !budget.is_spent() {
            // Errors were already reported when the block was decoded.
            match self.decoder.read(&mut self.buffer) {
                Ok(length) if length > 0 => {
                    each(&self.buffer[..length]);
                    budget.spend(length);
                }
                _ => {
                    self.drains = false;
                    return true;
                }
            }
        }
        false
    }

    /// Decodes an empty last block, so that the decoder releases the bytes that it keeps because later blocks may copy
    /// from them.
    fn let_go(&mut self) {
        let strategy = BlockDecodingStrategy::UptoBlocks(1);
        if matches!(self.state, UnzstdState::Blocks { .. }) {
            self.state = UnzstdState::End;
            self.drains |= self.decoder.decode_blocks(&LAST_BLOCK[..], strategy).is_ok();
        }
    }

    fn end_frame(&mut self) -> Result<bool, Fault> {
        self.state = UnzstdState::Header;
        self.frames += 1;
        let (stored, found) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if stored.is_some() && stored != found { Err(Fault::wrong_sum()) } else { Ok(true) }
    }
}

/// The error for a frame packed with `--long` and a larger window than supported; the file itself is not damaged.
fn too_large(window: u64) -> Fault {
    let size = |bytes| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    let (needed, most) = (size(window), size(MAX_WINDOW));
    Fault::Refused(format!(
        "it needs a window larger than {most} ({needed}); compress it again without --long, or with --long=27 at most"
    ))
}

fn damaged(error: &dyn std::fmt::Display) -> Fault {
    Fault::damaged(&format!(": {error}"))
}

/// Length in bytes of the frame header after its descriptor: window, dictionary, content size.
fn fields(descriptor: u8) -> usize {
    let single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [usize::from(single), 2, 4, 8][usize::from(descriptor >> 6)];
    usize::from(!single) + dictionary + content
}

/// Length of the block at the start of `bytes`, including the checksum after the last block, and whether it is the last.
fn block(bytes: &[u8], checksum: bool) -> Option<(usize, bool)> {
    let &[a, b, c] = bytes.first_chunk()?;
    let header = u32::from_le_bytes([a, b, c, 0]);
    let last = header & 1 == 1;
    let repeated = header >> 1 & 3 == 1;
    let size = (header >> 3) as usize;
    let behind = if last && checksum { 4 } else { 0 };
    Some((BLOCK + if repeated { 1 } else { size } + behind, last))
}
