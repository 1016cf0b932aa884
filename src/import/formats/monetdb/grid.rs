//! Parses tables of `mclient`: with `+---+` borders, with one value per line, or as XML.
//!
//! The readers of `tables` need a header and complete rows. Here lines may be torn or reordered, values may continue in the
//! next line, and a row without a header is recognised by its content.

use super::columns::{self, MonetDbColumn, TRACELOG_NAMES};
use super::mal::begins_like_mal;
use crate::import::tables::decoded_markup;
use crate::import::text::lines::Place;

/// A row with the names of its columns.
#[derive(Clone, Default, Debug)]
pub struct GridRow {
    pub names: Vec<String>,
    pub cells: Vec<String>,
    pub place: Place,
    /// Length in bytes from the start of the row to the end of its last line.
    pub length: u64,
}

/// Assembles rows from lines. Each parsing method returns whether the current row is complete. Then the caller takes the row
/// and calls [`go_on`](Self::go_on) to begin the next row.
///
/// If lines are missing or out of order, a row is recognised by its content.
#[derive(Default)]
pub struct GridParser {
    names: Vec<String>,
    /// Positions of the separators of a table with `+---+` borders, in characters.
    stops: Vec<usize>,
    row: Option<GridRow>,
    next: Option<GridRow>,
    /// Whether the previous line was the top border of a table, so that the next line is its header.
    at_top: bool,
}

impl GridParser {
    /// Takes the complete row.
    pub fn take(&mut self) -> Option<GridRow> {
        self.row.take()
    }

    /// Begins the next row with the line that showed that the previous row was complete.
    pub fn go_on(&mut self) {
        self.row = self.next.take();
    }

    /// Whether a line continues a row whose beginning is missing.
    pub fn is_rest(&self, line: &str) -> bool {
        self.row.is_none() && line.starts_with(':')
    }

    /// Parses a line of a table with `+---+` borders. A line that begins with a colon continues the cells
    /// above it. Returns whether a row is complete.
    pub fn ruled(&mut self, line: &str, place: Place) -> bool {
        if let Some(rule) = line.strip_prefix('+') {
            let is_top = self.row.is_none() && rule.contains('-');
            if is_top {
                self.stops = stops(line, '+');
            }
            self.at_top = is_top;
            return self.row.is_some();
        }
        if line.starts_with(':') {
            let cells = self.cut(line);
            if let Some(row) = &mut self.row {
                row.cells.iter_mut().zip(&cells).for_each(|(cell, more)| cell.push_str(more));
                row.length = place.offset + line.len() as u64 - row.place.offset;
            }
            return false;
        }
        if !line.starts_with('|') {
            return self.row.is_some();
        }
        self.row_or_header(line, place)
    }

    fn row_or_header(&mut self, line: &str, place: Place) -> bool {
        let at_top = std::mem::take(&mut self.at_top);
        let found = self.aligned(line).or_else(|| bare(line));
        let is_header =
            columns::of_header(line.trim_matches('|').split('|')).is_some() || at_top && found.is_none();
        if is_header {
            self.stops = stops(line, '|');
            self.names = self.cut(line).iter().map(|cell| cell.trim().to_owned()).collect();
            return self.row.is_some();
        }
        let (names, cells) = found.unwrap_or_else(|| (Vec::new(), self.cut(line)));
        self.put(GridRow { names, cells, place, length: line.len() as u64 })
    }

    /// Names and cells of a row below the last header, if that header is from MonetDB's profiler.
    fn aligned(&self, line: &str) -> Option<(Vec<String>, Vec<String>)> {
        let layout = columns::of_header(self.names.iter().map(String::as_str))?;
        let mut at_stops = self.stops.iter().skip(1);
        let cells = self.cut(line);
        let is_number = |(column, cell): (&MonetDbColumn, &String)| {
            *column != MonetDbColumn::Usec || cell.trim().bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_ours = at_stops.all(|&at| line.chars().nth(at) == Some('|'))
            && cells.len() == layout.len()
            && layout.iter().zip(&cells).all(is_number);
        is_ours.then(|| (self.names.clone(), cells))
    }

    fn put(&mut self, row: GridRow) -> bool {
        let is_next = self.row.is_some();
        *if is_next { &mut self.next } else { &mut self.row } = Some(row);
        is_next
    }

    /// Cells of a line, without surrounding blanks.
    fn cut(&self, line: &str) -> Vec<String> {
        let chars: Vec<char> = line.chars().collect();
        let cell = |stops: &[usize]| -> String {
            let (from, to) = (stops[0] + 2, stops[1].saturating_sub(1).min(chars.len()));
            chars.get(from..to.max(from)).unwrap_or_default().iter().collect()
        };
        self.stops.windows(2).map(cell).collect()
    }

    /// Parses `-[ RECORD 1 ]---`, followed by `name | value` for each column.
    pub fn expanded(&mut self, line: &str, place: Place) -> bool {
        if line.starts_with("-[ RECORD ") {
            return self.put(GridRow { place, length: line.len() as u64, ..GridRow::default() });
        }
        let named = line.split_once(" | ").map(|(name, value)| (name.trim(), value));
        match named.filter(|(name, _)| !name.contains(' ') && !line.starts_with(':')) {
            Some((name, value)) => self.value(name, value.to_owned(), place, line.len()),
            None => {
                if let Some(row) = &mut self.row
                    && let Some(cell) = row.cells.last_mut()
                {
                    cell.push_str(line.trim_start_matches([':', ' ']));
                    row.length = place.offset + line.len() as u64 - row.place.offset;
                }
                false
            }
        }
    }

    /// Sets a value of the open row; begins the next row if no row is open or the column already has a value.
    fn value(&mut self, name: &str, value: String, place: Place, length: usize) -> bool {
        let open = self.row.as_mut().filter(|row| !row.names.iter().any(|known| known == name));
        if let Some(row) = open {
            row.names.push(name.to_owned());
            row.cells.push(value);
            row.length = place.offset + length as u64 - row.place.offset;
            return false;
        }
        let (names, cells) = (vec![name.to_owned()], vec![value]);
        self.put(GridRow { names, cells, place, length: length as u64 })
    }

    /// Parses an element of XML: `<row>`, `<column name="usec">17</column>` for each column, `</row>`, on any number of lines.
    pub fn xml(&mut self, part: &str, place: Place) -> bool {
        if part.contains("<row>") {
            return self.put(GridRow { place, length: part.len() as u64, ..GridRow::default() });
        }
        if part.contains("</row>") {
            if let Some(row) = &mut self.row {
                row.length = place.offset + part.len() as u64 - row.place.offset;
            }
            return self.row.is_some();
        }
        let column = part.split_once("<column name=\"").and_then(|(_, column)| column.split_once("\">"));
        let Some((name, rest)) = column else { return false };
        self.value(name, decoded_markup(rest.split("</column>").next().unwrap_or("")), place, part.len())
    }
}

/// Positions of a character in a line, in characters.
fn stops(line: &str, stop: char) -> Vec<usize> {
    line.chars().enumerate().filter(|(_, c)| *c == stop).map(|(at, _)| at).collect()
}

/// Names and cells of a row of a table with borders but without a header; `None` if the row is not of an instruction.
pub fn bare(line: &str) -> Option<(Vec<String>, Vec<String>)> {
    let inner = line.strip_prefix('|')?.trim_end();
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let cells = |cells: &[&str]| -> Vec<String> {
        let plain = |cell: &str| cell.strip_prefix(' ').unwrap_or(cell).to_owned();
        cells.iter().map(|cell| plain(cell.strip_suffix(' ').unwrap_or(cell))).collect()
    };
    let (first, rest) = inner.split_once('|')?;
    if first.trim().is_empty() || !first.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if begins_like_mal(rest) {
        return Some(match rest.rsplit_once("| {\"").filter(|(_, event)| event.contains("\":")) {
            Some((statement, _)) => {
                let event = &rest[statement.len() + 1..];
                (names(&["usec", "statement", "event"]), cells(&[first, statement, event]))
            }
            None => (names(&["usec", "statement"]), cells(&[first, rest])),
        });
    }
    let all: Vec<&str> = inner.splitn(TRACELOG_NAMES.len(), '|').collect();
    let is_log = all.len() == TRACELOG_NAMES.len() && all.last().is_some_and(|last| begins_like_mal(last));
    is_log.then(|| (names(&TRACELOG_NAMES), cells(&all)))
}
