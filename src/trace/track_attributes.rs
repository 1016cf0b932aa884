//! Texts that apply to whole tracks, such as the user, host and name of a thread. Stored once instead of with every span.

use super::{Key, TrackId};
use crate::base::interner::StrId;

/// Text attributes of tracks, in the order of tracks.
#[derive(Default)]
pub struct TrackTexts {
    rows: Vec<(TrackId, Key, StrId)>,
}

impl TrackTexts {
    /// Adds a text to a track. Tracks must be added in ascending order.
    pub(super) fn push(&mut self, track: TrackId, key: Key, text: StrId) {
        debug_assert!(self.rows.last().is_none_or(|last| last.0 <= track), "tracks come in order");
        self.rows.push((track, key, text));
    }

    /// The texts of a track itself, without those of its ancestors.
    pub fn of(&self, track: TrackId) -> impl Iterator<Item = (Key, StrId)> + '_ {
        let start = self.rows.partition_point(|row| row.0 < track);
        let end = self.rows.partition_point(|row| row.0 <= track);
        self.rows[start..end].iter().map(|&(_, key, text)| (key, text))
    }

    /// All tracks that have a text under `key`, with the text.
    pub fn all(&self, key: Key) -> impl Iterator<Item = (TrackId, StrId)> + '_ {
        self.rows.iter().filter(move |row| row.1 == key).map(|&(track, _, text)| (track, text))
    }

    /// The keys that occur, without duplicates, in the order of the first track that has them.
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
