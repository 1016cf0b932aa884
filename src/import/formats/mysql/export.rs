//! What was read of one export: its events, its side tables, and what its files say of one another.

use super::side::NamedColumns;
use super::store::MySqlStore;
use super::waiting::UnnamedRows;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::trace::RecordId;

/// A side table as it was read.
pub struct SideTable {
    pub name: String,
    pub columns: Vec<StrId>,
    pub cells: Vec<StrId>,
    pub records: Vec<RecordId>,
}

/// What was read of one export: the files of one folder or archive, or those opened alone.
#[derive(Default)]
pub struct MySqlExport {
    /// The folder.
    pub folder: String,
    /// Its files.
    pub files: Vec<String>,
    pub store: MySqlStore,
    pub sides: Vec<SideTable>,
    /// The numbers of the side tables with this name, which differ in their columns.
    pub sides_called: FxHashMap<String, Vec<usize>>,
    /// Columns that other files name, for rows without a header.
    pub named: Vec<NamedColumns>,
    /// Columns that rows without a header were read by, where no file had named them.
    pub assumed: Vec<NamedColumns>,
    pub waiting: Vec<UnnamedRows>,
    /// Tables of locks of which the columns were read, whether rows followed or not.
    pub lock_tables: Vec<String>,
    /// Tables of histories that keep the last events of all threads: the class, and the number of the table in the store.
    pub histories: Vec<(&'static str, usize)>,
}

impl MySqlExport {
    /// The title of the run: the server, where a table names it, else the folder, else the file.
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

    /// The number of a side table; rows of the same table in another file go on where it ended.
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

    /// The columns of a table's rows with so many values, as another file named them last.
    pub fn named_columns(&self, table: &str, width: usize) -> Option<&[String]> {
        let fits = |named: &&NamedColumns| named.table == table && named.columns.len() == width;
        self.named.iter().rev().find(fits).map(|named| &named.columns[..])
    }

    /// Whether this is an export of the sums from before the events of another: without events of its own, in a folder
    /// next to or in the other's, whose name says so.
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
    /// The value of a column in the first row.
    pub fn first(&self, strings: &Interner, column: &str) -> Option<StrId> {
        let column = strings.find(column)?;
        let at = self.columns.iter().position(|&known| known == column)?;
        self.cells.get(at)?.some()
    }
}
