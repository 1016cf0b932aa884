//! Slices of a thread that have begun and not ended, and the search for the slice that an E ends.

use super::store::ChromeSlice;
use crate::base::FxHashMap;
use crate::base::interner::StrId;

/// Number of innermost slices that are compared one by one. For the other slices, a count by name and category shows
/// first whether any of them fits.
const NEAR: usize = 64;
/// Stands for any name or any category in the counts of open slices.
const ANY: StrId = StrId::NONE;

/// Open slices, from the outermost, each with the index of its event.
#[derive(Default)]
pub struct OpenSlices {
    list: Vec<(u32, ChromeSlice)>,
    /// Number of open slices by name and category; `None` until an E ends none of the innermost slices, which is rare.
    counts: Option<FxHashMap<(StrId, StrId), u32>>,
}

impl OpenSlices {
    /// Opens a slice.
    #[inline]
    pub fn push(&mut self, at: u32, slice: ChromeSlice) {
        if let Some(counts) = &mut self.counts {
            keys(&slice).into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
        }
        self.list.push((at, slice));
    }

    /// Innermost open slice.
    pub fn last(&self) -> Option<&ChromeSlice> {
        self.list.last().map(|(_, slice)| slice)
    }

    /// Whether no slice is open.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of open slices.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Position of the innermost open slice that `end` may end, by name and category, else by name alone; `None` if
    /// there is none. A slice is compared without success at most once: afterwards, it is closed together with the
    /// slice that was found, or only counted.
    pub fn ended_by(&mut self, end: &ChromeSlice) -> Option<usize> {
        self.innermost(end, end.of.category, is_end_of)
            .or_else(|| self.innermost(end, StrId::EMPTY, has_name_of))
    }

    /// Position of the innermost open slice for which `fits` holds. Slices that are not among the innermost [`NEAR`]
    /// are searched only if they have this `category`.
    fn innermost(
        &mut self,
        end: &ChromeSlice,
        category: StrId,
        fits: impl Fn(&ChromeSlice, &ChromeSlice) -> bool,
    ) -> Option<usize> {
        let near = self.list.len().saturating_sub(NEAR);
        let innermost = |list: &[(u32, ChromeSlice)]| list.iter().rposition(|(_, open)| fits(end, open));
        if let Some(at) = innermost(&self.list[near..]) {
            return Some(near + at);
        }
        if near == 0 || !self.has(end.of.name, category) {
            return None;
        }
        innermost(&self.list[..near])
    }

    /// Whether a slice is open that an end of this name and category may end.
    fn has(&mut self, name: StrId, category: StrId) -> bool {
        let counts = self.counts.get_or_insert_with(|| {
            let mut counts = FxHashMap::default();
            self.list
                .iter()
                .flat_map(|(_, slice)| keys(slice))
                .for_each(|key| *counts.entry(key).or_default() += 1);
            counts
        });
        let [name, category] = [name, category].map(|text| if text == StrId::EMPTY { ANY } else { text });
        [category, StrId::EMPTY]
            .into_iter()
            .any(|category| counts.get(&(name, category)).is_some_and(|&n| n > 0))
    }

    /// Removes and returns all slices from a position on, from the outermost.
    pub fn close(&mut self, from: usize) -> impl Iterator<Item = (u32, ChromeSlice)> + '_ {
        let Self { list, counts } = self;
        list.drain(from..).inspect(move |(_, slice)| {
            if let Some(counts) = counts {
                keys(slice).into_iter().for_each(|key| *counts.entry(key).or_default() -= 1);
            }
        })
    }
}

/// Names and categories with which an end event (ph E) may close this slice: its own or [`ANY`], in all combinations.
fn keys(slice: &ChromeSlice) -> [(StrId, StrId); 4] {
    let ChromeSlice { of, .. } = slice;
    [(of.name, of.category), (of.name, ANY), (ANY, of.category), (ANY, ANY)]
}

/// Whether an E ends a B: names and categories are equal, or not given.
pub fn is_end_of(end: &ChromeSlice, begin: &ChromeSlice) -> bool {
    let (end_category, category) = (end.of.category, begin.of.category);
    let same = end_category == StrId::EMPTY || category == StrId::EMPTY || end_category == category;
    same && has_name_of(end, begin)
}

/// Whether an E may end a B by its name alone: only Perfetto compares categories.
pub fn has_name_of(end: &ChromeSlice, begin: &ChromeSlice) -> bool {
    end.of.name == StrId::EMPTY || end.of.name == begin.of.name
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::attributes::args::Args;
    use crate::import::formats::chrome::store::{ChromeEventHeader, OPEN};
    use crate::trace::RecordId;

    fn slice(name: u32, category: u32) -> ChromeSlice {
        let (args, _) = Args::default().finish();
        let name = StrId(name);
        let category = StrId(category);
        let record = RecordId(0);
        let of = ChromeEventHeader { time: 0, thread: 0, name, category, record, args, phase: b'B' };
        ChromeSlice { of, end: OPEN }
    }

    proptest! {
        #[test]
        fn the_innermost_that_fits_is_found(
            outer in (0_usize..200, 0_u32..3, 0_u32..3),
            steps in prop::collection::vec((any::<bool>(), 0_u32..3, 0_u32..3), 0..200),
        ) {
            let (mut open, mut all) = (OpenSlices::default(), Vec::new());
            let (n, name, category) = outer;
            for at in 0..n {
                open.push(at as u32, slice(name, category));
                all.push((at as u32, slice(name, category)));
            }
            for (at, (begins, name, category)) in (n as u32..).zip(steps) {
                let slice = slice(name, category);
                if begins {
                    open.push(at, slice);
                    all.push((at, slice));
                    continue;
                }
                let innermost = |fits: fn(&ChromeSlice, &ChromeSlice) -> bool| all.iter().rposition(|(_, open)| fits(&slice, open));
                let expected = innermost(is_end_of).or_else(|| innermost(has_name_of));
                prop_assert_eq!(open.ended_by(&slice), expected);
                if let Some(from) = expected {
                    let closed: Vec<u32> = open.close(from).map(|(at, _)| at).collect();
                    prop_assert!(all.drain(from..).map(|(at, _)| at).eq(closed));
                }
            }
        }
    }

    /// Comparing all open slices for each end would take hours.
    #[test]
    fn a_hundred_thousand_that_are_open_are_no_burden() {
        let mut open = OpenSlices::default();
        (0..100_000).for_each(|at| open.push(at, slice(1, 1)));
        for at in 0..1_000_000 {
            open.push(at, slice(1, 2));
            let ended = open.ended_by(&slice(1, 2));
            assert_eq!(ended, Some(100_000));
            assert_eq!(open.close(100_000).count(), 1);
            assert_eq!(open.ended_by(&slice(2, 2)), None);
        }
        assert_eq!(open.ended_by(&slice(1, 2)), Some(99_999));
        assert_eq!(open.ended_by(&slice(0, 1)), Some(99_999));
    }
}
