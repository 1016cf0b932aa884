//! One open trace and its caches: what the worker and the command line both own.
//!
//! ```text
//! open(name) push(bytes)* close()   for every file, one after the other
//! build()                           at any time: the trace of what was read so far
//! handle(request) -> reply          total: every request has a reply, none panics
//! ```

mod answers;

use crate::protocol::{FileReport, RawPlace, RawRecord};
use crate::trace::{RecordId, Trace};
use crate::view::Pictures;

/// One open trace.
#[derive(Default)]
pub struct Session {
    pub(crate) trace: Trace,
    pub(crate) pictures: Pictures,
    pub(crate) answers: answers::Caches,
}

impl Session {
    /// Begins a file. `name` is what reports call it (its path inside a folder). Its number is the count of files opened before.
    pub fn open(&mut self, name: &str) -> u32 {
        let _ = name;
        0
    }

    /// The next bytes of the file, as stored (compressed or not). Where they are cut never matters.
    pub fn push(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// The file ends. With a reason if it could not be read to its end.
    pub fn close(&mut self, broken: Option<&str>) {
        let _ = broken;
    }

    /// Makes the trace of everything read so far.
    pub fn build(&mut self) {
        self.pictures.forget();
        self.answers.forget();
    }

    /// The trace that was built last.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Records read so far.
    pub fn n_records(&self) -> u64 {
        0
    }

    /// The import report.
    pub fn report(&self) -> Vec<FileReport> {
        Vec::new()
    }

    /// Where a record stands.
    pub fn place(&self, record: RecordId) -> Option<RawPlace> {
        let _ = record;
        None
    }

    /// The text of a packed record, from all bytes of its file as stored.
    pub fn unpack(&self, place: &RawPlace, stored: &[u8]) -> Option<Vec<u8>> {
        let _ = (place, stored);
        None
    }

    /// A record as it stands in its file, from the bytes at its place.
    pub fn raw(&self, place: &RawPlace, bytes: &[u8]) -> RawRecord {
        let _ = place;
        RawRecord { text: String::from_utf8_lossy(bytes).into_owned(), fields: Vec::new() }
    }
}
