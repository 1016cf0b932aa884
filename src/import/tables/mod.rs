//! Tables in any rendering: rows of named columns out of what database clients print, dump and export.
//!
//! ```text
//! text ─ rendering ─┬─ text: tabs, commas or semicolons, quoted and escaped in any of the usual ways ─┐
//!                   ├─ boxes: `+---+` and `| a | b |`          ├─ vertical: `NAME: value`            ├─→ Sink
//!                   ├─ markup: XML and HTML                    ├─ dump: `INSERT INTO`                │   table, row
//!                   ├─ objects: JSON in any framing                                                  │
//!                   └─ digraph: what `sys.ps_trace_thread` draws                                     ┘
//! ```
//! None of them knows what the tables are about; the [`RowSink`] does.

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

/// Who takes the rows.
pub trait RowSink {
    /// Whether a row can only be the names of columns.
    fn is_header(&self, row: &TableRow) -> bool;
    /// Whether a row is what damage left of the names of columns, where rows have so many values.
    fn is_torn(&self, _: &TableRow, _: usize) -> bool {
        false
    }
    /// A table begins. What it is called and what its columns are called, where the text says so: no columns mean that
    /// it does not.
    fn table(&mut self, name: Option<&str>, columns: &TableRow);
    /// A row of the table that began last, with its place and length.
    fn row(&mut self, row: &TableRow, place: Place, length: u64);
    /// A row with more values than columns. Whether it can be read all the same.
    fn overlong(&mut self, _: &TableRow, _: Place, _: u64) -> bool {
        false
    }
    /// Whether the last value of a row is certainly truncated.
    fn is_cut_off(&self, _: &TableRow) -> bool {
        false
    }
    /// Something remarkable about the row that was handed on last.
    fn remark(&mut self, _: ProblemKind, _: Place, _: &str) {}
    /// A row that cannot be read.
    fn broken(&mut self, kind: ProblemKind, place: Place, text: &str);
    /// A line that belongs to no table.
    fn other_line(&mut self);
}

/// A row with more or fewer values than the table has columns.
pub const WRONG_LENGTH: ProblemKind =
    ProblemKind::lost("wrong number of values", "A row has more or fewer values than its table has columns.");
/// A row that the end of the file cuts off.
pub const CUT_OFF: ProblemKind = ProblemKind::lost(
    "cut off",
    "The file ends inside this row, for example because an export was interrupted.",
)
.at_end();

/// A row whose line has no end, though lines of clients have one: the file may have been cut off in its last value.
pub const NO_LINE_END: ProblemKind = ProblemKind::remark(
    "no line end",
    "The file's last line has no line end, for example because an export was interrupted. The last value of \
     its row may be cut off.",
);

/// Whether names are some of the columns, but not all, in their order.
fn are_some(names: &[String], columns: &[String]) -> bool {
    let mut rest = columns.iter();
    names.len() < columns.len() && names.iter().all(|name| rest.any(|column| column == name))
}

/// Whether a name stands twice among names.
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

/// How a file is rendered: enough to read one of its rows again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableKind {
    /// Delimited text.
    Text(Dialect),
    /// In boxes.
    Boxes,
    /// A line for each value.
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
    /// The rendering of a file that begins so.
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

/// Lines of a head that are examined.
const HEAD_LINES: usize = 200;

impl Reader {
    /// For a file that begins so. `is_header` tells the columns of tables that matter.
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

    /// For one row of so many values, out of a file of this kind.
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

    /// The next text.
    pub fn push(&mut self, text: &str, sink: &mut dyn RowSink) {
        match &mut self.rendering {
            Rendering::Markup(rows) => rows.push(text, sink),
            Rendering::Objects(rows) => rows.push(text, sink),
            rows => self.lines.push(text, |line, place| rows.line(line, place, sink)),
        }
    }

    /// The text ends.
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
    /// The next line, of renderings that are read by lines.
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
