//! Hidden, moved and filtered tracks of the timeline.

use serde::{Deserialize, Serialize};

use super::TrackKey;

/// Tracks that the user hid, moved or filtered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrackLayout {
    /// Hidden tracks; the tracks below them are hidden, too.
    pub hidden: Vec<TrackKey>,
    /// Moved tracks in the order of the moves, each with its new index among its siblings, hidden ones included.
    pub moves: Vec<(TrackKey, u32)>,
    /// Text that the name or the statement of a track must contain, case-insensitive; empty for all tracks. Tracks above and
    /// below a matching track are shown, too.
    pub name: String,
}

impl TrackLayout {
    /// Records a move. If the previous move was of the same track, replaces it.
    pub fn move_to(&mut self, track: TrackKey, index: u32) {
        self.moves.pop_if(|(last, _)| *last == track);
        self.moves.push((track, index));
    }

    /// Hides a track, or shows it again.
    pub fn hide(&mut self, track: TrackKey, hidden: bool) {
        self.hidden.retain(|key| *key != track);
        if hidden {
            self.hidden.push(track);
        }
    }

    /// Shows hidden tracks again, and removes the filter if it removed one of them.
    pub fn show_again(&mut self, tracks: &[TrackKey], is_filtered: bool) {
        self.hidden.retain(|key| !tracks.contains(key));
        if is_filtered {
            self.name.clear();
        }
    }
}

/// Requests how many tracks are filtered and hidden.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackCountsRequest {
    /// Hidden and filtered tracks.
    pub layout: TrackLayout,
}

/// Numbers of tracks; tracks of runs do not count.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrackCounts {
    /// Number of tracks in the trace.
    pub total: u32,
    /// Number of tracks whose name contains the text of the filter; all without a filter.
    pub matching: u32,
    /// Number of hidden tracks, the tracks below them included.
    pub hidden: u32,
    /// The hidden tracks that the trace has, without those below them.
    pub list: Vec<HiddenTrack>,
}

/// A hidden track.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HiddenTrack {
    /// Key of the track.
    pub key: TrackKey,
    /// Heading of the track.
    pub name: String,
}

/// Where a track is moved among its siblings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TrackMove {
    /// Nowhere: only its name and position are requested.
    Stay,
    /// Above the previous sibling that is shown.
    Up,
    /// Below the next sibling that is shown.
    Down,
}

/// Requests a move of a track.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackMoveRequest {
    /// The track.
    pub track: TrackKey,
    /// Where it is moved.
    pub to: TrackMove,
    /// Layout before the move.
    pub layout: TrackLayout,
}

/// Place of a track after a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrackMoved {
    /// The track that was moved.
    pub track: TrackKey,
    /// Heading of the track.
    pub name: String,
    /// Index among all siblings, hidden ones included; `None` if the track stays where it is.
    pub index: Option<u32>,
    /// Position among the shown siblings, from 1.
    pub position: u32,
    /// Number of shown siblings, the track included.
    pub siblings: u32,
}
