//! Tables in any rendering: rows of named columns out of whatever database clients print, dump and export.
//!
//! ```text
//! text ─ rendering ─┬─ text: tabs, commas or semicolons, quoted and escaped in any of the usual ways ─┐
//!                   ├─ boxes: `+---+` and `| a | b |`          ├─ vertical: `NAME: value`            ├─→ Sink
//!                   ├─ markup: XML and HTML                    ├─ dump: `INSERT INTO`                │   table, row
//!                   └─ objects: JSON in any framing                                                  ┘
//! ```
//! None of them knows what the tables are about; the [`Sink`] does.

mod delimited;
mod dialect;
mod row;

use super::ProblemKind;
use super::lines::{Lines, Place};

pub use delimited::Delimited;
pub use dialect::Dialect;
pub use row::{Row, Scratch};

/// Who takes the rows.
pub trait Sink {
    /// Whether a row can only be the names of columns.
    fn is_header(&self, row: &Row) -> bool;
    /// A table begins. What it is called and what its columns are called, where the text says so: no columns mean that
    /// it does not.
    fn table(&mut self, name: Option<&str>, columns: &Row);
    /// A row of the table that began last, with its place and length.
    fn row(&mut self, row: &Row, place: Place, length: u64);
    /// A row that cannot be read.
    fn broken(&mut self, kind: ProblemKind, place: Place, text: &str);
    /// A line that belongs to no table.
    fn other_line(&mut self);
}

/// A row with more or fewer values than the table has columns.
pub const WRONG_LENGTH: ProblemKind = ProblemKind {
    name: "wrong number of values",
    meaning: "A row has more or fewer values than its table has columns.",
    lost: true,
};
/// A row that the end of the file cuts off.
pub const CUT_OFF: ProblemKind = ProblemKind {
    name: "cut off",
    meaning: "The file ends inside this row, as when an export was interrupted.",
    lost: true,
};

/// Reads the tables of one file.
pub struct Reader {
    lines: Lines,
    rendering: Rendering,
}

enum Rendering {
    Text(Delimited),
}

impl Reader {
    /// For a file that begins so.
    pub fn new(head: &str) -> Self {
        Self { lines: Lines::default(), rendering: Rendering::Text(Delimited::new(Dialect::of(head))) }
    }

    /// What the rendering is called.
    pub fn name(&self) -> &'static str {
        match &self.rendering {
            Rendering::Text(text) => text.name(),
        }
    }

    /// The next text.
    pub fn push(&mut self, text: &str, sink: &mut impl Sink) {
        match &mut self.rendering {
            Rendering::Text(rows) => self.lines.push(text, |line, place| rows.line(line, place, sink)),
        }
    }

    /// The text ends.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        match &mut self.rendering {
            Rendering::Text(rows) => {
                self.lines.finish(|line, place| rows.line(line, place, sink));
                rows.finish(sink);
            }
        }
    }
}
