//! Reads the unpacked bytes of a stored file: one text, or a tar archive of several files.

use super::checkpoints::Checkpoint;
use super::entry::EntryReading;
use super::file;
use super::pipeline::TextReading;
use super::state::ReadContext;
use crate::import::packing::budget::{Budget, PendingBytes};
use crate::import::packing::container::Unpacker;
use crate::import::packing::fault::Fault;
use crate::import::packing::tar::{self, Untar};

/// Reader of the unpacked bytes of a stored file.
#[derive(Default)]
pub struct ArchiveReader {
    kind: ArchiveReaderKind,
    /// Bytes that were kept because the budget of a step was spent.
    kept: PendingBytes,
}

enum ArchiveReaderKind {
    /// Too few bytes to recognise a tar archive.
    Head(Vec<u8>),
    /// The file is one text.
    Text(Box<TextReading>),
    /// The file is a tar archive.
    Tar(Box<Untar>, TarEntries),
}

impl Default for ArchiveReaderKind {
    fn default() -> Self {
        Self::Head(Vec::new())
    }
}

/// The entries of a tar archive, while it is being read.
#[derive(Default)]
pub struct TarEntries {
    count: usize,
    /// Total number of bytes of text in the entries that have ended.
    written: u64,
    open: Option<Box<EntryReading>>,
}

impl ArchiveReader {
    /// Takes the next unpacked bytes and keeps those that exceed the budget for [`resume`](Self::resume).
    ///
    /// # Errors
    /// The reason why the rest is not readable.
    pub fn push(&mut self, bytes: &[u8], budget: &Budget, context: &mut ReadContext) -> Result<(), Fault> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.push(bytes, |bytes| self.read(bytes, budget, context))?;
        self.kept = kept;
        Ok(())
    }

    /// Continues with the kept bytes. Returns whether bytes are still kept.
    ///
    /// # Errors
    /// The reason why the rest is not readable.
    pub fn resume(&mut self, budget: &Budget, context: &mut ReadContext) -> Result<bool, Fault> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.resume(|bytes| self.read(bytes, budget, context))?;
        self.kept = kept;
        Ok(self.has_more())
    }

    /// Takes as many bytes as the budget allows. Returns whether to call again before more bytes arrive.
    fn read(&mut self, bytes: &mut &[u8], budget: &Budget, context: &mut ReadContext) -> Result<bool, Fault> {
        if let ArchiveReaderKind::Head(head) = &mut self.kind {
            let (first, rest) = bytes.split_at((tar::BLOCK - head.len()).min(bytes.len()));
            head.extend_from_slice(first);
            *bytes = rest;
            if head.len() < tar::BLOCK {
                return Ok(false);
            }
            self.begin(budget, context)?;
        }
        match &mut self.kind {
            ArchiveReaderKind::Head(_) => Ok(false),
            ArchiveReaderKind::Text(text) => {
                context.pipeline(context.file, text).bytes(std::mem::take(bytes));
                Ok(false)
            }
            ArchiveReaderKind::Tar(untar, entries) => {
                untar.push(bytes, &mut EntrySink { entries, budget, context })
            }
        }
    }

    /// Reads the kept bytes, then finishes the file. Returns whether it must be called again.
    ///
    /// # Errors
    /// If the archive ends early.
    pub fn finish(&mut self, budget: &Budget, context: &mut ReadContext) -> Result<bool, Fault> {
        if self.resume(budget, context)? {
            return Ok(true);
        }
        if matches!(self.kind, ArchiveReaderKind::Head(_)) {
            self.begin(budget, context)?;
        }
        match &mut self.kind {
            ArchiveReaderKind::Head(_) => Ok(false),
            ArchiveReaderKind::Text(text) => {
                context.pipeline(context.file, text).finish();
                Ok(false)
            }
            ArchiveReaderKind::Tar(untar, entries) => {
                let ended = untar.finish(&mut EntrySink { entries, budget, context });
                self.describe(context);
                ended
            }
        }
    }

    /// Stops reading; kept bytes are left out.
    pub fn stop(&mut self, context: &mut ReadContext) {
        if matches!(self.kind, ArchiveReaderKind::Head(_)) && self.begin(&Budget::step(), context).is_err() {
            return;
        }
        match &mut self.kind {
            ArchiveReaderKind::Head(_) => {}
            ArchiveReaderKind::Text(text) => context.pipeline(context.file, text).finish(),
            ArchiveReaderKind::Tar(_, entries) => {
                if let Some(mut open) = entries.open.take() {
                    open.stop(context);
                }
            }
        }
        self.describe(context);
    }

    fn describe(&self, context: &mut ReadContext) {
        if let ArchiveReaderKind::Tar(_, entries) = &self.kind {
            let count = crate::base::text::counted(entries.count as u64, "file", "files");
            context.state.file(context.file).description = format!("Tar archive of {count}");
        }
    }

    /// Drops the kept bytes.
    pub fn let_go(&mut self) {
        self.kept = PendingBytes::default();
        if let ArchiveReaderKind::Tar(_, TarEntries { open: Some(open), .. }) = &mut self.kind {
            open.let_go();
        }
    }

    /// Whether bytes are kept.
    pub fn has_more(&self) -> bool {
        self.kept.has_more()
    }

    /// Number of undamaged bytes of a tar archive before its damage; `None` if the file is no archive or is not
    /// damaged.
    pub fn sound(&self) -> Option<u64> {
        match &self.kind {
            ArchiveReaderKind::Tar(untar, _) => untar.sound(),
            ArchiveReaderKind::Head(_) | ArchiveReaderKind::Text(_) => None,
        }
    }

    /// Whether the bytes are a tar archive.
    pub fn is_archive(&self) -> bool {
        matches!(self.kind, ArchiveReaderKind::Tar(..))
    }

    /// Number of bytes of text decoded so far, over all entries.
    pub fn written(&self) -> u64 {
        match &self.kind {
            ArchiveReaderKind::Head(_) => 0,
            ArchiveReaderKind::Text(reading) => reading.decoder().written(),
            ArchiveReaderKind::Tar(_, entries) => {
                entries.written + entries.open.as_ref().map_or(0, |entry| entry.decoder().written())
            }
        }
    }

    /// Returns a checkpoint at the current position, after `stored` bytes of the file; `None` if bytes are kept or a
    /// decoder cannot be cloned.
    pub fn mark(&self, stored: u64, outer: &Unpacker) -> Option<Checkpoint> {
        if self.has_more() {
            return None;
        }
        let start = Checkpoint { stored, outer: outer.try_clone()?, ..Checkpoint::default() };
        match &self.kind {
            ArchiveReaderKind::Head(_) => None,
            ArchiveReaderKind::Text(reading) => {
                let decoder = reading.decoder().clone();
                Some(Checkpoint { at: decoder.written(), decoder, ..start })
            }
            ArchiveReaderKind::Tar(untar, entries) => {
                // Between two entries, the last entry has ended.
                let untar = Untar::clone(untar);
                let mut mark = Checkpoint { count: entries.count, at: u64::MAX, untar, ..start };
                if let Some(entry) = &entries.open {
                    mark.text = entry.try_clone_unpacker()?;
                    mark.decoder = entry.decoder().clone();
                    mark.at = mark.decoder.written();
                }
                Some(mark)
            }
        }
    }

    /// Recognises a tar archive by the first bytes of the file, then reads them. They are so few that they cannot
    /// exceed the budget.
    fn begin(&mut self, budget: &Budget, context: &mut ReadContext) -> Result<(), Fault> {
        let ArchiveReaderKind::Head(head) = std::mem::take(&mut self.kind) else { return Ok(()) };
        self.kind = if tar::is_tar(&head) {
            context.state.file(context.file).is_archive = true;
            ArchiveReaderKind::Tar(Box::default(), TarEntries::default())
        } else {
            ArchiveReaderKind::Text(Box::default())
        };
        self.read(&mut &head[..], budget, context).map(|_| ())
    }
}

/// Reads the entries of an archive as files of their own.
struct EntrySink<'a, 'b> {
    entries: &'a mut TarEntries,
    budget: &'a Budget,
    context: &'a mut ReadContext<'b>,
}

/// Bytes charged to the step's budget for each archive entry in addition to its content, because every format examines
/// the entry's first bytes.
pub const ENTRY: usize = 8 << 10;

impl tar::TarSink for EntrySink<'_, '_> {
    fn begin(&mut self, name: String) {
        let archive = self.context.state.file(self.context.file);
        let (stored, name) = (archive.stored, format!("{}/{name}", archive.name));
        let id = self.context.state.add_file(name, stored, Some(file::ArchiveEntry::Tar(self.entries.count)));
        self.entries.count += 1;
        self.entries.open = Some(Box::new(EntryReading::new(id)));
        self.budget.spend(ENTRY);
    }

    fn data(&mut self, bytes: &[u8]) -> bool {
        let Self { entries, budget, context } = self;
        entries.open.as_mut().is_some_and(|entry| match bytes {
            [] => entry.resume(budget, context),
            bytes => entry.push(bytes, budget, context),
        })
    }

    fn end(&mut self, cut_off: Option<u64>) -> bool {
        let Self { entries, budget, context } = self;
        let Some(entry) = &mut entries.open else { return false };
        if entry.finish(budget, context) {
            return true;
        }
        entry.tell(cut_off.map(|length| (&Fault::CutOff, Some(length))), context.state);
        entries.written += entry.decoder().written();
        entries.open = None;
        budget.is_spent()
    }
}

/// Passes the bytes of one entry of an archive to `each`.
pub struct Pick<'a> {
    pub wanted: usize,
    pub count: usize,
    pub each: &'a mut dyn FnMut(&[u8]),
}

impl tar::TarSink for Pick<'_> {
    fn begin(&mut self, _: String) {
        self.count += 1;
    }

    fn data(&mut self, bytes: &[u8]) -> bool {
        if self.count == self.wanted + 1 {
            (self.each)(bytes);
        }
        false
    }

    fn end(&mut self, _: Option<u64>) -> bool {
        false
    }
}
