//! Delimited text: `mysql --batch`, `INTO OUTFILE`, CSV of any client.

use std::borrow::Cow;

use super::ahead::Ahead;
use super::row::{Scratch, TableRow};
use super::{CUT_OFF, Dialect, NO_LINE_END, RowSink, WRONG_LENGTH};
use crate::import::contract::ProblemKind;
use crate::import::text::lines::Place;

const TORN: ProblemKind = ProblemKind::lost(
    "header torn off",
    "The file's first line is a damaged header or the rest of one: it names more or fewer columns than the \
     rows have. Columns are assumed to be in the server's order.",
);

/// What clients say around tables, in a line of its own.
pub(super) fn is_chatter(line: &str) -> bool {
    line.starts_with("mysql: [") || line.starts_with("ERROR ") || line.starts_with("mysqldump: [")
}

/// Bytes of a row that is put together out of several lines.
const LONGEST: usize = 64 << 20;

/// Puts rows together out of lines.
pub struct Delimited {
    dialect: Dialect,
    scratch: Scratch,
    state: DelimitedState,
    /// Values of a row; `None` before the first table.
    columns: Option<usize>,
    /// What the lines after the first one look like, and whether a header or a row was read.
    ahead: Ahead,
    begun: bool,
    /// The text of a row that goes on in the next line, and where it begins.
    open: String,
    place: Place,
    /// Values of a row of unescaped text that may go on in the next line; 0 where no such row is open.
    short: usize,
    /// Whether the line that comes next is the file's last one and has no end.
    pub is_last_open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DelimitedState {
    /// At the start of a value.
    Start,
    Plain,
    Quoted,
    /// After the closing quote.
    Closed,
}

impl Delimited {
    /// For text that is written so.
    pub fn new(dialect: Dialect) -> Self {
        let (scratch, open, place, ahead) = Default::default();
        Self {
            dialect,
            scratch,
            state: DelimitedState::Start,
            columns: None,
            ahead,
            begun: false,
            open,
            place,
            short: 0,
            is_last_open: false,
        }
    }

    /// For a file that begins so: its first line may be what is left of one.
    pub fn of_file(head: &str, is_header: impl Fn(&TableRow) -> bool) -> Self {
        let dialect = Dialect::of(head);
        Self { ahead: Ahead::of(head, dialect, is_header), ..Self::new(dialect) }
    }

    /// For rows of so many values, without a header.
    pub fn of(dialect: Dialect, columns: usize) -> Self {
        Self { columns: Some(columns), ..Self::new(dialect) }
    }

    /// The next line.
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        if !self.open.is_empty() {
            return self.go_on(line, place, sink);
        }
        if line.is_empty() || self.is_remark(line, sink) {
            return sink.other_line();
        }
        let special =
            self.dialect.quotes || self.dialect.escapes && memchr::memchr(b'\\', line.as_bytes()).is_some();
        if !special {
            let mut scratch = std::mem::take(&mut self.scratch);
            let row = scratch.split(line, self.dialect.delimiter);
            self.whole(&row, line, place, sink);
            self.scratch = scratch;
            return;
        }
        self.scratch.clear();
        self.state = DelimitedState::Start;
        self.feed_and_take(line, line, place, sink);
    }

    /// The text ends.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        if !self.open.is_empty() {
            let open = std::mem::take(&mut self.open);
            // Its values are fewer than they should be, and nothing follows.
            sink.broken(CUT_OFF, self.place, &open);
        }
    }

    /// What clients print around tables: warnings, errors, comments.
    fn is_remark(&mut self, line: &str, sink: &mut dyn RowSink) -> bool {
        if let Some(rest) = line.strip_prefix('#') {
            // MySQL Shell's diagnostics have the header after a prelude, all in comments.
            let mut scratch = std::mem::take(&mut self.scratch);
            let row = scratch.split(rest.trim_start(), self.dialect.delimiter);
            if sink.is_header(&row) {
                self.columns = Some(row.len());
                sink.table(None, &row);
            }
            self.scratch = scratch;
            return true;
        }
        is_chatter(line)
    }

    fn go_on(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        let more = memchr::memchr_iter(self.dialect.delimiter, line.as_bytes()).count();
        let too_many = self.short > 0 && self.columns.is_none_or(|columns| self.short + more > columns);
        let ends = self.open.len() > LONGEST || self.restarts(line, sink);
        if !ends && too_many && self.joins(line, sink) {
            return;
        }
        if too_many || ends {
            let open = std::mem::take(&mut self.open);
            sink.broken(self.open_kind(), self.place, &open);
            self.short = 0;
            return self.line(line, place, sink);
        }
        let mut open = std::mem::take(&mut self.open);
        open.push('\n');
        open.push_str(line);
        let place = self.place;
        if self.short == 0 {
            return self.feed_and_take(line, open, place, sink);
        }
        self.short += more;
        if self.columns != Some(self.short) {
            self.open = open;
            return;
        }
        self.short = 0;
        let mut scratch = std::mem::take(&mut self.scratch);
        self.whole(&scratch.split(&open, self.dialect.delimiter), &open, place, sink);
        self.scratch = scratch;
    }

    /// Whether the row that is open ends with this line, though it has more values than columns then.
    fn joins(&mut self, line: &str, sink: &mut dyn RowSink) -> bool {
        let whole = format!("{}\n{line}", self.open);
        let mut scratch = std::mem::take(&mut self.scratch);
        let row = scratch.split(&whole, self.dialect.delimiter);
        let taken = sink.overlong(&row, self.place, whole.len() as u64);
        self.scratch = scratch;
        if taken {
            self.open.clear();
            self.short = 0;
        }
        taken
    }

    /// What is wrong with the row that is open, if nothing more of it comes.
    fn open_kind(&self) -> ProblemKind {
        if self.short > 0 { WRONG_LENGTH } else { CUT_OFF }
    }

    /// Whether a line is a whole row of its own, though one is open: then that one is broken.
    fn restarts(&self, line: &str, sink: &dyn RowSink) -> bool {
        let Some(columns) = self.columns.or(self.ahead.width).filter(|&columns| columns > 1) else {
            return false;
        };
        let mut fresh = Delimited::new(self.dialect);
        let row = fresh.row_of(line);
        row.is_some_and(|row| row.len() == columns || sink.is_header(&row))
    }

    /// Reads on with `line`, which is the end of `text`, and hands the row on if it ends here.
    fn feed_and_take<'a>(
        &mut self,
        line: &str,
        text: impl Into<Cow<'a, str>>,
        place: Place,
        sink: &mut dyn RowSink,
    ) {
        let text = text.into();
        if !self.feed(line) {
            (self.open, self.place) = (text.into_owned(), place);
            return;
        }
        let scratch = std::mem::take(&mut self.scratch);
        self.whole(&scratch.row(), &text, place, sink);
        self.scratch = scratch;
        self.scratch.clear();
        self.state = DelimitedState::Start;
    }

    fn whole(&mut self, row: &TableRow, text: &str, place: Place, sink: &mut dyn RowSink) {
        let length = text.len() as u64;
        if let Some(width) = self.torn_header(row, sink) {
            sink.table(None, &Scratch::default().row());
            self.columns = Some(width);
            return sink.broken(TORN, place, text);
        }
        if sink.is_header(row) {
            (self.columns, self.begun) = (Some(row.len()), true);
            return sink.table(None, row);
        }
        let columns = match self.columns {
            Some(columns) => columns,
            // One value is no row.
            None if row.len() < 2 => return sink.other_line(),
            None => {
                sink.table(None, &Scratch::default().row());
                *self.columns.insert(self.ahead.for_rows(row.len()))
            }
        };
        if row.len() == columns {
            self.begun = true;
            self.take(row, text, place, sink);
        } else if row.len() < columns && !self.dialect.quotes {
            // Written without escapes: a value may have a line end in it.
            (self.open, self.place, self.short) = (text.to_owned(), place, row.len());
        } else if row.len() < columns || !sink.overlong(row, place, length) {
            sink.broken(WRONG_LENGTH, place, text);
        }
    }

    /// Hands on a row that has all its values; the last one may be cut off where its line has no end.
    fn take(&mut self, row: &TableRow, text: &str, place: Place, sink: &mut dyn RowSink) {
        let may_be_cut = self.is_last_open && !text.ends_with('"');
        // Only clients that leave out NULL end a row with nothing.
        let Dialect { delimiter, escapes, quote_null, .. } = self.dialect;
        let is_empty = text.as_bytes().last() == Some(&delimiter) && (escapes || quote_null);
        if may_be_cut && (is_empty || sink.is_cut_off(row)) {
            return sink.broken(CUT_OFF, place, text);
        }
        sink.row(row, place, text.len() as u64);
        // The server's own clients end every line; some that write CSV do not end the last one.
        if may_be_cut && self.dialect.delimiter == b'\t' {
            sink.remark(NO_LINE_END, place, text);
        }
    }

    /// How many values the rows have, if none was read yet and this is what is left of a header.
    fn torn_header(&self, row: &TableRow, sink: &dyn RowSink) -> Option<usize> {
        let width = self.ahead.width.filter(|&width| !self.begun && width != row.len())?;
        (self.ahead.is_uniform && sink.is_torn(row, width)).then_some(width)
    }

    /// The row that a line is, unless it goes on in the next one; the lines before are part of it, if they did.
    pub(super) fn row_of(&mut self, line: &str) -> Option<TableRow<'_>> {
        if self.state == DelimitedState::Start && self.scratch.open().is_empty() {
            self.scratch.clear();
        }
        self.feed(line).then(|| self.scratch.row())
    }

    /// Reads a line into the row. Whether the row ends with it.
    fn feed(&mut self, line: &str) -> bool {
        let Dialect { delimiter, quotes, escapes, quote_null } = self.dialect;
        let mut rest = line;
        loop {
            match self.state {
                DelimitedState::Start if quote_null && self.is_quote_null(rest) => {
                    self.scratch.end(true);
                    rest = &rest[2..];
                    if rest.is_empty() {
                        return true;
                    }
                    rest = &rest[1..];
                    continue;
                }
                DelimitedState::Start if quotes && rest.starts_with('"') => {
                    self.state = DelimitedState::Quoted;
                    rest = &rest[1..];
                }
                DelimitedState::Start => self.state = DelimitedState::Plain,
                _ => {}
            }
            let is_quoted = self.state == DelimitedState::Quoted;
            let stop = if is_quoted { b'"' } else { delimiter };
            let escape = if escapes { b'\\' } else { stop };
            let Some(at) = memchr::memchr2(stop, escape, rest.as_bytes()) else {
                self.scratch.text.push_str(rest);
                if is_quoted {
                    self.scratch.text.push('\n');
                    return false;
                }
                self.end_value();
                return true;
            };
            self.scratch.text.push_str(&rest[..at]);
            let byte = rest.as_bytes()[at];
            rest = &rest[at + 1..];
            match byte {
                b'\\' if escapes => match self.unescape(rest) {
                    Some(after) => rest = after,
                    None => return false,
                },
                b'"' if is_quoted && rest.starts_with('"') => {
                    self.scratch.text.push('"');
                    rest = &rest[1..];
                }
                // Written without escapes: a quote ends its value only where the value can end.
                b'"' if is_quoted && !rest.is_empty() && rest.as_bytes()[0] != delimiter => {
                    self.scratch.text.push('"');
                }
                b'"' if is_quoted => self.state = DelimitedState::Closed,
                _ => self.end_value(),
            }
        }
    }

    fn is_quote_null(&self, rest: &str) -> bool {
        rest.starts_with("\"N") && rest.as_bytes().get(2).is_none_or(|&b| b == self.dialect.delimiter)
    }

    /// What stands after a backslash; `None` if that is the line's end, which then belongs to the value.
    fn unescape<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let Some(c) = rest.chars().next() else {
            self.scratch.text.push('\n');
            return None;
        };
        let ends = |rest: &str| rest.as_bytes().first().is_none_or(|&b| b == self.dialect.delimiter);
        let after = &rest[c.len_utf8()..];
        let text = match c {
            // Alone: NULL. It is told from a text by a byte that no text has.
            'N' if self.scratch.open().is_empty() && ends(after) => '\u{FFFF}',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            '0' => '\0',
            other => other,
        };
        self.scratch.text.push(text);
        Some(after)
    }

    fn end_value(&mut self) {
        let is_quoted = self.state == DelimitedState::Closed;
        let value = self.scratch.open();
        let is_null = match value {
            "\u{FFFF}" => true,
            "NULL" => !is_quoted,
            // Clients that write CSV have nothing else for NULL.
            "" | "[NULL]" => self.dialect.delimiter != b'\t',
            _ => false,
        };
        self.scratch.end(is_null);
        self.state = DelimitedState::Start;
    }
}
