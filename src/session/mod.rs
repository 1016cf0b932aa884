//! One open trace and its caches: what the worker and the command line both own.
//!
//! ```text
//! open(name) push(bytes)* close()   for every file, one after the other
//! build()                           at any time: the trace of what was read so far
//! answer(request) -> reply          total: every request has a reply of its own type, none panics
//! ```

mod caches;
mod handlers;
mod item_anchor;
mod parallelism;
#[cfg(test)]
mod tests;
mod warm_up;

use std::fmt;

use crate::analysis::SelfTimes;
use crate::import::ImportSession;
use crate::protocol::{FileReport, RawPlace, RawRecord, Subset, SubsetChoices};
use crate::trace::{RecordId, Trace};
use crate::view::SceneCache;
use caches::Caches;

pub use crate::import::Reread;
pub use crate::pivot::{Pivot, PivotError};
pub use item_anchor::Anchor;
pub use warm_up::{WarmUpReading, WarmUpTables};

/// No format has this id: those of [`ABOUT`](crate::import::ABOUT) have one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unknown format “{}”", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

/// One open trace.
#[derive(Default)]
pub struct Session {
    pub(crate) trace: Trace,
    /// What names the items of the build before.
    before: Trace,
    pub(crate) import: ImportSession,
    pub(crate) scenes: SceneCache,
    pub(crate) answers: Caches,
    ahead: SelfTimes,
}

impl Session {
    /// Reads the files that are opened from here on as this format (its id), whatever their content is; `None` to detect the
    /// format of each again.
    ///
    /// # Errors
    /// Where no format has this id: the format of each file is detected then.
    pub fn read_as(&mut self, format: Option<&str>) -> Result<(), UnknownFormat> {
        if self.import.read_as(format) {
            Ok(())
        } else {
            Err(UnknownFormat(format.unwrap_or_default().to_owned()))
        }
    }

    /// Keeps this part only of what is read from here on; what is left out is counted.
    pub fn choose(&mut self, part: Subset) {
        self.import.choose(part);
    }

    /// Keeps the arguments of all records that are read from here on as they stand in their files, for those who write them out
    /// again: about as much memory as they have text.
    pub fn keep_written(&mut self) {
        self.trace.reported.keep_written();
    }

    /// The part that was chosen, and the runs that were met: what there is to choose from.
    pub fn subset_choices(&self) -> SubsetChoices {
        self.import.subset_choices()
    }

    /// In a sentence, from where the times of the chosen part count; `None` where that is the beginning of every run.
    pub fn counted_from(&self) -> Option<String> {
        self.import.counted_from()
    }

    /// Begins a file. `name` is what reports call it (its path inside a folder). Its number is the count of files opened before.
    pub fn open(&mut self, name: &str) -> u32 {
        self.import.open(name)
    }

    /// The next bytes of the file, as stored (compressed or not). Where they are cut never matters.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while self.push_step(&mut bytes) {}
    }

    /// A bounded part of [`push`](Self::push): a few bytes may unpack to very many. Takes what it can from the start of
    /// `bytes`; whether there is more to do before other bytes may come.
    pub fn push_step(&mut self, bytes: &mut &[u8]) -> bool {
        self.import.push(bytes, &mut self.trace)
    }

    /// The file ends. With a reason if it could not be read to its end.
    pub fn close(&mut self, broken: Option<&str>) {
        while self.close_step(broken) {}
    }

    /// A bounded part of [`close`](Self::close), by which archives are unpacked that are read as a whole. Whether there is
    /// more to do before the file is closed.
    pub fn close_step(&mut self, broken: Option<&str>) -> bool {
        self.import.close(broken, &mut self.trace)
    }

    /// Closes the file at once, for a reason, wherever reading stands: what is not unpacked yet is left out.
    pub fn stop(&mut self, reason: &str) {
        self.import.stop(reason, &mut self.trace);
    }

    /// Makes the trace of everything read so far. May be called again when more was read: the files' events are kept
    /// apart from the trace, and only its strings and what its records report are shared.
    pub fn build(&mut self) {
        self.scenes.forget();
        let mut before = std::mem::take(&mut self.trace);
        self.before = before.take_named();
        self.trace = self.import.build(before);
        self.answers.forget();
        self.ahead = SelfTimes::default();
    }

    /// Restricts the trace to a half-open time range until it is built again: items that overlap the range are kept, with
    /// their time clipped to it.
    pub fn cut_to(&mut self, range: (i64, i64)) {
        self.scenes.forget();
        self.answers.forget();
        self.ahead = SelfTimes::default();
        self.trace = std::mem::take(&mut self.trace).cut_to(range);
    }

    /// Makes what the next picture needs, while whoever shows it hears that there is a new trace. That takes as long as the
    /// picture would.
    pub fn draw_ahead(&mut self) {
        let Self { trace, scenes, answers, .. } = self;
        scenes.look_ahead(trace, answers.hits(trace));
    }

    /// A small part of what will be asked for, while nobody asks for anything: some milliseconds at most. Whether there is
    /// more.
    pub fn look_ahead(&mut self) -> bool {
        self.ahead.step(&mut self.trace)
    }

    /// The trace that was built last.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The trace that was built last, and its aggregates.
    pub fn pivot(&mut self) -> (&Trace, &mut Pivot) {
        (&self.trace, &mut self.answers.pivot)
    }

    /// Records read so far.
    pub fn n_records(&self) -> u64 {
        self.import.n_records()
    }

    /// How many files were opened, and their bytes as stored: what is in an archive is not counted again.
    pub fn opened(&self) -> (u32, u64) {
        self.import.opened()
    }

    /// The import report. What is used and what is reported is as of the last [`build`](Self::build).
    pub fn report(&self) -> Vec<FileReport> {
        self.import.report()
    }

    /// Where a record stands.
    pub fn place(&self, record: RecordId) -> Option<RawPlace> {
        self.import.place(record)
    }

    /// To unpack the text of a packed record once more, in parts.
    pub fn reread(&self, place: &RawPlace) -> Option<Reread> {
        self.import.reread(place)
    }

    /// A record as it stands in its file, from the bytes at its place.
    pub fn raw(&self, place: &RawPlace, bytes: &[u8]) -> RawRecord {
        self.import.raw(place, bytes)
    }
}
