//! Slices that were ended together with their parent. If their own ends follow later, the slices cross.

use super::problems::{CUT_SHORT, NO_END};
use super::slices::RecordProblems;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::trace::RecordId;

/// A slice that was ended before its own end event.
struct CutSlice {
    record: RecordId,
    name: StrId,
    /// Index of the slice in the thread's list of intervals.
    interval: u32,
    crosses: bool,
}

/// All cut slices of a thread, in the order in which they were ended.
#[derive(Default)]
pub struct CutSlices {
    all: Vec<CutSlice>,
    /// Positions in `all` by name, for the first `named` cut slices. Extended when an end event matches no open slice.
    by_name: FxHashMap<StrId, Vec<u32>>,
    named: usize,
}

impl CutSlices {
    /// Adds a slice that ends with its parent; `interval` is the index of the slice in the thread's list of intervals.
    pub fn add(&mut self, record: RecordId, name: StrId, interval: usize) {
        self.all.push(CutSlice { record, name, interval: interval as u32, crosses: false });
    }

    /// Finds the latest cut slice with this name, whose end event comes late. Returns its index in the thread's list
    /// of intervals; `None` if there is no such slice.
    pub fn late(&mut self, name: StrId) -> Option<usize> {
        for (at, cut) in self.all.iter().enumerate().skip(self.named) {
            self.by_name.entry(cut.name).or_default().push(at as u32);
        }
        self.named = self.all.len();
        let cut = &mut self.all[self.by_name.get_mut(&name)?.pop()? as usize];
        cut.crosses = true;
        Some(cut.interval as usize)
    }

    /// Reports for each cut slice whether its end came late or is missing.
    pub fn report(&self, teller: &mut RecordProblems) {
        for cut in &self.all {
            teller.note(cut.record, if cut.crosses { CUT_SHORT } else { NO_END }, cut.name);
        }
    }
}
