//! Where every record stands: eight bytes each, so that its text need not be kept.
//!
//! Lines cost nothing for records that are equally many lines apart, as they nearly always are.

use std::ops::Range;

use super::FileId;
use super::lines::Place;
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
    lines: Vec<Stretch>,
    /// The line of the next record, if it goes on as the last two did.
    next_line: u64,
}

/// Records that begin equally many lines apart.
struct Stretch {
    first: u32,
    step: u32,
    /// The line of the first, counted from 1.
    line: u64,
}

impl Records {
    /// Adds a record of `file` that begins at `place`.
    #[inline]
    pub fn add(&mut self, file: FileId, place: Place, length: u64) -> RecordId {
        let id = RecordId(self.places.len() as u32);
        if self.files.last().is_none_or(|last| last.1 != file) {
            self.files.push((id, file));
        }
        match self.lines.last() {
            Some(last) if place.line == self.next_line => self.next_line += u64::from(last.step),
            _ => self.turn(id.0, place.line),
        }
        self.places.push(place.offset << LENGTH_BITS | length.min(MAX_LENGTH));
        id
    }

    /// A record that is not in the line where it was expected: the second of a stretch says how far apart they are.
    #[cold]
    fn turn(&mut self, id: u32, line: u64) {
        let step = |last: &Stretch| u32::try_from(line.checked_sub(last.line)?).ok();
        match self.lines.last_mut() {
            Some(last) if last.first + 1 == id && last.step == 0 && step(last).is_some() => {
                last.step = step(last).unwrap_or(0);
                self.next_line = line + u64::from(last.step);
            }
            _ => {
                self.lines.push(Stretch { first: id, step: 0, line });
                self.next_line = line;
            }
        }
    }

    /// The line in which a record begins, counted from 1.
    pub fn line_of(&self, id: RecordId) -> Option<u64> {
        let behind = self.lines.partition_point(|stretch| stretch.first <= id.0);
        let stretch = self.lines.get(behind.checked_sub(1)?)?;
        Some(stretch.line + u64::from(id.0 - stretch.first) * u64::from(stretch.step))
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
        self.file_around(id).map(|(_, file)| file)
    }

    /// The file that a record was read from, with the numbers of the records that stand with it.
    pub fn file_around(&self, id: RecordId) -> Option<(Range<u32>, FileId)> {
        let behind = self.files.partition_point(|(first, _)| *first <= id);
        let (first, file) = *self.files.get(behind.checked_sub(1)?)?;
        let end = self.files.get(behind).map_or(self.places.len() as u32, |next| next.0.0);
        Some((first.0..end, file))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(lines: &[u64]) -> (Records, Vec<u64>) {
        let mut records = Records::default();
        let add = |&line: &u64| records.add(FileId(0), Place { offset: 0, line }, 1);
        let ids: Vec<_> = lines.iter().map(add).collect();
        let found = ids.into_iter().filter_map(|id| records.line_of(id)).collect();
        (records, found)
    }

    #[test]
    fn equal_distances_cost_nothing() {
        for (lines, stretches) in
            [(&[][..], 0), (&[1, 2, 3, 4], 1), (&[1, 1, 1], 1), (&[2, 9, 16, 23], 1), (&[1, 2, 5, 6, 7], 2)]
        {
            let (records, found) = kept(lines);
            assert_eq!((found.as_slice(), records.lines.len()), (lines, stretches));
        }
    }

    proptest! {
        #[test]
        fn every_record_keeps_its_line(lines in proptest::collection::vec(1_u64..6, 0..60)) {
            prop_assert_eq!(kept(&lines).1, lines);
        }
    }
}
