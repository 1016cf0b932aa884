//! Whole numbers that are too large for 64-bit millionths. If a key has decimals, the trace stores all of its numbers as
//! millionths; since this is known only after reading everything, such numbers are counted until then.

use super::problems::LARGE;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::import::contract::{BuildReport, FileId};
use crate::trace::RecordId;

/// Whole numbers that are too large for millionths, by key and file: their count, and the record of the first.
#[derive(Default)]
pub struct IntOverflow {
    /// File and record whose arguments are being read; `None` if its numbers are not counted.
    at: Option<(FileId, RecordId)>,
    of: FxHashMap<(StrId, FileId), (u64, RecordId)>,
}

/// Whether a whole number exceeds 64 bits in millionths.
#[inline]
pub fn is_large(number: i64) -> bool {
    number.unsigned_abs() > i64::MAX as u64 / 1_000_000
}

impl IntOverflow {
    /// Sets the record whose numbers are added next. With `None`, numbers are not counted, because the units of that
    /// record's numbers are fixed.
    #[inline]
    pub fn begin(&mut self, at: Option<(FileId, RecordId)>) {
        self.at = at;
    }

    /// Counts a large number of a key.
    #[cold]
    pub fn add(&mut self, key: StrId) {
        let Some((file, record)) = self.at else { return };
        self.of.entry((key, file)).or_insert((0, record)).0 += 1;
    }

    /// Reports, for each key that also has decimal values, the whole numbers that are too large to be stored as
    /// millionths. These numbers are missing from the trace.
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
