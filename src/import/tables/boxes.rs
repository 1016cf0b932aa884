//! Tables in boxes: `mysql -t`, mycli, and whoever draws `+---+` and `| a | b |`.
//!
//! Values are neither quoted nor escaped: a line end in one breaks the row into lines. Rulers tell where columns stand, but
//! clients do not agree on how wide a character is: they count where a value has a bar of its own.

use super::row::{Row, Scratch};
use super::{Sink, WRONG_LENGTH};
use crate::import::lines::Place;

/// Puts rows together out of lines.
#[derive(Default)]
pub struct Boxes {
    scratch: Scratch,
    /// Where the ruler's corners stand, in characters.
    corners: Vec<usize>,
    /// Rulers of the table so far.
    rulers: u32,
    columns: usize,
    open: String,
    place: Place,
}

/// Bytes of a row that is put together out of several lines.
const LONGEST: usize = 64 << 20;

impl Boxes {
    /// For rows of so many values, without a header.
    pub fn of(columns: usize) -> Self {
        Self { columns, rulers: 2, ..Self::default() }
    }

    /// The next line.
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn Sink) {
        if line.starts_with("+-") && line.trim_end().ends_with('+') {
            self.give_up(sink);
            return self.ruler(line.trim_end());
        }
        if self.open.is_empty() {
            if self.rulers == 0 || !line.starts_with('|') {
                return sink.other_line();
            }
            self.place = place;
            line.clone_into(&mut self.open);
        } else {
            if self.open.len() > LONGEST || line.starts_with("| ") && self.is_row(line) {
                self.give_up(sink);
                return self.line(line, place, sink);
            }
            self.open.push('\n');
            self.open.push_str(line);
        }
        if line.trim_end().ends_with('|') {
            self.take(sink);
        }
    }

    /// The text ends.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.give_up(sink);
    }

    fn give_up(&mut self, sink: &mut dyn Sink) {
        if !self.open.is_empty() {
            sink.broken(WRONG_LENGTH, self.place, &std::mem::take(&mut self.open));
        }
    }

    fn ruler(&mut self, line: &str) {
        // Above the header, below it, and below the rows.
        self.rulers = if self.rulers == 3 { 1 } else { self.rulers + 1 };
        let corners = line.bytes().enumerate().filter(|(_, byte)| *byte == b'+');
        self.corners = corners.map(|(at, _)| at).collect();
        self.columns = self.corners.len().saturating_sub(1);
    }

    fn is_row(&self, line: &str) -> bool {
        let mut scratch = Scratch::default();
        line.trim_end().ends_with('|') && split(line, self.columns, &self.corners, &mut scratch)
    }

    fn take(&mut self, sink: &mut dyn Sink) {
        let mut scratch = std::mem::take(&mut self.scratch);
        if split(&self.open, self.columns, &self.corners, &mut scratch) {
            self.whole(&scratch.row(), sink);
            self.open.clear();
        }
        self.scratch = scratch;
    }

    fn whole(&mut self, row: &Row, sink: &mut dyn Sink) {
        if self.rulers == 1 {
            sink.table(None, row);
        } else {
            sink.row(row, self.place, self.open.len() as u64);
        }
    }
}

/// Cuts a row into as many values as there are columns; whether that is possible.
fn split(line: &str, columns: usize, corners: &[usize], scratch: &mut Scratch) -> bool {
    scratch.clear();
    let line = line.trim_end();
    let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else { return false };
    let cells: Vec<&str> = match inner.split('|').count() {
        count if count == columns => inner.split('|').collect(),
        count if count < columns => return false,
        _ => match between(line, corners) {
            Some(cells) => cells,
            None => return false,
        },
    };
    for cell in cells {
        let cell = cell.strip_prefix(' ').unwrap_or(cell).trim_end_matches(' ');
        // Numbers stand at the right.
        let is_number = cell.trim_start().bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let cell = if is_number || cell.trim_start() == "NULL" { cell.trim_start() } else { cell };
        scratch.push((cell != "NULL").then_some(cell));
    }
    true
}

/// The values between the ruler's corners, if there are bars at all of them.
fn between<'a>(line: &'a str, corners: &[usize]) -> Option<Vec<&'a str>> {
    let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
    let bars: Vec<usize> =
        corners.iter().map(|&corner| starts.get(corner).copied()).collect::<Option<_>>()?;
    let all = bars.iter().all(|&bar| line.as_bytes()[bar] == b'|');
    all.then(|| bars.windows(2).map(|pair| &line[pair[0] + 1..pair[1]]).collect())
}
