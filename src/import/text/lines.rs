//! Splits a text that arrives in slices into complete lines.

/// Start of a line or record.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Place {
    /// Byte offset in the file's text.
    pub offset: u64,
    /// Line, counted from 1.
    pub line: u64,
}

/// Assembles lines that are split across slices.
#[derive(Default)]
pub struct Lines {
    carry: String,
    next: u64,
    count: u64,
}

impl Lines {
    /// Reads the next slice, and calls `each` for every line that is completed, without its line end (`\n` or `\r\n`).
    pub fn push(&mut self, mut text: &str, mut each: impl FnMut(&str, Place)) {
        while let Some(end) = memchr::memchr(b'\n', text.as_bytes()) {
            let (line, rest) = (&text[..end], &text[end + 1..]);
            if self.carry.is_empty() {
                self.emit(line, &mut each);
            } else {
                let mut whole = std::mem::take(&mut self.carry);
                whole.push_str(line);
                self.emit(&whole, &mut each);
            }
            text = rest;
        }
        self.carry.push_str(text);
    }

    /// Whether the last line has no end so far.
    pub fn is_open(&self) -> bool {
        !self.carry.is_empty()
    }

    /// Finishes reading at the end of the text, and calls `each` for the last line if it has no line end.
    pub fn finish(&mut self, mut each: impl FnMut(&str, Place)) {
        let last = std::mem::take(&mut self.carry);
        if !last.is_empty() {
            self.emit(&last, &mut each);
        }
    }

    fn emit(&mut self, line: &str, each: &mut impl FnMut(&str, Place)) {
        self.count += 1;
        each(line.strip_suffix('\r').unwrap_or(line), Place { offset: self.next, line: self.count });
        self.next += line.len() as u64 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_however_the_text_is_cut() {
        let text = "one\r\n\ntwo\nlast";
        for size in 1..=text.len() {
            let (mut lines, mut seen) = (Lines::default(), Vec::new());
            let mut each = |line: &str, place: Place| seen.push((line.to_owned(), place.offset, place.line));
            for slice in text.as_bytes().chunks(size) {
                lines.push(std::str::from_utf8(slice).expect("ASCII"), &mut each);
            }
            lines.finish(&mut each);
            let expected = [("one", 0, 1), ("", 5, 2), ("two", 6, 3), ("last", 10, 4)];
            assert_eq!(seen, expected.map(|(line, offset, number)| (line.to_owned(), offset, number)));
        }
    }
}
