//! Content of an export: its events, its side tables, and columns that its files name for one another.

use super::side::NamedColumns;
use super::store::MySqlStore;
use super::waiting::UnnamedRows;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::trace::RecordId;

/// A side table with its cells and records.
pub struct SideTable {
    pub name: String,
    pub columns: Vec<StrId>,
    pub cells: Vec<StrId>,
    pub records: Vec<RecordId>,
}

/// Content of an export: the files of one folder or archive, or files that were opened alone.
#[derive(Default)]
pub struct MySqlExport {
    /// Path of the folder.
    pub folder: String,
    /// Names of the files.
    pub files: Vec<String>,
    pub store: MySqlStore,
    pub sides: Vec<SideTable>,
    /// Indices of the side tables with each name, which differ in their columns.
    pub sides_called: FxHashMap<String, Vec<usize>>,
    /// Columns that other files name, for tables whose rows have no header.
    pub named: Vec<NamedColumns>,
    /// Columns that were assumed for rows without a header because no file had named them.
    pub assumed: Vec<NamedColumns>,
    pub waiting: Vec<UnnamedRows>,
    /// Names of the tables of locks whose columns were read, with or without rows.
    pub lock_tables: Vec<String>,
    /// The `events_*_history` tables, which hold the last events of all threads: event class (`waits`, `stages`, …) and index of the
    /// table in the store.
    pub histories: Vec<(&'static str, usize)>,
}

impl MySqlExport {
    /// Title of the run: the server if a table names it, else the folder, else the file.
    pub fn name(&self, strings: &mut Interner) -> StrId {
        let server = self.sides.iter().find_map(|side| side.first(strings, "VERSION"));
        let product = |version: &str| if version.contains("MariaDB") { "MariaDB" } else { "MySQL" };
        let name = match server {
            Some(version) => {
                let version = strings.get(version);
                format!("{} {version}", product(version))
            }
            None => {
                let whole = match self.files.as_slice() {
                    _ if !self.folder.is_empty() => &self.folder,
                    [only] => only,
                    _ => "Performance Schema",
                };
                whole.rsplit(['/', '\\']).next().unwrap_or(whole).to_owned()
            }
        };
        strings.intern(&name)
    }

    /// Returns the index of the side table with this name and these columns, which is added if it is new.
    pub fn side(&mut self, name: String, columns: Vec<StrId>) -> usize {
        let Self { sides, sides_called, .. } = self;
        let called = sides_called.entry_ref(name.as_str()).or_default();
        if let Some(&known) = called.iter().find(|&&at| sides[at].columns == columns) {
            return known;
        }
        called.push(sides.len());
        sides.push(SideTable { name, columns, cells: Vec::new(), records: Vec::new() });
        sides.len() - 1
    }

    /// Columns of `table` as the last file that named them lists them; `None` if no file named as many columns as its
    /// rows have values (`width`).
    pub fn named_columns(&self, table: &str, width: usize) -> Option<&[String]> {
        let fits = |named: &&NamedColumns| named.table == table && named.columns.len() == width;
        self.named.iter().rev().find(fits).map(|named| &named.columns[..])
    }

    /// Whether this export holds the summary tables from before the events of `other`. This is assumed if its folder is
    /// next to or inside the folder of `other` and has a name with "before" or "baseline".
    pub fn is_before(&self, other: &MySqlExport) -> bool {
        let split = |folder: &str| -> (String, String) {
            let (parent, name) = folder.rsplit_once(['/', '\\']).unwrap_or(("", folder));
            (parent.to_owned(), name.to_ascii_lowercase())
        };
        let ((parent, name), (beside, _)) = (split(&self.folder), split(&other.folder));
        (parent == other.folder || parent == beside) && (name.contains("before") || name.contains("baseline"))
    }
}

impl SideTable {
    /// Value of a column in the first row.
    pub fn first(&self, strings: &Interner, column: &str) -> Option<StrId> {
        let column = strings.find(column)?;
        let at = self.columns.iter().position(|&known| known == column)?;
        self.cells.get(at)?.some()
    }
}
