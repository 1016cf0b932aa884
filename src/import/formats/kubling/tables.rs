//! Tables of the database collector, exported as CSV. A table is recognised by its columns, in any order and case.

use super::KublingEventSink;
use super::record::{self, KublingValue, RecordDraft};
use super::schema::{KublingEventType, KublingTextField, field, slot_of, type_of_table};
use crate::import::contract::{Field, Input, ProblemKind};
use crate::import::scalars::values::Slot;
use crate::import::tables::{CsvRow, CsvRows};

const SHORT_ROW: ProblemKind = ProblemKind::remark(
    "wrong number of cells",
    "The row has more or fewer cells than the table has columns. The cells that it has are read.",
);

/// Columns of a table, with the fields and the event type that they represent.
#[derive(Clone)]
pub struct KublingTableColumns {
    names: Vec<String>,
    slots: Vec<Option<Slot>>,
    kind: KublingEventType,
    delimiter: u8,
}

impl KublingTableColumns {
    /// Columns named in the first row of `text`; `None` if they are not the columns of a Kubling table.
    pub fn find(text: &str) -> Option<Self> {
        b",;\t|".iter().find_map(|&delimiter| Self::in_first_row(text, delimiter))
    }

    /// Delimiter between cells, as a byte.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    fn in_first_row(text: &str, delimiter: u8) -> Option<Self> {
        let (mut rows, mut names) = (CsvRows::new(delimiter), None);
        let line = text.trim_start().lines().next()?;
        let mut each = |row: CsvRow| {
            names.get_or_insert_with(|| row.cells.iter().flatten().map(str::to_owned).collect());
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

    /// Cells of a row with the names of their columns, to show its record.
    pub fn fields(&self, text: &str) -> Vec<Field> {
        let (mut rows, mut fields) = (CsvRows::new(self.delimiter), Vec::new());
        let mut each = |row: CsvRow| {
            let cells = self.names.iter().zip(row.cells.iter().flatten());
            fields.extend(cells.map(|(name, cell)| Field { name: name.clone(), value: cell.to_owned() }));
        };
        rows.push(text, &mut each);
        rows.finish(&mut each);
        fields
    }
}

/// A table that is being read.
pub struct KublingTableFile {
    rows: CsvRows,
    columns: Option<KublingTableColumns>,
    delimiter: u8,
}

impl KublingTableFile {
    /// A table with this delimiter between its cells.
    pub fn new(delimiter: u8) -> Self {
        Self { rows: CsvRows::new(delimiter), columns: None, delimiter }
    }

    /// Columns named in the first row of `text`; `None` if they are not the columns of a Kubling table.
    pub fn columns_in(&self, text: &str) -> Option<KublingTableColumns> {
        KublingTableColumns::in_first_row(text, self.delimiter)
    }

    /// Reads the next part of the text.
    pub fn push(&mut self, text: &str, events: &mut KublingEventSink, input: &mut Input) {
        let Self { rows, columns, delimiter } = self;
        rows.push(text, |row| take(columns, *delimiter, &row, false, events, input));
    }

    /// Finishes reading at the end of the file.
    pub fn finish(&mut self, events: &mut KublingEventSink, input: &mut Input) {
        let Self { rows, columns, delimiter } = self;
        rows.finish(|row| take(columns, *delimiter, &row, true, events, input));
    }
}

fn take(
    columns: &mut Option<KublingTableColumns>,
    delimiter: u8,
    row: &CsvRow,
    last: bool,
    events: &mut KublingEventSink,
    input: &mut Input,
) {
    match columns {
        Some(columns) => add(columns, row, last, events, input),
        None => {
            *columns = KublingTableColumns::named(
                row.cells.iter().flatten().map(str::to_owned).collect(),
                delimiter,
            );
            for (name, slot) in columns.iter().flat_map(|c| c.names.iter().zip(&c.slots)) {
                if slot.is_none() {
                    input.note(record::UNKNOWN_FIELD, row.place, name);
                }
            }
        }
    }
}

fn add(
    columns: &KublingTableColumns,
    row: &CsvRow,
    last: bool,
    events: &mut KublingEventSink,
    input: &mut Input,
) {
    let shown = || row.cells.iter().flatten().collect::<Vec<_>>().join(",");
    if last && row.cells.len() < columns.slots.len() {
        input.records.add(input.file, row.place, row.length);
        return input.note(record::CUT_OFF, row.place, &shown());
    }
    let mut draft = RecordDraft::of(columns.kind);
    for (slot, cell) in columns.slots.iter().zip(row.cells.iter().flatten()) {
        if let Some(slot) = slot {
            draft.set(field(*slot), value(cell));
        }
    }
    if row.cells.len() != columns.slots.len() {
        input.note(SHORT_ROW, row.place, &shown());
    }
    if draft.text(KublingTextField::Sql).is_some_and(is_unreadable) {
        input.note(record::COMPRESSED_SQL, row.place, &shown());
        draft.unset(KublingTextField::Sql);
    }
    events.add_with(&draft.record(), row.length, row.place, input, |input, kind| {
        input.note(kind, row.place, &shown());
    });
}

/// Value of a cell. Clients write a missing value in several ways.
fn value(cell: &str) -> KublingValue<'_> {
    match cell {
        "" | "NULL" | "null" | "(null)" | "<null>" | "[NULL]" | "\\N" => KublingValue::Null,
        text => KublingValue::Text(text.into()),
    }
}

/// Whether a statement was stored compressed: it has bytes that are not text, or begins with a gzip or zlib header in
/// hexadecimal or base64 digits.
fn is_unreadable(sql: &str) -> bool {
    let odd = |c: char| c == '\u{FFFD}' || (c.is_control() && !c.is_whitespace());
    let digits = sql.trim_start_matches("0x").trim_start_matches("\\x");
    let packed =
        ["1f8b08", "1F8B08", "H4sI", "789c", "789C", "eJ"].iter().any(|head| digits.starts_with(head));
    sql.contains(odd) || (packed && !sql.contains(' '))
}
