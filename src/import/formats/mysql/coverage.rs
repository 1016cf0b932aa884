//! Completeness of an export: a thread counts its events of all classes with one sequence of ids, so gaps are missing events.

use crate::base::text;
use crate::trace::attribute_names;

/// Number of different event ids in the files, compared with the number of events that the threads counted.
#[derive(Clone, Copy, Default)]
pub struct EventIdCoverage {
    found: u64,
    counted: u64,
    /// Number of threads without a gap in their ids, and number of all threads.
    whole: u64,
    all: u64,
}

impl EventIdCoverage {
    /// Counts the ids of a thread, in ascending order.
    pub fn add(&mut self, ids: impl Iterator<Item = i64>) {
        let mut first = None;
        let mut last = None;
        let mut found = 0_u64;
        for id in ids {
            found += u64::from(last != Some(id));
            (first, last) = (first.or(Some(id)), Some(id));
        }
        let Some((first, last)) = first.zip(last) else { return };
        let between = last.abs_diff(first).saturating_add(1);
        self.found += found;
        self.counted = self.counted.saturating_add(between);
        self.all += 1;
        self.whole += u64::from(between == found);
    }

    /// Name of the note with the sentence.
    pub fn name(&self) -> &'static str {
        match self.found == self.counted {
            true => attribute_names::COMPLETENESS,
            false => attribute_names::MISSING_EVENTS,
        }
    }

    /// Describes the completeness for the report; `None` if there are no events.
    pub fn sentence(&self) -> Option<String> {
        let Self { found, counted, whole, all } = *self;
        let missing = counted.checked_sub(found).filter(|_| counted > 0)?;
        let count = |n: u64| text::count(n.cast_signed());
        let threads = text::counted(all, "thread", "threads");
        Some(match missing {
            0 => format!(
                "Complete: all {} event ids of {threads}, from first to last, are in the files.",
                count(found)
            ),
            _ => format!(
                "{} of the event ids between the first and the last of each thread are in the files: {} of {}; \
                 {} of {threads} have no gap. Ids are missing where instruments or consumers are off, rows \
                 were overwritten, or a table was not exported.",
                text::percent(found as f64 / counted as f64),
                count(found),
                count(counted),
                count(whole),
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted() {
        let mut coverage = EventIdCoverage::default();
        assert_eq!(coverage.sentence(), None);
        coverage.add([3, 3, 4, 5].into_iter());
        assert_eq!(
            coverage.sentence().as_deref(),
            Some("Complete: all 3 event ids of 1 thread, from first to last, are in the files.")
        );
        coverage.add([].into_iter());
        coverage.add([1, 4].into_iter());
        let sentence = coverage.sentence().expect("there are events");
        assert!(sentence.contains("5 of 7; 1 of 2 threads have no gap"), "{sentence}");
    }
}
