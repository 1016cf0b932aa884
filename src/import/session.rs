//! [`ImportSession`]: passes stored bytes to importers and reports the outcome for every file.

use crate::import::contract::{
    BuildReport, Field, FileId, MAX_LENGTH, MAX_SPOTS, Problems, QueryShare, SavedSession,
};
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

/// Maximum number of steps in which bytes that were already taken are still unpacked when reading stops before the end
/// of a file.
const LAST_STEPS: usize = 8;

/// All opened files, the importers that read them, and the outcome for each file.
#[derive(Default)]
pub struct ImportSession {
    state: ImportState,
    /// Number of opened files. Entries of archives are not counted.
    n_stored: u32,
    /// Problems found by the most recent build.
    built: Problems,
    reading: Option<FileReading>,
}

impl ImportSession {
    /// Reads the files opened from now on as the format with this identifier; `None` recognises formats automatically
    /// again. Returns whether the format exists.
    pub fn read_as(&mut self, format: Option<&str>) -> bool {
        let at = format.map(|id| FORMATS.iter().position(|format| format.about().id == id));
        self.state.read_as = at.flatten();
        at != Some(None)
    }

    /// Keeps only this subset of the records that are read from now on.
    pub fn choose(&mut self, part: Subset) {
        self.state.choice.set(part);
    }

    /// Keeps only this share of the queries of the records that are read from now on.
    pub fn choose_share(&mut self, share: QueryShare) {
        self.state.choice.set_share(share);
    }

    /// Whether shares of the queries divide the records read so far.
    pub fn has_shares(&self) -> bool {
        self.state.choice.has_shares()
    }

    /// Returns the chosen subset and the runs found so far.
    pub fn subset_choices(&self) -> SubsetChoices {
        SubsetChoices { chosen: self.state.choice.part().clone(), runs: self.state.choice.runs() }
    }

    /// Describes the origin of the subset's times; see `Choice::counted_from`.
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

    /// Reads as many of the next stored bytes as one step allows, and removes them from `bytes`. Returns whether it
    /// must be called again with the remaining `bytes`.
    pub fn push(&mut self, bytes: &mut &[u8], trace: &mut Trace) -> bool {
        let Some(mut reading) = self.reading.take() else { return false };
        let more = reading.push(bytes, &mut self.state, trace);
        self.reading = Some(reading);
        more
    }

    /// Finishes the file; `broken` is the reason if it could not be read to its end. Unpacks as much of the rest as one
    /// step allows, and returns whether there is more.
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

    /// Stops reading, for `reason`, before the file has ended or is fully unpacked. The rest is not unpacked.
    pub fn stop(&mut self, reason: &str, trace: &mut Trace) {
        let Some(mut reading) = self.reading.take() else { return };
        let file = self.state.file(reading.file());
        (file.given_up, file.packing) = (true, reading.unpacker().packing());
        // The decoder buffers a few MiB that can still be read.
        let is_over = (0..LAST_STEPS).any(|_| !reading.finish(&mut self.state, trace));
        if !is_over {
            reading.stop(&mut self.state, trace);
        }
        self.ends(&reading, Some(reason));
    }

    fn ends(&mut self, reading: &FileReading, broken: Option<&str>) {
        let id = reading.file();
        match (broken, reading.missing()) {
            // The reason also explains everything else that is missing at the end of the file.
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
        // The entries of an archive follow it in the list.
        for file in &mut self.state.files[file.0 as usize..] {
            file.given_up = true;
        }
        let file = self.state.file(file);
        if file.bytes == 0 {
            // A file that was not read may hold anything, so it is not reported as empty or as a companion file.
            (file.format, file.is_sidecar) = (None, false);
            file.description = format!("{NOT_READ}{}.", reason.trim_end_matches('.'));
        }
    }

    /// Builds the trace of everything read so far. `trace` is the previous trace, whose text and record tables are reused.
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

    /// Content of an opened session file other than traces.
    pub fn saved(&self) -> &SavedSession {
        &self.state.saved
    }

    /// Whether an archive was opened, whose entries are files of their own.
    pub fn has_archives(&self) -> bool {
        self.state.files.iter().any(|file| file.is_archive)
    }

    /// Number of records read so far.
    pub fn n_records(&self) -> u64 {
        self.state.n_records()
    }

    /// Number of records read so far that are kept in memory. Of a record that is left out, only its position is kept: 64 of them count
    /// as one.
    pub fn n_kept(&self) -> u64 {
        let left_out = self.state.choice.left_out();
        self.state.n_records().saturating_sub(left_out) + left_out / 64
    }

    /// Number of opened files and their total stored size in bytes, without entries of archives.
    pub fn opened(&self) -> (u32, u64) {
        let stored = self.state.files.iter().filter(|file| file.entry.is_none());
        (self.n_stored, stored.map(|file| file.bytes).sum())
    }

    /// Returns the outcome for every file.
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

    /// Returns the position of a record in its file.
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

    /// Returns the record that contains the byte at `offset` of the file with this number in the report; `None` if no
    /// record contains it.
    pub fn around(&self, file: u32, offset: u64) -> Option<RecordId> {
        self.state.records.around(FileId(file), offset)
    }

    /// Prepares unpacking of a record's text from the stored bytes of its packed file; `None` if the record does not exist.
    pub fn reread(&self, place: &RawPlace) -> Option<Reread> {
        let (id, ..) = self.state.records.get(RecordId(place.record))?;
        let file = self.state.files.get(id.0 as usize)?;
        let archive =
            self.state.files.iter().find(|stored| stored.stored == file.stored && stored.entry.is_none());
        let marks = &archive?.marks;
        Some(Reread::new(file.entry, place.offset, place.offset + u64::from(place.length), marks))
    }

    /// Splits a record, given as the bytes at its position, into its fields.
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

/// Adds a problem, merging problems of the same kind that were found while reading and while building.
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
