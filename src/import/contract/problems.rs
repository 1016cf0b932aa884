//! What in the input could not be used as it is: data, not errors.

use super::FileId;
use crate::base::FxHashMap;
use crate::base::text;
use crate::trace::Cut;

/// A kind of problem. Its name and meaning are part of the interface: reports quote them, and tests refer to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProblemKind {
    /// Short and stable: "cut off".
    pub name: &'static str,
    /// What it means for the reader, in a sentence.
    pub meaning: &'static str,
    /// Whether each occurrence is a record that is not shown.
    pub lost: bool,
    /// Where a part that was chosen was cut, this is no problem of the file.
    cut: Cut,
    /// Whether it says that the file ends where it should not: where reading was given up, it may go on.
    pub at_end: bool,
}

impl ProblemKind {
    /// A record that is not shown.
    pub const fn lost(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, lost: true, cut: Cut::NOWHERE, at_end: false }
    }

    /// Something remarkable about what is.
    pub const fn remark(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, lost: false, cut: Cut::NOWHERE, at_end: false }
    }

    /// Marks a problem that is none if the loaded subset ends on this side: what is missing may have been left out.
    pub const fn unless_cut(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    /// Marks a problem of a file that ends too early.
    pub const fn at_end(self) -> Self {
        Self { at_end: true, ..self }
    }

    /// Whether these cuts are the reason.
    pub fn is_of(self, cut: Cut) -> bool {
        self.cut.before && cut.before || self.cut.after && cut.after
    }
}

/// Where a problem was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Line, counted from 1, where that is known.
    pub line: Option<u64>,
    /// Byte offset in the file's text.
    pub offset: u64,
    /// What stands there, at most [`SNIPPET`] characters.
    pub text: String,
}

/// Characters that a [`Spot`] quotes.
pub const SNIPPET: usize = 120;

/// Places that are kept of a kind of problem in a file.
pub const MAX_SPOTS: usize = 100;
/// Places that are kept of every kind of problem in every file; the others as long as there is room for them.
const SURE_SPOTS: usize = 5;
/// Bytes that all other places may take together, so that thousands of damaged files are no burden.
const ROOM: usize = 1 << 20;

/// One kind of problem in one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// In which file.
    pub file: FileId,
    /// How often.
    pub count: u64,
    /// Where it occurred first: at most [`MAX_SPOTS`] places.
    pub spots: Vec<Spot>,
}

/// All problems, one entry per file and kind.
#[derive(Clone, Default, Debug)]
pub struct Problems {
    list: Vec<Problem>,
    /// Positions in `list` by file: a file has few problems, and there may be very many files.
    of_file: FxHashMap<FileId, Vec<u32>>,
    /// Bytes that places take, but for those that are sure of theirs.
    taken: usize,
}

impl Problems {
    /// Counts one occurrence; `spot` is asked for only while places are still kept.
    pub fn note(&mut self, file: FileId, kind: ProblemKind, spot: impl FnOnce() -> Spot) {
        self.note_many(file, kind, 1, spot);
    }

    /// Counts several occurrences; `spot` is the first.
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

    /// Takes back what was noted of a kind in a file.
    pub fn forget(&mut self, file: FileId, kind: ProblemKind) {
        let Some(known) = self.of_file.get_mut(&file) else { return };
        let Some(at) = known.iter().position(|&at| self.list[at as usize].kind == kind) else { return };
        // It keeps its place, so that the others do.
        self.list[known.remove(at) as usize].count = 0;
    }

    /// All entries, in the order of their first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.list.iter().filter(|problem| problem.count > 0)
    }
}

impl Spot {
    /// A place that quotes the start of `bytes`: broken UTF-8 replaced, control characters by their pictures.
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
