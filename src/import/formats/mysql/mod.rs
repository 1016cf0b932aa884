//! MySQL's and MariaDB's Performance Schema: the activity of a server by thread, read from its event tables in any
//! rendering.
//!
//! ```text
//! file ─ tables::Reader ─ rows ─┬→ store: events as numbers ─→ tree, clock, lanes ─ emit → threads
//!                               └→ side tables                                           → tables
//! ```
//! Format: the manual's chapter "MySQL Performance Schema"; versions 5.6 to 9.7 and MariaDB from 10.5 on, distinguished
//! only by their column names. What is read, and what other tools leave to their users:
//!
//! - **Tables** are recognised by the names of their files or by their columns, in one file or in many. The files of
//!   one folder or archive are one export and one run.
//! - **Time** is in whole picoseconds since the server was started. The clock of waits is not the clock of statements,
//!   stages and transactions (see `clock`): wait times are converted to the clock of statements, and the report says how.
//! - **Nesting** follows from ids, not from times: see `tree`.
//! - **`_current`, `_history` and `_history_long`** are one table: an event that is in several of them is shown once.
//! - **All other tables** (sums, settings, threads, locks) are kept as side tables.
//!
//! What cannot be known: the wall clock (no event has it), the account of threads that had ended before the export, and
//! events that the server's ring buffers had overwritten: the report counts the missing ids.

mod bounds;
mod class;
mod clock;
mod coverage;
mod descriptions;
mod emit;
mod export;
mod header;
mod lanes;
mod layout;
mod locks;
mod losses;
mod prepare;
mod problems;
mod reparse;
mod roles;
mod row_cache;
mod rows;
mod side;
mod sniff;
mod store;
mod threads;
mod time_range;
mod tree;
mod waiting;
mod writer;

use crate::import::contract::{
    About, BuildReport, Field, FileId, Format, Head, Importer, Input, WarmUpScript,
};
use crate::import::tables::{Reader, TableKind};
use crate::import::text::lines::Place;
use crate::trace::TraceBuilder;
use export::MySqlExport;
use problems::NAMED_LATE;
use rows::{MySqlRowReader, MySqlTable};
use side::NamedColumns;
use store::MySqlRecordTypes;
use waiting::UnnamedRows;

/// Id, name and recording instructions of the format.
pub const ABOUT: About = About {
    id: "mysql",
    name: "MySQL and MariaDB Performance Schema",
    how_to_record: "Enable the `events_*_history_long` consumers, run the workload, stop instrumentation, then \
         export the tables in any format: `mysql --batch`, `INTO OUTFILE`, `mysqldump`, MySQL Shell, \
         Workbench, DBeaver, JSON or XML.",
};

/// The Performance Schema format of MySQL and MariaDB.
pub struct MySql;

/// Columns of the rows that warm up the reader.
const WARM_UP: &str = concat!(
    "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tSOURCE\tTIMER_START\tTIMER_END\tTIMER_WAIT\tSPINS\t",
    "OBJECT_SCHEMA\tOBJECT_NAME\tINDEX_NAME\tOBJECT_TYPE\tOBJECT_INSTANCE_BEGIN\tNESTING_EVENT_ID\t",
    "NESTING_EVENT_TYPE\tOPERATION\tNUMBER_OF_BYTES\tFLAGS\n",
);

impl Format for MySql {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::sniff(head)
    }

    fn sidecar(&self, head: &Head) -> Option<&'static str> {
        side::sidecar_description(head.text)
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<MySqlImporter>::default()
    }

    fn warm_up_script(&self) -> WarmUpScript {
        WarmUpScript { opening: WARM_UP, records: include_str!("warm_up.tsv") }
    }
}

/// Tables of a file, for reading a row again.
struct MySqlFileTables {
    file: FileId,
    kind: TableKind,
    /// Columns of each table in the file.
    columns: Vec<Vec<String>>,
}

/// Reads the files of all exports.
#[derive(Default)]
struct MySqlImporter {
    exports: Vec<MySqlExport>,
    /// Reader of the open file, the index of its export, and the table of its current rows.
    reading: Option<(Reader, usize, MySqlTable)>,
    files: Vec<MySqlFileTables>,
    /// Record types of events; `None` until the first table of events.
    sorts: Option<MySqlRecordTypes>,
    /// Number of tables whose columns were named before the open file.
    known: usize,
}

impl MySqlImporter {
    /// Returns the index of the export that a file belongs to. A file that contains a graph is an export of its own:
    /// its times match no other file.
    fn export(&mut self, name: &str, kind: TableKind) -> usize {
        let folder = match kind {
            TableKind::Digraph => name,
            _ => name.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder),
        };
        let found = self.exports.iter().position(|export| export.folder == folder);
        let at = found.unwrap_or_else(|| {
            self.exports.push(MySqlExport { folder: folder.to_owned(), ..MySqlExport::default() });
            self.exports.len() - 1
        });
        self.exports[at].files.push(name.to_owned());
        at
    }

    /// Reads the rows of an export that waited for columns which a later file named. Reports tables that were read with assumed
    /// columns before a file named them; `known` is the number of tables that were named earlier.
    fn settle(&mut self, at: usize, known: usize, input: &mut Input) {
        let export = &mut self.exports[at];
        let named = export.named.get(known..).unwrap_or_default().to_vec();
        for named in &named {
            let differs = |assumed: &&NamedColumns| {
                assumed.table == named.table
                    && assumed.columns.len() == named.columns.len()
                    && assumed.columns != named.columns
            };
            if export.assumed.iter().any(|assumed| differs(&assumed)) {
                input.note(NAMED_LATE, Place::default(), &named.table);
            }
        }
        for waiting in std::mem::take(&mut export.waiting) {
            let columns = self.exports[at].named_columns(&waiting.table, waiting.width).map(<[_]>::to_vec);
            let columns = columns.or_else(|| {
                let guess = layout::columns_of(&waiting.table, waiting.width);
                let guess: Vec<String> = guess.into_iter().map(str::to_owned).collect();
                waiting.fits(&guess).then_some(guess)
            });
            match columns {
                Some(columns) => self.read_waiting(at, &waiting, columns, input),
                None => self.exports[at].waiting.push(waiting),
            }
        }
    }

    fn read_waiting(&mut self, at: usize, waiting: &UnnamedRows, columns: Vec<String>, input: &mut Input) {
        let Some(file) = self.files.iter_mut().find(|file| file.file == waiting.file) else { return };
        let (mut table, own) = (MySqlTable::None, input.file);
        input.file = waiting.file;
        let (export, seen) = (&mut self.exports[at], &mut file.columns);
        let mut rows = MySqlRowReader { export, table: &mut table, seen, sorts: &mut self.sorts, input };
        let mut columns = Some(columns);
        waiting.each(|record, place, row| {
            if let Some(columns) = columns.take() {
                *rows.table = rows.begin(None, columns, row);
            }
            rows.keep(row, record, place);
        });
        input.file = own;
    }

    fn with_rows(&mut self, input: &mut Input, work: impl FnOnce(&mut Reader, &mut MySqlRowReader)) {
        let Some((reader, export, table)) = &mut self.reading else { return };
        let Some(file) = self.files.last_mut() else { return };
        let (export, seen) = (&mut self.exports[*export], &mut file.columns);
        work(reader, &mut MySqlRowReader { export, table, seen, sorts: &mut self.sorts, input });
    }
}

impl Importer for MySqlImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        let kind = TableKind::of(head.text);
        let export = self.export(input.name, kind);
        self.known = self.exports[export].named.len();
        if let Some(named) = side::named(head.text) {
            self.exports[export].named.push(named);
            return self.settle(export, self.known, input);
        }
        self.files.push(MySqlFileTables { file: input.file, kind, columns: Vec::new() });
        self.reading = Some((Reader::new(head.text, layout::is_header), export, MySqlTable::default()));
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        self.with_rows(input, |reader, rows| reader.push(text, rows));
    }

    fn close(&mut self, input: &mut Input) {
        self.with_rows(input, |reader, rows| reader.finish(rows));
        if let Some((_, export, _)) = self.reading.take() {
            self.settle(export, self.known, input);
        }
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        let has_events = |export: &&MySqlExport| !export.store.is_empty();
        let (with, without): (Vec<&MySqlExport>, Vec<&MySqlExport>) =
            self.exports.iter().partition(has_events);
        // Exports without events are written last; those that were made before another export's events become part of it.
        let mut alone = without;
        for export in with {
            let (before, rest) = alone.into_iter().partition(|other| other.is_before(export));
            alone = rest;
            emit::emit(export, &before, outcome, builder);
        }
        alone.into_iter().for_each(|export| emit::emit(export, &[], outcome, builder));
    }

    fn fields(&self, file: FileId, text: &str) -> Vec<Field> {
        let Some(MySqlFileTables { kind, columns, .. }) = self.files.iter().find(|known| known.file == file)
        else {
            return Vec::new();
        };
        // A file of several tables has several headers: the header with as many columns as the row belongs to the row.
        let read = |columns: &Vec<String>| reparse::fields(*kind, columns, text);
        columns.iter().find_map(read).unwrap_or_default()
    }
}
