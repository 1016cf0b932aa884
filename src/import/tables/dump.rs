//! Rows of SQL dumps: `INSERT INTO … VALUES (…),(…);` with the columns from `CREATE TABLE` or from the statement itself.

use super::row::Scratch;
use super::{CUT_OFF, Sink};
use crate::import::ProblemKind;
use crate::import::lines::Place;

const BROKEN: ProblemKind = ProblemKind::lost(
    "broken statement",
    "The text of an INSERT breaks the rules of SQL; reading went on with the next statement.",
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
    scratch: Scratch,
    /// A row that goes on in the next line, and where it begins.
    open: String,
    place: Place,
}

/// Where a row ends, or why it does not.
enum Step {
    /// Behind its closing bracket.
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
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn Sink) {
        if !self.open.is_empty() {
            let mut text = std::mem::take(&mut self.open);
            if line.starts_with("INSERT INTO ") || text.len() > LONGEST {
                sink.broken(CUT_OFF, self.place, &text);
                self.inserting = false;
            } else {
                text.push('\n');
                text.push_str(line);
                let place = self.place;
                return self.rows(&text, place, sink);
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
    fn end_of_columns(&mut self, line: &str, sink: &mut dyn Sink) {
        self.creating = ["PRIMARY", "KEY", "UNIQUE"].iter().any(|word| line.starts_with(word));
        let Some((name, columns)) = self.created.last().filter(|_| !self.creating) else { return };
        let mut header = Scratch::default();
        columns.iter().for_each(|column| header.push(Some(column)));
        sink.table(Some(name), &header.row());
    }

    /// The text ends.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            sink.broken(CUT_OFF, self.place, &open);
        }
    }

    fn insert(&mut self, line: &str, rest: &str, place: Place, sink: &mut dyn Sink) {
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
        self.inserting = true;
        let start = line.len() - rest.len() + values + "VALUES".len();
        let place = Place { offset: place.offset + start as u64, ..place };
        self.rows(&line[start..], place, sink);
    }

    /// The rows of a statement; `text` begins before or at the first one's bracket.
    fn rows(&mut self, text: &str, place: Place, sink: &mut dyn Sink) {
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
            let mut scratch = std::mem::take(&mut self.scratch);
            let step = row(&text[at..], &mut scratch);
            if let Step::End(length) = step {
                sink.row(&scratch.row(), here, length as u64);
                at += length;
            }
            self.scratch = scratch;
            match step {
                Step::End(_) => {}
                Step::More => {
                    (self.open, self.place) = (text[at..].to_owned(), here);
                    return;
                }
                Step::Broken => {
                    self.inserting = false;
                    return sink.broken(BROKEN, here, &text[at..]);
                }
            }
        }
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

/// Reads the row that `text` begins with.
fn row(text: &str, scratch: &mut Scratch) -> Step {
    scratch.clear();
    let mut at = 1;
    loop {
        let Some(rest) = text.get(at..) else { return Step::Broken };
        let rest = rest.trim_start();
        at = text.len() - rest.len();
        let rest = rest.strip_prefix("_binary ").unwrap_or(rest);
        at = at.max(text.len() - rest.len());
        if rest.starts_with('\'') {
            match string(&text[at..], scratch) {
                Some(length) => at += length,
                None => return Step::More,
            }
            scratch.end(false);
        } else {
            let Some(length) = rest.find([',', ')']) else { return Step::More };
            let word = rest[..length].trim();
            if word.contains(['\'', '(', ';']) {
                return Step::Broken;
            }
            scratch.push((word != "NULL").then_some(word));
            at += length;
        }
        match text.as_bytes().get(at) {
            Some(b',') => at += 1,
            Some(b')') => return Step::End(at + 1),
            None => return Step::More,
            Some(_) => return Step::Broken,
        }
    }
}

/// Adds the string that `text` begins with to the value; its length with the quotes.
fn string(text: &str, scratch: &mut Scratch) -> Option<usize> {
    let mut at = 1;
    loop {
        let stop = at + memchr::memchr2(b'\'', b'\\', text.as_bytes().get(at..)?)?;
        scratch.text.push_str(&text[at..stop]);
        let next = text.get(stop + 1..)?.chars().next();
        if text.as_bytes()[stop] == b'\'' {
            if next != Some('\'') {
                return Some(stop + 1);
            }
            scratch.text.push('\'');
            at = stop + 2;
            continue;
        }
        let c = next?;
        scratch.text.push(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'Z' => '\u{1A}',
            other => other,
        });
        at = stop + 1 + c.len_utf8();
    }
}
