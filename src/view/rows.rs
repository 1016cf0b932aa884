//! Which tracks have a row in the arrangement by query, and where: prefix sums over heights.

use std::ops::Range;

use super::folds::Folds;
use super::metrics;
use crate::trace::{Trace, TrackId, TrackKind};

/// The tracks that have a row, from the top.
pub(super) struct VisibleRows {
    tracks: Vec<TrackId>,
    /// Where each row begins, and last where the content ends.
    tops: Vec<f64>,
}

impl VisibleRows {
    pub fn new(trace: &Trace, folds: &Folds) -> Self {
        let (mut tracks, mut tops) = (Vec::new(), vec![0.0]);
        let (mut next, mut top) = (0, 0.0);
        while (next as usize) < trace.tracks.len() {
            let id = TrackId(next);
            let open = folds.is_open(id);
            tracks.push(id);
            top += f64::from(height(trace, id, folds));
            tops.push(top);
            next = if open { next + 1 } else { trace.tracks.subtree(id).end };
        }
        Self { tracks, tops }
    }

    /// Height of the whole content.
    pub fn height(&self) -> f64 {
        self.tops.last().copied().unwrap_or(0.0)
    }

    /// The rows that overlap a stretch of the content.
    pub fn visible(&self, stretch: Range<f64>) -> impl Iterator<Item = (TrackId, f64)> + '_ {
        let first = self.tops.partition_point(|&top| top <= stretch.start).saturating_sub(1);
        let rows = self.tracks.iter().copied().zip(self.tops.iter().copied()).skip(first);
        rows.take_while(move |(_, top)| *top < stretch.end)
    }

    /// Where the row of a track begins, if it has one.
    pub fn top(&self, track: TrackId) -> Option<f64> {
        self.tracks.binary_search(&track).ok().map(|at| self.tops[at])
    }

    /// The stretch of a track's row and of all that are shown below it.
    pub fn subtree(&self, trace: &Trace, track: TrackId) -> Option<Range<f64>> {
        let end = TrackId(trace.tracks.subtree(track).end);
        let bottom = self.tops.get(self.tracks.partition_point(|shown| *shown < end));
        self.top(track).zip(bottom.copied()).map(|(top, bottom)| top..bottom)
    }
}

/// The height of a track's own row, all its lanes together.
fn height(trace: &Trace, id: TrackId, folds: &Folds) -> f32 {
    let track = trace.tracks.get(id);
    match track.kind {
        TrackKind::Run => metrics::HEADER + below_header(trace, id, folds.is_open(id)),
        _ => own_height(trace, id, folds),
    }
}

/// The height of all rows that are shown of a track that is no run.
pub(super) fn own_height(trace: &Trace, id: TrackId, folds: &Folds) -> f32 {
    let kind = trace.tracks.kind(id);
    f32::from(metrics::rows(kind, folds.levels(trace, id))) * metrics::height(kind)
}

/// What follows the header of a run: its own spans if it has some, its activity while it is closed.
pub(super) fn below_header(trace: &Trace, run: TrackId, open: bool) -> f32 {
    let lanes = f32::from(trace.tracks.get(run).lanes) * metrics::height(TrackKind::Run);
    let nothing = trace.tracks.spans(run).is_empty() && trace.tracks.events(run).is_empty();
    match (open, nothing) {
        (false, _) => metrics::ACTIVITY,
        (true, false) => lanes,
        (true, true) => 0.0,
    }
}
