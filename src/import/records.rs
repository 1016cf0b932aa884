//! Where every record stands: eight bytes each, so that its text need not be kept.

use super::FileId;
use crate::blocks::Blocks;
use crate::trace::RecordId;

const LENGTH_BITS: u32 = 24;
/// Lengths from here on are not kept exactly: such a record is shown up to this many bytes.
pub const MAX_LENGTH: u64 = (1 << LENGTH_BITS) - 1;

/// All records of all files, in the order of reading; a file's records are contiguous.
#[derive(Default)]
pub struct Records {
    /// Offset in the file's text, then length.
    places: Blocks<u64>,
    /// Where each file's records begin: files without records are not listed.
    files: Vec<(RecordId, FileId)>,
}

impl Records {
    /// Adds a record of `file` at `offset` of its text.
    pub fn add(&mut self, file: FileId, offset: u64, length: u64) -> RecordId {
        let id = RecordId(self.places.len() as u32);
        if self.files.last().is_none_or(|last| last.1 != file) {
            self.files.push((id, file));
        }
        self.places.push(offset << LENGTH_BITS | length.min(MAX_LENGTH));
        id
    }

    /// The file, offset and length of a record.
    pub fn get(&self, id: RecordId) -> Option<(FileId, u64, u64)> {
        if id.0 as usize >= self.places.len() {
            return None;
        }
        let place = self.places.get(id.0 as usize);
        Some((self.file_of(id)?, place >> LENGTH_BITS, place & MAX_LENGTH))
    }

    /// The file that a record was read from.
    pub fn file_of(&self, id: RecordId) -> Option<FileId> {
        let behind = self.files.partition_point(|(first, _)| *first <= id);
        self.files.get(behind.checked_sub(1)?).map(|(_, file)| *file)
    }

    /// Whether they come from more than one file.
    pub fn has_several_files(&self) -> bool {
        self.files.len() > 1
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}
