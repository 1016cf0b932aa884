//! Requests about areas of the timeline.

use super::Session;
use crate::analysis::ChildSpans;
use crate::protocol::{AreaSpec, AreaTrack, AreaTracksRequest, TrackKey};
use crate::stats::{AreaScope, Areas};
use crate::trace::TrackId;
use crate::view;

impl Session {
    /// The cached sums of areas, and the tracks and the filter of the area `spec` in the trace.
    pub(super) fn areas(&mut self, spec: &AreaSpec) -> (&mut Areas, AreaScope<'_>) {
        let Self { trace, answers, .. } = self;
        let trace = &*trace;
        let filter = answers.filtered(trace, &spec.filter);
        let tracks = view::tracks(trace, spec.tracks.iter().map(|track| track.key));
        let is_kept = trace.is_nested();
        let children = is_kept.then(|| &*answers.children.get_or_insert_with(|| ChildSpans::of(trace)));
        let shapes = &mut answers.sql_shapes;
        (&mut answers.areas, AreaScope { trace, tracks, children, filter, shapes })
    }

    /// The keys of the tracks of rows; tracks that do not exist are left out.
    pub(super) fn tracks_of_rows(&self, request: &AreaTracksRequest) -> Vec<AreaTrack> {
        let track = |&(id, is_own_row): &(u32, bool)| {
            Some(AreaTrack { key: TrackKey::of(&self.trace, TrackId(id))?, is_own_row })
        };
        request.rows.iter().filter_map(track).collect()
    }
}
