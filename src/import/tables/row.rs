//! One row: its values as pieces of a text, or NULL.

/// A piece of a row's text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    end: u32,
}

const NULL: Piece = Piece { start: u32::MAX, end: u32::MAX };

/// One row.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    text: &'a str,
    pieces: &'a [Piece],
}

impl<'a> Row<'a> {
    /// The value at `index`; `None` for NULL and behind the last one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a str> {
        let piece = self.pieces.get(index)?;
        self.text.get(piece.start as usize..piece.end as usize)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'a str>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// A row in the making; used for one row after the other.
#[derive(Default)]
pub struct Scratch {
    /// The values' texts, one after the other.
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

    /// What was added to [`text`](Self::text) since the last value ended.
    pub fn open(&self) -> &str {
        self.text.get(self.start..).unwrap_or("")
    }

    /// Ends a value: what was added to [`text`](Self::text) since the last one, or NULL.
    pub fn end(&mut self, is_null: bool) {
        if is_null {
            self.text.truncate(self.start);
        }
        let piece = Piece { start: self.start as u32, end: self.text.len() as u32 };
        self.pieces.push(if is_null { NULL } else { piece });
        self.start = self.text.len();
    }

    /// Adds a whole value.
    pub fn push(&mut self, value: Option<&str>) {
        self.text.push_str(value.unwrap_or(""));
        self.end(value.is_none());
    }

    /// Forgets the row, and takes `line`, cut at every `delimiter`, for its values; the word NULL is NULL.
    #[inline]
    pub fn split<'a>(&'a mut self, line: &'a str, delimiter: u8) -> Row<'a> {
        self.clear();
        let mut start = 0;
        for end in memchr::memchr_iter(delimiter, line.as_bytes()).chain([line.len()]) {
            let is_null = &line.as_bytes()[start..end] == b"NULL";
            let piece = Piece { start: start as u32, end: end as u32 };
            self.pieces.push(if is_null { NULL } else { piece });
            start = end + 1;
        }
        Row { text: line, pieces: &self.pieces }
    }

    /// How many values have ended.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The row so far.
    pub fn row(&self) -> Row<'_> {
        Row { text: &self.text, pieces: &self.pieces }
    }
}
