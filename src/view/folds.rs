//! Which tracks are open, and what of that outlives the trace: a trace that is still being read is built again and
//! again, and what somebody opened stays open.

use rustc_hash::FxHashMap;

use super::packed;
use crate::trace::{Trace, TrackId, TrackKind};

/// Up to so many queries, all of them are open at first.
const OPEN_QUERIES: usize = 30;

/// Which tracks are open.
pub(super) struct Folds {
    /// What was last asked for all of them.
    all: Option<bool>,
    open: Vec<bool>,
}

/// Folds by name, since ids change with every build: only those that are not as they would be anyway.
#[derive(Default)]
pub(super) struct KeptFolds {
    all: Option<bool>,
    others: FxHashMap<Key, bool>,
}

/// The run, what stands below it (a query), and how many tracks further down.
type Key = (String, String, u32);

impl Folds {
    /// As a trace is first shown, but for what was kept of another one.
    pub fn new(trace: &Trace, kept: &KeptFolds) -> Self {
        let mut open = usual(trace, kept.all);
        if !kept.others.is_empty() {
            for (id, fold) in (0..).zip(&mut open) {
                *fold = kept.others.get(&key(trace, TrackId(id))).copied().unwrap_or(*fold);
            }
        }
        Self { all: kept.all, open }
    }

    /// What the next trace takes over.
    pub fn kept(&self, trace: &Trace) -> KeptFolds {
        let usual = usual(trace, self.all);
        let others = (0..).zip(&self.open).zip(&usual).filter(|((_, fold), usual)| fold != usual);
        let others = others.map(|((id, fold), _)| (key(trace, TrackId(id)), *fold)).collect();
        KeptFolds { all: self.all, others }
    }

    pub fn is_open(&self, track: TrackId) -> bool {
        self.open.get(track.0 as usize).copied().unwrap_or(false)
    }

    pub fn set(&mut self, track: TrackId, open: bool) {
        if let Some(fold) = self.open.get_mut(track.0 as usize) {
            *fold = open;
        }
    }

    /// All but the runs.
    pub fn set_all(&mut self, trace: &Trace, open: bool) {
        self.all = Some(open);
        for (id, fold) in (0..).zip(&mut self.open) {
            if kind(trace, id) != TrackKind::Run {
                *fold = open;
            }
        }
    }

    /// Opens whatever hides a track. Whether that changed anything.
    pub fn reveal(&mut self, trace: &Trace, track: TrackId) -> bool {
        let mut changed = false;
        let mut at = trace.tracks.get(track).parent;
        while let Some(parent) = at {
            changed |= !self.is_open(parent);
            self.set(parent, true);
            at = trace.tracks.get(parent).parent;
        }
        changed
    }

    /// Opens the track of a query, so that its sources are seen below it. Whether that changed anything.
    pub fn open_query(&mut self, trace: &Trace, track: TrackId) -> bool {
        let closed = trace.tracks.kind(track) == TrackKind::Query && !self.is_open(track);
        if closed {
            self.set(track, true);
        }
        closed
    }

    /// The track itself, or the closed one that hides it.
    pub fn shown(&self, trace: &Trace, track: TrackId) -> TrackId {
        let up = |id: &TrackId| trace.tracks.get(*id).parent;
        let closed = std::iter::successors(up(&track), up).filter(|id| !self.is_open(*id));
        closed.last().unwrap_or(track)
    }
}

/// Runs open; the rest as was asked for, or else only if there is little of it: queries if there are few, a process if
/// it is the only one of its run.
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
        _ => open,
    };
    ids.clone().map(is_open).collect()
}

fn kind(trace: &Trace, id: u32) -> TrackKind {
    trace.tracks.kind(TrackId(id))
}

fn key(trace: &Trace, track: TrackId) -> Key {
    let name = |id: TrackId| trace.str(trace.tracks.get(id).name).to_owned();
    let Some(unit) = packed::unit_of(trace, track) else { return (name(track), String::new(), 0) };
    let run = trace.tracks.get(unit).parent.map(name).unwrap_or_default();
    (run, name(unit), track.0 - unit.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::sample;

    fn names(trace: &Trace, folds: &Folds) -> Vec<String> {
        let open = (0..trace.tracks.len() as u32).map(TrackId).filter(|id| folds.is_open(*id));
        open.map(|id| trace.str(trace.tracks.get(id).name).to_owned()).collect()
    }

    #[test]
    fn folds_outlive_the_trace() {
        let trace = sample::trace();
        let mut folds = Folds::new(&trace, &KeptFolds::default());
        let all = names(&trace, &folds);
        folds.set_all(&trace, false);
        folds.set(TrackId(1), true);
        folds.set(TrackId(0), false);
        let before = names(&trace, &folds);
        assert_eq!(before.len(), 1);
        let again = Folds::new(&trace, &folds.kept(&trace));
        assert_eq!(names(&trace, &again), before);
        let empty = Folds::new(&Trace::default(), &folds.kept(&trace));
        assert!(names(&Trace::default(), &empty).is_empty());
        assert!(all.len() > before.len());
    }

    #[test]
    fn a_closed_track_stands_for_what_it_hides() {
        let trace = sample::trace();
        let mut folds = Folds::new(&trace, &KeptFolds::default());
        let deep = (0..trace.tracks.len() as u32).map(TrackId).max_by_key(|id| trace.tracks.get(*id).depth);
        let deep = deep.expect("the sample has tracks");
        assert_eq!(folds.shown(&trace, deep), deep);
        folds.set_all(&trace, false);
        assert_eq!(Some(folds.shown(&trace, deep)), trace.tracks.ancestor(deep, TrackKind::Query));
        folds.set(TrackId(0), false);
        assert_eq!(folds.shown(&trace, deep), TrackId(0));
    }
}
