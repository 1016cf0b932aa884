//! Reads one file inside an archive. It may be compressed once more, but an archive in an archive is not opened.

use super::pipeline::TextReading;
use super::state::{ImportState, ReadContext};
use crate::import::contract::FileId;
use crate::import::packing::budget::{Budget, PendingBytes};
use crate::import::packing::container::Unpacker;
use crate::import::packing::fault::Fault;
use crate::import::text::decode::Decoder;

/// An entry of an archive that is being read.
pub struct EntryReading {
    file: FileId,
    unpacker: Unpacker,
    text: TextReading,
    /// Bytes that were kept because the budget of a step was spent.
    kept: PendingBytes,
    /// Number of unpacked bytes.
    unpacked: u64,
    fault: Option<Fault>,
}

impl EntryReading {
    /// An entry before its first byte is read.
    pub fn new(file: FileId) -> Self {
        Self {
            file,
            unpacker: Unpacker::entry(),
            text: TextReading::default(),
            kept: PendingBytes::default(),
            unpacked: 0,
            fault: None,
        }
    }

    /// Takes the next stored bytes and keeps those that exceed the budget. Returns whether bytes are kept.
    pub fn push(&mut self, bytes: &[u8], budget: &Budget, context: &mut ReadContext) -> bool {
        context.state.file(self.file).bytes += bytes.len() as u64;
        let mut kept = std::mem::take(&mut self.kept);
        let pushed = kept.push(bytes, |bytes| self.unpack(bytes, budget, context));
        self.keep(kept, pushed)
    }

    /// Continues with the kept bytes. Returns whether bytes are still kept.
    pub fn resume(&mut self, budget: &Budget, context: &mut ReadContext) -> bool {
        let mut kept = std::mem::take(&mut self.kept);
        let resumed = kept.resume(|bytes| self.unpack(bytes, budget, context));
        self.keep(kept, resumed)
    }

    fn keep(&mut self, kept: PendingBytes, done: Result<bool, Fault>) -> bool {
        match done {
            Ok(more) => {
                self.kept = kept;
                more
            }
            Err(fault) => {
                self.fault = Some(fault);
                false
            }
        }
    }

    fn unpack(
        &mut self,
        bytes: &mut &[u8],
        budget: &Budget,
        context: &mut ReadContext,
    ) -> Result<bool, Fault> {
        let Self { file, unpacker, text, unpacked, .. } = self;
        let mut pipeline = context.pipeline(*file, text);
        unpacker.push(bytes, budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            pipeline.bytes(plain);
        })
    }

    /// Reads the kept bytes, then finishes the entry. Returns whether it must be called again.
    pub fn finish(&mut self, budget: &Budget, context: &mut ReadContext) -> bool {
        if self.resume(budget, context) {
            return true;
        }
        let Self { file, unpacker, text, unpacked, fault, .. } = self;
        let mut pipeline = context.pipeline(*file, text);
        let ended = unpacker.finish(budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            pipeline.bytes(plain);
        });
        match ended {
            Ok(true) => return true,
            Ok(false) => {}
            Err(found) => *fault = fault.take().or(Some(found)),
        }
        pipeline.finish();
        false
    }

    /// Reports why the entry is incomplete, if it is: a fault of the archive (`outer`, with the entry's expected
    /// length) or of the entry's own container.
    pub fn tell(&self, outer: Option<(&Fault, Option<u64>)>, state: &mut ImportState) {
        let read = state.file(self.file).bytes;
        let (fault, missing) = match (outer, &self.fault) {
            (Some((fault, length)), _) => (fault, fault.missing("file in the archive", read, length)),
            (None, Some(fault)) => {
                let what = format!("{} file", self.unpacker.container().unwrap_or("packed"));
                (fault, fault.missing(&what, self.unpacked, None))
            }
            (None, None) => return,
        };
        if read == 0 {
            state.file(self.file).description = format!("Not unpacked: {}.", fault.reason());
        }
        state.note(self.file, fault.kind(), fault.reason());
        state.miss(self.file, missing);
    }

    /// Stops reading the entry; kept bytes are left out.
    pub fn stop(&mut self, context: &mut ReadContext) {
        self.let_go();
        context.pipeline(self.file, &mut self.text).finish();
    }

    /// Drops the kept bytes and stops unpacking.
    pub fn let_go(&mut self) {
        self.kept = PendingBytes::default();
        self.unpacker.give_up();
    }

    /// Number of bytes unpacked from the entry.
    pub fn written(&self) -> u64 {
        self.unpacked
    }

    /// State of the text decoder.
    pub fn decoder(&self) -> &Decoder {
        self.text.decoder()
    }

    /// Clones the unpacker; `None` if bytes are kept or its state cannot be cloned.
    pub fn try_clone_unpacker(&self) -> Option<Unpacker> {
        if self.kept.has_more() { None } else { self.unpacker.try_clone() }
    }
}
