//! A session: one open trace with its caches, as used by the web worker and the command line.
//!
//! ```text
//! open(name) push(bytes)* close()   for every file, one after the other
//! build()                           at any time: builds the trace from everything read so far
//! answer(request) -> reply          for any request; never panics, and each request type has its own reply type
//! ```

mod ahead;
mod areas;
mod caches;
mod filtering;
mod focus_moves;
mod handlers;
mod issue_texts;
mod item_anchor;
mod parallelism;
mod path_marks;
mod pictures;
mod result_track;
#[cfg(test)]
mod tests;
mod warm_up;

use std::fmt;

use crate::analysis::{Queries, SelfTimes};
use crate::compare::Comparison;
use crate::export::TraceExport;
pub use crate::import::QueryShare;
use crate::import::{ImportSession, SavedSession};
use crate::protocol::{
    AnyReply, AnyRequest, ExportSpec, FileReport, RawPlace, RawRecord, Request, Subset, SubsetChoices,
};
use crate::rows::{TableReader, TraceTables};
use crate::trace::{RecordId, Trace};
use crate::view::SceneCache;
use caches::Caches;
use result_track::ResultSlot;

#[cfg(feature = "export")]
pub use crate::analysis::FilteredItems;
pub use crate::import::Reread;
pub use crate::pivot::{Pivot, PivotError};
pub use item_anchor::Anchor;
pub use warm_up::{WarmUpReading, WarmUpTables};

/// The error for a format id that does not exist. The valid ids are in [`ABOUT`](crate::import::ABOUT).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unknown format “{}”", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

/// One open trace, with the state of its import and its caches.
#[derive(Default)]
pub struct Session {
    pub(crate) trace: Trace,
    /// Data that identifies the items of the previous build.
    before: Trace,
    pub(crate) import: ImportSession,
    pub(crate) scenes: SceneCache,
    pub(crate) answers: Caches,
    ahead: SelfTimes,
    result: ResultSlot,
}

impl Session {
    /// Reads the files opened from here on as the format with this id, regardless of their content; `None` detects the
    /// format of each file again.
    ///
    /// # Errors
    /// If no format has this id. The format of each file is then detected.
    pub fn read_as(&mut self, format: Option<&str>) -> Result<(), UnknownFormat> {
        if self.import.read_as(format) {
            Ok(())
        } else {
            Err(UnknownFormat(format.unwrap_or_default().to_owned()))
        }
    }

    /// Loads only this subset of the records that are read from here on. Records outside of it are counted.
    pub fn choose(&mut self, part: Subset) {
        self.import.choose(part);
    }

    /// Loads only this share of the queries of the records that are read from here on. Records outside of it are counted. Formats whose
    /// queries are known only after everything was read are in the first share as a whole: see [`Self::has_shares`].
    pub fn choose_share(&mut self, share: QueryShare) {
        self.import.choose_share(share);
    }

    /// Whether shares of the queries divide the records read so far.
    pub fn has_shares(&self) -> bool {
        self.import.has_shares()
    }

    /// Keeps the attributes of all records read from here on as written in their files, for programs that write them out again.
    /// This takes about as much memory as the text of the attributes.
    pub fn keep_written(&mut self) {
        self.trace.reported.keep_written();
    }

    /// The loaded subset, and the runs that can be chosen.
    pub fn subset_choices(&self) -> SubsetChoices {
        self.import.subset_choices()
    }

    /// Describes the origin of the subset's times in a sentence; `None` if times count from each run's start.
    pub fn counted_from(&self) -> Option<String> {
        self.import.counted_from()
    }

    /// Begins a file and returns its number: the number of files opened before. `name` is used in reports, and includes the
    /// path of the file inside a folder.
    pub fn open(&mut self, name: &str) -> u32 {
        self.import.open(name)
    }

    /// Adds the next bytes of the file as stored, compressed or not. The bytes may be split at any position.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while self.push_step(&mut bytes) {}
    }

    /// Performs a bounded part of [`push`](Self::push), because few bytes may decompress to very many. Removes the bytes that
    /// were read from the start of `bytes`, and returns whether to call it again before passing other bytes.
    pub fn push_step(&mut self, bytes: &mut &[u8]) -> bool {
        self.import.push(bytes, &mut self.trace)
    }

    /// Ends the file. If the file could not be read to its end, `broken` is the reason; otherwise it is `None`.
    pub fn close(&mut self, broken: Option<&str>) {
        while self.close_step(broken) {}
    }

    /// Performs a bounded part of [`close`](Self::close), in which archives that can only be read as a whole are unpacked.
    /// Returns true if it must be called again because the file is not closed yet.
    pub fn close_step(&mut self, broken: Option<&str>) -> bool {
        self.import.close(broken, &mut self.trace)
    }

    /// Closes the file at once for this reason, regardless of the progress. Data that was not unpacked yet is left out.
    pub fn stop(&mut self, reason: &str) {
        self.import.stop(reason, &mut self.trace);
    }

    /// Builds the trace from everything read so far. May be called again after more was read: the import keeps the events of
    /// the files, and the builds share strings and record values.
    pub fn build(&mut self) {
        self.forget();
        let mut before = std::mem::take(&mut self.trace);
        self.before = before.take_named();
        self.trace = self.import.build(before);
    }

    /// Restricts the trace to a half-open time range until it is built again: items that overlap the range are kept, with
    /// their time clipped to it.
    pub fn cut_to(&mut self, range: (i64, i64)) {
        self.forget();
        self.trace = std::mem::take(&mut self.trace).cut_to(range);
    }

    /// Drops everything that was derived from the trace, before the trace is replaced.
    fn forget(&mut self) {
        self.scenes.forget();
        self.answers.forget();
        self.ahead = SelfTimes::default();
        self.result.forget();
    }

    /// Returns the reply to a request. If the request refers to something that does not exist, the reply is empty.
    pub fn answer<R: Request>(&mut self, request: &R) -> R::Reply {
        request.answered_by(self)
    }

    /// Returns the reply to a request of any type, for requests and replies that are sent between threads.
    pub fn answer_any(&mut self, request: &AnyRequest) -> AnyReply {
        request.answered_by(self)
    }

    /// The trace of the last [`build`](Self::build).
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The trace of the last [`build`](Self::build), for programs that only read it from here on, in several threads too.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    /// The data for comparisons of runs: the trace, its queries, and the cached comparisons.
    fn run_comparison(&mut self) -> (&Trace, &Queries, &mut Comparison) {
        let Self { trace, answers, .. } = self;
        (trace, answers.queries.get_or_insert_with(|| Queries::of(trace)), &mut answers.compare)
    }

    /// Reads the trace's tables for SQL.
    fn sql_tables(&mut self) -> TableReader<'_> {
        let Self { trace, answers, import, .. } = self;
        let tables = answers.sql.get_or_insert_with(|| {
            let files = import.report();
            // An archive stands for what is in it.
            let opened = files.iter().filter(|file| file.opened.is_some());
            let names: Vec<&str> = opened.map(|file| file.name.as_str()).collect();
            TraceTables::new(trace, &names.join(", "), files)
        });
        TableReader { trace, tables }
    }

    /// Prepares writing the trace, or a part of it, in the format `queryscope`. Parts are written by [`TraceExport::step`], and
    /// the trace must not be built or cut until all of them are written.
    pub fn export(&self, spec: &ExportSpec) -> TraceExport {
        TraceExport::new(&self.trace, spec)
    }

    /// The trace of the last [`build`](Self::build), and its pivot tables.
    pub fn pivot(&mut self) -> (&Trace, &mut Pivot) {
        (&self.trace, &mut self.answers.pivot)
    }

    /// Number of records read so far.
    pub fn n_records(&self) -> u64 {
        self.import.n_records()
    }

    /// Number of records read so far that are kept in memory; 64 that a subset or share leaves out count as one, because their positions
    /// are kept.
    pub fn n_kept(&self) -> u64 {
        self.import.n_kept()
    }

    /// Number of opened files, and the sum of their stored sizes in bytes; entries of archives are not counted separately.
    pub fn opened(&self) -> (u32, u64) {
        self.import.opened()
    }

    /// The import report. Numbers of used and reported records are those of the last [`build`](Self::build).
    pub fn report(&self) -> Vec<FileReport> {
        self.import.report()
    }

    /// Content of an opened session file other than traces: the state of the viewer and notes. Empty without such a
    /// file.
    pub fn saved(&self) -> &SavedSession {
        self.import.saved()
    }

    /// Whether an archive was opened. A session file cannot hold it, since an archive in an archive is not opened.
    pub fn has_archives(&self) -> bool {
        self.import.has_archives()
    }

    /// Position of a record in its file; `None` if the record does not exist.
    pub fn place(&self, record: RecordId) -> Option<RawPlace> {
        self.import.place(record)
    }

    /// Prepares unpacking the text of a record in a packed file again, in steps; `None` if the record does not exist.
    pub fn reread(&self, place: &RawPlace) -> Option<Reread> {
        self.import.reread(place)
    }

    /// Splits a record into its fields, from the bytes at its position.
    pub fn raw(&self, place: &RawPlace, bytes: &[u8]) -> RawRecord {
        self.import.raw(place, bytes)
    }
}
