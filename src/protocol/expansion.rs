//! Which tracks a user expanded or collapsed, in a form that outlives the trace: track ids change whenever a growing trace is
//! built again, and links are opened by other people.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which tracks are expanded: what somebody chose. The rest is as a trace is first shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrackExpansion {
    /// What was last chosen for all tracks below the runs.
    pub all: Option<bool>,
    /// What was chosen for single tracks since then, the latest last; `true` for expanded.
    pub tracks: Vec<(TrackKey, bool)>,
}

impl TrackExpansion {
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
    pub(crate) names: u64,
    /// How many tracks with these names come before, below the runs.
    pub(crate) nth: u32,
    /// How many tracks further down this one is.
    pub(crate) below: u32,
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
