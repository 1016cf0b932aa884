//! [`ImportState`]: what reading a file adds to.

use crate::import::contract::{Choice, FileId, Importer, ProblemKind, Problems, Records, Spot};
use crate::trace::Trace;

use super::duplicates::KnownFiles;
use super::file::{ArchiveEntry, OpenedFile};

/// The files that were opened, the importers of their formats, and what was met while they were read.
#[derive(Default)]
pub struct ImportState {
    pub files: Vec<OpenedFile>,
    /// One per format, made when its first file comes.
    pub importers: Vec<Option<Box<dyn Importer>>>,
    pub records: Records,
    /// Found while reading.
    pub problems: Problems,
    /// The position in `FORMATS` of the format that files are read as; `None` to recognise them.
    pub read_as: Option<usize>,
    pub choice: Choice,
    /// Beginnings and ends of the files that were read, to find duplicates.
    pub known: KnownFiles,
}

impl ImportState {
    /// Records read so far.
    pub fn n_records(&self) -> u64 {
        self.records.len() as u64
    }

    /// A file begins: one that was opened, or an entry of an archive.
    pub fn add_file(&mut self, name: String, stored: u32, entry: Option<ArchiveEntry>) -> FileId {
        self.files.push(OpenedFile { read_as: self.read_as, ..OpenedFile::new(name, stored, entry) });
        FileId(self.files.len() as u32 - 1)
    }

    /// The account of a file.
    pub fn file(&mut self, id: FileId) -> &mut OpenedFile {
        &mut self.files[id.0 as usize]
    }

    /// Counts a problem of a whole file.
    pub fn note(&mut self, file: FileId, kind: ProblemKind, reason: &str) {
        let offset = self.file(file).bytes;
        self.problems.note(file, kind, || Spot { line: None, offset, text: reason.to_owned() });
    }

    /// Says what is certainly missing of a file. What was said first is the reason for the rest.
    pub fn miss(&mut self, file: FileId, missing: String) {
        self.file(file).missing.get_or_insert(missing);
    }
}

/// Where the bytes of a stored file go.
pub struct ReadContext<'a> {
    pub state: &'a mut ImportState,
    pub trace: &'a mut Trace,
    pub file: FileId,
}
