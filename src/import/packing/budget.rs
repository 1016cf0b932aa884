//! Limit on the work that one step of reading does: a small file may unpack to a million times its size, and "cancel"
//! must take effect meanwhile.

use std::cell::Cell;

/// Bytes that may be unpacked in one step; parsing them takes some milliseconds.
const STEP: usize = 1 << 20;

/// The part of one step's budget that is left, in bytes. All unpackers that a byte passes through share it by
/// reference and subtract from it.
pub struct Budget(Cell<usize>);

impl Budget {
    /// The budget of one step.
    pub fn step() -> Self {
        Self(Cell::new(STEP))
    }

    /// Subtracts a number of unpacked bytes.
    pub fn spend(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    /// Whether nothing of the budget is left.
    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// Input bytes that were not processed before the budget of a step was spent, and whether more work can be done
/// without more input.
#[derive(Default)]
pub struct PendingBytes {
    bytes: Vec<u8>,
    at: usize,
    has_more: bool,
}

impl PendingBytes {
    /// Passes the next bytes to `work`, which takes some of them and returns whether it has more to do; keeps the rest.
    /// If bytes are kept already, the next bytes are appended to them.
    pub fn push<E>(
        &mut self,
        mut bytes: &[u8],
        work: impl FnOnce(&mut &[u8]) -> Result<bool, E>,
    ) -> Result<bool, E> {
        if !self.has_more {
            self.has_more = work(&mut bytes)?;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(self.has_more)
    }

    /// Passes the kept bytes to `work`. Returns whether there is still more to do.
    pub fn resume<E>(&mut self, work: impl FnOnce(&mut &[u8]) -> Result<bool, E>) -> Result<bool, E> {
        if self.has_more {
            let Self { bytes, at, .. } = std::mem::take(self);
            let mut rest = &bytes[at..];
            if work(&mut rest)? {
                *self = Self { at: bytes.len() - rest.len(), bytes, has_more: true };
            }
        }
        Ok(self.has_more)
    }

    /// Whether there is more to do without more input.
    pub fn has_more(&self) -> bool {
        self.has_more
    }
}
