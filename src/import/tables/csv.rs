//! Comma-separated values by RFC 4180, with a known delimiter; quotes and line ends in values are supported.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::row::{Scratch, TableRow};
use crate::import::text::lines::Place;

/// Assembles rows from text that arrives in slices.
pub struct CsvRows {
    reader: Reader,
    /// Texts of the current row's cells, one after the other; `text` and `ends` grow when they are full.
    text: Vec<u8>,
    ends: Vec<usize>,
    text_used: usize,
    ends_used: usize,
    scratch: Scratch,
    start: Place,
    end: u64,
    begun: bool,
}

/// A row and its position in the file.
pub struct CsvRow<'a> {
    /// The values; NULL does not occur.
    pub cells: TableRow<'a>,
    /// Start of the row.
    pub place: Place,
    /// Length of the row in bytes, including its line end.
    pub length: u64,
}

impl CsvRows {
    /// Creates a reader for text whose cells are separated by `delimiter`.
    pub fn new(delimiter: u8) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            text: vec![0; 4096],
            ends: vec![0; 32],
            text_used: 0,
            ends_used: 0,
            scratch: Scratch::default(),
            start: Place { offset: 0, line: 1 },
            end: 0,
            begun: false,
        }
    }

    /// Reads the next text, and calls `each` for every row that is completed.
    pub fn push(&mut self, text: &str, mut each: impl FnMut(CsvRow)) {
        let mut bytes = text.as_bytes();
        while !bytes.is_empty() {
            bytes = self.read(bytes, &mut each);
        }
    }

    /// Finishes reading at the end of the text, and calls `each` for the last row if it has no line end.
    pub fn finish(&mut self, mut each: impl FnMut(CsvRow)) {
        // An empty input signals the end to csv-core, which asks for another call if a buffer is full.
        while self.begun {
            self.read(&[], &mut each);
        }
    }

    /// Calls the reader once. Returns the text that it has not read.
    fn read<'a>(&mut self, bytes: &'a [u8], each: &mut impl FnMut(CsvRow)) -> &'a [u8] {
        if !self.begun {
            // Line ends before a row are not part of the row; csv-core skips them as well.
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
        // Quotes and delimiters are ASCII, so the pieces of a text are valid text.
        let text = std::str::from_utf8(&self.text[..self.text_used]).unwrap_or_default();
        let cells = self.scratch.cut_at(text, &self.ends[..self.ends_used]);
        each(CsvRow { cells, place: self.start, length: self.end - self.start.offset });
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
                let cells: Vec<_> = row.cells.iter().flatten().map(str::to_owned).collect();
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
