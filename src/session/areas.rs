//! Requests about areas of the timeline.

use super::Session;
use crate::protocol::{AreaSpec, AreaTrack, AreaTracksRequest, TrackKey};
use crate::stats::Areas;
use crate::trace::{Trace, TrackId};
use crate::view;

impl Session {
    /// The trace, its areas, and the tracks of an area; `None` for those that the trace does not have.
    pub(super) fn areas(&mut self, spec: &AreaSpec) -> (&Trace, &mut Areas, Vec<Option<TrackId>>) {
        let tracks = view::tracks(&self.trace, spec.tracks.iter().map(|track| track.key));
        (&self.trace, &mut self.answers.areas, tracks)
    }

    /// The tracks of rows; tracks that do not exist are left out.
    pub(super) fn tracks_of_rows(&self, request: &AreaTracksRequest) -> Vec<AreaTrack> {
        let track = |&(id, is_own_row): &(u32, bool)| {
            Some(AreaTrack { key: TrackKey::of(&self.trace, TrackId(id))?, is_own_row })
        };
        request.rows.iter().filter_map(track).collect()
    }
}
