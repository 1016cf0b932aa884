//! Rows of SQL dumps: `INSERT INTO … VALUES (…),(…);` with the columns from `CREATE TABLE` or from the statement itself.

use super::row::Scratch;
use super::{CUT_OFF, RowSink, WRONG_LENGTH};
use crate::import::contract::ProblemKind;
use crate::import::text::lines::Place;

const BROKEN: ProblemKind = ProblemKind::lost(
    "broken statement",
    "The INSERT is not valid SQL. Reading continued with the next statement.",
);

/// Puts rows together out of lines.
#[derive(Default)]
pub struct Dump {
    /// The columns of every table that is created.
    created: Vec<(String, Vec<String>)>,
    /// The table whose columns are being listed.
    creating: bool,
    /// Whether rows of a statement follow.
    inserting: bool,
    /// Values of a row of the statement; 0 where its columns are not known.
    columns: usize,
    scratch: Scratch,
    /// A row that goes on in the next line, where it begins, and how far it was read.
    open: String,
    place: Place,
    progress: Progress,
}

/// How far a row was read: what goes on in the next line is read on from there, and not from its start.
#[derive(Clone, Copy)]
struct Progress {
    /// The byte offset from which on the row is to be read.
    at: usize,
    state: DumpState,
    /// The byte offset up to which the end of a value without quotes was looked for.
    searched: usize,
}

/// Where in a row that is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DumpState {
    /// At the start of a value.
    Start,
    String,
    /// After a value.
    End,
}

impl Progress {
    /// After the bracket that begins a row.
    const START: Self = Self { at: 1, state: DumpState::Start, searched: 0 };
}

impl Default for Progress {
    fn default() -> Self {
        Self::START
    }
}

/// Where a row ends, or why it does not.
enum DumpStep {
    /// After its closing bracket.
    End(usize),
    /// In the next line.
    More,
    /// At what no row has.
    Broken,
}

impl Dump {
    /// For rows alone, without their statement.
    pub fn of_rows() -> Self {
        Self { inserting: true, ..Self::default() }
    }

    /// The next line.
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

    /// What follows the columns of a table: keys, then its end.
    fn end_of_columns(&mut self, line: &str, sink: &mut dyn RowSink) {
        self.creating = ["PRIMARY", "KEY", "UNIQUE"].iter().any(|word| line.starts_with(word));
        let Some((name, columns)) = self.created.last().filter(|_| !self.creating) else { return };
        let mut header = Scratch::default();
        columns.iter().for_each(|column| header.push(Some(column)));
        sink.table(Some(name), &header.row());
    }

    /// The text ends.
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

    /// The rows of a statement; `text` begins before or at the first one's bracket.
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

    /// The row that was open, with one more line; and what follows where it ends.
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

    /// Reads on in the row that `text` begins with, and hands it on if it ends here.
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

/// Bytes of a row that is put together out of several lines.
const LONGEST: usize = 64 << 20;

/// The name in the first backticks, or the first word.
fn quoted(text: &str) -> Option<&str> {
    match text.split_once('`') {
        Some((_, rest)) => rest.split('`').next(),
        None => text.split(|c: char| c.is_whitespace() || c == '(').next(),
    }
}

impl Progress {
    /// Reads on in the row that `text` begins with, whose first values are in `scratch` already.
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

    /// Adds the value without quotes that `value`, the rest of the text, begins with; or why there is none.
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

    /// Adds the rest of a string to the value, up to its closing quote or the end of the text; whether it is closed.
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
                // What is escaped is the end of the line.
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

/// What a character stands for after a backslash.
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
