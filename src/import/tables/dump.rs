//! Rows of SQL dumps: `INSERT INTO … VALUES (…),(…);`, with column names from `CREATE TABLE` or the statement itself.

use super::row::Scratch;
use super::{CUT_OFF, RowSink, WRONG_LENGTH};
use crate::import::contract::ProblemKind;
use crate::import::text::lines::Place;

const BROKEN: ProblemKind = ProblemKind::lost(
    "broken statement",
    "The INSERT is not valid SQL. Reading continued with the next statement.",
);

/// Assembles rows from the lines of an SQL dump.
#[derive(Default)]
pub struct Dump {
    /// Names and columns of all created tables.
    created: Vec<(String, Vec<String>)>,
    /// Whether the columns of a `CREATE TABLE` are being listed.
    creating: bool,
    /// Whether an `INSERT` statement has begun whose rows follow.
    inserting: bool,
    /// Number of values per row of the statement; 0 if its columns are unknown.
    columns: usize,
    scratch: Scratch,
    /// Text of a row that continues in the next line; `place` is its start, and `progress` the part that was read.
    open: String,
    place: Place,
    progress: Progress,
}

/// Reading position in a row. It is kept, so that a row that continues in the next line is not read from its start
/// again.
#[derive(Clone, Copy)]
struct Progress {
    /// Byte offset at which reading continues.
    at: usize,
    state: DumpState,
    /// Byte offset up to which the end of an unquoted value has been searched.
    searched: usize,
}

/// Lexical state at a position in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DumpState {
    /// Before a value.
    Start,
    String,
    /// After a value.
    End,
}

impl Progress {
    /// Position after the opening parenthesis of a row.
    const START: Self = Self { at: 1, state: DumpState::Start, searched: 0 };
}

impl Default for Progress {
    fn default() -> Self {
        Self::START
    }
}

/// Result of reading a row.
enum DumpStep {
    /// The row ends before this byte offset, after its closing parenthesis.
    End(usize),
    /// The row continues in the next line.
    More,
    /// The row is invalid.
    Broken,
}

impl Dump {
    /// Creates a reader for rows without their statement.
    pub fn of_rows() -> Self {
        Self { inserting: true, ..Self::default() }
    }

    /// Reads the next line.
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        if !self.open.is_empty() {
            let mut text = std::mem::take(&mut self.open);
            if line.starts_with("INSERT INTO ") || text.len() > LONGEST {
                sink.broken(CUT_OFF, self.place, &text);
                self.inserting = false;
            } else {
                text.push('\n');
                text.push_str(line);
                return self.go_on(text, sink);
            }
        }
        if self.inserting && line.starts_with('(') {
            return self.rows(line, place, sink);
        }
        self.inserting = false;
        if let Some(rest) = line.strip_prefix("INSERT INTO ") {
            return self.insert(line, rest, place, sink);
        }
        if let Some(rest) = line.strip_prefix("CREATE TABLE ") {
            self.created.push((quoted(rest).unwrap_or_default().to_owned(), Vec::new()));
            self.creating = true;
        } else if self.creating {
            let column = line.trim_start();
            match (column.starts_with('`'), self.created.last_mut()) {
                (true, Some((_, columns))) => columns.extend(quoted(column).map(str::to_owned)),
                _ => self.end_of_columns(column, sink),
            }
        }
        sink.other_line();
    }

    /// Reads the lines after the columns of a table: keys, then the end of the statement.
    fn end_of_columns(&mut self, line: &str, sink: &mut dyn RowSink) {
        self.creating = ["PRIMARY", "KEY", "UNIQUE"].iter().any(|word| line.starts_with(word));
        let Some((name, columns)) = self.created.last().filter(|_| !self.creating) else { return };
        let mut header = Scratch::default();
        columns.iter().for_each(|column| header.push(Some(column)));
        sink.table(Some(name), &header.row());
    }

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            sink.broken(CUT_OFF, self.place, &open);
        }
    }

    fn insert(&mut self, line: &str, rest: &str, place: Place, sink: &mut dyn RowSink) {
        let table = quoted(rest).unwrap_or_default();
        let Some(values) = rest.find("VALUES") else { return sink.other_line() };
        let head = &rest[..values];
        let mut scratch = Scratch::default();
        match head.find('(') {
            Some(list) => {
                head[list..].split('`').skip(1).step_by(2).for_each(|name| scratch.push(Some(name)))
            }
            None => {
                let created = self.created.iter().rev().find(|(name, _)| name == table);
                created
                    .into_iter()
                    .flat_map(|(_, columns)| columns)
                    .for_each(|name| scratch.push(Some(name)));
            }
        }
        sink.table(Some(table), &scratch.row());
        self.columns = scratch.row().len();
        self.inserting = true;
        let start = line.len() - rest.len() + values + "VALUES".len();
        let place = Place { offset: place.offset + start as u64, ..place };
        self.rows(&line[start..], place, sink);
    }

    /// Reads the rows of a statement; `text` begins at or before the first row's parenthesis.
    fn rows(&mut self, text: &str, place: Place, sink: &mut dyn RowSink) {
        let mut at = 0;
        loop {
            let gap = text[at..].bytes().take_while(|b| matches!(b, b' ' | b',' | b'\t')).count();
            at += gap;
            let here = Place { offset: place.offset + at as u64, ..place };
            match text.as_bytes().get(at) {
                Some(b'(') => {}
                Some(b';') => {
                    self.inserting = false;
                    return;
                }
                None => return,
                Some(_) => {
                    self.inserting = false;
                    return sink.broken(BROKEN, here, &text[at..]);
                }
            }
            self.progress = Progress::START;
            self.scratch.clear();
            match self.row(&text[at..], here, sink) {
                DumpStep::End(length) => at += length,
                DumpStep::More => {
                    (self.open, self.place) = (text[at..].to_owned(), here);
                    return;
                }
                DumpStep::Broken => return,
            }
        }
    }

    /// Continues the open row, whose text now has another line, and reads what follows the row.
    fn go_on(&mut self, text: String, sink: &mut dyn RowSink) {
        let place = self.place;
        match self.row(&text, place, sink) {
            DumpStep::End(length) => {
                let place = Place { offset: place.offset + length as u64, ..place };
                self.rows(&text[length..], place, sink);
            }
            DumpStep::More => self.open = text,
            DumpStep::Broken => {}
        }
    }

    /// Continues the row at the start of `text`, and passes the row to `sink` if it is complete.
    fn row(&mut self, text: &str, place: Place, sink: &mut dyn RowSink) -> DumpStep {
        let mut scratch = std::mem::take(&mut self.scratch);
        let step = self.progress.read(text, &mut scratch);
        match step {
            DumpStep::End(length) if self.columns > 0 && scratch.row().len() != self.columns => {
                sink.broken(WRONG_LENGTH, place, &text[..length]);
            }
            DumpStep::End(length) => sink.row(&scratch.row(), place, length as u64),
            DumpStep::More => {}
            DumpStep::Broken => {
                self.inserting = false;
                sink.broken(BROKEN, place, text);
            }
        }
        self.scratch = scratch;
        step
    }
}

/// Maximum length of a row that is assembled from several lines, in bytes.
const LONGEST: usize = 64 << 20;

/// Returns the name in the first backticks, or the first word.
fn quoted(text: &str) -> Option<&str> {
    match text.split_once('`') {
        Some((_, rest)) => rest.split('`').next(),
        None => text.split(|c: char| c.is_whitespace() || c == '(').next(),
    }
}

impl Progress {
    /// Continues the row at the start of `text`, whose first values are already in `scratch`.
    fn read(&mut self, text: &str, scratch: &mut Scratch) -> DumpStep {
        loop {
            if self.state == DumpState::Start {
                let Some(rest) = text.get(self.at..) else { return DumpStep::Broken };
                self.at = text.len() - rest.trim_start().len();
                let rest = &text[self.at..];
                let value = rest.strip_prefix("_binary ").unwrap_or(rest);
                if value.starts_with('\'') {
                    self.at = text.len() - value.len() + 1;
                    self.state = DumpState::String;
                } else if let Some(step) = self.word(text, value, scratch) {
                    return step;
                }
            }
            if self.state == DumpState::String {
                if !self.string(text, scratch) {
                    return DumpStep::More;
                }
                scratch.end(false);
                self.state = DumpState::End;
            }
            match text.as_bytes().get(self.at) {
                Some(b',') => self.at += 1,
                Some(b')') => return DumpStep::End(self.at + 1),
                None => return DumpStep::More,
                Some(_) => return DumpStep::Broken,
            }
            self.state = DumpState::Start;
        }
    }

    /// Adds the unquoted value at the start of `value`, which is the unread end of `text`. Returns `None` if the value
    /// was added, or else why not: it continues in the next line, or is invalid.
    fn word(&mut self, text: &str, value: &str, scratch: &mut Scratch) -> Option<DumpStep> {
        let start = text.len() - value.len();
        let from = self.searched.max(start);
        let Some(length) = text.get(from..).and_then(|rest| rest.find([',', ')'])) else {
            self.searched = text.len();
            return Some(DumpStep::More);
        };
        let word = text[start..from + length].trim();
        if word.contains(['\'', '(', ';']) {
            return Some(DumpStep::Broken);
        }
        scratch.push((word != "NULL").then_some(word));
        self.at = from + length;
        self.state = DumpState::End;
        None
    }

    /// Adds the rest of a string to the value, up to the closing quote or the end of the text. Returns whether it is closed.
    fn string(&mut self, text: &str, scratch: &mut Scratch) -> bool {
        loop {
            let rest = text.get(self.at..).unwrap_or("");
            let Some(stop) = memchr::memchr2(b'\'', b'\\', rest.as_bytes()) else {
                scratch.text.push_str(rest);
                self.at = text.len();
                return false;
            };
            let next = rest[stop + 1..].chars().next();
            let is_quote = rest.as_bytes()[stop] == b'\'';
            if !is_quote && next.is_none() {
                // The backslash is the last character of the line, so the line end is escaped.
                scratch.text.push_str(&rest[..stop]);
                self.at += stop;
                return false;
            }
            scratch.text.push_str(&rest[..stop]);
            if is_quote && next != Some('\'') {
                self.at += stop + 1;
                return true;
            }
            let c = next.unwrap_or('\'');
            scratch.text.push(if is_quote { c } else { unescaped(c) });
            self.at += stop + 1 + c.len_utf8();
        }
    }
}

/// Returns the character that a backslash and `c` represent.
fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'Z' => '\u{1A}',
        other => other,
    }
}
