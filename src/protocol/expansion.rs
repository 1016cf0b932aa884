//! Expanded and collapsed tracks, in a form that remains valid when a growing trace is rebuilt (track ids change then) and
//! when links are opened by other people.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The user's choices of expanded and collapsed tracks. All other tracks are in their initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrackExpansion {
    /// Last choice made for all tracks below the runs; `None` if there was none.
    pub all: Option<bool>,
    /// Choices made for single tracks since then, in order; `true` for expanded.
    pub tracks: Vec<(TrackKey, bool)>,
}

impl TrackExpansion {
    /// Records that a track is expanded or collapsed, replacing an earlier choice for the track.
    pub fn set(&mut self, track: TrackKey, expanded: bool) {
        self.tracks.retain(|(key, _)| *key != track);
        self.tracks.push((track, expanded));
    }
}

/// Identifies a track in every build of its trace. Names are hashed, so that a link reveals none of them.
///
/// Written as `hash`, `hash.nth` or `hash.nth.below`: ten hexadecimal digits and two decimal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TrackKey {
    /// 40-bit hash of the names of the run and of the top-level track (directly below the run) that contains this track.
    pub(crate) names: u64,
    /// Number of earlier top-level tracks with the same hash.
    pub(crate) nth: u32,
    /// Position of this track below its top-level track, in tracks; 0 for the top-level track itself.
    pub(crate) below: u32,
}

impl TrackKey {
    /// Key of the track of the SQL result with this number, which no track of a trace has.
    pub(crate) fn of_result(number: u32) -> Self {
        Self { names: (1 << 40) - 1, nth: number, below: u32::MAX }
    }

    /// Whether the key is that of the track of an SQL result.
    pub fn is_of_result(&self) -> bool {
        *self == Self::of_result(self.nth)
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
