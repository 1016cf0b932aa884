//! Zstandard (RFC 8878), in slices: frames one after the other, each a header, blocks, and perhaps a checksum.
//!
//! Where a block ends is read here, so that the decoder is only ever given whole ones: a slice may end anywhere.

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::io::Read;

use super::inflate::CUT_OFF;

/// How a frame begins.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// How a frame begins that is to be skipped, but for the lowest four bits of the first byte.
const SKIPPED: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];
/// Bytes of a block's header.
const BLOCK: usize = 3;
/// Bytes that are taken out of the decoder at a time.
const STEP: usize = 64 << 10;
/// An empty last block, and room for the checksum that may follow it.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Whether a file begins with a frame, be it one that is to be skipped.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || is_skipped(head)
}

fn is_skipped(head: &[u8]) -> bool {
    head.first_chunk().is_some_and(|&[a, b, c, d]| [a & 0xF0, b, c, d] == SKIPPED)
}

/// Unpacks a file.
pub struct Unzstd {
    decoder: FrameDecoder,
    /// What is not decoded yet, from `at` on.
    pending: Vec<u8>,
    at: usize,
    state: State,
    buffer: Vec<u8>,
    frames: u64,
}

enum State {
    Header,
    /// Blocks, behind the last of which a checksum stands or not.
    Blocks {
        checksum: bool,
    },
    /// So many bytes of a frame that is to be skipped.
    Skip(usize),
}

impl Default for Unzstd {
    fn default() -> Self {
        Self {
            decoder: FrameDecoder::new(),
            pending: Vec::new(),
            at: 0,
            state: State::Header,
            buffer: vec![0; STEP],
            frames: 0,
        }
    }
}

impl Unzstd {
    /// The next bytes; `each` is given the unpacked ones.
    ///
    /// # Errors
    /// Why the rest is not readable.
    #[inline(never)]
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        self.pending.extend_from_slice(bytes);
        while self.step(each).inspect_err(|_| self.let_go(each))? {}
        self.pending.drain(..self.at);
        self.at = 0;
        Ok(())
    }

    /// The file ends; `each` is given what a frame has that has no end.
    ///
    /// # Errors
    /// If it ends inside a frame.
    pub fn finish(mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        self.let_go(each);
        let whole = matches!(self.state, State::Header) && self.pending.is_empty() && self.frames > 0;
        if whole { Ok(()) } else { Err(CUT_OFF.to_owned()) }
    }

    /// Goes on by one header or block. Whether it was all there.
    fn step(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<bool, String> {
        let rest = &self.pending[self.at..];
        match self.state {
            State::Header => self.header(),
            State::Skip(left) => {
                let now = left.min(rest.len());
                self.at += now;
                self.state = if now == left { State::Header } else { State::Skip(left - now) };
                Ok(now == left)
            }
            State::Blocks { checksum } => {
                let Some((length, last)) = block(rest, checksum).filter(|(length, _)| *length <= rest.len())
                else {
                    return Ok(false);
                };
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&rest[..length], strategy).map_err(|error| damaged(&error))?;
                self.at += length;
                self.drain(each)?;
                if last {
                    self.end_frame()?;
                }
                Ok(true)
            }
        }
    }

    fn header(&mut self) -> Result<bool, String> {
        let rest = &self.pending[self.at..];
        let Some(&[a, b, c, d, descriptor]) = rest.first_chunk() else { return Ok(false) };
        if is_skipped(rest) {
            let Some(&[.., e, f, g, h]) = rest.first_chunk::<8>() else { return Ok(false) };
            self.at += 8;
            self.state = State::Skip(u32::from_le_bytes([e, f, g, h]) as usize);
            self.frames += 1;
            return Ok(true);
        }
        if [a, b, c, d] != MAGIC {
            return Err("the compressed data is damaged: no frame begins where one should".to_owned());
        }
        let length = 5 + fields(descriptor);
        let Some(header) = rest.get(..length) else { return Ok(false) };
        self.decoder.reset(header).map_err(|error| damaged(&error))?;
        self.at += length;
        self.state = State::Blocks { checksum: descriptor & 4 != 0 };
        Ok(true)
    }

    fn drain(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        loop {
            match self.decoder.read(&mut self.buffer).map_err(|error| damaged(&error))? {
                0 => return Ok(()),
                length => each(&self.buffer[..length]),
            }
        }
    }

    /// The decoder holds back what later blocks may copy from. When none comes, what looks like the last one frees it.
    fn let_go(&mut self, each: &mut dyn FnMut(&[u8])) {
        let strategy = BlockDecodingStrategy::UptoBlocks(1);
        if matches!(self.state, State::Blocks { .. })
            && self.decoder.decode_blocks(&LAST_BLOCK[..], strategy).is_ok()
        {
            // What cannot be taken out was told of already.
            drop(self.drain(each));
        }
    }

    fn end_frame(&mut self) -> Result<(), String> {
        self.state = State::Header;
        self.frames += 1;
        let (stored, found) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if stored.is_some() && stored != found {
            return Err("the compressed data is damaged: its checksum is another".to_owned());
        }
        Ok(())
    }
}

fn damaged(error: &dyn std::fmt::Display) -> String {
    format!("the compressed data is damaged: {error}")
}

/// Bytes of a frame's header behind its descriptor: window, dictionary, size of the content.
fn fields(descriptor: u8) -> usize {
    let single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [usize::from(single), 2, 4, 8][usize::from(descriptor >> 6)];
    usize::from(!single) + dictionary + content
}

/// The length of the block at the start of `bytes`, with what follows the last one, and whether it is the last.
fn block(bytes: &[u8], checksum: bool) -> Option<(usize, bool)> {
    let &[a, b, c] = bytes.first_chunk()?;
    let header = u32::from_le_bytes([a, b, c, 0]);
    let (last, repeated, size) = (header & 1 == 1, header >> 1 & 3 == 1, (header >> 3) as usize);
    let behind = if last && checksum { 4 } else { 0 };
    Some((BLOCK + if repeated { 1 } else { size } + behind, last))
}
