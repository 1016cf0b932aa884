//! Texts that hold for a whole track: the user, the host and the name of a thread. Kept once, not with every span.

use super::{Key, TrackId};
use crate::base::interner::StrId;

/// What is known of tracks, in the order of tracks.
#[derive(Default)]
pub struct TrackTexts {
    rows: Vec<(TrackId, Key, StrId)>,
}

impl TrackTexts {
    /// Adds a text to a track that is not before the last one that has any.
    pub(super) fn push(&mut self, track: TrackId, key: Key, text: StrId) {
        debug_assert!(self.rows.last().is_none_or(|last| last.0 <= track), "tracks come in order");
        self.rows.push((track, key, text));
    }

    /// The texts of a track itself.
    pub fn of(&self, track: TrackId) -> impl Iterator<Item = (Key, StrId)> + '_ {
        let start = self.rows.partition_point(|row| row.0 < track);
        let end = self.rows.partition_point(|row| row.0 <= track);
        self.rows[start..end].iter().map(|&(_, key, text)| (key, text))
    }

    /// Every track that has a text called `key`, with it.
    pub fn all(&self, key: Key) -> impl Iterator<Item = (TrackId, StrId)> + '_ {
        self.rows.iter().filter(move |row| row.1 == key).map(|&(track, _, text)| (track, text))
    }

    /// The keys that occur, each once, in the order of their first track.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for &(_, key, _) in &self.rows {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }
}
