//! Which tracks somebody expanded or collapsed, in a form that outlives the trace: track ids change whenever a growing trace
//! is built again, and a link is opened by somebody else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::packed;
use crate::trace::word_hash::hash_of_bytes;
use crate::trace::{Trace, TrackId};

/// Which tracks are expanded: what somebody chose. The rest is as a trace is first shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Expansion {
    /// What was last chosen for all tracks below the runs.
    pub all: Option<bool>,
    /// What was chosen for single tracks since then, the latest last; `true` for expanded.
    pub tracks: Vec<(TrackKey, bool)>,
}

impl Expansion {
    /// Expands or collapses one track.
    pub fn set(&mut self, track: TrackKey, expanded: bool) {
        self.tracks.retain(|(key, _)| *key != track);
        self.tracks.push((track, expanded));
    }
}

/// A track, known again in every build of its trace. Names are hashed, so that a link tells none of them.
///
/// Written as `hash`, `hash.nth` or `hash.nth.below`: ten hexadecimal digits and two decimal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TrackKey {
    /// The hash of the name of the run, and of the track right below it that holds this one: 40 bits.
    names: u64,
    /// How many tracks with these names come before, below the runs.
    nth: u32,
    /// How many tracks further down this one is.
    below: u32,
}

impl TrackKey {
    /// The key of a track; `None` for one that does not exist.
    pub fn of(trace: &Trace, track: TrackId) -> Option<Self> {
        let exists = (track.0 as usize) < trace.tracks.len();
        let top = packed::unit_of(trace, exists.then_some(track)?).unwrap_or(track);
        let names = names(trace, top);
        let before = tops(trace).take_while(|id| *id != top).filter(|id| self::names(trace, *id) == names);
        Some(Self { names, nth: before.count() as u32, below: track.0 - top.0 })
    }

    /// The tracks that keys stand for, in the order of the keys; `None` where this trace has no such track.
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

/// The runs' tracks and those right below them, in order.
fn tops(trace: &Trace) -> impl Iterator<Item = TrackId> + '_ {
    trace.runs.iter().flat_map(|run| std::iter::once(run.track).chain(trace.tracks.children(run.track)))
}

fn names(trace: &Trace, top: TrackId) -> u64 {
    let name = |id: TrackId| trace.str(trace.tracks.get(id).name).bytes();
    match trace.tracks.get(top).parent {
        None => hash_of_bytes(name(top)),
        // No text has this byte.
        Some(run) => hash_of_bytes(name(run).chain([0xff]).chain(name(top))),
    }
}

impl fmt::Display for TrackKey {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{:010x}", self.names)?;
        match (self.nth, self.below) {
            (0, 0) => Ok(()),
            (nth, 0) => write!(out, ".{nth}"),
            (nth, below) => write!(out, ".{nth}.{below}"),
        }
    }
}

impl FromStr for TrackKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('.');
        let digits = parts.next().filter(|digits| digits.len() == 10).ok_or(())?;
        let names = u64::from_str_radix(digits, 16).map_err(|_| ())?;
        let mut number = || parts.next().map_or(Ok(0), |part| part.parse().map_err(|_| ()));
        let key = Self { names, nth: number()?, below: number()? };
        if parts.next().is_some() { Err(()) } else { Ok(key) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::sample;

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

    #[test]
    fn only_keys_are_read() {
        for (text, written) in [
            ("00000000ff", Some("00000000ff")),
            ("00000000FF.2.0", Some("00000000ff.2")),
            ("00000000ff.0.7", Some("00000000ff.0.7")),
            ("", None),
            ("ff", None),
            ("00000000fg", None),
            ("00000000ff.", None),
            ("00000000ff.1.2.3", None),
            ("00000000ff.99999999999", None),
        ] {
            let key: Result<TrackKey, ()> = text.parse();
            assert_eq!(key.ok().map(|key| key.to_string()).as_deref(), written, "{text}");
        }
    }
}
