//! Problems of the input, as data: content that could not be used as it is.

use super::FileId;
use crate::base::FxHashMap;
use crate::base::text;
use crate::trace::Cut;

/// A kind of problem. Its name and meaning are part of the interface: reports show them, and tests refer to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProblemKind {
    /// Short and stable name, such as "cut off".
    pub name: &'static str,
    /// Explanation for the reader of a report, in one sentence.
    pub meaning: &'static str,
    /// Whether each occurrence of the problem means that one record was left out of the trace.
    pub lost: bool,
    /// Sides of the loaded subset (before, after) at which left-out records may be the cause of the problem.
    cut: Cut,
    /// Whether the problem reports that the file ends too early. If reading was stopped before the end, the file may go on.
    pub at_end: bool,
}

impl ProblemKind {
    /// Creates a kind of problem whose records are not shown.
    pub const fn lost(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, lost: true, cut: Cut::NOWHERE, at_end: false }
    }

    /// Creates a kind of problem whose records are shown, with a remark.
    pub const fn remark(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, lost: false, cut: Cut::NOWHERE, at_end: false }
    }

    /// Suppresses the problem if records were left out on the side `cut` of the loaded subset, because the records
    /// that it misses may be among them.
    pub const fn unless_cut(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    /// Flags a problem that reports that a file ends too early.
    pub const fn at_end(self) -> Self {
        Self { at_end: true, ..self }
    }

    /// Whether records that were left out on the sides in `cut` may be the cause of the problem.
    pub fn is_of(self, cut: Cut) -> bool {
        self.cut.before && cut.before || self.cut.after && cut.after
    }
}

/// A location in a file at which a problem occurred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Line, counted from 1; `None` if unknown.
    pub line: Option<u64>,
    /// Byte offset in the file's decoded text.
    pub offset: u64,
    /// Text at this location, at most [`SNIPPET`] characters.
    pub text: String,
}

/// Maximum number of characters that a [`Spot`] quotes.
pub const SNIPPET: usize = 120;

/// Maximum number of locations kept per kind of problem and file.
pub const MAX_SPOTS: usize = 100;
/// Number of locations that are always kept for each kind of problem in each file. Further locations are kept until
/// their total size reaches `ROOM`.
const SURE_SPOTS: usize = 5;
/// Maximum total size of the further locations, in bytes, so that thousands of damaged files do not exhaust memory.
const ROOM: usize = 1 << 20;

/// One kind of problem in one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The file that has the problem.
    pub file: FileId,
    /// Number of occurrences.
    pub count: u64,
    /// The first locations, at most [`MAX_SPOTS`].
    pub spots: Vec<Spot>,
}

/// All problems, one entry per file and kind.
#[derive(Clone, Default, Debug)]
pub struct Problems {
    list: Vec<Problem>,
    /// Positions in `list` by file: a file has few problems, and there may be very many files.
    of_file: FxHashMap<FileId, Vec<u32>>,
    /// Total size of the kept locations, in bytes, except the locations that [`SURE_SPOTS`] guarantees.
    taken: usize,
}

impl Problems {
    /// Counts one occurrence; `spot` is called only if another location can be kept.
    pub fn note(&mut self, file: FileId, kind: ProblemKind, spot: impl FnOnce() -> Spot) {
        self.note_many(file, kind, 1, spot);
    }

    /// Counts several occurrences; `spot` returns the location of the first.
    pub fn note_many(&mut self, file: FileId, kind: ProblemKind, count: u64, spot: impl FnOnce() -> Spot) {
        let known = self.of_file.entry(file).or_default();
        let at = known.iter().map(|&at| at as usize).find(|&at| self.list[at].kind == kind);
        let at = at.unwrap_or_else(|| {
            known.push(self.list.len() as u32);
            self.list.push(Problem { kind, file, count: 0, spots: Vec::new() });
            self.list.len() - 1
        });
        let problem = &mut self.list[at];
        problem.count += count;
        let kept = problem.spots.len();
        if kept < SURE_SPOTS || kept < MAX_SPOTS && self.taken < ROOM {
            let spot = spot();
            self.taken += if kept < SURE_SPOTS { 0 } else { size_of::<Spot>() + spot.text.capacity() };
            problem.spots.push(spot);
        }
    }

    /// Removes all occurrences of a kind of problem in a file.
    pub fn forget(&mut self, file: FileId, kind: ProblemKind) {
        let Some(known) = self.of_file.get_mut(&file) else { return };
        let Some(at) = known.iter().position(|&at| self.list[at as usize].kind == kind) else { return };
        // The entry stays in the list, so that the positions of later entries remain valid.
        self.list[known.remove(at) as usize].count = 0;
    }

    /// Returns all entries, in the order of their first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.list.iter().filter(|problem| problem.count > 0)
    }
}

impl Spot {
    /// Creates a location that quotes the start of `bytes`: broken UTF-8 is replaced, and control characters by their
    /// Unicode symbols.
    pub fn new(line: Option<u64>, offset: u64, bytes: &[u8]) -> Self {
        let head = &bytes[..bytes.len().min(SNIPPET * 4)]; // four bytes per character at most
        let quoted = String::from_utf8_lossy(head);
        let shown = quoted.chars().map(text::in_line).take(SNIPPET);
        Spot { line, offset, text: shown.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept_as_long_as_there_is_room() {
        let kind = ProblemKind::remark("a", "b");
        let (mut problems, files) = (Problems::default(), 1_000);
        for file in 0..files {
            (0..200)
                .for_each(|at| problems.note(FileId(file), kind, || Spot::new(None, at, &[b'x'; SNIPPET])));
        }
        let kept: Vec<usize> = problems.iter().map(|problem| problem.spots.len()).collect();
        assert_eq!((kept[0], kept[999]), (MAX_SPOTS, SURE_SPOTS));
        let all: usize = kept.iter().sum();
        assert!((all - files as usize * SURE_SPOTS) * SNIPPET < ROOM, "{all}");
        assert!(problems.iter().all(|problem| problem.count == 200));
    }

    #[test]
    fn control_characters_can_be_seen() {
        let spot = Spot::new(None, 0, "a\tb\u{1}\u{7f}\u{85}".as_bytes());
        assert_eq!(spot.text, "a b\u{2401}\u{2421}\u{fffd}");
    }
}
