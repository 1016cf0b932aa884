//! Delimited text: `mysql --batch`, `INTO OUTFILE`, and CSV from any client.

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

/// Whether a line is a message that clients print next to tables.
pub(super) fn is_chatter(line: &str) -> bool {
    line.starts_with("mysql: [") || line.starts_with("ERROR ") || line.starts_with("mysqldump: [")
}

/// Maximum length of a row that is assembled from several lines, in bytes.
const LONGEST: usize = 64 << 20;

/// Assembles rows from the lines of delimited text.
pub struct Delimited {
    dialect: Dialect,
    scratch: Scratch,
    state: DelimitedState,
    /// Number of values per row; `None` before the first table.
    columns: Option<usize>,
    /// Widths of the rows after the file's first line, to judge whether the first line is complete.
    ahead: Ahead,
    /// Whether a header or row has been read.
    begun: bool,
    /// Text of a row that continues in the next line; `place` is its start.
    open: String,
    place: Place,
    /// Number of values of an unescaped row that may continue in the next line; 0 if there is none.
    short: usize,
    /// Whether the next line is the last line of the file and has no line end.
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
    /// Creates a reader for text in this dialect.
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

    /// Creates a reader for a file with this head, whose first line may be incomplete.
    pub fn of_file(head: &str, is_header: impl Fn(&TableRow) -> bool) -> Self {
        let dialect = Dialect::of(head);
        Self { ahead: Ahead::of(head, dialect, is_header), ..Self::new(dialect) }
    }

    /// Creates a reader for rows with this number of values, without a header.
    pub fn of(dialect: Dialect, columns: usize) -> Self {
        Self { columns: Some(columns), ..Self::new(dialect) }
    }

    /// Reads the next line.
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

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        if !self.open.is_empty() {
            let open = std::mem::take(&mut self.open);
            // The row has too few values, and nothing follows.
            sink.broken(CUT_OFF, self.place, &open);
        }
    }

    /// Whether a line is a warning, error or comment that clients print around tables.
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

    /// Ends the open row with this line if the sink can read the row, which then has more values than the table has
    /// columns. Returns whether it does.
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

    /// Returns the problem to report if the open row turns out to be incomplete.
    fn open_kind(&self) -> ProblemKind {
        if self.short > 0 { WRONG_LENGTH } else { CUT_OFF }
    }

    /// Whether a line is a complete row although another row is open, which must then be broken.
    fn restarts(&self, line: &str, sink: &dyn RowSink) -> bool {
        let Some(columns) = self.columns.or(self.ahead.width).filter(|&columns| columns > 1) else {
            return false;
        };
        let mut fresh = Delimited::new(self.dialect);
        let row = fresh.row_of(line);
        row.is_some_and(|row| row.len() == columns || sink.is_header(&row))
    }

    /// Reads `line`, the last line of the row's `text` so far, and passes the row to `sink` if it is complete.
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
            // A single value is not a row.
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
            // The text has no escapes, so a value may contain a line end.
            (self.open, self.place, self.short) = (text.to_owned(), place, row.len());
        } else if row.len() < columns || !sink.overlong(row, place, length) {
            sink.broken(WRONG_LENGTH, place, text);
        }
    }

    /// Passes a row that has all of its values to `sink`, or reports it as cut off if it is the last line of the file,
    /// has no line end, and its last value is truncated.
    fn take(&mut self, row: &TableRow, text: &str, place: Place, sink: &mut dyn RowSink) {
        let may_be_cut = self.is_last_open && !text.ends_with('"');
        // Only clients that write NULL as nothing end a row with a delimiter.
        let Dialect { delimiter, escapes, quote_null, .. } = self.dialect;
        let is_empty = text.as_bytes().last() == Some(&delimiter) && (escapes || quote_null);
        if may_be_cut && (is_empty || sink.is_cut_off(row)) {
            return sink.broken(CUT_OFF, place, text);
        }
        sink.row(row, place, text.len() as u64);
        // The server's own clients end every line; some CSV writers do not end the last line.
        if may_be_cut && self.dialect.delimiter == b'\t' {
            sink.remark(NO_LINE_END, place, text);
        }
    }

    /// Returns the number of values per row if this is the rest of a damaged header and no row has been read yet.
    fn torn_header(&self, row: &TableRow, sink: &dyn RowSink) -> Option<usize> {
        let width = self.ahead.width.filter(|&width| !self.begun && width != row.len())?;
        (self.ahead.is_uniform && sink.is_torn(row, width)).then_some(width)
    }

    /// Returns the row that ends with this line, including the previous lines of the row; `None` if it continues in the
    /// next line.
    pub(super) fn row_of(&mut self, line: &str) -> Option<TableRow<'_>> {
        if self.state == DelimitedState::Start && self.scratch.open().is_empty() {
            self.scratch.clear();
        }
        self.feed(line).then(|| self.scratch.row())
    }

    /// Adds a line to the row. Returns whether the row ends with it.
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
                // The text has no escapes, so a quote ends its value only before a delimiter or the line's end.
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

    /// Reads the character after a backslash and returns the rest. `None` if the backslash is the last character of the
    /// line: the line end is then part of the value.
    fn unescape<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let Some(c) = rest.chars().next() else {
            self.scratch.text.push('\n');
            return None;
        };
        let ends = |rest: &str| rest.as_bytes().first().is_none_or(|&b| b == self.dialect.delimiter);
        let after = &rest[c.len_utf8()..];
        let text = match c {
            // On its own it is NULL, represented by a character that does not occur in texts.
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
            // CSV writers have no other notation for NULL.
            "" | "[NULL]" => self.dialect.delimiter != b'\t',
            _ => false,
        };
        self.scratch.end(is_null);
        self.state = DelimitedState::Start;
    }
}
