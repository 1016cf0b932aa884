//! How much work one step of reading may do: a small file may unpack to a million times its size, and "cancel" has to
//! be heard meanwhile.

use std::cell::Cell;

/// Bytes that may be unpacked in one step: parsing them takes some milliseconds.
const STEP: usize = 1 << 20;

/// What is left of one step. It is passed by reference through all unpackers that one byte goes through, and all of
/// them draw on it.
pub struct Budget(Cell<usize>);

impl Budget {
    /// The budget of one step.
    pub fn step() -> Self {
        Self(Cell::new(STEP))
    }

    /// Takes off `bytes` that were unpacked.
    pub fn spend(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    /// Whether the step is over.
    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// Bytes that a step did not come to, and whether there is something to do without more bytes.
#[derive(Default)]
pub struct PendingBytes {
    bytes: Vec<u8>,
    at: usize,
    has_more: bool,
}

impl PendingBytes {
    /// Hands the next bytes to `work`, which takes some of them and tells whether there is more to do; keeps the others.
    /// Bytes that follow kept ones are kept, too.
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

    /// Hands what is kept to `work`. Whether something still is.
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

    /// Whether something is kept.
    pub fn has_more(&self) -> bool {
        self.has_more
    }
}
