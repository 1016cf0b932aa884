//! Slices that were ended with what they lay in, whose own ends may come later: then they cross.

use super::problems::{CUT_SHORT, NO_END};
use super::slices::RecordProblems;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::trace::RecordId;

/// A slice that ended before its end was met.
struct CutSlice {
    record: RecordId,
    name: StrId,
    /// The position of its interval.
    interval: u32,
    crosses: bool,
}

/// All of a thread, in the order in which they were ended.
#[derive(Default)]
pub struct CutSlices {
    all: Vec<CutSlice>,
    /// The first `named` of them by name: nobody asks before an end is met that ends nothing.
    by_name: FxHashMap<StrId, Vec<u32>>,
    named: usize,
}

impl CutSlices {
    /// A slice ends with what it lies in; `interval` is the position of its interval.
    pub fn add(&mut self, record: RecordId, name: StrId, interval: usize) {
        self.all.push(CutSlice { record, name, interval: interval as u32, crosses: false });
    }

    /// The interval of the slice that an end of this name is of, if it comes too late.
    pub fn late(&mut self, name: StrId) -> Option<usize> {
        for (at, cut) in self.all.iter().enumerate().skip(self.named) {
            self.by_name.entry(cut.name).or_default().push(at as u32);
        }
        self.named = self.all.len();
        let cut = &mut self.all[self.by_name.get_mut(&name)?.pop()? as usize];
        cut.crosses = true;
        Some(cut.interval as usize)
    }

    /// Tells of each what there is of its end.
    pub fn report(&self, teller: &mut RecordProblems) {
        for cut in &self.all {
            teller.note(cut.record, if cut.crosses { CUT_SHORT } else { NO_END }, cut.name);
        }
    }
}
