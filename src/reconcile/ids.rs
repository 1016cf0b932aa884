//! Completeness of event ids in the files. Each thread numbers its events of all classes from 1 without gaps, so gaps
//! show which events are missing.

use crate::base::FxHashMap;
use crate::base::interner::StrId;

/// Completeness of the event ids of one thread, or of all threads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Share {
    /// Number of ids in the files.
    pub found: i128,
    /// Number of missing ids between the first and the last id in the files.
    pub gaps: i128,
    /// Number of ids from 1 to the first id in the files, which is not included.
    pub before: i128,
}

/// Ids of all threads of a run.
#[derive(Default)]
pub struct ThreadIds {
    threads: FxHashMap<StrId, Share>,
    /// Totals over all threads.
    pub all: Share,
}

impl ThreadIds {
    /// Adds the ids of a thread, in any order.
    pub fn add(&mut self, thread: StrId, mut ids: Vec<i64>) {
        ids.sort_unstable();
        ids.dedup();
        let Some((&first, &last)) = ids.first().zip(ids.last()) else { return };
        let first = i128::from(first);
        let last = i128::from(last);
        let found = ids.len() as i128;
        let share = Share { found, gaps: last - first + 1 - found, before: (first - 1).max(0) };
        let of_thread = self.threads.entry(thread).or_default();
        for known in [&mut self.all, of_thread] {
            known.found += share.found;
            known.gaps += share.gaps;
            known.before += share.before;
        }
    }

    /// Total number of missing ids of the threads for which `is` is true.
    pub fn gaps(&self, is: impl Fn(StrId) -> bool) -> i128 {
        self.threads.iter().filter(|(thread, _)| is(**thread)).map(|(_, share)| share.gaps).sum()
    }

    /// Ids of a thread; `None` if the thread has no event in the files.
    pub fn of(&self, thread: StrId) -> Option<Share> {
        self.threads.get(&thread).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_what_was_before_are_counted() {
        let mut ids = ThreadIds::default();
        ids.add(StrId(1), vec![7, 5, 5, 9]);
        ids.add(StrId(2), vec![]);
        ids.add(StrId(3), vec![1, 2]);
        assert_eq!(ids.of(StrId(1)), Some(Share { found: 3, gaps: 2, before: 4 }));
        assert_eq!(ids.of(StrId(2)), None);
        assert_eq!(ids.of(StrId(3)), Some(Share { found: 2, gaps: 0, before: 0 }));
        assert_eq!(ids.all, Share { found: 5, gaps: 2, before: 4 });
    }
}
