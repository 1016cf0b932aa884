//! Conversion between the tracks of a trace and their keys.

use super::packed;
use crate::protocol::TrackKey;
use crate::trace::word_hash::hash_of_bytes;
use crate::trace::{Trace, TrackId};

impl TrackKey {
    /// Returns the key of a track; `None` if the track does not exist.
    pub fn of(trace: &Trace, track: TrackId) -> Option<Self> {
        let exists = (track.0 as usize) < trace.tracks.len();
        let top = packed::unit_of(trace, exists.then_some(track)?).unwrap_or(track);
        let names = names(trace, top);
        let before = tops(trace).take_while(|id| *id != top).filter(|id| self::names(trace, *id) == names);
        Some(Self { names, nth: before.count() as u32, below: track.0 - top.0 })
    }

    /// Returns the track of each key; `None` where this trace has no such track.
    pub(super) fn find(trace: &Trace, keys: impl Iterator<Item = Self>) -> Vec<Option<TrackId>> {
        let keys: Vec<Self> = keys.collect();
        let mut found = vec![None; keys.len()];
        if keys.is_empty() {
            return found;
        }
        let mut left: Vec<u32> = keys.iter().map(|key| key.nth).collect();
        for top in tops(trace) {
            let names = names(trace, top);
            for (at, key) in keys.iter().enumerate().filter(|(_, key)| key.names == names) {
                match left[at].checked_sub(1) {
                    Some(fewer) => left[at] = fewer,
                    None if found[at].is_none() => {
                        let id = top.0.checked_add(key.below);
                        let own = |id: &u32| trace.tracks.subtree(top).contains(id);
                        found[at] = id.filter(own).map(TrackId);
                    }
                    None => {}
                }
            }
        }
        found
    }
}

/// Returns the track of each key; `None` where this trace has no such track.
pub(crate) fn tracks(trace: &Trace, keys: impl Iterator<Item = TrackKey>) -> Vec<Option<TrackId>> {
    TrackKey::find(trace, keys)
}

/// Returns each run's track, followed by the tracks directly below it.
fn tops(trace: &Trace) -> impl Iterator<Item = TrackId> + '_ {
    trace.runs.iter().flat_map(|run| std::iter::once(run.track).chain(trace.tracks.children(run.track)))
}

fn names(trace: &Trace, top: TrackId) -> u64 {
    let name = |id: TrackId| trace.str(trace.tracks.get(id).name).bytes();
    match trace.tracks.get(top).parent {
        None => hash_of_bytes(name(top)),
        // 0xff occurs in no UTF-8 text, so it separates the two names.
        Some(run) => hash_of_bytes(name(run).chain([0xff]).chain(name(top))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    #[test]
    fn keys_lead_back_to_their_tracks() {
        let trace = sample::trace();
        let ids: Vec<TrackId> = (0..trace.tracks.len() as u32).map(TrackId).collect();
        let keys: Vec<TrackKey> = ids.iter().filter_map(|id| TrackKey::of(&trace, *id)).collect();
        let found = TrackKey::find(&trace, keys.iter().copied());
        assert_eq!(found, ids.iter().copied().map(Some).collect::<Vec<_>>());
        let read: Vec<_> = keys.iter().map(|key| key.to_string().parse()).collect();
        assert_eq!(read, keys.iter().copied().map(Ok).collect::<Vec<_>>());
        assert_eq!(TrackKey::of(&trace, TrackId(u32::MAX)), None);
        assert_eq!(TrackKey::find(&Trace::default(), keys.into_iter()).into_iter().flatten().count(), 0);
    }
}
