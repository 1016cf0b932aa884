//! Tables in any rendering: reads rows of named columns from what database clients print, dump and export.
//!
//! ```text
//! text ─ rendering ─┬─ text: tabs, commas or semicolons, quoted and escaped in any of the usual ways ─┐
//!                   ├─ boxes: `+---+` and `| a | b |`          ├─ vertical: `NAME: value`            ├─→ RowSink
//!                   ├─ markup: XML and HTML                    ├─ dump: `INSERT INTO`                │   table, row
//!                   ├─ objects: JSON in any framing                                                  │
//!                   └─ digraph: graphs of `sys.ps_trace_thread`                                      ┘
//! ```
//! The renderings do not know what the tables contain; the [`RowSink`] does.

mod ahead;
mod boxes;
mod csv;
mod delimited;
mod dialect;
mod digraph;
mod dump;
mod label;
mod markup;
mod objects;
mod row;
mod sequence;
mod vertical;

use crate::base::FxHashSet;
use crate::import::contract::ProblemKind;
use crate::import::text::lines::{Lines, Place};

use boxes::Boxes;
pub use csv::{CsvRow, CsvRows};
use delimited::Delimited;
use dialect::Dialect;
use digraph::Digraph;
pub use digraph::NAME as LAID_OUT;
use dump::Dump;
use markup::Markup;
pub use markup::decoded as decoded_markup;
use objects::JsonRows;
pub use row::{Scratch, TableRow};
use vertical::Vertical;

/// Receives the rows of tables.
pub trait RowSink {
    /// Whether a row can only be a header of column names.
    fn is_header(&self, row: &TableRow) -> bool;
    /// Whether a row is the rest of a damaged header of a table whose rows have this number of values.
    fn is_torn(&self, _: &TableRow, _: usize) -> bool {
        false
    }
    /// Called at the start of a table, with its name and columns if the text contains them; without column names,
    /// `columns` is empty.
    fn table(&mut self, name: Option<&str>, columns: &TableRow);
    /// Receives a row of the current table, with its position and length in bytes.
    fn row(&mut self, row: &TableRow, place: Place, length: u64);
    /// Receives a row with more values than columns. Returns whether it can be read anyway.
    fn overlong(&mut self, _: &TableRow, _: Place, _: u64) -> bool {
        false
    }
    /// Whether the last value of a row is certainly truncated.
    fn is_cut_off(&self, _: &TableRow) -> bool {
        false
    }
    /// Receives a remark about the most recently received row.
    fn remark(&mut self, _: ProblemKind, _: Place, _: &str) {}
    /// Receives a row that cannot be read.
    fn broken(&mut self, kind: ProblemKind, place: Place, text: &str);
    /// Counts a line that does not belong to a table.
    fn other_line(&mut self);
}

/// A row with more or fewer values than the table has columns.
pub const WRONG_LENGTH: ProblemKind =
    ProblemKind::lost("wrong number of values", "A row has more or fewer values than its table has columns.");
/// A row that is cut off by the end of the file.
pub const CUT_OFF: ProblemKind = ProblemKind::lost(
    "cut off",
    "The file ends inside this row, for example because an export was interrupted.",
)
.at_end();

/// The file's last line has no line end, although the client would write one: its last value may be truncated.
pub const NO_LINE_END: ProblemKind = ProblemKind::remark(
    "no line end",
    "The file's last line has no line end, for example because an export was interrupted. The last value of \
     its row may be cut off.",
);

/// Whether `names` are some but not all of the columns, in the same order.
fn are_some(names: &[String], columns: &[String]) -> bool {
    let mut rest = columns.iter();
    names.len() < columns.len() && names.iter().all(|name| rest.any(|column| column == name))
}

/// Whether a name occurs more than once.
fn is_any_twice(names: &[String]) -> bool {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    !names.iter().all(|name| seen.insert(name))
}

/// Reads the tables of one file.
pub struct Reader {
    lines: Lines,
    rendering: Rendering,
}

enum Rendering {
    Text(Delimited),
    Boxes(Boxes),
    Vertical(Vertical),
    Markup(Box<Markup>),
    Dump(Dump),
    Objects(Box<JsonRows>),
    Digraph(Digraph),
}

/// The rendering of a file's tables, which is sufficient to read one of its rows again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableKind {
    /// Delimited text.
    Text(Dialect),
    /// Boxes of `+---+` and `| a | b |`.
    Boxes,
    /// One line per value.
    Vertical,
    /// XML or HTML.
    Markup,
    /// SQL statements.
    Dump,
    /// JSON.
    Objects,
    /// A graph for Graphviz.
    Digraph,
}

impl TableKind {
    /// Detects the rendering of a file with this head.
    pub fn of(head: &str) -> Self {
        let text = head.trim_start_matches(['\u{FEFF}', ' ', '\n', '\r', '\t']);
        let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
        let has_line = |word: &str| head.lines().take(HEAD_LINES).any(|line| line.starts_with(word));
        if starts(&["{", "["]) {
            TableKind::Objects
        } else if starts(&["<"]) {
            TableKind::Markup
        } else if starts(&[digraph::START]) {
            TableKind::Digraph
        } else if has_line("+-") && has_line("| ") {
            TableKind::Boxes
        } else if has_line("*****") {
            TableKind::Vertical
        } else if starts(&["-- ", "/*!", "/*M!", "INSERT INTO `", "CREATE TABLE"]) {
            TableKind::Dump
        } else {
            TableKind::Text(Dialect::of(head))
        }
    }

    /// Display name of the rendering.
    pub fn name(self) -> &'static str {
        match self {
            TableKind::Text(dialect) => dialect.name(),
            TableKind::Boxes => "boxed tables",
            TableKind::Vertical => "one line per value",
            TableKind::Markup => "XML or HTML",
            TableKind::Dump => "SQL dump",
            TableKind::Objects => "JSON",
            TableKind::Digraph => "a graph without start times",
        }
    }
}

/// Number of lines of a file's head that are examined.
const HEAD_LINES: usize = 200;

impl Reader {
    /// Creates a reader for a file with this head. `is_header` recognises the headers of relevant tables.
    pub fn new(head: &str, is_header: impl Fn(&TableRow) -> bool) -> Self {
        let rendering = match TableKind::of(head) {
            TableKind::Text(_) => Rendering::Text(Delimited::of_file(head, is_header)),
            TableKind::Boxes => Rendering::Boxes(Boxes::default()),
            TableKind::Vertical => Rendering::Vertical(Vertical::default()),
            TableKind::Markup => Rendering::Markup(Box::default()),
            TableKind::Dump => Rendering::Dump(Dump::default()),
            TableKind::Digraph => Rendering::Digraph(Digraph::default()),
            TableKind::Objects => {
                let found = JsonRows::new(head, |scratch| is_header(&scratch.row()));
                Rendering::Objects(Box::new(found.unwrap_or_else(JsonRows::of_rows)))
            }
        };
        Self { lines: Lines::default(), rendering }
    }

    /// Creates a reader for a single row with this number of values from a file of this kind.
    pub fn of_row(kind: TableKind, columns: usize) -> Self {
        let rendering = match kind {
            TableKind::Text(dialect) => Rendering::Text(Delimited::of(dialect, columns)),
            TableKind::Boxes => Rendering::Boxes(Boxes::of(columns)),
            TableKind::Vertical => Rendering::Vertical(Vertical::default()),
            TableKind::Markup => Rendering::Markup(Box::default()),
            TableKind::Dump => Rendering::Dump(Dump::of_rows()),
            TableKind::Digraph => Rendering::Digraph(Digraph::of_row()),
            TableKind::Objects => Rendering::Objects(Box::new(JsonRows::of_rows())),
        };
        Self { lines: Lines::default(), rendering }
    }

    /// Reads the next part of the text.
    pub fn push(&mut self, text: &str, sink: &mut dyn RowSink) {
        match &mut self.rendering {
            Rendering::Markup(rows) => rows.push(text, sink),
            Rendering::Objects(rows) => rows.push(text, sink),
            rows => self.lines.push(text, |line, place| rows.line(line, place, sink)),
        }
    }

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        let rows = &mut self.rendering;
        let is_open = self.lines.is_open();
        match rows {
            Rendering::Text(rows) => rows.is_last_open = is_open,
            Rendering::Vertical(rows) => rows.is_last_open = is_open,
            _ => {}
        }
        self.lines.finish(|line, place| rows.line(line, place, sink));
        match rows {
            Rendering::Text(rows) => rows.finish(sink),
            Rendering::Boxes(rows) => rows.finish(sink),
            Rendering::Vertical(rows) => rows.finish(sink),
            Rendering::Dump(rows) => rows.finish(sink),
            Rendering::Digraph(rows) => rows.finish(sink),
            Rendering::Markup(rows) => rows.finish(sink),
            Rendering::Objects(rows) => rows.finish(sink),
        }
    }
}

impl Rendering {
    /// Reads the next line, for renderings that are read line by line.
    #[inline]
    fn line(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        match self {
            Rendering::Text(rows) => rows.line(line, place, sink),
            Rendering::Boxes(rows) => rows.line(line, place, sink),
            Rendering::Vertical(rows) => rows.line(line, place, sink),
            Rendering::Dump(rows) => rows.line(line, place, sink),
            Rendering::Digraph(rows) => rows.line(line, place, sink),
            Rendering::Markup(_) | Rendering::Objects(_) => {}
        }
    }
}
