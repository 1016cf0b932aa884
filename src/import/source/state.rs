//! [`ImportState`]: the result of reading files so far.

use crate::import::contract::{Choice, FileId, Importer, ProblemKind, Problems, Records, SavedSession, Spot};
use crate::trace::Trace;

use super::duplicates::KnownFiles;
use super::file::{ArchiveEntry, OpenedFile};

/// The files that were opened, the importers of their formats, and the records and problems found.
#[derive(Default)]
pub struct ImportState {
    pub files: Vec<OpenedFile>,
    /// One importer per format in `FORMATS`, created with the format's first file.
    pub importers: Vec<Option<Box<dyn Importer>>>,
    pub records: Records,
    /// Problems found while reading.
    pub problems: Problems,
    /// Index in `FORMATS` of the format that files are read as; `None` to recognise it by content.
    pub read_as: Option<usize>,
    pub choice: Choice,
    pub saved: SavedSession,
    /// Fingerprints of the files that were read, to find duplicates.
    pub known: KnownFiles,
}

impl ImportState {
    /// Number of records read so far.
    pub fn n_records(&self) -> u64 {
        self.records.len() as u64
    }

    /// Adds a file that was opened, or an entry of an archive.
    pub fn add_file(&mut self, name: String, stored: u32, entry: Option<ArchiveEntry>) -> FileId {
        self.files.push(OpenedFile { read_as: self.read_as, ..OpenedFile::new(name, stored, entry) });
        FileId(self.files.len() as u32 - 1)
    }

    /// A file by its id.
    pub fn file(&mut self, id: FileId) -> &mut OpenedFile {
        &mut self.files[id.0 as usize]
    }

    /// Counts a problem of a whole file.
    pub fn note(&mut self, file: FileId, kind: ProblemKind, reason: &str) {
        let offset = self.file(file).bytes;
        self.problems.note(file, kind, || Spot { line: None, offset, text: reason.to_owned() });
    }

    /// Records what is certainly missing of a file. Only the first call counts, because later faults are consequences
    /// of the first one.
    pub fn miss(&mut self, file: FileId, missing: String) {
        self.file(file).missing.get_or_insert(missing);
    }
}

/// The stored file that is being read, and the import state and the trace that receive its content.
pub struct ReadContext<'a> {
    pub state: &'a mut ImportState,
    pub trace: &'a mut Trace,
    pub file: FileId,
}
