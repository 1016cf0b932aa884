//! [`ImportSession`]: from stored bytes to importers, and the account of what became of every file.

use crate::import::contract::{BuildReport, Field, FileId, MAX_LENGTH, MAX_SPOTS, Problems};
use crate::import::packing::container::Packing;
use crate::import::packing::fault;
use crate::import::registry::FORMATS;
use crate::import::source::file::{OpenedFile, READ_FAILED, problem_report};
use crate::import::source::reading::FileReading;
use crate::import::source::reread::Reread;
use crate::import::source::state::ImportState;
use crate::protocol::{
    EMPTY_FILE, FileReport, NOT_READ, ProblemReport, RawPlace, RawRecord, Subset, SubsetChoices,
};
use crate::trace::{RecordId, Trace, TraceBuilder};

/// Steps that a file may take to its end when reading stops.
const LAST_STEPS: usize = 8;

/// All files that were opened, the importers that read them, and what became of them.
#[derive(Default)]
pub struct ImportSession {
    state: ImportState,
    /// Files that were opened from outside; the others are entries of archives.
    n_stored: u32,
    /// Found while building, the last time.
    built: Problems,
    reading: Option<FileReading>,
}

impl ImportSession {
    /// Files that are opened from here on are read as this format (its id); `None` to recognise them again. Whether there
    /// is such a format.
    pub fn read_as(&mut self, format: Option<&str>) -> bool {
        let at = format.map(|id| FORMATS.iter().position(|format| format.about().id == id));
        self.state.read_as = at.flatten();
        at != Some(None)
    }

    /// Keeps this part only of what is read from here on.
    pub fn choose(&mut self, part: Subset) {
        self.state.choice.set(part);
    }

    /// The part that was chosen, and the runs that were met.
    pub fn subset_choices(&self) -> SubsetChoices {
        SubsetChoices { chosen: self.state.choice.part().clone(), runs: self.state.choice.runs() }
    }

    /// From where the times of a part count: see [`crate::import::Choice::counted_from`].
    pub fn counted_from(&self) -> Option<String> {
        self.state.choice.counted_from()
    }

    /// Begins a file, and returns its number.
    pub fn open(&mut self, name: &str) -> u32 {
        let stored = self.n_stored;
        self.n_stored += 1;
        let file = self.state.add_file(name.to_owned(), stored, None);
        self.reading = Some(FileReading::new(file));
        stored
    }

    /// Takes of the next bytes of the file, as stored, what one step allows. Whether there is more to do before other bytes
    /// are needed.
    pub fn push(&mut self, bytes: &mut &[u8], trace: &mut Trace) -> bool {
        let Some(mut reading) = self.reading.take() else { return false };
        let more = reading.push(bytes, &mut self.state, trace);
        self.reading = Some(reading);
        more
    }

    /// The file ends; with a reason if it could not be read to its end. What is left to unpack of it is unpacked as far as one
    /// step allows: whether there is more.
    pub fn close(&mut self, broken: Option<&str>, trace: &mut Trace) -> bool {
        let Some(mut reading) = self.reading.take() else { return false };
        let file = self.state.file(reading.file());
        (file.given_up, file.packing) = (broken.is_some(), reading.unpacker().packing());
        let more = reading.finish(&mut self.state, trace);
        if more {
            self.reading = Some(reading);
        } else {
            self.ends(&reading, broken);
        }
        more
    }

    /// Reading stops, for a reason, before the file has ended or all of it is unpacked. What is left is not unpacked.
    pub fn stop(&mut self, reason: &str, trace: &mut Trace) {
        let Some(mut reading) = self.reading.take() else { return };
        let file = self.state.file(reading.file());
        (file.given_up, file.packing) = (true, reading.unpacker().packing());
        // What the decoder holds back is some MiB.
        let is_over = (0..LAST_STEPS).any(|_| !reading.finish(&mut self.state, trace));
        if !is_over {
            reading.stop(&mut self.state, trace);
        }
        self.ends(&reading, Some(reason));
    }

    fn ends(&mut self, reading: &FileReading, broken: Option<&str>) {
        let id = reading.file();
        match (broken, reading.missing()) {
            // Whatever else is missing at its end is so for this reason.
            (Some(reason), _) => self.give_up(id, reason),
            (None, Some((fault, missing))) => {
                self.state.note(id, fault.kind(), fault.reason());
                self.state.miss(id, missing);
                let file = self.state.file(id);
                if file.description == EMPTY_FILE {
                    file.description = format!("Not readable: {}.", fault.reason());
                }
            }
            (None, None) => {}
        }
    }

    fn give_up(&mut self, file: FileId, reason: &str) {
        self.state.note(file, READ_FAILED, reason);
        // What is in an archive stands after it.
        for file in &mut self.state.files[file.0 as usize..] {
            file.given_up = true;
        }
        let file = self.state.file(file);
        if file.bytes == 0 {
            // It may hold anything, and is not empty.
            (file.format, file.is_sidecar) = (None, false);
            file.description = format!("{NOT_READ}{}.", reason.trim_end_matches('.'));
        }
    }

    /// Makes the trace of everything read so far. `trace` is the previous one: its text and record tables are used again.
    #[inline(never)]
    pub fn build(&mut self, trace: Trace) -> Trace {
        let mut builder = TraceBuilder::after(trace);
        let (mut problems, mut used) = (Problems::default(), vec![0; self.state.files.len()]);
        let is_empty = |file: &&OpenedFile| file.bytes == 0 && !file.given_up && !file.is_archive;
        let empty_files: Vec<String> =
            self.state.files.iter().filter(is_empty).map(|file| file.name.clone()).collect();
        for importer in self.state.importers.iter_mut().flatten() {
            let mut outcome = BuildReport::new(&self.state.records, &mut problems, &mut used);
            outcome.cut = self.state.choice.cut();
            outcome.empty_files = &empty_files;
            importer.build(&mut outcome, &mut builder);
        }
        for (file, used) in self.state.files.iter_mut().zip(used) {
            file.used = used;
        }
        self.built = problems;
        let mut trace = builder.finish();
        trace.cut = self.state.choice.cut();
        trace
    }

    /// Records read so far.
    pub fn n_records(&self) -> u64 {
        self.state.n_records()
    }

    /// How many files were opened, and their bytes as stored: what is in an archive is not counted again.
    pub fn opened(&self) -> (u32, u64) {
        let stored = self.state.files.iter().filter(|file| file.entry.is_none());
        (self.n_stored, stored.map(|file| file.bytes).sum())
    }

    /// What became of every file.
    pub fn report(&self) -> Vec<FileReport> {
        let mut problems: Vec<Vec<ProblemReport>> = vec![Vec::new(); self.state.files.len()];
        for problem in self.state.problems.iter().chain(self.built.iter()) {
            let at = problem.file.0 as usize;
            let Some((list, file)) = problems.get_mut(at).zip(self.state.files.get(at)) else { continue };
            problem_report(problem, file.given_up).into_iter().for_each(|report| add_problem(list, report));
        }
        let files = self.state.files.iter().zip(problems);
        let mut reports: Vec<FileReport> =
            (0..).zip(files).map(|(number, (file, problems))| file.report(number, &problems)).collect();
        for problem in
            self.state.problems.iter().chain(self.built.iter()).filter(|problem| problem.kind.at_end)
        {
            let at = problem.file.0 as usize;
            let Some((report, file)) = reports.get_mut(at).zip(self.state.files.get(at)) else { continue };
            if report.missing.is_none() && !file.given_up {
                report.missing = Some(fault::ends_early(problem.kind, file.bytes));
            }
        }
        reports
    }

    /// Where a record stands.
    pub fn place(&self, record: RecordId) -> Option<RawPlace> {
        let (id, offset, length) = self.state.records.get(record)?;
        let file = self.state.files.get(id.0 as usize)?;
        let packed = !file.plain || file.packing != Packing::Plain || file.entry.is_some();
        Some(RawPlace {
            record: record.0,
            file: file.stored,
            name: file.name.clone(),
            line: self.state.records.line_of(record),
            offset: if packed { offset } else { offset + file.skipped },
            length: length as u32,
            packed,
            cut: length >= MAX_LENGTH,
        })
    }

    /// The record at a place of the report: of the file with this number in it.
    pub fn around(&self, file: u32, offset: u64) -> Option<RecordId> {
        self.state.records.around(FileId(file), offset)
    }

    /// To unpack the text of a packed record, from the bytes of its file as stored.
    pub fn reread(&self, place: &RawPlace) -> Option<Reread> {
        let (id, ..) = self.state.records.get(RecordId(place.record))?;
        let file = self.state.files.get(id.0 as usize)?;
        let archive =
            self.state.files.iter().find(|stored| stored.stored == file.stored && stored.entry.is_none());
        let marks = &archive?.marks;
        Some(Reread::new(file.entry, place.offset, place.offset + u64::from(place.length), marks))
    }

    /// A record as it stands in its file, from the bytes at its place.
    pub fn raw(&self, place: &RawPlace, bytes: &[u8]) -> RawRecord {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let fields = self.fields(place, &text).unwrap_or_default();
        let fields = fields.into_iter();
        let fields =
            fields.map(|Field { name, value }| (crate::base::text::visible_name(&name), value)).collect();
        RawRecord { text, fields }
    }

    fn fields(&self, place: &RawPlace, text: &str) -> Option<Vec<Field>> {
        let (id, ..) = self.state.records.get(RecordId(place.record))?;
        let format = self.state.files.get(id.0 as usize)?.format?;
        Some(self.state.importers.get(format)?.as_ref()?.fields(id, text))
    }
}

/// Adds a problem. Of one kind, some may be met while reading and some while building.
fn add_problem(list: &mut Vec<ProblemReport>, problem: ProblemReport) {
    match list.iter_mut().find(|known| known.name == problem.name) {
        None => list.push(problem),
        Some(known) => {
            known.count += problem.count;
            let room = MAX_SPOTS.saturating_sub(known.places.len());
            known.places.extend(problem.places.into_iter().take(room));
        }
    }
}
