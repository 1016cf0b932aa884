//! Writes the series of counters as tracks of their process.

use super::ChromeWriter;
use crate::base::interner::StrId;
use crate::base::{FxHashMap, FxHashSet};
use crate::import::formats::chrome::counters::ChromeCounterSeries;
use crate::import::formats::chrome::names::ProcessId;
use crate::trace::{TrackId, Unit};

/// Number of series of each counter, by process, name and id of the counter.
pub type SeriesPerCounter = FxHashMap<(ProcessId, StrId, StrId), u32>;

/// Titles of the tracks that a process already has, to keep titles unique.
pub type TrackTitles = FxHashSet<StrId>;

/// Counts the series of each counter.
pub fn counters(all: &[ChromeCounterSeries]) -> SeriesPerCounter {
    let mut counters = SeriesPerCounter::default();
    for ChromeCounterSeries { process, name, id, .. } in all {
        *counters.entry((*process, *name, *id)).or_default() += 1;
    }
    counters
}

impl ChromeWriter<'_, '_> {
    #[inline(never)]
    pub(super) fn counter(&mut self, at: usize, track: TrackId, titles: &mut TrackTitles) {
        let ChromeCounterSeries { process, name, id, key, millionths, ref mut values } = self.series[at];
        let values = std::mem::take(values);
        let alone = self.counters.get(&(process, name, id)) == Some(&1);
        let name = self.named(name);
        let strings = self.out.strings();
        let id = id.some().map(|id| strings.get(id)).unwrap_or_default();
        let parts = [strings.get(name), id, if alone { "" } else { strings.get(key) }];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        // A counter may have the same title as a series of another counter.
        let (title, quoted) = (parts.join(" · "), format!("“{}”", parts.join("” · “")));
        let key = strings.get(key).to_owned();
        let title = strings.intern(&title);
        let title = if titles.insert(title) { title } else { strings.intern(&quoted) };
        let key = self.out.builder.key(&key, if millionths { Unit::Millionths } else { Unit::Count });
        let samples = values.iter().map(|sample| (sample.time, sample.value, sample.record));
        self.out.counter(track, title, key, samples);
    }
}
