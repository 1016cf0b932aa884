//! Rows of comma-separated values from text that comes in slices, each with the place where it stands.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::import::text::lines::Place;

/// Puts rows together.
pub struct CsvRows {
    reader: Reader,
    /// The cells' texts of the row so far, one after the other; both grow when they are full.
    text: Vec<u8>,
    ends: Vec<usize>,
    text_used: usize,
    ends_used: usize,
    start: Place,
    end: u64,
    begun: bool,
}

/// One row: its cells, where it stands, and how long it is there.
pub struct CsvRow<'a> {
    text: &'a [u8],
    ends: &'a [usize],
    /// Where it begins.
    pub place: Place,
    /// Bytes up to the end of the row, its line end included.
    pub length: u64,
}

impl<'a> CsvRow<'a> {
    /// The cell at `index`; `None` if the row is too short.
    pub fn cell(&self, index: usize) -> Option<&'a str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        // Quotes are ASCII: a cell that was cut out of text is text.
        std::str::from_utf8(self.text.get(start..end)?).ok()
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.len()).filter_map(|index| self.cell(index))
    }
}

impl CsvRows {
    /// For text whose cells are separated by `delimiter`.
    pub fn new(delimiter: u8) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            text: vec![0; 4096],
            ends: vec![0; 32],
            text_used: 0,
            ends_used: 0,
            start: Place { offset: 0, line: 1 },
            end: 0,
            begun: false,
        }
    }

    /// The next text: `each` is given every row that it completes.
    pub fn push(&mut self, text: &str, mut each: impl FnMut(CsvRow)) {
        let mut bytes = text.as_bytes();
        while !bytes.is_empty() {
            bytes = self.read(bytes, &mut each);
        }
    }

    /// The text ends: `each` is given the last row if it has no end of its own.
    pub fn finish(&mut self, mut each: impl FnMut(CsvRow)) {
        // No bytes are how csv-core is told of the end; a full buffer makes it ask for another turn.
        while self.begun {
            self.read(&[], &mut each);
        }
    }

    /// One turn of the reader. Returns the text that it has not read.
    fn read<'a>(&mut self, bytes: &'a [u8], each: &mut impl FnMut(CsvRow)) -> &'a [u8] {
        if !self.begun {
            // Line ends before a row are not part of it; csv-core skips them as well.
            let blank = bytes.iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
            if blank > 0 {
                self.reader.read_record(&bytes[..blank], &mut self.text, &mut self.ends);
                self.end += blank as u64;
                return &bytes[blank..];
            }
            self.start = Place { offset: self.end, line: self.reader.line() };
        }
        let (text, ends) = (&mut self.text[self.text_used..], &mut self.ends[self.ends_used..]);
        let (result, read, written, ended) = self.reader.read_record(bytes, text, ends);
        self.text_used += written;
        self.ends_used += ended;
        self.end += read as u64;
        self.begun = true;
        match result {
            ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
            ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            ReadRecordResult::Record => self.emit(each),
            ReadRecordResult::End => self.begun = false,
            ReadRecordResult::InputEmpty => {}
        }
        &bytes[read..]
    }

    fn emit(&mut self, each: &mut impl FnMut(CsvRow)) {
        let (text, ends) = (&self.text[..self.text_used], &self.ends[..self.ends_used]);
        each(CsvRow { text, ends, place: self.start, length: self.end - self.start.offset });
        (self.text_used, self.ends_used, self.begun) = (0, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_however_the_text_is_cut() {
        let long = "x".repeat(10_000);
        let text = format!("a,b\r\n\n1,\"2\n,\"\"3\"\n{long},\n4,5");
        for size in [1, 2, 3, 5, 7, 100, 20_000] {
            let (mut rows, mut seen) = (CsvRows::new(b','), Vec::new());
            let mut each = |row: CsvRow| {
                let cells: Vec<_> = row.cells().map(str::to_owned).collect();
                seen.push((cells, row.place.offset, row.place.line));
            };
            for slice in text.as_bytes().chunks(size) {
                rows.push(std::str::from_utf8(slice).expect("ASCII"), &mut each);
            }
            rows.finish(&mut each);
            let expected = [
                (["a", "b"], 0, 1),
                (["1", "2\n,\"3"], 6, 3),
                ([long.as_str(), ""], 17, 5),
                (["4", "5"], 10_019, 6),
            ];
            assert_eq!(seen, expected.map(|(c, offset, line)| (c.map(str::to_owned).to_vec(), offset, line)));
        }
    }
}
