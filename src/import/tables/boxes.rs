//! Tables drawn as boxes: `mysql -t`, mycli, and any client that prints `+---+` and `| a | b |`.
//!
//! Values are neither quoted nor escaped: a line end in a value splits the row into lines. Rulers show the positions of
//! columns, but clients disagree on the width of characters: positions are used only if values contain bars of their own.

use super::row::{Scratch, TableRow};
use super::{CUT_OFF, RowSink, WRONG_LENGTH};
use crate::import::contract::ProblemKind;
use crate::import::text::lines::Place;

/// Assembles rows from the lines of tables drawn as boxes.
#[derive(Default)]
pub struct Boxes {
    scratch: Scratch,
    ruler: BoxRuler,
    /// Number of rulers read in the current table.
    rulers: u32,
    /// Text of the row that is being read, which may consist of several lines; `bars` are the positions of its bars.
    open: String,
    bars: Bars,
    place: Place,
}

/// The column layout of a ruler, `+---+---+`.
#[derive(Default)]
struct BoxRuler {
    /// Positions of its corners, in characters; empty if no ruler was read.
    corners: Vec<usize>,
    columns: usize,
}

/// Maximum length of a row that is assembled from several lines, in bytes.
const LONGEST: usize = 64 << 20;

impl Boxes {
    /// Creates a reader for rows with this number of values, without a header.
    pub fn of(columns: usize) -> Self {
        Self { ruler: BoxRuler { corners: Vec::new(), columns }, rulers: 2, ..Self::default() }
    }

    /// Reads the next line.
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        if line.starts_with("+-") && line.trim_end().ends_with('+') {
            self.give_up(WRONG_LENGTH, sink);
            return self.ruler(line.trim_end());
        }
        if self.open.is_empty() {
            if self.rulers == 0 || !line.starts_with('|') {
                return sink.other_line();
            }
            self.place = place;
            line.clone_into(&mut self.open);
            self.bars.clear();
            self.bars.add(line, 0, &self.ruler);
        } else {
            if self.open.len() > LONGEST || line.starts_with("| ") && self.is_row(line) {
                self.give_up(WRONG_LENGTH, sink);
                return self.line(line, place, sink);
            }
            self.open.push('\n');
            self.bars.add("\n", self.open.len() - 1, &self.ruler);
            self.bars.add(line, self.open.len(), &self.ruler);
            self.open.push_str(line);
        }
        if line.trim_end().ends_with('|') {
            self.take(sink);
        }
    }

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        self.give_up(CUT_OFF, sink);
    }

    fn give_up(&mut self, kind: ProblemKind, sink: &mut dyn RowSink) {
        if !self.open.is_empty() {
            sink.broken(kind, self.place, &std::mem::take(&mut self.open));
        }
    }

    fn ruler(&mut self, line: &str) {
        // The rulers are above the header, below it, and below the rows.
        self.rulers = if self.rulers == 3 { 1 } else { self.rulers + 1 };
        let corners = line.bytes().enumerate().filter(|(_, byte)| *byte == b'+');
        let corners: Vec<usize> = corners.map(|(at, _)| at).collect();
        self.ruler = BoxRuler { columns: corners.len().saturating_sub(1), corners };
    }

    fn is_row(&self, line: &str) -> bool {
        let mut bars = Bars::default();
        bars.add(line, 0, &self.ruler);
        line.trim_end().ends_with('|') && bars.cut(&self.ruler).is_some()
    }

    fn take(&mut self, sink: &mut dyn RowSink) {
        let Some(cut) = self.bars.cut(&self.ruler) else { return };
        let mut scratch = std::mem::take(&mut self.scratch);
        fill(self.open.trim_end(), cut, &mut scratch);
        self.whole(&scratch.row(), sink);
        self.open.clear();
        self.scratch = scratch;
    }

    fn whole(&mut self, row: &TableRow, sink: &mut dyn RowSink) {
        if self.rulers == 1 {
            sink.table(None, row);
        } else {
            sink.row(row, self.place, self.open.len() as u64);
        }
    }
}

/// Positions of the bars of a row. Each part of the text is read only once, when it is added, so that a row of many
/// lines costs only linear time.
#[derive(Default)]
struct Bars {
    /// Number of bars so far.
    count: usize,
    /// Byte offsets of the first bars, up to the number of bars of a row whose values contain no bars.
    first: Vec<usize>,
    /// Number of characters so far.
    chars: usize,
    /// Byte offsets of the bars that are in the same columns as the corners of the ruler, up to the first corner
    /// without a bar.
    below: Vec<usize>,
}

impl Bars {
    fn clear(&mut self) {
        (self.count, self.chars) = (0, 0);
        self.first.clear();
        self.below.clear();
    }

    /// Adds text that begins at this byte offset of the row.
    fn add(&mut self, text: &str, offset: usize, ruler: &BoxRuler) {
        for (at, c) in text.char_indices() {
            if c == '|' {
                self.count += 1;
                if self.first.len() <= ruler.columns {
                    self.first.push(offset + at);
                }
                if ruler.corners.get(self.below.len()) == Some(&self.chars) {
                    self.below.push(offset + at);
                }
            }
            self.chars += 1;
        }
    }

    /// Returns the bars that delimit the values of a row that ends with a bar; `None` if the row is incomplete.
    fn cut(&self, ruler: &BoxRuler) -> Option<&[usize]> {
        match self.count.checked_sub(1)? {
            values if values == ruler.columns => Some(&self.first),
            values if values < ruler.columns => None,
            // Some values contain bars.
            _ => {
                Some(&self.below[..]).filter(|below| !below.is_empty() && below.len() == ruler.corners.len())
            }
        }
    }
}

/// Fills `scratch` with the values between these bars.
fn fill(row: &str, bars: &[usize], scratch: &mut Scratch) {
    scratch.clear();
    for pair in bars.windows(2) {
        let cell = row.get(pair[0] + 1..pair[1]).unwrap_or("");
        let cell = cell.strip_prefix(' ').unwrap_or(cell).trim_end_matches(' ');
        // Numbers are aligned to the right.
        let is_number = cell.trim_start().bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let cell = if is_number || cell.trim_start() == "NULL" { cell.trim_start() } else { cell };
        scratch.push((cell != "NULL").then_some(cell));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the values of rows and the problems of broken rows.
    #[derive(Default)]
    struct Kept {
        rows: Vec<Vec<String>>,
        broken: Vec<&'static str>,
    }

    impl RowSink for Kept {
        fn is_header(&self, _: &TableRow) -> bool {
            false
        }

        fn table(&mut self, _: Option<&str>, _: &TableRow) {}

        fn row(&mut self, row: &TableRow, _: Place, _: u64) {
            self.rows.push(row.iter().map(|cell| cell.unwrap_or("NULL").to_owned()).collect());
        }

        fn broken(&mut self, kind: ProblemKind, _: Place, _: &str) {
            self.broken.push(kind.name);
        }

        fn other_line(&mut self) {}
    }

    fn read(rows: &str) -> Kept {
        let (mut boxes, mut kept) = (Boxes::default(), Kept::default());
        let head = "+---+------+\n| a | b    |\n+---+------+\n";
        for line in head.lines().chain(rows.lines()) {
            boxes.line(line, Place::default(), &mut kept);
        }
        boxes.finish(&mut kept);
        kept
    }

    fn check(rows: &str, expected: &[[&str; 2]], broken: &[&str]) {
        let kept = read(rows);
        assert_eq!(
            (kept.rows, kept.broken),
            (expected.iter().map(|row| row.map(str::to_owned).to_vec()).collect(), broken.to_vec()),
            "{rows}"
        );
    }

    #[test]
    fn rows_go_on_until_their_last_bar() {
        check("| 1 | x    |\n", &[["1", "x"]], &[]);
        check("| 1 | x\ny |\n| 2 | é    |\n", &[["1", "x\ny"], ["2", "é"]], &[]);
        // A line that ends with a bar inside a value, and bars below the corners.
        check("| 1 | a|bc |\n", &[["1", "a|bc"]], &[]);
        check("| 1 |\nx |\n", &[["1", "\nx"]], &[]);
        check("| 1 | x", &[], &["cut off"]);
        check("| 1 | x\n| 2 | y    |\n", &[["2", "y"]], &["wrong number of values"]);
        check("| 1 | | | |\n+---+------+\n", &[], &["wrong number of values"]);
    }

    /// A row that never ends: the number of stored bars stays small, and no text is read twice.
    #[test]
    fn a_row_that_never_ends_is_looked_at_once() {
        let (mut boxes, mut kept) = (Boxes::default(), Kept::default());
        let line = "||x| y |";
        let lines = 2_000;
        for line in "+---+------+\n| a | b    |\n+---+------+".lines().chain(std::iter::repeat_n(line, lines))
        {
            boxes.line(line, Place::default(), &mut kept);
        }
        assert!(kept.rows.is_empty());
        // Each character is read once, and each line end between two lines.
        assert_eq!(boxes.bars.chars, lines * (line.len() + 1) - 1);
        assert_eq!(boxes.bars.chars, boxes.open.chars().count());
        assert!(boxes.bars.first.len() <= 4 && boxes.bars.below.len() <= 3, "{:?}", boxes.bars.first);
    }
}
