//! A file that was opened, with the counts and problems that the import report shows for it.

use super::checkpoints::Checkpoints;
use crate::base::sort;
use crate::import::contract::{LEFT_OUT, Problem, ProblemKind, Spot};
use crate::import::packing::container::Packing;
use crate::import::packing::zip;
use crate::import::registry::ABOUT;
use crate::protocol::{FileReport, NOT_TO_END, ProblemPlace, ProblemReport};

/// The file itself could not be read to its end, regardless of its contents.
pub const READ_FAILED: ProblemKind = ProblemKind::remark(
    NOT_TO_END,
    "Reading stopped before the end of the file. Everything up to there is shown.",
);

/// Position of an entry in its archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArchiveEntry {
    /// Position of the data in a zip archive.
    Zip(zip::ZipPlace),
    /// Index of the entry among the files of a tar archive.
    Tar(usize),
}

/// An opened file, or an entry of an archive.
pub struct OpenedFile {
    pub name: String,
    pub stored: u32,
    pub packing: Packing,
    /// Position in the archive; `None` if the file is not an entry of an archive.
    pub entry: Option<ArchiveEntry>,
    /// Whether the file is an archive, whose entries are files of their own.
    pub is_archive: bool,
    /// Whether the file accompanies a trace and holds no record.
    pub is_sidecar: bool,
    /// Whether byte offsets in the decoded text, plus `skipped`, are byte offsets in the unpacked file.
    pub plain: bool,
    pub skipped: u64,
    /// Index of the recognised format in `FORMATS`; `None` if no format recognised the file.
    pub format: Option<usize>,
    pub description: String,
    pub bytes: u64,
    pub records: u64,
    pub used: u64,
    pub other_lines: u64,
    /// Index in `FORMATS` of the format that the user chose; `None` to recognise the format by content.
    pub read_as: Option<usize>,
    /// Whether the file, or the archive that holds it, was not read to its end.
    pub given_up: bool,
    /// Sentence that states what is certainly missing of the file; `None` if nothing is known to be missing.
    pub missing: Option<String>,
    /// Checkpoints from which the file can be read again.
    pub marks: Checkpoints,
}

/// Explanation for a record that is incomplete because reading was stopped inside it, although the file does not end
/// there.
const GIVEN_UP: &str = "Reading ended inside this record.";

impl OpenedFile {
    /// A file before its first byte is read.
    pub fn new(name: String, stored: u32, entry: Option<ArchiveEntry>) -> Self {
        Self {
            name,
            stored,
            packing: Packing::Plain,
            entry,
            is_archive: false,
            is_sidecar: false,
            plain: true,
            skipped: 0,
            format: None,
            description: String::new(),
            bytes: 0,
            records: 0,
            used: 0,
            other_lines: 0,
            read_as: None,
            given_up: false,
            missing: None,
            marks: Checkpoints::default(),
        }
    }

    /// Report on the file; `number` is its number in the import report.
    pub fn report(&self, number: u32, problems: &[ProblemReport]) -> FileReport {
        // Records that the user chose to leave out are not a problem.
        let (left_out, problems): (Vec<_>, Vec<_>) = problems.iter().partition(|p| p.name == LEFT_OUT.name);
        FileReport {
            number,
            name: self.name.clone(),
            format: self.description.clone(),
            recognised: self.format.is_some() || self.is_archive || self.is_sidecar,
            bytes: self.bytes,
            records: self.records,
            used: self.used,
            reported: problems.iter().filter(|p| p.lost).map(|p| p.count).sum(),
            left_out: left_out.iter().map(|p| p.count).sum(),
            other_lines: self.other_lines,
            problems: worst_first(problems),
            missing: self.missing.clone(),
            opened: self.entry.is_none().then_some(self.stored),
            read_as: self.read_as.map(|at| ABOUT[at].id.to_owned()),
        }
    }
}

/// Sorts problems: a failed read first, then lost records, then remarks; each of them by descending count.
fn worst_first(problems: Vec<&ProblemReport>) -> Vec<ProblemReport> {
    let mut worst: Vec<_> = problems.into_iter().cloned().collect();
    // Problems found while the trace was built come thread by thread.
    worst.iter_mut().for_each(|problem| sort::by_key(&mut problem.places, |place| (0, place.offset)));
    sort::by_key(&mut worst, |problem| match problem.name == READ_FAILED.name {
        true => (-1, 0),
        false => (i64::from(!problem.lost), u64::MAX - problem.count),
    });
    worst
}

/// Converts a problem for the report. `None` if the problem only concerns the end of the file, loses no record, and
/// reading was stopped earlier (`given_up`).
pub fn problem_report(problem: &Problem, given_up: bool) -> Option<ProblemReport> {
    let kind = problem.kind;
    let meaning = match (given_up && kind.at_end, kind.lost) {
        (false, _) => kind.meaning,
        (true, true) => GIVEN_UP,
        (true, false) => return None,
    };
    let place = |spot: &Spot| ProblemPlace { line: spot.line, offset: spot.offset, text: spot.text.clone() };
    Some(ProblemReport {
        name: kind.name.to_owned(),
        meaning: meaning.to_owned(),
        count: problem.count,
        lost: kind.lost,
        places: problem.spots.iter().map(place).collect(),
    })
}
