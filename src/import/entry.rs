//! A file inside an archive, while it is read: it may be packed once more, but is no archive itself.

use super::FileId;
use super::budget::{Budget, Kept};
use super::container::Unpacker;
use super::contents::Target;
use super::decode::Decoder;
use super::fault::Fault;
use super::flow::{Flow, TextReading};
use super::intake::Import;

/// How far an entry has been read.
pub struct EntryReading {
    file: FileId,
    unpacker: Unpacker,
    text: TextReading,
    /// What a step did not come to.
    kept: Kept,
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
            kept: Kept::default(),
            unpacked: 0,
            fault: None,
        }
    }

    /// The next bytes as they stand in the archive. What the budget does not allow is kept. Whether something is.
    pub fn push(&mut self, bytes: &[u8], budget: &Budget, target: &mut Target) -> bool {
        target.import.file(self.file).bytes += bytes.len() as u64;
        let mut kept = std::mem::take(&mut self.kept);
        let pushed = kept.push(bytes, |bytes| self.unpack(bytes, budget, target));
        self.keep(kept, pushed)
    }

    /// Goes on with what was kept. Whether something still is.
    pub fn resume(&mut self, budget: &Budget, target: &mut Target) -> bool {
        let mut kept = std::mem::take(&mut self.kept);
        let resumed = kept.resume(|bytes| self.unpack(bytes, budget, target));
        self.keep(kept, resumed)
    }

    fn keep(&mut self, kept: Kept, done: Result<bool, Fault>) -> bool {
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

    fn unpack(&mut self, bytes: &mut &[u8], budget: &Budget, target: &mut Target) -> Result<bool, Fault> {
        let Self { file, unpacker, text, unpacked, .. } = self;
        let mut flow = Flow { import: target.import, trace: target.trace, file: *file, text };
        unpacker.push(bytes, budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            flow.bytes(plain);
        })
    }

    /// The entry ends, if nothing is kept any more. Whether more is to be done for that.
    pub fn finish(&mut self, budget: &Budget, target: &mut Target) -> bool {
        if self.resume(budget, target) {
            return true;
        }
        let Self { file, unpacker, text, unpacked, fault, .. } = self;
        let mut flow = Flow { import: target.import, trace: target.trace, file: *file, text };
        let ended = unpacker.finish(budget, &mut |plain| {
            *unpacked += plain.len() as u64;
            flow.bytes(plain);
        });
        match ended {
            Ok(true) => return true,
            Ok(false) => {}
            Err(found) => *fault = fault.take().or(Some(found)),
        }
        flow.finish();
        false
    }

    /// Tells why the entry is not whole, if it is not: because of the archive, with the bytes that it should have, or of its
    /// own packing.
    pub fn tell(&self, outer: Option<(&Fault, Option<u64>)>, import: &mut Import) {
        let read = import.file(self.file).bytes;
        let (fault, missing) = match (outer, &self.fault) {
            (Some((fault, length)), _) => (fault, fault.missing("file in the archive", read, length)),
            (None, Some(fault)) => {
                let what = format!("{} file", self.unpacker.container().unwrap_or("packed"));
                (fault, fault.missing(&what, self.unpacked, None))
            }
            (None, None) => return,
        };
        if read == 0 {
            import.file(self.file).description = format!("Not unpacked: {}.", fault.reason());
        }
        import.note(self.file, fault.kind(), fault.reason());
        import.miss(self.file, missing);
    }

    /// Nothing more is read of the entry, as reading stops: what is kept is left out.
    pub fn stop(&mut self, target: &mut Target) {
        self.let_go();
        Flow { import: target.import, trace: target.trace, file: self.file, text: &mut self.text }.finish();
    }

    /// Leaves out what is kept.
    pub fn let_go(&mut self) {
        self.kept = Kept::default();
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
    pub fn twin(&self) -> Option<Unpacker> {
        if self.kept.has_more() { None } else { self.unpacker.twin() }
    }
}
