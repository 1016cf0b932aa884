//! Rows as JSON objects: in an array, one per line, one after the other, or inside an object written by the client.

use super::row::Scratch;
use super::{CUT_OFF, RowSink};
use crate::import::contract::ProblemKind;
use crate::import::json::{self, Cursor, RecordSplitter, Scanner, Stop, Value};
use crate::import::text::lines::Place;

const BROKEN: ProblemKind =
    ProblemKind::lost("broken record", "The row is not valid JSON. Reading continued after it.");

/// Finds the rows of a JSON text.
pub struct JsonRows {
    splitter: RecordSplitter,
    /// Number of bytes before the first row that are still to be skipped.
    skip: usize,
    names: Vec<String>,
}

impl JsonRows {
    /// Creates a reader for a file with this head, if it has rows. Text before the first row is skipped.
    pub fn new(head: &str, is_header: impl Fn(&Scratch) -> bool) -> Option<Self> {
        let starts = memchr::memchr_iter(b'{', head.as_bytes());
        let skip = starts.take(STARTS).find(|&at| {
            let mut scratch = Scratch::default();
            json::keys(&head[at..]).iter().for_each(|key| scratch.push(Some(key)));
            is_header(&scratch)
        })?;
        let line = 1 + memchr::memchr_iter(b'\n', &head.as_bytes()[..skip]).count() as u64;
        let splitter = RecordSplitter::starting_at(Place { offset: skip as u64, line });
        Some(Self { splitter, skip, names: Vec::new() })
    }

    /// Creates a reader for rows without surrounding text.
    pub fn of_rows() -> Self {
        Self { splitter: RecordSplitter::default(), skip: 0, names: Vec::new() }
    }

    /// Reads the next part of the text.
    pub fn push(&mut self, text: &str, sink: &mut dyn RowSink) {
        let skip = self.skip.min(text.len());
        self.skip -= skip;
        let Self { splitter, names, .. } = self;
        splitter.push(&text[skip..], &mut Taking { sink, names, scanner: Scanner::default(), level: 0 });
    }

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        let Self { splitter, names, .. } = self;
        splitter.finish(&mut Taking { sink, names, scanner: Scanner::default(), level: 0 });
    }
}

/// Maximum number of braces in a head at which a row is tried.
const STARTS: usize = 100;
/// Maximum depth of arrays in objects in which rows are searched.
const LEVELS: u8 = 3;

/// Receives the records that are found in a JSON text, and passes them to the sink as rows.
struct Taking<'a> {
    sink: &'a mut dyn RowSink,
    /// Columns of the current table.
    names: &'a mut Vec<String>,
    scanner: Scanner,
    level: u8,
}

impl json::RecordHandler for Taking<'_> {
    fn try_read(&mut self, _: &str, _: Place) -> Option<(usize, u64)> {
        None
    }

    fn record(&mut self, text: &str, place: Place) {
        let mut values = Scratch::default();
        let mut names = Vec::new();
        let mut inner = Vec::new();
        let mut cursor = Cursor::new(text);
        let stop = loop {
            match cursor.next(&mut self.scanner) {
                Err(stop) => break stop,
                Ok((key, value)) => {
                    names.push(key.decoded().map_or_else(|| key.raw().to_owned(), |key| key.into_owned()));
                    match value {
                        Value::Word(word) => values.push((word != "null").then_some(word)),
                        Value::Text(text) => values.push(Some(&text.decoded().unwrap_or_default())),
                        Value::Nested(text) => {
                            inner.extend(
                                Some(text).filter(|text| text.starts_with('[') && text.contains('{')),
                            );
                            values.push(Some(text));
                        }
                    }
                }
            }
        };
        if stop == Stop::Broken {
            return self.sink.broken(BROKEN, place, text);
        }
        if !inner.is_empty() && self.level < LEVELS {
            return inner.into_iter().for_each(|array| self.array(array, text, place));
        }
        self.row(names, &values, place, text.len() as u64);
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.sink.broken(BROKEN, place, text);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.sink.broken(CUT_OFF, place, text);
    }

    fn stray(&mut self, _: &str, _: Place) {
        self.sink.other_line();
    }
}

impl Taking<'_> {
    fn row(&mut self, names: Vec<String>, values: &Scratch, place: Place, length: u64) {
        if names != *self.names {
            let mut header = Scratch::default();
            names.iter().for_each(|name| header.push(Some(name)));
            if !self.sink.is_header(&header.row()) {
                // The record is the client's own information, not a row.
                return self.sink.other_line();
            }
            self.sink.table(None, &header.row());
            *self.names = names;
        }
        self.sink.row(&values.row(), place, length);
    }

    /// Reads the rows of an array in a record, as another table of the same file.
    fn array(&mut self, array: &str, record: &str, place: Place) {
        let before = array.as_ptr() as usize - record.as_ptr() as usize;
        let line = place.line + memchr::memchr_iter(b'\n', &record.as_bytes()[..before]).count() as u64;
        let mut splitter = RecordSplitter::starting_at(Place { offset: place.offset + before as u64, line });
        let mut taking = Taking {
            sink: &mut *self.sink,
            names: self.names,
            scanner: Scanner::default(),
            level: self.level + 1,
        };
        splitter.push(array, &mut taking);
        splitter.finish(&mut taking);
    }
}
