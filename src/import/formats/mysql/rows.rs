//! Converts rows of tables into events and side tables.

use super::class::MySqlEventClass;
use super::descriptions::{EventDescription, MySqlTableLayout};
use super::export::MySqlExport;
use super::problems::{DAMAGED_HEADER, NO_ID, NO_START, NOT_EVENTS, ROUNDED, UNESCAPED};
use super::roles::MySqlColumnRole;
use super::row_cache::{CachedDescription, RowTextCache};
use super::side::NamedColumns;
use super::store::{MySqlRecordTypes, MySqlStore, NO_TIME, NewMySqlEvent, WaitAmount};
use super::waiting::UnnamedRows;
use super::{header, layout, locks};
use crate::base::bytes_eq;
use crate::base::interner::{Interner, StrId};
use crate::import::contract::{Input, ProblemKind, RunKey};
use crate::import::scalars::number::{digits, exact_i64};
use crate::import::tables::{LAID_OUT, RowSink, Scratch, TableRow, WRONG_LENGTH};
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// The table that is being read.
#[derive(Default)]
pub enum MySqlTable {
    /// No table has begun.
    #[default]
    None,
    /// A table whose header alone was read: its name, if the text has it, its columns, and the original text of damaged
    /// column names.
    Begun { name: Option<String>, columns: Vec<String>, damaged: Vec<String> },
    /// A table of events.
    Events(MySqlEventTable),
    /// A side table, by its index.
    Side(usize),
    /// Rows whose columns are not known yet, by their index in the export's list of waiting rows.
    Waiting(usize),
}

/// State for reading the rows of a table of events.
pub struct MySqlEventTable {
    /// Folder of the export.
    run: StrId,
    /// Whether the rows have an order but no times.
    is_laid_out: bool,
    roles: Vec<MySqlColumnRole>,
    layout: u32,
    /// Cache of row texts, for tables whose other columns exist for every event: waits, which are many.
    cache: Option<RowTextCache>,
    numbers: Vec<Option<i64>>,
    texts: Vec<StrId>,
    /// Last value of each column with its string id: rows often repeat the value of the previous row.
    last: Vec<(String, StrId)>,
}

/// Receives the rows of one file.
pub struct MySqlRowReader<'a, 'b> {
    pub export: &'a mut MySqlExport,
    pub table: &'a mut MySqlTable,
    /// Record types of events; `None` until the first table of events.
    pub sorts: &'a mut Option<MySqlRecordTypes>,
    /// Columns of the file's tables that were read so far.
    pub seen: &'a mut Vec<Vec<String>>,
    pub input: &'a mut Input<'b>,
}

impl RowSink for MySqlRowReader<'_, '_> {
    fn is_header(&self, row: &TableRow) -> bool {
        layout::is_header(row)
    }

    fn is_torn(&self, row: &TableRow, width: usize) -> bool {
        header::is_torn(row, width)
    }

    fn table(&mut self, name: Option<&str>, columns: &TableRow) {
        if let Some(name) = name.filter(|&name| columns.len() > 0 && name != LAID_OUT) {
            self.export.named.push(NamedColumns::new(name, columns.iter().flatten()));
        }
        let upper = |column: Option<&str>| column.unwrap_or("").trim().to_ascii_uppercase();
        let mut columns: Vec<String> = columns.iter().map(upper).collect();
        let damaged = header::mend(&mut columns);
        self.note_locks(name, &columns);
        *self.table = MySqlTable::Begun { name: name.map(str::to_owned), columns, damaged };
    }

    fn row(&mut self, row: &TableRow, place: Place, length: u64) {
        if row.len() == 0 {
            return self.broken(WRONG_LENGTH, place, "");
        }
        if matches!(self.table, MySqlTable::None) {
            // The header of the table was broken.
            *self.table = MySqlTable::Begun { name: None, columns: Vec::new(), damaged: Vec::new() };
        }
        if let MySqlTable::Begun { name, columns, damaged } = &mut *self.table {
            let (name, columns) = (std::mem::take(name), std::mem::take(columns));
            for name in std::mem::take(damaged) {
                self.input.note(DAMAGED_HEADER, place, &name);
            }
            let missing = header::missing(&columns);
            if !missing.is_empty() {
                self.input.note(NOT_EVENTS, place, &missing.join(" "));
            }
            *self.table = self.begin(name, columns, row);
        }
        let record = self.input.records.add(self.input.file, place, length);
        self.keep(row, record, place);
    }

    fn overlong(&mut self, row: &TableRow, place: Place, length: u64) -> bool {
        let columns = match &*self.table {
            MySqlTable::Begun { columns, .. } if !columns.is_empty() => columns,
            _ => match self.seen.last() {
                Some(columns) => columns,
                None => return false,
            },
        };
        let Some(joined) = layout::joined(columns, row) else { return false };
        self.row(&joined.row(), place, length);
        self.input.note(UNESCAPED, place, joined.row().get(0).unwrap_or(""));
        true
    }

    fn is_cut_off(&self, row: &TableRow) -> bool {
        row.len().checked_sub(1).and_then(|last| row.get(last)).is_some_and(layout::is_beginning)
    }

    fn remark(&mut self, kind: ProblemKind, place: Place, text: &str) {
        self.input.note(kind, place, text);
    }

    fn broken(&mut self, kind: ProblemKind, place: Place, text: &str) {
        self.input.lose(kind, place, text);
    }

    fn other_line(&mut self) {
        *self.input.other_lines += 1;
    }
}

/// Maximum number of values of a row that a problem quotes.
const QUOTED: usize = 8;

impl MySqlRowReader<'_, '_> {
    /// Keeps a row of the table that is being read.
    pub fn keep(&mut self, row: &TableRow, record: RecordId, place: Place) {
        match &mut *self.table {
            MySqlTable::Side(at) => {
                let side = &mut self.export.sides[*at];
                side.records.push(record);
                let strings = &mut *self.input.strings;
                let cells = (0..side.columns.len())
                    .map(|at| row.get(at).map_or(StrId::NONE, |cell| strings.intern(cell)));
                side.cells.extend(cells);
            }
            MySqlTable::Events(table) => {
                if let Err(problem) = table.event(row, record, &mut self.export.store, self.sorts, self.input)
                {
                    let text: Vec<&str> =
                        row.iter().map(|cell| cell.unwrap_or("NULL")).take(QUOTED).collect();
                    self.input.note(problem, place, &text.join(" "));
                }
            }
            MySqlTable::Waiting(at) => self.export.waiting[*at].push(record, place, row),
            MySqlTable::None | MySqlTable::Begun { .. } => {}
        }
    }

    /// Columns of a row without a header: the columns that another file names for the table, else the server's columns
    /// in its own order. `None` if a file that names the columns must be read first.
    fn columns(&mut self, table: &str, row: &TableRow, class: &str) -> Option<Vec<String>> {
        if let Some(columns) = self.export.named_columns(table, row.len()) {
            return Some(columns.to_vec());
        }
        let mut columns = owned(layout::columns_of(table, row.len()));
        if columns.is_empty() && is_event(row) {
            columns = owned(layout::columns_of(&format!("events_{class}_history_long"), row.len()));
        }
        // One value may be damaged; two values are wrong if columns are in another order.
        let is_unknown = columns.is_empty() && layout::holds_events(table);
        if is_unknown || layout::misfits(&columns, row) > 1 {
            return None;
        }
        if columns.is_empty() {
            columns = (1..=row.len()).map(|n| format!("COLUMN {n}")).collect();
        }
        self.export.assumed.push(NamedColumns { table: table.to_owned(), columns: columns.clone() });
        Some(columns)
    }

    /// Begins the table whose first row is `row`.
    pub fn begin(&mut self, name: Option<String>, mut columns: Vec<String>, row: &TableRow) -> MySqlTable {
        let class = row.iter().flatten().find_map(layout::class).unwrap_or("waits");
        if columns.is_empty() {
            let table = layout::table_of_file(self.input.name).0.to_ascii_lowercase();
            match self.columns(&table, row, class) {
                Some(found) => columns = found,
                None => {
                    self.export.waiting.push(UnnamedRows::new(self.input.file, table, row.len()));
                    return MySqlTable::Waiting(self.export.waiting.len() - 1);
                }
            }
        }
        if !self.seen.contains(&columns) {
            self.seen.push(columns.clone());
        }
        let has = |name: &str| columns.iter().any(|column| column == name);
        if has("EVENT_ID") && has("EVENT_NAME") && has("TIMER_WAIT") {
            let run = self.input.strings.intern(&self.export.folder);
            let is_laid_out = name.as_deref() == Some(LAID_OUT);
            let table = name.as_deref().unwrap_or(self.input.name);
            if layout::table_of_file(table).0.ends_with("_history_long") {
                self.export.histories.push((class, self.export.store.tables()));
            }
            let (store, strings) = (&mut self.export.store, &mut *self.input.strings);
            return MySqlTable::Events(MySqlEventTable::new(&columns, run, is_laid_out, store, strings));
        }
        let mut header = Scratch::default();
        columns.iter().for_each(|column| header.push(Some(column)));
        let name = name.unwrap_or_else(|| layout::name(self.input.name, &header.row(), class));
        self.side(name, &columns)
    }

    /// Records that a table of locks exists, if this table is one: it may have no rows.
    fn note_locks(&mut self, name: Option<&str>, columns: &[String]) {
        let name = name.map_or_else(
            || {
                let mut header = Scratch::default();
                columns.iter().for_each(|column| header.push(Some(column)));
                layout::name(self.input.name, &header.row(), "waits")
            },
            str::to_ascii_lowercase,
        );
        if locks::is_table(&name) {
            self.export.lock_tables.push(name);
        }
    }

    /// Returns the side table with this name and these columns; rows from another file are appended to it.
    fn side(&mut self, name: String, columns: &[String]) -> MySqlTable {
        let columns: Vec<StrId> = columns.iter().map(|column| self.input.strings.intern(column)).collect();
        MySqlTable::Side(self.export.side(name, columns))
    }
}

fn owned(columns: Vec<&str>) -> Vec<String> {
    columns.into_iter().map(str::to_owned).collect()
}

/// Whether a row without a header is an event: three ids (or NULL for the end), then its name.
fn is_event(row: &TableRow) -> bool {
    let is_id = |at| row.get(at).is_none_or(|cell| cell.bytes().all(|b| b.is_ascii_digit()));
    (0..3).all(is_id) && row.get(3).is_some_and(|name| layout::class(name).is_some())
}

impl MySqlEventTable {
    fn new(
        columns: &[String],
        run: StrId,
        is_laid_out: bool,
        store: &mut MySqlStore,
        strings: &mut Interner,
    ) -> Self {
        let roles: Vec<MySqlColumnRole> = columns.iter().map(|column| MySqlColumnRole::of(column)).collect();
        let mut named = |wanted: MySqlColumnRole| {
            let with_role = columns.iter().zip(&roles).filter(|(_, role)| **role == wanted);
            with_role.map(|(column, _)| strings.intern(column)).collect::<Vec<_>>()
        };
        let layout =
            MySqlTableLayout { numbers: named(MySqlColumnRole::Number), texts: named(MySqlColumnRole::Text) };
        let last = vec![(String::new(), StrId::EMPTY); roles.len()];
        let is_text = |at: &usize| matches!(roles[*at], MySqlColumnRole::Name | MySqlColumnRole::Text);
        let cache = layout.numbers.is_empty().then(|| RowTextCache::of((0..roles.len()).filter(is_text)));
        let layout = store.begin(layout, is_laid_out);
        let numbers = Vec::new();
        let texts = Vec::new();
        Self { run, is_laid_out, last, roles, layout, cache, numbers, texts }
    }

    /// Keeps the event of a row. An error is a problem to report; the event may have been kept nevertheless.
    fn event(
        &mut self,
        row: &TableRow,
        record: RecordId,
        store: &mut MySqlStore,
        sorts: &mut Option<MySqlRecordTypes>,
        input: &mut Input,
    ) -> Result<(), ProblemKind> {
        let Input { strings, choice, reported, .. } = input;
        let described = self.described(row, store, strings);
        let read = self.read(row);
        let id = read.id.and_then(|id| i64::try_from(id).ok());
        let (Some(thread), Some(id), Some(described)) = (read.thread, id, described) else {
            return Err(NO_ID);
        };
        // NULL can also mean 0: then the difference of end and start is the wait. Without times, the wait is unknown.
        let wait = read.wait.or_else(|| read.stop?.checked_sub(read.start?));
        if let Some(times) = nanos(read.start, wait) {
            choice.take(RunKey::Named(self.run), times, || export_name(strings, self.run))?;
        }
        let signed = |number: Option<u64>| i64::try_from(number?).ok();
        let amount = |n| if described.counts_rows { WaitAmount::Rows(n) } else { WaitAmount::Bytes(n) };
        let event = NewMySqlEvent {
            start: read.start.unwrap_or(NO_TIME),
            wait: wait.unwrap_or(NO_TIME),
            thread: store.thread(thread),
            what: described.what,
            record,
            id,
            end: signed(read.end),
            amount: signed(read.amount).map(amount),
            nesting: signed(read.nesting),
        };
        let sorts = *sorts.get_or_insert_with(|| MySqlRecordTypes::of(reported));
        store.push(&event, self.numbers.iter().copied(), sorts, reported);
        match () {
            () if self.is_laid_out => Err(NO_START),
            () if read.rounded => Err(ROUNDED),
            () => Ok(()),
        }
    }

    /// Description of a row, found by its texts; `None` if the row has no event name.
    fn described(
        &mut self,
        row: &TableRow,
        store: &mut MySqlStore,
        strings: &mut Interner,
    ) -> Option<CachedDescription> {
        let sign = self.cache.as_ref().and_then(|cache| cache.sign(row));
        if let Some((cache, sign)) = self.cache.as_ref().zip(sign)
            && let Some(known) = cache.find(sign, row)
        {
            return Some(known);
        }
        let described = self.describe(row, store, strings)?;
        if let Some((cache, sign)) = self.cache.as_mut().zip(sign) {
            cache.keep(sign, row, described);
        }
        Some(described)
    }

    #[inline(never)]
    fn describe(
        &mut self,
        row: &TableRow,
        store: &mut MySqlStore,
        strings: &mut Interner,
    ) -> Option<CachedDescription> {
        let mut name = None;
        self.texts.clear();
        for (at, role) in self.roles.iter().enumerate() {
            match role {
                MySqlColumnRole::Name => name = interned(row, at, &mut self.last[at], strings).some(),
                MySqlColumnRole::Text => self.texts.push(interned(row, at, &mut self.last[at], strings)),
                _ => {}
            }
        }
        let name = name?;
        let class = || MySqlEventClass::of(strings.get(name));
        let what = store
            .descriptions
            .number(EventDescription { name, layout: self.layout, texts: &self.texts }, class);
        Some(CachedDescription { what, counts_rows: strings.get(name).starts_with("wait/io/table/") })
    }

    /// Reads the numbers of a row. Numbers that only some tables have are left in `self.numbers`.
    fn read(&mut self, row: &TableRow) -> EventRowValues {
        let mut read = EventRowValues::default();
        self.numbers.clear();
        for (at, role) in self.roles.iter().enumerate() {
            let place = match role {
                MySqlColumnRole::Ignored | MySqlColumnRole::Name | MySqlColumnRole::Text => continue,
                MySqlColumnRole::Number => {
                    let number = number(row, at, &mut read.rounded);
                    self.numbers.push(number.and_then(|n| i64::try_from(n).ok()));
                    continue;
                }
                MySqlColumnRole::Thread => &mut read.thread,
                MySqlColumnRole::Id => &mut read.id,
                MySqlColumnRole::End => &mut read.end,
                MySqlColumnRole::Start => &mut read.start,
                MySqlColumnRole::Stop => &mut read.stop,
                MySqlColumnRole::Wait => &mut read.wait,
                MySqlColumnRole::Nesting => &mut read.nesting,
                MySqlColumnRole::Amount => &mut read.amount,
            };
            *place = number(row, at, &mut read.rounded);
        }
        read
    }
}

/// Values that are read from a row.
#[derive(Default)]
struct EventRowValues {
    thread: Option<u64>,
    id: Option<u64>,
    end: Option<u64>,
    start: Option<u64>,
    stop: Option<u64>,
    wait: Option<u64>,
    nesting: Option<u64>,
    amount: Option<u64>,
    /// Whether a number has lost digits by rounding.
    rounded: bool,
}

/// Start and end of an event in nanoseconds, if the start is reported.
fn nanos(start: Option<u64>, wait: Option<u64>) -> Option<(i64, i64)> {
    let nanos = |picos: u64| i64::try_from(picos / 1_000).unwrap_or(i64::MAX);
    let end = start?.saturating_add(wait.unwrap_or(0));
    Some((nanos(start?), nanos(end)))
}

/// Name of an export's run until a table names the server: its folder.
fn export_name(strings: &Interner, folder: StrId) -> String {
    match strings.get(folder) {
        "" => "Performance Schema".to_owned(),
        folder => folder.to_owned(),
    }
}

/// Returns the string id of a cell. Compares the value of the same column in the previous row first.
#[inline]
fn interned(row: &TableRow, at: usize, last: &mut (String, StrId), strings: &mut Interner) -> StrId {
    let Some(bytes) = row.bytes(at) else { return StrId::NONE };
    if last.1 != StrId::EMPTY && bytes_eq::equal(last.0.as_bytes(), bytes) {
        return last.1;
    }
    let cell = row.get(at).unwrap_or("");
    last.1 = strings.intern(cell);
    last.0.clear();
    last.0.push_str(cell);
    last.1
}

/// Reads an unsigned number; `None` for NULL and for text that is not a number.
#[inline]
fn number(row: &TableRow, at: usize, rounded: &mut bool) -> Option<u64> {
    let bytes = row.bytes(at)?;
    digits(bytes).or_else(|| unusual(row.get(at)?, rounded))
}

/// Reads a number that another program formatted as floating point: `1.2E+15`, `1,2E+15`, `12.0`.
#[cold]
fn unusual(cell: &str, rounded: &mut bool) -> Option<u64> {
    if let Ok(number) = cell.parse() {
        return Some(number);
    }
    let number = exact_i64(&cell.replace(',', ".")).and_then(|n| u64::try_from(n).ok())?;
    *rounded |= cell.contains(['e', 'E']) || cell.len() > 17;
    Some(number)
}
