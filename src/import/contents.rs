//! What comes out of the packing of a stored file: one text, or a tar archive of several.

use super::container::Unpacker;
use super::flow::{Flow, TextReading};
use super::intake::{DAMAGED, Import};
use super::marks::Mark;
use super::tar::{self, Untar};
use super::{FileId, file::Entry};
use crate::trace::Trace;

/// The unpacked bytes of a stored file.
pub enum Contents {
    /// Too few bytes to tell.
    Head(Vec<u8>),
    /// The text of the file.
    Text(Box<TextReading>),
    /// An archive of files.
    Tar(Box<Untar>, Box<Entries>),
}

/// The entries of an archive that is being read.
#[derive(Default)]
pub struct Entries {
    count: usize,
    /// Text of those that have ended.
    written: u64,
    open: Option<(FileId, Unpacker, TextReading)>,
}

impl Default for Contents {
    fn default() -> Self {
        Self::Head(Vec::new())
    }
}

/// Where bytes of a stored file go.
pub struct Target<'a> {
    pub import: &'a mut Import,
    pub trace: &'a mut Trace,
    pub file: FileId,
}

impl Contents {
    /// The next unpacked bytes. An error says why the rest is not readable.
    pub fn push(&mut self, bytes: &[u8], target: &mut Target) -> Result<(), String> {
        match self {
            Contents::Head(head) => {
                head.extend_from_slice(bytes);
                if head.len() < tar::BLOCK {
                    return Ok(());
                }
                self.begin(target)
            }
            Contents::Text(text) => {
                target.flow(text).bytes(bytes);
                Ok(())
            }
            Contents::Tar(untar, entries) => untar.push(bytes, &mut EntrySink { entries, target }),
        }
    }

    /// The file ends. An error says what is missing.
    pub fn finish(mut self, target: &mut Target) -> Result<(), String> {
        if matches!(self, Contents::Head(_)) {
            self.begin(target)?;
        }
        match self {
            Contents::Head(_) => Ok(()),
            Contents::Text(mut text) => {
                target.flow(&mut text).finish();
                Ok(())
            }
            Contents::Tar(untar, mut entries) => {
                let ended = untar.finish(&mut EntrySink { entries: &mut entries, target });
                let count = crate::text::counted(entries.count as u64, "file", "files");
                let file = target.import.file(target.file);
                file.description = format!("Tar archive of {count}");
                ended
            }
        }
    }

    /// Bytes of text that came out, of all entries.
    pub fn written(&self) -> u64 {
        match self {
            Contents::Head(_) => 0,
            Contents::Text(reading) => reading.decoder().written(),
            Contents::Tar(_, entries) => {
                let open = entries.open.as_ref().map_or(0, |(.., reading)| reading.decoder().written());
                entries.written + open
            }
        }
    }

    /// How far this is, behind `outer` and so many stored bytes, where that can be gone back to.
    pub fn mark(&self, stored: u64, outer: &Unpacker) -> Option<Mark> {
        let start = Mark { stored, outer: outer.twin()?, ..Mark::default() };
        match self {
            Contents::Head(_) => None,
            Contents::Text(reading) => {
                let decoder = reading.decoder().clone();
                Some(Mark { at: decoder.written(), decoder, ..start })
            }
            Contents::Tar(untar, entries) => {
                // Between two entries the last one is behind.
                let untar = Untar::clone(untar);
                let mut mark = Mark { count: entries.count, at: u64::MAX, untar, ..start };
                if let Some((_, unpacker, reading)) = &entries.open {
                    mark.text = unpacker.twin()?;
                    mark.decoder = reading.decoder().clone();
                    mark.at = mark.decoder.written();
                }
                Some(mark)
            }
        }
    }

    fn begin(&mut self, target: &mut Target) -> Result<(), String> {
        let Contents::Head(head) = std::mem::take(self) else { return Ok(()) };
        *self = if tar::is_tar(&head) {
            target.import.file(target.file).is_archive = true;
            Contents::Tar(Box::default(), Box::default())
        } else {
            Contents::Text(Box::default())
        };
        self.push(&head, target)
    }
}

impl Target<'_> {
    fn flow<'a>(&'a mut self, text: &'a mut TextReading) -> Flow<'a> {
        Flow { import: self.import, trace: self.trace, file: self.file, text }
    }
}

/// Reads the entries of an archive as files of their own.
struct EntrySink<'a, 'b> {
    entries: &'a mut Entries,
    target: &'a mut Target<'b>,
}

impl tar::Sink for EntrySink<'_, '_> {
    fn begin(&mut self, name: String) {
        let archive = self.target.import.file(self.target.file);
        let (stored, name) = (archive.stored, format!("{}/{name}", archive.name));
        let id = self.target.import.add_file(name, stored, Some(Entry::Tar(self.entries.count)));
        self.entries.count += 1;
        self.entries.open = Some((id, Unpacker::entry(), TextReading::default()));
    }

    fn data(&mut self, bytes: &[u8]) {
        let Some((id, unpacker, text)) = &mut self.entries.open else { return };
        let Target { import, trace, .. } = &mut *self.target;
        import.file(*id).bytes += bytes.len() as u64;
        let mut flow = Flow { import, trace, file: *id, text };
        if let Err(reason) = unpacker.push(bytes, &mut |plain| flow.bytes(plain)) {
            import.note(*id, DAMAGED, &reason);
        }
    }

    fn end(&mut self, broken: Option<&str>) {
        let Some((id, mut unpacker, mut text)) = self.entries.open.take() else { return };
        let Target { import, trace, .. } = &mut *self.target;
        let mut flow = Flow { import, trace, file: id, text: &mut text };
        let ended = unpacker.finish(&mut |plain| flow.bytes(plain));
        self.entries.written += flow.text.decoder().written();
        flow.finish();
        if let Some(reason) = broken.or(ended.as_ref().err().map(String::as_str)) {
            import.note(id, DAMAGED, reason);
        }
    }
}

/// Hands on the bytes of one entry of an archive.
pub struct Pick<'a> {
    pub wanted: usize,
    pub count: usize,
    pub each: &'a mut dyn FnMut(&[u8]),
}

impl tar::Sink for Pick<'_> {
    fn begin(&mut self, _: String) {
        self.count += 1;
    }

    fn data(&mut self, bytes: &[u8]) {
        if self.count == self.wanted + 1 {
            (self.each)(bytes);
        }
    }

    fn end(&mut self, _: Option<&str>) {}
}
