//! The file that is being read, step by step: none does more than its [`Budget`] allows, so that others are heard in
//! between.

use super::archive::ZipReading;
use super::archive_reader::ArchiveReader;
use super::state::{ImportState, ReadContext};
use crate::import::contract::FileId;
use crate::import::packing::budget::Budget;
use crate::import::packing::container::Unpacker;
use crate::import::packing::fault::{ExpansionLimit, Fault};
use crate::trace::Trace;

/// The file that is being read.
pub struct FileReading {
    file: FileId,
    unpacker: Unpacker,
    contents: ArchiveReader,
    /// Bytes that came out of the packing of the file itself.
    unpacked: u64,
    expansion: ExpansionLimit,
    /// Why the file is not readable to its end, if so.
    fault: Option<Fault>,
    stage: FileStage,
}

/// How far the file is.
enum FileStage {
    /// Bytes come, or the last ones are unpacked.
    Packed,
    /// Everything has come out of the packing.
    Unpacked,
    /// A zip archive, whose entries are read once the archive is there as a whole.
    Zip(Box<ZipReading>),
    Ended,
}

impl FileReading {
    /// Nothing of the file was read yet.
    pub fn new(file: FileId) -> Self {
        Self {
            file,
            unpacker: Unpacker::default(),
            contents: ArchiveReader::default(),
            unpacked: 0,
            expansion: ExpansionLimit::default(),
            fault: None,
            stage: FileStage::Packed,
        }
    }

    /// The file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Takes of the next bytes what one step allows. Whether there is more to do before other bytes are needed.
    pub fn push(&mut self, bytes: &mut &[u8], state: &mut ImportState, trace: &mut Trace) -> bool {
        let (budget, before) = (Budget::step(), bytes.len());
        let mut context = ReadContext { state, trace, file: self.file };
        let more = match self.contents.resume(&budget, &mut context) {
            Ok(false) => self.unpack(bytes, &budget, &mut context),
            kept => kept,
        };
        let file = state.file(self.file);
        file.bytes += (before - bytes.len()) as u64;
        let (stored, written) = (file.bytes, self.contents.written());
        file.marks.add(written, || self.contents.mark(stored, &self.unpacker));
        let is_packed = self.unpacker.container().is_some();
        let expands = match is_packed {
            true => self.expansion.check(stored, self.unpacked.max(written), state.n_records()),
            false => Ok(()),
        };
        more.and_then(|more| expands.map(|()| more)).unwrap_or_else(|fault| {
            self.fails(fault);
            !bytes.is_empty()
        })
    }

    fn unpack(
        &mut self,
        bytes: &mut &[u8],
        budget: &Budget,
        context: &mut ReadContext,
    ) -> Result<bool, Fault> {
        let Self { unpacker, contents, unpacked, .. } = self;
        let mut read = Ok(());
        let more = unpacker.push(bytes, budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            if read.is_ok() {
                read = contents.push(plain, budget, context);
            }
        });
        read.and(more).map(|more| more || contents.has_more())
    }

    /// The rest of the file is not read.
    fn fails(&mut self, fault: Fault) {
        if matches!(fault, Fault::Expands(_)) {
            self.contents.let_go();
        }
        self.unpacker.give_up();
        self.fault = self.fault.take().or(Some(fault));
    }

    /// The file ends: its last bytes are unpacked, and the entries of an archive that is read whole. Whether there is more to
    /// do for that.
    pub fn finish(&mut self, state: &mut ImportState, trace: &mut Trace) -> bool {
        let budget = Budget::step();
        let mut context = ReadContext { state, trace, file: self.file };
        let more = match &mut self.stage {
            FileStage::Packed => self.unpack_last(&budget, &mut context),
            FileStage::Unpacked => self.contents.finish(&budget, &mut context),
            FileStage::Zip(archive) => return archive.step(&budget, &mut context),
            FileStage::Ended => return false,
        };
        let more = more.unwrap_or_else(|fault| {
            self.fails(fault);
            false
        });
        if !more {
            self.stage = match (&self.stage, self.unpacker.take_archive()) {
                (FileStage::Packed, Some(bytes)) => {
                    FileStage::Zip(Box::new(ZipReading::open(bytes, &mut context)))
                }
                (FileStage::Packed, None) => FileStage::Unpacked,
                _ => FileStage::Ended,
            };
        }
        !matches!(self.stage, FileStage::Ended)
    }

    fn unpack_last(&mut self, budget: &Budget, context: &mut ReadContext) -> Result<bool, Fault> {
        if self.contents.resume(budget, context)? {
            return Ok(true);
        }
        let Self { unpacker, contents, unpacked, .. } = self;
        let mut read = Ok(());
        let more = unpacker.finish(budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            if read.is_ok() {
                read = contents.push(plain, budget, context);
            }
        });
        read.and(more)
    }

    /// Reading stops before the file has ended: what is kept of it is left out.
    pub fn stop(&mut self, state: &mut ImportState, trace: &mut Trace) {
        let mut context = ReadContext { state, trace, file: self.file };
        match &mut self.stage {
            FileStage::Packed | FileStage::Unpacked => self.contents.stop(&mut context),
            FileStage::Zip(archive) => archive.stop(&mut context),
            FileStage::Ended => {}
        }
    }

    /// How it is packed, as far as is known.
    pub fn unpacker(&self) -> &Unpacker {
        &self.unpacker
    }

    /// Why the file is not readable to its end, and what is missing of it for that reason.
    pub fn missing(&self) -> Option<(&Fault, String)> {
        let fault = self.fault.as_ref()?;
        let what = match (self.unpacker.container(), self.contents.is_archive()) {
            (Some(container), _) => format!("{container} file"),
            (None, true) => "tar archive".to_owned(),
            (None, false) => "file".to_owned(),
        };
        let sound = self.contents.sound().unwrap_or(self.unpacked);
        Some((fault, fault.missing(&what, sound, None)))
    }
}
