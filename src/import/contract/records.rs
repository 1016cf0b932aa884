//! Positions of all records in two and a half bytes each, so that their text need not be kept.
//!
//! Records are stored in file order, so the position of a record follows from the end of the previous one and the gap between
//! the two. Line numbers take no space while records are the same number of lines apart, which is nearly always the case.

use std::ops::Range;

use super::FileId;
use crate::base::columns::BlockColumn;
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// Number of consecutive records whose positions are relative to one base offset.
const GROUP: usize = 16;
/// Bits for the length of a short record that is close to the previous one.
const LENGTH_BITS: u32 = 13;
/// Maximum length of a short record, in bytes.
const MAX_SHORT: u64 = (1 << LENGTH_BITS) - 1;
/// Maximum gap between a short record and the end of the previous record, in bytes.
const MAX_GAP: u64 = (1 << (16 - LENGTH_BITS)) - 2;
/// Value in `Records::steps` for a record that is too long or too far from the previous record; its position is in
/// `Records::apart`.
const APART: u16 = u16::MAX;
/// Maximum stored length, in bytes: a longer record is shown up to this length.
pub const MAX_LENGTH: u64 = (1 << 24) - 1;

/// All records of all files, in the order of reading; a file's records are contiguous.
#[derive(Default)]
pub struct Records {
    /// Per record: its length and the gap between it and the previous record, packed into 16 bits; [`APART`] if they
    /// do not fit.
    steps: BlockColumn<u16>,
    /// Offset of the first record of each group.
    bases: BlockColumn<u64>,
    /// Records that are long or far from the previous record: record number, offset and length.
    apart: Vec<(u32, u64, u32)>,
    /// Offset of the end of the last record.
    end: u64,
    /// First record of each file; files without records are not listed.
    files: Vec<(RecordId, FileId)>,
    lines: Vec<LineStretch>,
    /// Line on which the next record begins if it is as far from the last record as the last record is from the one
    /// before.
    next_line: u64,
}

/// Consecutive records that begin the same number of lines apart.
struct LineStretch {
    first: u32,
    step: u32,
    /// Line of the first record, counted from 1.
    line: u64,
}

impl Records {
    /// Adds a record of `file` that begins at `place`.
    #[inline]
    pub fn add(&mut self, file: FileId, place: Place, length: u64) -> RecordId {
        let id = RecordId(self.steps.len() as u32);
        if self.files.last().is_none_or(|last| last.1 != file) {
            self.files.push((id, file));
        }
        match self.lines.last() {
            Some(last) if place.line == self.next_line => self.next_line += u64::from(last.step),
            _ => self.begin_stretch(id.0, place.line),
        }
        self.keep(place.offset, length);
        id
    }

    #[inline]
    fn keep(&mut self, offset: u64, length: u64) {
        let at = self.steps.len();
        if at.is_multiple_of(GROUP) {
            // The base of the group is the offset of its first record.
            (self.end, _) = (offset, self.bases.push(offset));
        }
        let gap = offset.wrapping_sub(self.end);
        if gap <= MAX_GAP && length >> LENGTH_BITS == 0 {
            self.steps.push((gap << LENGTH_BITS | length) as u16);
        } else {
            self.apart.push((at as u32, offset, length.min(MAX_LENGTH) as u32));
            self.steps.push(APART);
        }
        self.end = offset + length.min(MAX_LENGTH);
    }

    /// Returns offset and length of a record, which must exist.
    fn place(&self, at: usize) -> (u64, u64) {
        let group = at - at % GROUP;
        let (mut offset, mut length) = (self.bases.get(at / GROUP), 0);
        for step in group..=at {
            (offset, length) = match self.steps.get(step) {
                APART => self.apart_at(step as u32),
                code => (offset + length + u64::from(code >> LENGTH_BITS), u64::from(code) & MAX_SHORT),
            };
        }
        (offset, length)
    }

    fn apart_at(&self, at: u32) -> (u64, u64) {
        let found = self.apart.binary_search_by_key(&at, |&(record, ..)| record);
        let place = found.ok().and_then(|found| self.apart.get(found));
        place.map_or((0, 0), |&(_, offset, length)| (offset, u64::from(length)))
    }

    /// Handles a record that does not begin on the expected line. The second record of a stretch determines the
    /// distance between records of the stretch; any other record begins a new stretch.
    #[cold]
    fn begin_stretch(&mut self, id: u32, line: u64) {
        let step = |last: &LineStretch| u32::try_from(line.checked_sub(last.line)?).ok();
        match self.lines.last_mut() {
            Some(last) if last.first + 1 == id && last.step == 0 && step(last).is_some() => {
                last.step = step(last).unwrap_or(0);
                self.next_line = line + u64::from(last.step);
            }
            _ => {
                self.lines.push(LineStretch { first: id, step: 0, line });
                self.next_line = line;
            }
        }
    }

    /// Returns the line in which a record begins, counted from 1.
    pub fn line_of(&self, id: RecordId) -> Option<u64> {
        let behind = self.lines.partition_point(|stretch| stretch.first <= id.0);
        let stretch = self.lines.get(behind.checked_sub(1)?)?;
        Some(stretch.line + u64::from(id.0 - stretch.first) * u64::from(stretch.step))
    }

    /// Returns the file, offset and length of a record.
    pub fn get(&self, id: RecordId) -> Option<(FileId, u64, u64)> {
        if id.0 as usize >= self.steps.len() {
            return None;
        }
        let (offset, length) = self.place(id.0 as usize);
        Some((self.file_of(id)?, offset, length))
    }

    /// Returns the file of a record.
    pub fn file_of(&self, id: RecordId) -> Option<FileId> {
        self.file_around(id).map(|(_, file)| file)
    }

    /// Returns the file of a record, with the range of record numbers that includes the record and belongs to the file.
    pub fn file_around(&self, id: RecordId) -> Option<(Range<u32>, FileId)> {
        let behind = self.files.partition_point(|(first, _)| *first <= id);
        let (first, file) = *self.files.get(behind.checked_sub(1)?)?;
        let end = self.files.get(behind).map_or(self.steps.len() as u32, |next| next.0.0);
        Some((first.0..end, file))
    }

    /// Returns the record of a file that contains the byte at `offset`.
    pub fn around(&self, file: FileId, offset: u64) -> Option<RecordId> {
        let at = self.files.iter().position(|(_, of)| *of == file)?;
        let (first, end) = (self.files[at].0.0, self.files.get(at + 1).map(|next| next.0.0));
        let (mut low, mut high) = (first, end.unwrap_or(self.steps.len() as u32));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.place(middle as usize).0 <= offset { low = middle + 1 } else { high = middle }
        }
        let last = low.checked_sub(1).filter(|last| *last >= first)?;
        let (from, length) = self.place(last as usize);
        (offset == from || offset - from < length).then_some(RecordId(last))
    }

    /// Whether the file that is being read has records.
    pub fn has(&self, file: FileId) -> bool {
        self.files.last().is_some_and(|last| last.1 == file)
    }

    /// Whether records come from more than one file.
    pub fn has_several_files(&self) -> bool {
        self.files.len() > 1
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.steps.len()
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

    fn any_place() -> impl Strategy<Value = (u64, u64)> {
        let gap = prop_oneof![8 => 0_u64..3, 1 => 0_u64..20, 1 => 0_u64..1 << 40];
        (gap, prop_oneof![8 => 0_u64..500, 1 => 8_000_u64..8_400, 1 => 0..MAX_LENGTH])
    }

    proptest! {
        #[test]
        fn every_record_keeps_its_place(steps in prop::collection::vec(any_place(), 0..80), back in 0_usize..80) {
            let mut records = Records::default();
            let mut offset = 0;
            let mut places = Vec::new();
            for (at, (gap, length)) in steps.into_iter().enumerate() {
                // The second file begins at offset 0.
                let file = FileId(u32::from(at >= back));
                offset = if at == back { 0 } else { offset + gap };
                let id = records.add(file, Place { offset, line: 1 }, length);
                places.push((id, (file, offset, length)));
                offset += length;
            }
            prop_assert!(places.into_iter().all(|(id, place)| records.get(id) == Some(place)));
        }

        #[test]
        fn every_record_keeps_its_line(lines in proptest::collection::vec(1_u64..6, 0..60)) {
            prop_assert_eq!(kept(&lines).1, lines);
        }
    }
}
