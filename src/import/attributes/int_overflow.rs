//! Whole numbers that do not fit into 64 bits in millionths. All numbers of a key with decimals are kept in millionths; whether a
//! key has decimals is known when everything is read: until then such numbers are counted.

use super::problems::LARGE;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::import::contract::{BuildReport, FileId};
use crate::trace::RecordId;

/// IntOverflow numbers by key and file: how many, and the record of the first.
#[derive(Default)]
pub struct IntOverflow {
    /// The file and record that are being read.
    at: Option<(FileId, RecordId)>,
    of: FxHashMap<(StrId, FileId), (u64, RecordId)>,
}

/// Whether a whole number has no place among millionths.
#[inline]
pub fn is_large(number: i64) -> bool {
    number.unsigned_abs() > i64::MAX as u64 / 1_000_000
}

impl IntOverflow {
    /// The next numbers are of this record; `None` if their keys have units of their own.
    #[inline]
    pub fn begin(&mut self, at: Option<(FileId, RecordId)>) {
        self.at = at;
    }

    /// Counts a number under a key.
    #[cold]
    pub fn add(&mut self, key: StrId) {
        let Some((file, record)) = self.at else { return };
        self.of.entry((key, file)).or_insert((0, record)).0 += 1;
    }

    /// Reports the numbers whose keys have decimals: the trace has no value in their place.
    pub fn report(
        &self,
        outcome: &mut BuildReport,
        strings: &Interner,
        has_decimals: impl Fn(StrId) -> bool,
    ) {
        let mut all: Vec<_> = self.of.iter().filter(|((key, _), _)| has_decimals(*key)).collect();
        all.sort_unstable_by_key(|((key, _), (_, first))| (first.0, key.0));
        for ((key, _), (count, first)) in all {
            outcome.note_many(*first, LARGE, *count, || strings.get(*key).to_owned());
        }
    }
}
