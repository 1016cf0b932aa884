//! Positions in a packed file from which it can be unpacked without the bytes before them.

use crate::import::packing::container::Unpacker;
use crate::import::packing::tar::Untar;
use crate::import::text::decode::Decoder;

/// Initial distance between checkpoints, in bytes of decoded text.
const EVERY: u64 = 4 << 20;
/// Maximum number of checkpoints; each takes 43 kB in deflated data. Beyond this, every other checkpoint is dropped and
/// the distance is doubled.
const MOST: usize = 128;

/// State of all decoders of a file at one position.
pub struct Checkpoint {
    /// Number of stored bytes of the file before the checkpoint.
    pub stored: u64,
    /// Number of entries of a tar archive that have begun before the checkpoint; 0 if the file is no archive.
    pub count: usize,
    /// Number of bytes of text of the last entry (or of the file) before the checkpoint.
    pub at: u64,
    pub outer: Unpacker,
    pub untar: Untar,
    pub text: Unpacker,
    pub decoder: Decoder,
}

impl Default for Checkpoint {
    /// The checkpoint before the first byte.
    fn default() -> Self {
        Self {
            stored: 0,
            count: 0,
            at: 0,
            outer: Unpacker::default(),
            untar: Untar::default(),
            text: Unpacker::entry(),
            decoder: Decoder::default(),
        }
    }
}

impl Checkpoint {
    /// Clones the checkpoint; `None` if one of its decoders cannot be cloned.
    pub fn try_clone(&self) -> Option<Self> {
        let (outer, text) = (self.outer.try_clone()?, self.text.try_clone()?);
        Some(Self { outer, text, untar: self.untar.clone(), decoder: self.decoder.clone(), ..*self })
    }
}

/// Checkpoints of a file, in order.
pub struct Checkpoints {
    list: Vec<Checkpoint>,
    every: u64,
    /// Number of bytes of text after which the next checkpoint is due.
    next: u64,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self { list: Vec::new(), every: EVERY, next: EVERY }
    }
}

impl Checkpoints {
    /// Adds a checkpoint if one is due after `written` bytes of text. `mark` returns the checkpoint, or `None` where
    /// none is possible: in containers whose state cannot be cloned, and while bytes are kept for the next step.
    pub fn add(&mut self, written: u64, mark: impl FnOnce() -> Option<Checkpoint>) {
        if written < self.next {
            return;
        }
        let Some(mark) = mark() else { return };
        self.list.push(mark);
        if self.list.len() > MOST {
            let mut number = 0;
            self.list.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every *= 2;
        }
        self.next = written + self.every;
    }

    /// Last checkpoint at or before byte `at` of the text of an entry (counted from 1; 0 is the file itself).
    pub fn before(&self, entry: usize, at: u64) -> Option<&Checkpoint> {
        let behind = self.list.partition_point(|mark| (mark.count, mark.at) <= (entry, at));
        self.list[..behind].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(count: usize, at: u64) -> Checkpoint {
        Checkpoint { stored: at / 2, count, at, ..Checkpoint::default() }
    }

    #[test]
    fn marks_stay_few_and_near() {
        let mut marks = Checkpoints::default();
        for written in (0..EVERY * 1_000).step_by(1 << 20) {
            marks.add(written, || Some(mark(0, written)));
            assert!(marks.list.len() <= MOST);
        }
        let place = EVERY * 900;
        let before = marks.before(0, place).expect("a mark").at;
        assert!(before <= place && place - before <= EVERY * 16, "{before}");
        assert!(marks.before(0, EVERY - 1).is_none());
    }

    #[test]
    fn a_mark_in_an_entry_is_for_it_and_those_behind() {
        let mut marks = Checkpoints::default();
        for (written, (count, at)) in (1..).map(|n| n * EVERY).zip([(1, 10), (1, 20), (3, 5), (3, u64::MAX)])
        {
            marks.add(written, || Some(mark(count, at)));
        }
        let of = |entry, at| marks.before(entry, at).map(|mark| (mark.count, mark.at));
        assert_eq!(of(1, 9), None);
        assert_eq!(of(1, 15), Some((1, 10)));
        assert_eq!(of(2, 0), Some((1, 20)));
        assert_eq!(of(3, 4), Some((1, 20)));
        assert_eq!(of(3, 1 << 40), Some((3, 5)));
        assert_eq!(of(4, 0), Some((3, u64::MAX)));
    }
}
