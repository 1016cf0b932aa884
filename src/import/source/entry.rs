//! A file inside an archive, while it is read: it may be packed once more, but is no archive itself.

use super::pipeline::{TextPipeline, TextReading};
use super::state::{ImportState, ReadContext};
use crate::import::contract::FileId;
use crate::import::packing::budget::{Budget, PendingBytes};
use crate::import::packing::container::Unpacker;
use crate::import::packing::fault::Fault;
use crate::import::text::decode::Decoder;

/// How far an entry has been read.
pub struct EntryReading {
    file: FileId,
    unpacker: Unpacker,
    text: TextReading,
    /// What a step did not come to.
    kept: PendingBytes,
    /// Bytes that were unpacked.
    unpacked: u64,
    fault: Option<Fault>,
}

impl EntryReading {
    /// Nothing of the entry was read yet.
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

    /// The next bytes as they stand in the archive. What the budget does not allow is kept. Whether something is.
    pub fn push(&mut self, bytes: &[u8], budget: &Budget, context: &mut ReadContext) -> bool {
        context.state.file(self.file).bytes += bytes.len() as u64;
        let mut kept = std::mem::take(&mut self.kept);
        let pushed = kept.push(bytes, |bytes| self.unpack(bytes, budget, context));
        self.keep(kept, pushed)
    }

    /// Goes on with what was kept. Whether something still is.
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
        let mut pipeline = TextPipeline { state: context.state, trace: context.trace, file: *file, text };
        unpacker.push(bytes, budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            pipeline.bytes(plain);
        })
    }

    /// The entry ends, if nothing is kept any more. Whether more is to be done for that.
    pub fn finish(&mut self, budget: &Budget, context: &mut ReadContext) -> bool {
        if self.resume(budget, context) {
            return true;
        }
        let Self { file, unpacker, text, unpacked, fault, .. } = self;
        let mut pipeline = TextPipeline { state: context.state, trace: context.trace, file: *file, text };
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

    /// Tells why the entry is not whole, if it is not: because of the archive, with the bytes that it should have, or of its
    /// own packing.
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

    /// Nothing more is read of the entry, as reading stops: what is kept is left out.
    pub fn stop(&mut self, context: &mut ReadContext) {
        self.let_go();
        TextPipeline { state: context.state, trace: context.trace, file: self.file, text: &mut self.text }
            .finish();
    }

    /// Leaves out what is kept.
    pub fn let_go(&mut self) {
        self.kept = PendingBytes::default();
        self.unpacker.give_up();
    }

    /// Bytes that came out of it.
    pub fn written(&self) -> u64 {
        self.unpacked
    }

    /// How far its bytes are decoded.
    pub fn decoder(&self) -> &Decoder {
        self.text.decoder()
    }

    /// An unpacker that stands where its own stands, where that is possible.
    pub fn try_clone_unpacker(&self) -> Option<Unpacker> {
        if self.kept.has_more() { None } else { self.unpacker.try_clone() }
    }
}
