//! Finds files with identical content: a recording that was dropped twice, or once packed and once unpacked.

use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

use crate::base::FxHashMap;
use crate::import::contract::{FileId, ProblemKind};

/// Two files that may be the same recording. It is only a remark: files with the same length, start and end may still
/// be different recordings, so nothing is left out.
pub const DUPLICATE: ProblemKind = ProblemKind::remark(
    "possible duplicate of another file",
    "The file has the same length, beginning and end as another file. If both are the same recording, \
     everything in it is shown and counted twice.",
);

/// Number of bytes that are compared at the start and at the end of a file. Different recordings differ in them,
/// because they contain times.
const PART: usize = 4096;

/// Fingerprint of a file: length, first bytes and last bytes of its unpacked content. It does not depend on how the
/// content is split into slices.
#[derive(Default)]
pub struct FileSample {
    length: u64,
    first: Vec<u8>,
    last: Vec<u8>,
}

/// Length and hash of the first and last bytes of each file read so far, to detect duplicates.
#[derive(Default)]
pub struct KnownFiles {
    files: FxHashMap<(u64, u64), FileId>,
}

impl FileSample {
    /// Adds the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let wanted = (PART - self.first.len()).min(bytes.len());
        self.first.extend_from_slice(&bytes[..wanted]);
        let end = &bytes[bytes.len().saturating_sub(PART)..];
        let kept = (PART - end.len()).min(self.last.len());
        self.last.drain(..self.last.len() - kept);
        self.last.extend_from_slice(end);
    }
}

impl KnownFiles {
    /// Returns the first file with this fingerprint. If there is none, returns `file`, which is the first from now on.
    pub fn file(&mut self, sample: &FileSample, file: FileId) -> FileId {
        let ends = FxBuildHasher.hash_one((&sample.first, &sample.last));
        *self.files.entry((sample.length, ends)).or_insert(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_again_wherever_they_are_cut() {
        let text: Vec<u8> = (0..3 * PART as u32 + 7).flat_map(|n| n.to_le_bytes()).collect();
        let sample = |bytes: &[u8], size: usize| {
            let mut sample = FileSample::default();
            bytes.chunks(size).for_each(|part| sample.push(part));
            sample
        };
        let mut known = KnownFiles::default();
        assert_eq!(known.file(&sample(&text, 1), FileId(0)), FileId(0));
        for size in [2, 100, PART - 1, PART, PART + 1, 2 * PART, usize::MAX] {
            assert_eq!(known.file(&sample(&text, size), FileId(1)), FileId(0), "slices of {size}");
        }
        let others = [&text[1..], &text[..text.len() - 1], &[&text[1..], &[0]].concat(), &[]];
        for (number, other) in (2..).zip(others) {
            assert_eq!(known.file(&sample(other, 1000), FileId(number)), FileId(number));
        }
    }
}
