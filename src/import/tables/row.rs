//! One row of a table: its values as ranges of a text, or NULL.

/// Range of a value in a row's text; for NULL, the range of the word that represents NULL.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Start of the range. For the value NULL the bit [`NULL`] is set, so that the range is invalid and reading it returns `None`.
    start: u32,
    end: u32,
}

/// Flag in the start of a range for NULL. Rows are shorter than this number.
const NULL: u32 = 1 << 31;

impl Piece {
    fn new(start: usize, end: usize, is_null: bool) -> Self {
        Self { start: start as u32 | if is_null { NULL } else { 0 }, end: end as u32 }
    }
}

/// One row of a table.
#[derive(Clone, Copy)]
pub struct TableRow<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    /// Whether the text is a line as written in the file, split at every delimiter, so that the bytes between two
    /// values are known.
    is_line: bool,
}

impl<'a> TableRow<'a> {
    /// Returns the value at `index`; `None` for NULL and beyond the last value.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a str> {
        let piece = self.pieces.get(index)?;
        self.text.get(piece.start as usize..piece.end as usize)
    }

    /// Returns the bytes of the value at `index`, without the check for character boundaries.
    #[inline]
    pub fn bytes(&self, index: usize) -> Option<&'a [u8]> {
        let piece = self.pieces.get(index)?;
        self.text.as_bytes().get(piece.start as usize..piece.end as usize)
    }

    /// Returns the bytes from one value to the end of another, including the delimiter, as written; `None` if the row
    /// is not a line.
    #[inline]
    pub fn stretch(&self, first: usize, last: usize) -> Option<&'a [u8]> {
        let start = |piece: &Piece| (piece.start & !NULL) as usize;
        let from = self.pieces.get(first).filter(|_| self.is_line).map(start)?;
        let to = self.pieces.get(last + 1).map_or(self.text.len(), start);
        self.text.as_bytes().get(from..to)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns all values.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'a str>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// A row under construction, reused from row to row.
#[derive(Default)]
pub struct Scratch {
    /// Texts of the values, one after the other.
    pub text: String,
    pieces: Vec<Piece>,
    start: usize,
}

impl Scratch {
    /// Begins a row.
    pub fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        self.start = 0;
    }

    /// Returns what was added to [`text`](Self::text) since the end of the last value.
    pub fn open(&self) -> &str {
        self.text.get(self.start..).unwrap_or("")
    }

    /// Ends a value: what was added to [`text`](Self::text) since the previous value, or NULL.
    pub fn end(&mut self, is_null: bool) {
        if is_null {
            self.text.truncate(self.start);
        }
        self.pieces.push(Piece::new(self.start, self.text.len(), is_null));
        self.start = self.text.len();
    }

    /// Adds a complete value.
    pub fn push(&mut self, value: Option<&str>) {
        self.text.push_str(value.unwrap_or(""));
        self.end(value.is_none());
    }

    /// Replaces the row with the values of `line`, split at every `delimiter`; the word NULL is NULL.
    #[inline]
    pub fn split<'a>(&'a mut self, line: &'a str, delimiter: u8) -> TableRow<'a> {
        self.clear();
        let bytes = line.as_bytes();
        each(bytes, delimiter, |end| self.cut(bytes, end));
        self.cut(bytes, bytes.len());
        TableRow { text: line, pieces: &self.pieces, is_line: true }
    }

    /// Replaces the row with the pieces of `text` that end at `ends`, one after the other, without NULL.
    pub fn cut_at<'a>(&'a mut self, text: &'a str, ends: &[usize]) -> TableRow<'a> {
        self.clear();
        for &end in ends {
            self.pieces.push(Piece::new(self.start, end, false));
            self.start = end;
        }
        TableRow { text, pieces: &self.pieces, is_line: false }
    }

    /// Adds the next value of `line`, which ends at `end`.
    #[inline]
    fn cut(&mut self, line: &[u8], end: usize) {
        let is_null = end - self.start == 4 && &line[self.start..end] == b"NULL";
        self.pieces.push(Piece::new(self.start, end, is_null));
        self.start = end + 1;
    }

    /// Returns the row so far.
    pub fn row(&self) -> TableRow<'_> {
        TableRow { text: &self.text, pieces: &self.pieces, is_line: false }
    }
}

const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Calls `found` with every position of `byte`, eight bytes at a time: values are short, so that a separate search for
/// each costs more than reading every byte.
#[inline]
fn each(bytes: &[u8], byte: u8, mut found: impl FnMut(usize)) {
    let pattern = ONES * u64::from(byte);
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let other = u64::from_le_bytes(*word) ^ pattern;
        // Sets the highest bit of every byte that is 0, and no other bit, since no carry leaves a byte.
        let mut places = !(((other & LOW) + LOW) | other | LOW);
        while places != 0 {
            found(at * 8 + places.trailing_zeros() as usize / 8);
            places &= places - 1;
        }
    }
    let first = bytes.len() - rest.len();
    rest.iter().enumerate().filter(|(_, b)| **b == byte).for_each(|(at, _)| found(first + at));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_line_is_cut_as_the_library_cuts_it(
            line in "(\t|NULL|a|\u{8}|\n|\u{89}|\u{7FF}|\u{10FFFF}|1234567){0,40}"
        ) {
            let mut scratch = Scratch::default();
            let row = scratch.split(&line, b'\t');
            let expected = line.split('\t').map(|value| (value != "NULL").then_some(value));
            prop_assert!(row.iter().eq(expected.clone()));
            let bytes = (0..row.len()).map(|at| row.bytes(at));
            prop_assert!(bytes.eq(expected.map(|value| value.map(str::as_bytes))));
        }
    }
}
