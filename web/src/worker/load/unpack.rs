//! Passes the bytes of sources to the session in bounded steps: a few bytes may unpack to very many, and messages are
//! received between two steps.

use js_sys::Uint8Array;

use super::{ENOUGH, WorkerLoad, memory, now};
use crate::messages::Source;
use crate::worker::Turn;
use crate::worker::source_reader::{ReadStep, SourceReader};

/// Number of bytes copied to the engine's memory at a time: bytes copied just before are still in the processor's cache.
const PIECE: usize = 1 << 18;

/// Number of bytes by which the engine's memory grows: every growth briefly pauses all reading and parsing, and the
/// allocator on its own would grow it hundreds of times.
const ROOM: u64 = 16 << 20;

impl WorkerLoad<'_> {
    #[inline(never)]
    pub(super) async fn take(&mut self, step: ReadStep, reader: &SourceReader<'_>, turn: &Turn) {
        match step {
            ReadStep::Open(source) => self.begin(source),
            ReadStep::Length(bytes) => {
                self.worker.measure(bytes);
                self.measured = true;
            }
            ReadStep::Bytes(bytes) => self.push(&bytes, reader, turn).await,
            ReadStep::Close(reason) => {
                while self.worker.session.borrow_mut().close_step(reason.as_deref()) {
                    if !self.goes_on(reader, turn).await {
                        return;
                    }
                }
                self.unpacks = false;
                self.end(reason);
            }
        }
    }

    /// Reports progress and receives messages between two steps of unpacking (a few bytes may need many steps). Returns
    /// whether reading continues.
    async fn goes_on(&mut self, reader: &SourceReader<'_>, turn: &Turn) -> bool {
        self.unpacks = true;
        self.tell_and_show(reader);
        self.hear(turn).await;
        self.worker.job.get() == self.job && !self.worker.cancelled.get() && !self.has_enough()
    }

    /// Whether the engine has reached its memory limit.
    pub(super) fn has_enough(&self) -> bool {
        memory() > self.worker.options.borrow().memory.unwrap_or(ENOUGH)
    }

    async fn push(&mut self, bytes: &Uint8Array, reader: &SourceReader<'_>, turn: &Turn) {
        self.make_room();
        let length = bytes.length();
        for start in (0..length).step_by(PIECE) {
            let piece = bytes.subarray(start, length.min(start + PIECE as u32));
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.resize(piece.length() as usize, 0);
            piece.copy_to(&mut buffer);
            let mut rest = &buffer[..];
            while self.push_step(&mut rest) {
                if !self.goes_on(reader, turn).await {
                    return;
                }
            }
            self.buffer = buffer;
            self.unpacks = false;
            self.progress.bytes += u64::from(piece.length());
        }
        self.flows.get_or_insert_with(|| (now(), self.progress.bytes));
        if matches!(self.open, Some((_, Source::Url { .. }))) {
            self.chunks.push(bytes);
            self.fetched += u64::from(length);
        }
    }

    #[inline(never)]
    fn push_step(&self, bytes: &mut &[u8]) -> bool {
        self.worker.session.borrow_mut().push_step(bytes)
    }

    /// Extends the memory in advance, once the previous extension is used up.
    fn make_room(&mut self) {
        let taken = memory();
        if taken > self.taken {
            let mut room = Vec::<u8>::new();
            // If the browser refuses, the next allocation that needs memory fails.
            room.try_reserve_exact(ROOM.min(taken / 8) as usize).ok();
            // The compiler would remove an allocation that is never used.
            drop(std::hint::black_box(room));
            self.taken = memory();
        }
    }
}
