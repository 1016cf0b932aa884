//! Expansion of a trace's tracks: as chosen by the user, otherwise according to the size of the trace.

use std::cell::OnceCell;

use super::arranged_tracks::ArrangedTracks;
use super::levels::{is_deep, short_levels};
use crate::base::FxHashMap;
use crate::protocol::{CounterView, TrackExpansion, TrackKey, TrackLayout};
use crate::trace::{Trace, TrackId, TrackKind};

/// A trace with at most this many queries is shown with all queries expanded.
const OPEN_QUERIES: usize = 30;

/// The expanded tracks.
#[derive(Default)]
pub(super) struct Folds {
    /// Expansion chosen by the user from which `open` was computed; `None` before `open` is first computed.
    of: Option<TrackExpansion>,
    open: Vec<bool>,
    /// Layout chosen by the user from which `arranged` was computed.
    layout: (TrackLayout, CounterView),
    arranged: ArrangedTracks,
    /// Number of levels that a collapsed thread shows, for threads with hidden levels. Computed only when a view needs
    /// it, since this reads all spans of deep threads.
    levels: OnceCell<FxHashMap<TrackId, u16>>,
}

impl Folds {
    /// Applies the user's choice. Returns whether anything changed.
    pub fn follow(
        &mut self,
        trace: &Trace,
        expansion: &TrackExpansion,
        layout: &TrackLayout,
        counters: CounterView,
    ) -> bool {
        let is_same = self.layout.0 == *layout && self.layout.1 == counters;
        if self.of.as_ref() == Some(expansion) && is_same {
            return false;
        }
        if self.of.is_none() || !is_same {
            (self.layout, self.arranged) = ((layout.clone(), counters), ArrangedTracks::new(trace, layout));
            if counters.stacked {
                self.arranged.stack(trace, counters.rate);
            }
        }
        (self.of, self.open) = (Some(expansion.clone()), usual(trace, expansion.all));
        let tracks = TrackKey::find(trace, expansion.tracks.iter().map(|(key, _)| *key));
        for (track, (_, open)) in tracks.into_iter().zip(&expansion.tracks) {
            track.into_iter().for_each(|track| self.set(track, *open));
        }
        for track in self.arranged.above_matching() {
            self.open[track.0 as usize] = true;
        }
        true
    }

    /// The tracks as the user arranged them.
    pub fn arranged(&self) -> &ArrangedTracks {
        &self.arranged
    }

    /// Shows a track again that is hidden, below a hidden track, or removed by the filter. Returns the keys of the tracks that
    /// were hidden, and whether the filter was removed.
    pub fn unhide(&mut self, trace: &Trace, track: TrackId) -> (Vec<TrackKey>, bool) {
        let (mut layout, counters) = self.layout.clone();
        let found = TrackKey::find(trace, layout.hidden.iter().copied());
        let hides = |of: &Option<TrackId>| of.is_some_and(|of| trace.tracks.subtree(of).contains(&track.0));
        let keys: Vec<TrackKey> =
            layout.hidden.iter().zip(found).filter(|(_, of)| hides(of)).map(|(key, _)| *key).collect();
        let unfiltered = self.arranged.is_filtered(track);
        layout.show_again(&keys, unfiltered);
        if let Some(expansion) = self.of.clone() {
            self.follow(trace, &expansion, &layout, counters);
        }
        (keys, unfiltered)
    }

    pub fn is_open(&self, track: TrackId) -> bool {
        self.open.get(track.0 as usize).copied().unwrap_or(false)
    }

    /// Returns the number of span levels that a track shows: all, unless the track is collapsed and some of its levels
    /// are hidden while it is.
    pub fn levels(&self, trace: &Trace, track: TrackId) -> u16 {
        let short = self.short_levels(trace).get(&track).filter(|_| !self.is_open(track));
        short.copied().unwrap_or_else(|| trace.tracks.get(track).lanes)
    }

    /// Whether a track hides some of its own levels while it is collapsed.
    pub fn has_short_levels(&self, trace: &Trace, track: TrackId) -> bool {
        is_deep(trace, track) && self.short_levels(trace).contains_key(&track)
    }

    fn short_levels(&self, trace: &Trace) -> &FxHashMap<TrackId, u16> {
        self.levels.get_or_init(|| short_levels(trace))
    }

    fn set(&mut self, track: TrackId, open: bool) {
        if let Some(fold) = self.open.get_mut(track.0 as usize) {
            *fold = open;
        }
    }

    /// Expands everything that hides a level of a track, and the track itself if it is a query's, so that its sources
    /// are visible. Returns the keys of the tracks that were collapsed.
    pub fn reveal(&mut self, trace: &Trace, track: TrackId, level: u16) -> Vec<TrackKey> {
        let is_query = trace.tracks.kind(track) == TrackKind::Query;
        let is_hidden = self.has_short_levels(trace, track) && level >= self.levels(trace, track);
        let own = Some(track).filter(|_| is_query || is_hidden);
        let up = |id: &TrackId| trace.tracks.get(*id).parent;
        let hiding = std::iter::successors(up(&track), up);
        let closed: Vec<TrackId> = own.into_iter().chain(hiding).filter(|id| !self.is_open(*id)).collect();
        let keys: Vec<TrackKey> = closed.iter().filter_map(|id| TrackKey::of(trace, *id)).collect();
        closed.into_iter().for_each(|id| self.set(id, true));
        if let Some(expansion) = &mut self.of {
            keys.iter().for_each(|key| expansion.set(*key, true));
        }
        keys
    }

    /// Returns the track itself, or the collapsed ancestor that hides it.
    pub fn shown(&self, trace: &Trace, track: TrackId) -> TrackId {
        let up = |id: &TrackId| trace.tracks.get(*id).parent;
        let closed = std::iter::successors(up(&track), up).filter(|id| !self.is_open(*id));
        closed.last().unwrap_or(track)
    }
}

/// Returns the initial expansion, by track. Runs are always expanded. Other tracks are expanded if `all` is true, or if
/// it is `None` and the trace has few queries. Without `all`, a process must also be the only one of its run, and
/// threads with many levels stay collapsed.
fn usual(trace: &Trace, all: Option<bool>) -> Vec<bool> {
    let ids = 0..trace.tracks.len() as u32;
    let run_of = |id: u32| trace.tracks.ancestor(TrackId(id), TrackKind::Run);
    let is_process = |id: &u32| kind(trace, *id) == TrackKind::Process;
    let few_queries =
        || ids.clone().filter(|&id| kind(trace, id) == TrackKind::Query).nth(OPEN_QUERIES).is_none();
    let open = all.unwrap_or_else(few_queries);
    let mut processes: FxHashMap<Option<TrackId>, u32> = FxHashMap::default();
    if all.is_none() {
        ids.clone().filter(is_process).for_each(|id| *processes.entry(run_of(id)).or_default() += 1);
    }
    let is_open = |id: u32| match kind(trace, id) {
        TrackKind::Run => true,
        TrackKind::Process => open && processes.get(&run_of(id)).is_none_or(|count| *count == 1),
        _ if is_deep(trace, TrackId(id)) => all == Some(true),
        _ => open,
    };
    ids.clone().map(is_open).collect()
}

fn kind(trace: &Trace, id: u32) -> TrackKind {
    trace.tracks.kind(TrackId(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn names(trace: &Trace, folds: &Folds) -> Vec<String> {
        let open = (0..trace.tracks.len() as u32).map(TrackId).filter(|id| folds.is_open(*id));
        open.map(|id| trace.str(trace.tracks.get(id).name).to_owned()).collect()
    }

    #[test]
    fn what_somebody_chose_outlives_the_trace() {
        let trace = sample::trace();
        let (mut folds, mut expansion) = (Folds::default(), TrackExpansion::default());
        assert!(folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default()));
        let all = names(&trace, &folds);
        expansion.all = Some(false);
        for (track, open) in [(1, true), (0, false)] {
            expansion.set(TrackKey::of(&trace, TrackId(track)).expect("the sample has two tracks"), open);
        }
        assert!(
            folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default())
                && !folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default())
        );
        let chosen = names(&trace, &folds);
        assert!(chosen.len() == 1 && all.len() > 1);
        folds = Folds::default();
        folds.follow(&Trace::default(), &expansion, &TrackLayout::default(), CounterView::default());
        assert!(names(&Trace::default(), &folds).is_empty());
        folds = Folds::default();
        folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default());
        assert_eq!(names(&trace, &folds), chosen);
    }

    #[test]
    fn a_closed_track_stands_for_what_it_hides() {
        let trace = sample::trace();
        let (mut folds, mut expansion) = (Folds::default(), TrackExpansion::default());
        folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default());
        let deep = (0..trace.tracks.len() as u32).map(TrackId).max_by_key(|id| trace.tracks.get(*id).depth);
        let deep = deep.expect("the sample has tracks");
        assert_eq!(folds.shown(&trace, deep), deep);
        expansion.all = Some(false);
        folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default());
        assert_eq!(Some(folds.shown(&trace, deep)), trace.tracks.ancestor(deep, TrackKind::Query));
        expansion.set(TrackKey::of(&trace, TrackId(0)).expect("a run"), false);
        folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default());
        assert_eq!(folds.shown(&trace, deep), TrackId(0));
        // Revealed tracks become part of the user's choice.
        let keys = folds.reveal(&trace, deep, 0);
        assert_eq!(folds.shown(&trace, deep), deep);
        keys.iter().for_each(|key| expansion.set(*key, true));
        assert!(
            keys.len() > 1
                && !folds.follow(&trace, &expansion, &TrackLayout::default(), CounterView::default())
        );
    }
}
