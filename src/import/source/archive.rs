//! Reads the entries of a zip archive, each as a file of its own. An entry may be compressed once more, but an archive
//! in an archive is not opened.

use super::archive_reader::ENTRY;
use super::entry::EntryReading;
use super::file;
use super::state::ReadContext;
use crate::base::text::counted;
use crate::import::packing::budget::Budget;
use crate::import::packing::fault::{ExpansionLimit, Fault, NO_CONTENTS};
use crate::import::packing::zip::{Archive, EntryUnpacker, ZipEntry};

/// A zip archive in memory whose entries are being read.
pub struct ZipReading {
    archive: Archive,
    entry: Option<OpenEntry>,
    count: u64,
    /// Whether the archive is a session file: its first entry is the state of a viewer.
    is_session: bool,
}

/// First entry of a session file, with the state of the viewer.
const SESSION: &str = "session.json";
/// Folder of the traces in a session file.
const TRACES: &str = "traces/";

/// Entry that is being read.
struct OpenEntry {
    entry: ZipEntry,
    /// Unpacker of the entry; `None` once the entry is unpacked, or nothing more of it can be unpacked.
    unpacker: Option<EntryUnpacker>,
    fault: Option<Fault>,
    reading: EntryReading,
    expansion: ExpansionLimit,
}

impl ZipReading {
    /// Opens the archive with these bytes.
    pub fn open(bytes: Vec<u8>, context: &mut ReadContext) -> Self {
        let archive = Archive::new(bytes);
        let file = context.state.file(context.file);
        file.is_archive = true;
        let is_given_up = file.given_up;
        if let Some(reason) = archive.damage().filter(|_| !is_given_up) {
            let missing =
                "The zip archive ends early: its table of contents is missing, and files may be missing.";
            context.state.note(context.file, NO_CONTENTS, reason);
            context.state.miss(context.file, missing.to_owned());
        }
        Self { archive, entry: None, count: 0, is_session: false }
    }

    /// Advances by one step. Returns whether there is more to do.
    pub fn step(&mut self, budget: &Budget, context: &mut ReadContext) -> bool {
        while !budget.is_spent() {
            let Some(mut open) = self.entry.take().or_else(|| self.begin(budget, context)) else {
                self.describe(context);
                return false;
            };
            let is_over = self.read(&mut open, budget, context);
            self.entry = Some(open).filter(|_| !is_over);
        }
        true
    }

    /// Stops reading; the rest of the archive is left out.
    pub fn stop(&mut self, context: &mut ReadContext) {
        if let Some(mut open) = self.entry.take() {
            open.reading.stop(context);
        }
        self.describe(context);
    }

    fn describe(&self, context: &mut ReadContext) {
        let count = counted(self.count, "file", "files");
        if self.is_session && self.count < 2 && !context.state.file(context.file).given_up {
            context.state.miss(context.file, "The session file holds no trace.".to_owned());
        }
        context.state.file(context.file).description = match self.archive.damage() {
            None if self.is_session => format!("Session file of {count}"),
            None => format!("Zip archive of {count}"),
            Some(_) => format!("Zip archive without a table of contents, {count} found"),
        };
    }

    /// Begins the next entry; `None` if there are no more entries.
    fn begin(&mut self, budget: &Budget, context: &mut ReadContext) -> Option<OpenEntry> {
        let entry = self.archive.next()?;
        self.is_session |= self.count == 0 && entry.name == SESSION;
        self.count += 1;
        budget.spend(ENTRY);
        let archive = context.state.file(context.file);
        let stored = archive.stored;
        // The traces of a session are opened under their own names, as if they had been opened one by one.
        let own = entry.name.strip_prefix(TRACES).filter(|name| self.is_session && !name.is_empty());
        let name = own.map_or_else(|| format!("{}/{}", archive.name, entry.name), str::to_owned);
        let id = context.state.add_file(name, stored, Some(file::ArchiveEntry::Zip(entry.place)));
        Some(OpenEntry {
            unpacker: (!entry.is_refused).then(|| EntryUnpacker::new(entry.place.method)),
            fault: entry.broken.clone(),
            entry,
            reading: EntryReading::new(id),
            expansion: ExpansionLimit::default(),
        })
    }

    /// Reads more of an entry. Returns whether the entry is finished.
    fn read(&mut self, open: &mut OpenEntry, budget: &Budget, context: &mut ReadContext) -> bool {
        let OpenEntry { entry, unpacker, fault, reading, expansion } = open;
        if reading.resume(budget, context) {
            return false;
        }
        if let Some(some) = unpacker {
            let more = some.step(self.archive.packed(entry.place), budget, &mut |plain| {
                reading.push(plain, budget, context);
            });
            let (taken, written) = (some.taken as u64, reading.written());
            let expands = expansion.check(taken, written, context.state.n_records());
            if let Err(Fault::Expands(_)) = expands {
                reading.let_go();
            }
            match more.and_then(|more| expands.map(|()| more)) {
                Ok(true) => return false,
                Ok(false) => {
                    self.archive.goes_on_at(entry.place.from + taken);
                    let sound = unpacker.take().map_or(Ok(()), |unpacker| unpacker.finish(entry.check));
                    *fault = fault.take().or(sound.err());
                }
                Err(found) => {
                    *unpacker = None;
                    *fault = fault.take().or(Some(found));
                }
            }
        }
        if reading.finish(budget, context) {
            return false;
        }
        let length = entry.check.map(|check| check.length);
        reading.tell(fault.as_ref().map(|fault| (fault, length)), context.state);
        true
    }
}
