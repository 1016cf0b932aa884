//! Detects a recording that was opened twice. A server with an id is one server in all files. If the same file were read
//! twice, its instructions would count twice and its statements once. So the second copy is left out.

use super::store::{MonetDbEvent, MonetDbStore};
use crate::import::contract::FileId;

/// Server index that marks events which are left out because another file repeats them.
pub const NOWHERE: u32 = u32::MAX;

/// Position of a file's first entry in each of the tables.
#[derive(Clone, Copy)]
pub struct FileTableStarts {
    file: FileId,
    events: usize,
    samples: usize,
    descriptions: usize,
}

impl MonetDbStore {
    /// Begins a file: rows that are added later belong to it.
    pub fn begin(&mut self, file: FileId) {
        let (events, samples, descriptions) =
            (self.events.len(), self.samples.len(), self.descriptions.len());
        self.begins.push(FileTableStarts { file, events, samples, descriptions });
    }

    /// Leaves out the file that was read last if its events equal those of `like`. Returns whether they do.
    pub fn leave_out(&mut self, file: FileId, like: FileId) -> bool {
        let Some(begin) = self.begins.last().copied().filter(|last| last.file == file) else { return false };
        let end = FileTableStarts {
            file,
            events: self.events.len(),
            samples: self.samples.len(),
            descriptions: self.descriptions.len(),
        };
        let Some(at) = self.begins.iter().position(|known| known.file == like) else { return false };
        let (first, behind) = (self.begins[at], self.begins.get(at + 1).copied().unwrap_or(end));
        let counts = |from: FileTableStarts, to: FileTableStarts| {
            [to.events - from.events, to.samples - from.samples, to.descriptions - from.descriptions]
        };
        let told = |from: usize, to: usize| self.events.range(from..to).map(|event| self.content(event));
        if counts(first, behind) != counts(begin, end)
            || !told(first.events, behind.events).eq(told(begin.events, end.events))
        {
            return false;
        }
        self.forget(begin, like);
        true
    }

    /// Marks all entries from the positions in `begin` on as belonging to no server, and lists their records as
    /// repeated from the file `like`.
    fn forget(&mut self, begin: FileTableStarts, like: FileId) {
        for at in begin.events..self.events.len() {
            let event = self.events.get(at);
            self.repeated.push((event.record, like));
            self.events.set(at, MonetDbEvent { server: NOWHERE, again: false, ..event });
        }
        for at in begin.samples..self.samples.len() {
            let sample = self.samples.get(at);
            self.samples.set(at, super::store::MonetDbCounterSample { server: NOWHERE, ..sample });
        }
        let records = self.descriptions.split_off(begin.descriptions);
        self.repeated.extend(records.into_iter().map(|(record, _)| (record, like)));
    }

    /// Content of an event without its record. The times of `TRACE` are omitted, because they were reconstructed.
    fn content(&self, event: MonetDbEvent) -> impl PartialEq + use<> {
        let is_plan = self.servers.get(event.server as usize).is_some_and(|server| server.is_plan);
        let MonetDbEvent {
            clock,
            usec,
            edge,
            what,
            failed,
            thread,
            tag,
            pc,
            client,
            program,
            name,
            statement,
            ..
        } = event;
        let when = (!is_plan).then_some((clock, thread, tag));
        ((usec, edge, what, failed), (when, pc), (client, program, name, statement, event.sql))
    }
}
