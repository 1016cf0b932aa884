//! Tables of the database collector, exported as CSV: the columns tell which table it is, whatever their order
//! and case.

use super::Events;
use super::record::{self, Draft, Value};
use super::schema::{Text, Type, field, slot_of, type_of_table};
use crate::import::contract::{Field, Input, ProblemKind};
use crate::import::csv::{Row, Rows};
use crate::import::scalars::values::Slot;

const SHORT_ROW: ProblemKind = ProblemKind::remark(
    "row of another length",
    "The row has more or fewer cells than the table has columns; what is there is read.",
);

/// What the columns of a table are.
#[derive(Clone)]
pub struct Columns {
    names: Vec<String>,
    slots: Vec<Option<Slot>>,
    kind: Type,
    delimiter: u8,
}

impl Columns {
    /// The columns that the first row of `text` names; `None` if they are not those of a Kubling table.
    pub fn find(text: &str) -> Option<Self> {
        b",;\t|".iter().find_map(|&delimiter| Self::in_first_row(text, delimiter))
    }

    /// What stands between the cells.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    fn in_first_row(text: &str, delimiter: u8) -> Option<Self> {
        let (mut rows, mut names) = (Rows::new(delimiter), None);
        let line = text.trim_start().lines().next()?;
        let mut each = |row: Row| {
            names.get_or_insert_with(|| row.cells().map(str::to_owned).collect());
        };
        rows.push(line, &mut each);
        rows.finish(&mut each);
        Self::named(names?, delimiter)
    }

    fn named(names: Vec<String>, delimiter: u8) -> Option<Self> {
        let slots: Vec<_> = names.iter().map(|name| slot_of(name)).collect();
        let kind = type_of_table(|known| slots.iter().flatten().any(|&slot| field(slot) == known))?;
        Some(Self { names, slots, kind, delimiter })
    }

    /// The cells of a row that is shown again, by the columns' names.
    pub fn fields(&self, text: &str) -> Vec<Field> {
        let (mut rows, mut fields) = (Rows::new(self.delimiter), Vec::new());
        let mut each = |row: Row| {
            let cells = self.names.iter().zip(row.cells());
            fields.extend(cells.map(|(name, cell)| Field { name: name.clone(), value: cell.to_owned() }));
        };
        rows.push(text, &mut each);
        rows.finish(&mut each);
        fields
    }
}

/// A table that is being read.
pub struct TableFile {
    rows: Rows,
    columns: Option<Columns>,
    delimiter: u8,
}

impl TableFile {
    /// For a table with this between its cells.
    pub fn new(delimiter: u8) -> Self {
        Self { rows: Rows::new(delimiter), columns: None, delimiter }
    }

    /// The columns that the first row of `text` names.
    pub fn columns_in(&self, text: &str) -> Option<Columns> {
        Columns::in_first_row(text, self.delimiter)
    }

    /// The next text.
    pub fn push(&mut self, text: &str, events: &mut Events, input: &mut Input) {
        let Self { rows, columns, delimiter } = self;
        rows.push(text, |row| take(columns, *delimiter, &row, false, events, input));
    }

    /// The file ends.
    pub fn finish(&mut self, events: &mut Events, input: &mut Input) {
        let Self { rows, columns, delimiter } = self;
        rows.finish(|row| take(columns, *delimiter, &row, true, events, input));
    }
}

fn take(
    columns: &mut Option<Columns>,
    delimiter: u8,
    row: &Row,
    last: bool,
    events: &mut Events,
    input: &mut Input,
) {
    match columns {
        Some(columns) => add(columns, row, last, events, input),
        None => {
            *columns = Columns::named(row.cells().map(str::to_owned).collect(), delimiter);
            for (name, slot) in columns.iter().flat_map(|c| c.names.iter().zip(&c.slots)) {
                if slot.is_none() {
                    input.note(record::UNKNOWN_FIELD, row.place, name);
                }
            }
        }
    }
}

fn add(columns: &Columns, row: &Row, last: bool, events: &mut Events, input: &mut Input) {
    let shown = || row.cells().collect::<Vec<_>>().join(",");
    if last && row.len() < columns.slots.len() {
        input.records.add(input.file, row.place, row.length);
        return input.note(record::CUT_OFF, row.place, &shown());
    }
    let mut draft = Draft::of(columns.kind);
    for (slot, cell) in columns.slots.iter().zip(row.cells()) {
        if let Some(slot) = slot {
            draft.set(field(*slot), value(cell));
        }
    }
    if row.len() != columns.slots.len() {
        input.note(SHORT_ROW, row.place, &shown());
    }
    if draft.text(Text::Sql).is_some_and(is_unreadable) {
        input.note(record::COMPRESSED_SQL, row.place, &shown());
        draft.unset(Text::Sql);
    }
    events.add_with(&draft.record(), row.length, row.place, input, |input, kind| {
        input.note(kind, row.place, &shown());
    });
}

/// Clients write "no value" in several ways.
fn value(cell: &str) -> Value<'_> {
    match cell {
        "" | "NULL" | "null" | "(null)" | "<null>" | "[NULL]" | "\\N" => Value::Null,
        text => Value::Text(text),
    }
}

/// Whether a statement was stored compressed: bytes that are no text, or their gzip or zlib header as hexadecimal or
/// base64 digits.
fn is_unreadable(sql: &str) -> bool {
    let odd = |c: char| c == '\u{FFFD}' || (c.is_control() && !c.is_whitespace());
    let digits = sql.trim_start_matches("0x").trim_start_matches("\\x");
    let packed =
        ["1f8b08", "1F8B08", "H4sI", "789c", "789C", "eJ"].iter().any(|head| digits.starts_with(head));
    sql.contains(odd) || (packed && !sql.contains(' '))
}
