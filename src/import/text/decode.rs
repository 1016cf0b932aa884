//! Decodes bytes to text in slices: UTF-8 and UTF-16, with or without a byte order mark.
//!
//! Invalid bytes are replaced by U+FFFD and reported; nothing else is changed. Valid UTF-8 is passed on without a copy.

/// Encoding of a file's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Utf8,
    Utf16 { big: bool },
}

/// Decodes the bytes of one file.
#[derive(Clone, Default)]
pub struct Decoder {
    encoding: Option<Encoding>,
    /// Start of an incomplete character or byte order mark.
    carry: Vec<u8>,
    /// Length of the byte order mark, in bytes.
    skipped: u64,
    /// Number of bytes of decoded text that were passed on.
    written: u64,
    changed: bool,
}

/// Receives the decoded text.
pub trait TextSink {
    /// Receives the next text, which is never empty.
    fn text(&mut self, text: &str);
    /// Called for invalid bytes; the U+FFFD that replaces them follows, at `offset` of the text.
    fn invalid(&mut self, offset: u64, bytes: &[u8]);
}

const REPLACEMENT: &str = "\u{FFFD}";

impl Decoder {
    /// Decodes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl TextSink) {
        match self.encoding {
            Some(Encoding::Utf8) => self.utf8(bytes, sink),
            Some(Encoding::Utf16 { big }) => self.utf16(bytes, big, sink),
            None => {
                self.carry.extend_from_slice(bytes);
                if self.carry.len() >= 4 {
                    self.begin(sink);
                }
            }
        }
    }

    /// Finishes the current file.
    pub fn finish(&mut self, sink: &mut impl TextSink) {
        if self.encoding.is_none() {
            self.begin(sink);
        }
        if !self.carry.is_empty() {
            let rest = std::mem::take(&mut self.carry);
            self.replace(&rest, sink);
        }
    }

    /// Whether offsets in the text, plus [`skipped`](Self::skipped), are offsets in the file.
    pub fn is_plain(&self) -> bool {
        !self.changed && !matches!(self.encoding, Some(Encoding::Utf16 { .. }))
    }

    /// Number of bytes before the text, which are the byte order mark.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Number of bytes of text passed on.
    pub fn written(&self) -> u64 {
        self.written
    }

    fn begin(&mut self, sink: &mut impl TextSink) {
        let head = std::mem::take(&mut self.carry);
        let (encoding, mark) = match head.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
            [0xFF, 0xFE, ..] => (Encoding::Utf16 { big: false }, 2),
            [0xFE, 0xFF, ..] => (Encoding::Utf16 { big: true }, 2),
            // Every supported format begins with two ASCII characters.
            [1..0x80, 0, 1..0x80, 0, ..] => (Encoding::Utf16 { big: false }, 0),
            [0, 1..0x80, 0, 1..0x80, ..] => (Encoding::Utf16 { big: true }, 0),
            _ => (Encoding::Utf8, 0),
        };
        self.encoding = Some(encoding);
        self.skipped = mark as u64;
        self.push(&head[mark..], sink);
    }

    fn utf8(&mut self, mut bytes: &[u8], sink: &mut impl TextSink) {
        while !self.carry.is_empty() {
            let Some((&next, rest)) = bytes.split_first() else { return };
            self.carry.push(next);
            let carry = std::mem::take(&mut self.carry);
            match std::str::from_utf8(&carry) {
                Ok(text) => {
                    self.write(text, sink);
                    bytes = rest;
                }
                Err(error) if error.error_len().is_none() => {
                    self.carry = carry;
                    bytes = rest;
                }
                // The last byte made the character invalid, so it is decoded again on its own.
                Err(_) => self.replace(&carry[..carry.len() - 1], sink),
            }
        }
        self.whole_utf8(bytes, sink);
    }

    fn whole_utf8(&mut self, mut bytes: &[u8], sink: &mut impl TextSink) {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.write(text, sink),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            // Validated a second time: invalid text is rare, and this avoids unsafe code.
            self.write(std::str::from_utf8(valid).unwrap_or(""), sink);
            let Some(bad) = error.error_len() else {
                self.carry = rest.to_vec();
                return;
            };
            self.replace(&rest[..bad], sink);
            bytes = &rest[bad..];
        }
    }

    fn utf16(&mut self, bytes: &[u8], big: bool, sink: &mut impl TextSink) {
        let mut all = std::mem::take(&mut self.carry);
        all.extend_from_slice(bytes);
        let unit = |pair: &[u8]| {
            let pair = [pair[0], pair[1]];
            if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        };
        let mut end = all.len() & !1;
        // A surrogate pair whose second unit has not arrived is kept for the next slice.
        if end >= 2 && (0xD800..0xDC00).contains(&unit(&all[end - 2..end])) {
            end -= 2;
        }
        self.carry = all[end..].to_vec();
        let mut text = String::with_capacity(end);
        for item in char::decode_utf16(all[..end].chunks_exact(2).map(unit)) {
            match item {
                Ok(character) => text.push(character),
                Err(error) => {
                    self.write(&text, sink);
                    text.clear();
                    self.replace(&error.unpaired_surrogate().to_be_bytes(), sink);
                }
            }
        }
        self.write(&text, sink);
    }

    fn write(&mut self, text: &str, sink: &mut impl TextSink) {
        if !text.is_empty() {
            self.written += text.len() as u64;
            sink.text(text);
        }
    }

    fn replace(&mut self, bytes: &[u8], sink: &mut impl TextSink) {
        self.changed = true;
        sink.invalid(self.written, bytes);
        self.write(REPLACEMENT, sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(String, Vec<u64>);

    impl TextSink for Seen {
        fn text(&mut self, text: &str) {
            self.0.push_str(text);
        }
        fn invalid(&mut self, offset: u64, _: &[u8]) {
            self.1.push(offset);
        }
    }

    fn check(bytes: &[u8], text: &str, invalid: &[u64]) {
        for size in 1..=bytes.len().max(1) {
            let (mut decoder, mut seen) = (Decoder::default(), Seen::default());
            bytes.chunks(size).for_each(|slice| decoder.push(slice, &mut seen));
            decoder.finish(&mut seen);
            assert_eq!((seen.0.as_str(), seen.1.as_slice()), (text, invalid), "in slices of {size}");
        }
    }

    #[test]
    fn text_is_the_same_however_its_bytes_are_cut() {
        let utf16 = |mark: u16, f: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(mark).chain("aß𝄞b".encode_utf16()).flat_map(f).collect()
        };
        check(b"", "", &[]);
        check("aß𝄞b".as_bytes(), "aß𝄞b", &[]);
        check("\u{FEFF}aß𝄞b".as_bytes(), "aß𝄞b", &[]);
        check(&utf16(0xFEFF, u16::to_le_bytes), "aß𝄞b", &[]);
        check(&utf16(0xFEFF, u16::to_be_bytes), "aß𝄞b", &[]);
        check(b"\0a\0b\0\xDF", "ab\u{DF}", &[]);
        check(b"a\0b\0\xDF\0", "ab\u{DF}", &[]);
        check(b"a\xFFb\xE2\x82c", "a\u{FFFD}b\u{FFFD}c", &[1, 5]);
        check(b"abc\xF0\x9D", "abc\u{FFFD}", &[3]);
        check(b"\xFF\xFEa\x00\x00\xD8b\x00\x00", "a\u{FFFD}b\u{FFFD}", &[1, 5]);
    }
}
