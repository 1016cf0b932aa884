//! Gzip (RFC 1952), in slices: a sequence of members, each with a header, a deflate stream, its checksum and its length.
//!
//! The fields of the header are skipped; its own checksum is rare and not checked.

use super::budget::Budget;
use super::fault::Fault;
use super::inflate::{Check, Inflated, Inflater};

/// First bytes of a file and of each of its members.
pub const MAGIC: [u8; 2] = [0x1F, 0x8B];
/// [`MAGIC`] and the only compression method that exists: deflate.
const START: [u8; 3] = [0x1F, 0x8B, 8];
/// Length of the fixed header in bytes: magic, method, flags, time, extra flags, operating system.
const FIXED: usize = 10;
/// Length of the trailer in bytes: checksum and length.
const TRAILER: usize = 8;
/// Bytes charged to the step's budget for each member in addition to its unpacked bytes, because each member needs a
/// new decoder state.
const MEMBER: usize = 32 << 10;
/// Maximum header length in bytes. Headers hold a file name and a comment; anything longer is not a header.
const MAX_HEADER: usize = 1 << 20;

const HAS_CHECKSUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;

/// Unpacks a gzip file.
#[derive(Clone)]
pub struct Gunzip {
    state: GunzipState,
    /// Bytes of a header or trailer that is not complete yet.
    pending: Vec<u8>,
    /// Number of members that were read to their end.
    members: u64,
}

#[derive(Clone)]
enum GunzipState {
    Header,
    Body(Inflater),
    Trailer(Check),
}

impl Default for Gunzip {
    fn default() -> Self {
        Self { state: GunzipState::Header, pending: Vec::new(), members: 0 }
    }
}

impl Gunzip {
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
        loop {
            match &mut self.state {
                GunzipState::Body(stream) => match stream.push(bytes, budget, each)? {
                    Inflated::Waits => return Ok(false),
                    Inflated::Pauses => return Ok(true),
                    Inflated::Ended => self.end_body(),
                },
                _ if bytes.is_empty() => return Ok(false),
                _ if budget.is_spent() => return Ok(true),
                GunzipState::Header => {
                    *bytes = self.header(bytes)?;
                    budget.spend(MEMBER);
                }
                GunzipState::Trailer(check) => {
                    let check = *check;
                    *bytes = self.trailer(check, bytes)?;
                }
            }
        }
    }

    fn end_body(&mut self) {
        if let GunzipState::Body(stream) = std::mem::replace(&mut self.state, GunzipState::Header) {
            self.state = GunzipState::Trailer(stream.finish());
        }
    }

    /// Finishes reading at the end of the file.
    ///
    /// # Errors
    /// If the file ends inside a member.
    pub fn finish(&self) -> Result<(), Fault> {
        let whole = matches!(self.state, GunzipState::Header) && self.pending.is_empty() && self.members > 0;
        if whole { Ok(()) } else { Err(Fault::CutOff) }
    }

    /// Takes the bytes of a header and returns the rest.
    fn header<'a>(&mut self, mut bytes: &'a [u8]) -> Result<&'a [u8], Fault> {
        let known = self.pending.len();
        if known == 0 && self.members > 0 {
            // Files on tapes and block devices are padded with zeros.
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            bytes = &bytes[zeros..];
        }
        // Nearly every header is complete in one slice.
        let length = if known == 0 { header_length(bytes)? } else { None };
        let length = match length {
            Some(length) => Some(length),
            None => {
                self.pending.extend_from_slice(bytes);
                header_length(&self.pending)?
            }
        };
        let Some(length) = length else { return Ok(&[]) };
        self.pending.clear();
        self.state = GunzipState::Body(Inflater::default());
        Ok(&bytes[length - known..])
    }

    /// Takes the bytes of a trailer and returns the rest.
    fn trailer<'a>(&mut self, found: Check, bytes: &'a [u8]) -> Result<&'a [u8], Fault> {
        let (mine, rest) = bytes.split_at(bytes.len().min(TRAILER - self.pending.len()));
        self.pending.extend_from_slice(mine);
        if let &[a, b, c, d, e, f, g, h] = self.pending.as_slice() {
            let (sum, length) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            if (sum, length) != (found.sum, found.length as u32) {
                return Err(Fault::wrong_sum());
            }
            self.pending.clear();
            self.members += 1;
            self.state = GunzipState::Header;
        }
        Ok(rest)
    }
}

/// Length of the header at the start of `bytes`; `None` if it is not complete yet.
fn header_length(bytes: &[u8]) -> Result<Option<usize>, Fault> {
    let wrong = bytes.iter().zip(START).any(|(&found, expected)| found != expected);
    match walk(bytes) {
        _ if wrong => Err(Fault::Damaged("the data after it is not gzip".to_owned())),
        None if bytes.len() > MAX_HEADER => Err(Fault::Damaged("the gzip header has no end".to_owned())),
        length => Ok(length),
    }
}

fn walk(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let mut at = FIXED;
    if flags & HAS_EXTRA != 0 {
        let length = [*bytes.get(at)?, *bytes.get(at + 1)?];
        at += 2 + usize::from(u16::from_le_bytes(length));
    }
    for flag in [HAS_NAME, HAS_COMMENT] {
        if flags & flag != 0 {
            at += memchr::memchr(0, bytes.get(at..)?)? + 1;
        }
    }
    if flags & HAS_CHECKSUM != 0 {
        at += 2;
    }
    (at <= bytes.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` as a member whose header has the parts that `flags` name, stored without compression.
    fn member(flags: u8, text: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 255];
        let parts: [(u8, &[u8]); 4] = [
            (HAS_EXTRA, b"\x03\x00abc"),
            (HAS_NAME, b"run.json\0"),
            (HAS_COMMENT, b"\0"),
            (HAS_CHECKSUM, b"\x12\x34"),
        ];
        for (_, part) in parts.iter().filter(|(flag, _)| flags & flag != 0) {
            bytes.extend_from_slice(part);
        }
        let length = text.len() as u16;
        bytes.push(1);
        bytes.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
        bytes.extend_from_slice(text);
        let mut checker = super::super::inflate::Checker::default();
        checker.update(text);
        bytes.extend(checker.finish().sum.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes
    }

    fn push_all(gunzip: &mut Gunzip, mut bytes: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
        while gunzip.push(&mut bytes, &Budget::step(), each)? {}
        Ok(())
    }

    fn check(file: &[u8], text: &str, outcome: Result<(), &str>) {
        for size in 1..=file.len().max(1) {
            let (mut gunzip, mut found) = (Gunzip::default(), Vec::new());
            let mut each = |bytes: &[u8]| found.extend_from_slice(bytes);
            let read = file.chunks(size).try_for_each(|slice| push_all(&mut gunzip, slice, &mut each));
            let read = read.and_then(|()| gunzip.finish());
            assert_eq!(String::from_utf8_lossy(&found), text, "in slices of {size}");
            match outcome {
                Ok(()) => assert_eq!(read, Ok(()), "in slices of {size}"),
                Err(part) => {
                    assert!(read.is_err_and(|e| e.reason().contains(part)), "{part}, in slices of {size}")
                }
            }
        }
    }

    #[test]
    fn members_are_read_however_their_bytes_are_cut() {
        for flags in 0..32 {
            check(&member(flags, b"text"), "text", Ok(()));
        }
        check(&[member(0, b"a"), member(HAS_NAME, b""), member(31, b"b")].concat(), "ab", Ok(()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let whole = member(HAS_NAME, b"text");
        check(b"", "", Err("ends early"));
        check(&whole[..12], "", Err("ends early"));
        check(&whole[..whole.len() - 1], "text", Err("ends early"));
        check(&[&whole[..], b"x"].concat(), "text", Err("not gzip"));
        for (at, part) in [(0, "not gzip"), (2, "not gzip"), (19, "is damaged")] {
            let mut wrong = whole.clone();
            wrong[at] ^= 6;
            check(&wrong, "", Err(part));
        }
        for from_end in [1, 5] {
            let mut wrong = whole.clone();
            let at = wrong.len() - from_end;
            wrong[at] ^= 1;
            check(&wrong, "text", Err("its checksum does not match"));
        }
        let endless = [&[0x1F, 0x8B, 8, HAS_NAME][..], &[b'a'; MAX_HEADER]].concat();
        let mut gunzip = Gunzip::default();
        assert!(push_all(&mut gunzip, &endless, &mut |_| ()).is_err_and(|e| e.reason().contains("no end")));
    }
}
