//! MySQL's and MariaDB's Performance Schema: what a server did, thread by thread, as its tables of events say, in
//! whatever rendering they were exported.
//!
//! ```text
//! file ─ tables::Reader ─ rows ─┬→ store: events as numbers ─→ tree, clock, lanes ─ emit → threads
//!                               └→ side tables                                           → tables
//! ```
//! Format: the manual's chapter "MySQL Performance Schema"; versions 5.6 to 9.7 and MariaDB from 10.5 on, told apart by
//! the names of columns alone. What is read, and what others leave to their users:
//!
//! - **Tables** are known by the names of their files or by their columns, and come in one file or in many. The files of
//!   one folder or archive are one export and one run.
//! - **Time** is whole picoseconds since the server was started. Waits are measured by another clock than statements,
//!   stages and transactions (see `clock`): it is brought onto theirs, and the report says how.
//! - **Nesting** is told by ids, not by times: see `tree`.
//! - **`_current`, `_history` and `_history_long`** are one table: an event that stands in several is shown once.
//! - **All other tables** (sums, settings, threads, locks) are kept as side tables.
//!
//! What cannot be known: the wall clock (no event has it), the account of threads that were gone when the export was
//! made, and what the server's rings had overwritten: the report counts the missing ids.

mod clock;
mod emit;
mod lanes;
mod layout;
mod prepare;
mod problems;
mod rows;
mod sniff;
mod store;
mod threads;
mod tree;

use super::tables::Reader;
use super::{About, Field, FileId, Format, Head, Importer, Input, Outcome};
use crate::trace::TraceBuilder;
use rows::{Export, Rows, Table};

/// What it is called, and how it is made.
pub const ABOUT: About = About {
    id: "mysql",
    name: "MySQL and MariaDB Performance Schema",
    how_to_record: "Enable the `events_*_history_long` consumers, run the workload, freeze, and export the tables in any way: \
         `mysql --batch`, `INTO OUTFILE`, `mysqldump`, MySQL Shell, Workbench, DBeaver, as JSON or XML.",
};

/// The format.
pub struct MySql;

impl Format for MySql {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::sniff(head)
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<MySqlImporter>::default()
    }
}

/// Reads the files of all exports.
#[derive(Default)]
struct MySqlImporter {
    exports: Vec<Export>,
    /// The reader of the file that is being read, its export and the table that its rows are of.
    reading: Option<(Reader, usize, Table)>,
    /// The columns of every file's tables, by their first records.
    files: Vec<FileId>,
}

impl MySqlImporter {
    /// The export that a file belongs to.
    fn export(&mut self, name: &str) -> usize {
        let folder = name.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        let found = self.exports.iter().position(|export| export.folder == folder);
        found.unwrap_or_else(|| {
            self.exports.push(Export {
                folder: folder.to_owned(),
                file: name.to_owned(),
                ..Export::default()
            });
            self.exports.len() - 1
        })
    }

    fn with_rows(&mut self, input: &mut Input, work: impl FnOnce(&mut Reader, &mut Rows)) {
        let Some((reader, export, table)) = &mut self.reading else { return };
        work(reader, &mut Rows { export: &mut self.exports[*export], table, input });
    }
}

impl Importer for MySqlImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        let export = self.export(input.name);
        self.files.push(input.file);
        self.reading = Some((Reader::new(head.text), export, Table::default()));
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        self.with_rows(input, |reader, rows| reader.push(text, rows));
    }

    fn close(&mut self, input: &mut Input) {
        self.with_rows(input, |reader, rows| reader.finish(rows));
        self.reading = None;
    }

    fn build(&mut self, outcome: &mut Outcome, builder: &mut TraceBuilder) {
        self.exports.iter().for_each(|export| emit::emit(export, outcome, builder));
    }

    fn fields(&self, _: FileId, _text: &str) -> Vec<Field> {
        Vec::new()
    }
}
