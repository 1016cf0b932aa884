//! Vertical rows with one line per value: `mysql -E` and `\G`.

use super::row::Scratch;
use super::{CUT_OFF, NO_LINE_END, RowSink, WRONG_LENGTH, are_some};
use crate::import::text::lines::Place;

/// Assembles rows from lines that contain one value each.
#[derive(Default)]
pub struct Vertical {
    names: Vec<String>,
    values: Vec<String>,
    /// Columns of the current table.
    columns: Vec<String>,
    /// Position of the colon after the column name, which is the same in all lines of a row; `None` before the first
    /// of them.
    colon: Option<usize>,
    place: Place,
    length: u64,
    is_open: bool,
    /// Whether the row is the first row of a table, according to its number.
    is_first: bool,
    /// Whether the last line of the file has no line end.
    pub is_last_open: bool,
}

impl Vertical {
    /// Reads the next line.
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        if line.starts_with("***") && line.contains(". row *") {
            self.take(false, sink);
            (self.place, self.length, self.is_open, self.colon) = (place, 0, true, None);
            self.is_first = line.contains(" 1. row *");
        } else if self.is_open && (ends(line) || self.is_last_open && is_ruler(line)) {
            self.take(false, sink);
            sink.other_line();
            return;
        } else if !self.is_open {
            return sink.other_line();
        } else if let Some((name, value)) = self.value(line) {
            self.names.push(name.to_owned());
            self.values.push(value.to_owned());
        } else if let Some(last) = self.values.last_mut() {
            last.push('\n');
            last.push_str(line);
        }
        self.length += line.len() as u64 + 1;
    }

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        self.take(true, sink);
    }

    fn value<'a>(&mut self, line: &'a str) -> Option<(&'a str, &'a str)> {
        let colon = match self.colon {
            Some(colon) => colon,
            None => *self.colon.insert(line.find(": ").or_else(|| line.strip_suffix(':').map(str::len))?),
        };
        let name = line.get(..colon)?.trim_start();
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
        let value = line.get(colon..)?.strip_prefix(':')?;
        is_name.then(|| (name, value.strip_prefix(' ').unwrap_or(value)))
    }

    fn take(&mut self, at_end: bool, sink: &mut dyn RowSink) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let (names, values) = (std::mem::take(&mut self.names), std::mem::take(&mut self.values));
        if names.is_empty() || at_end && names.len() < self.columns.len() {
            return sink.broken(CUT_OFF, self.place, &values.join(" "));
        }
        // Clients write every column of every row.
        if !self.is_first && are_some(&names, &self.columns) {
            return sink.broken(WRONG_LENGTH, self.place, &values.join(" "));
        }
        let mut scratch = Scratch::default();
        if names != self.columns {
            names.iter().for_each(|name| scratch.push(Some(name)));
            sink.table(None, &scratch.row());
            scratch.clear();
            self.columns = names;
        }
        values.iter().for_each(|value| scratch.push((value != "NULL").then_some(value)));
        let may_be_cut = at_end && self.is_last_open;
        let is_empty = values.last().is_some_and(String::is_empty);
        if may_be_cut && (is_empty || sink.is_cut_off(&scratch.row())) {
            return sink.broken(CUT_OFF, self.place, &values.join(" "));
        }
        sink.row(&scratch.row(), self.place, self.length);
        if may_be_cut {
            sink.remark(NO_LINE_END, self.place, &values.join(" "));
        }
    }
}

/// Whether a line, which may be cut off at its end, is the line of asterisks above a row.
fn is_ruler(line: &str) -> bool {
    line.starts_with("***") || !line.is_empty() && line.bytes().all(|b| b == b'*')
}

/// Whether a line is the client's summary after the rows.
fn ends(line: &str) -> bool {
    line.split_once(" row").is_some_and(|(count, rest)| {
        count.bytes().all(|b| b.is_ascii_digit())
            && (rest.starts_with(" in set") || rest.starts_with("s in set"))
    })
}
