//! Reads one file, step by step. No step does more than its [`Budget`] allows, so that other messages can be handled in
//! between.

use super::archive::ZipReading;
use super::archive_reader::ArchiveReader;
use super::state::{ImportState, ReadContext};
use crate::import::contract::FileId;
use crate::import::packing::budget::Budget;
use crate::import::packing::container::Unpacker;
use crate::import::packing::fault::{ExpansionLimit, Fault};
use crate::trace::Trace;

/// A file that is being read.
pub struct FileReading {
    file: FileId,
    unpacker: Unpacker,
    contents: ArchiveReader,
    /// Number of bytes that were unpacked from the file itself.
    unpacked: u64,
    expansion: ExpansionLimit,
    /// Reason why the file is not readable to its end; `None` if no fault was found.
    fault: Option<Fault>,
    stage: FileStage,
}

/// Progress of reading a file.
enum FileStage {
    /// The file's bytes are being unpacked.
    Packed,
    /// All bytes of the file are unpacked; some of them may still be kept for the next step.
    Unpacked,
    /// The file is a zip archive, which is read after all of its bytes have arrived.
    Zip(Box<ZipReading>),
    Ended,
}

impl FileReading {
    /// A file before its first byte is read.
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

    /// Id of the file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Takes as many of the next bytes as one step allows. Returns whether it must be called again before the bytes
    /// after `bytes` are passed.
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

    /// Records a fault and leaves out the rest of the file.
    fn fails(&mut self, fault: Fault) {
        if matches!(fault, Fault::Expands(_)) {
            self.contents.let_go();
        }
        self.unpacker.give_up();
        self.fault = self.fault.take().or(Some(fault));
    }

    /// Ends the file: unpacks its last bytes, and reads the entries of a zip archive. Returns whether it must be called
    /// again.
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

    /// Stops reading before the end of the file; bytes that were kept for later are left out.
    pub fn stop(&mut self, state: &mut ImportState, trace: &mut Trace) {
        let mut context = ReadContext { state, trace, file: self.file };
        match &mut self.stage {
            FileStage::Packed | FileStage::Unpacked => self.contents.stop(&mut context),
            FileStage::Zip(archive) => archive.stop(&mut context),
            FileStage::Ended => {}
        }
    }

    /// The file's unpacker, which provides how the file is packed.
    pub fn unpacker(&self) -> &Unpacker {
        &self.unpacker
    }

    /// Fault that made the file unreadable, and a sentence that states what is missing; `None` if no fault was found.
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
