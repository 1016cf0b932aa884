//! Visible rows of the arrangement by query, and their positions as prefix sums of heights.

use std::ops::Range;

use super::folds::Folds;
use super::metrics;
use crate::base::sort;
use crate::trace::{Trace, TrackId, TrackKind};

/// Height of a row of stacked counters, in rows of one counter.
const STACK: f32 = 4.0;

/// The tracks that have a row, from top to bottom.
pub(super) struct VisibleRows {
    tracks: Vec<TrackId>,
    /// Top of each row, followed by the bottom of the content, in pixels.
    tops: Vec<f64>,
    /// Indices of the rows, ordered by the ids of their tracks.
    by_id: Vec<u32>,
}

impl VisibleRows {
    pub fn new(trace: &Trace, folds: &Folds) -> Self {
        let arranged = folds.arranged();
        let mut tracks = Vec::new();
        let mut next = arranged.children(trace, None);
        next.reverse();
        while let Some(id) = next.pop() {
            if !arranged.is_shown(id) {
                continue;
            }
            tracks.push(id);
            if folds.is_open(id) && trace.tracks.subtree(id).len() > 1 {
                next.extend(arranged.children(trace, Some(id)).into_iter().rev());
            }
        }
        Self::of(trace, folds, tracks)
    }

    /// The rows of these tracks only, in this order, without rows for their child tracks.
    pub fn of(trace: &Trace, folds: &Folds, tracks: Vec<TrackId>) -> Self {
        let mut tops = vec![0.0];
        for id in &tracks {
            tops.push(tops[tops.len() - 1] + f64::from(height(trace, *id, folds)));
        }
        let mut by_id: Vec<u32> = (0..tracks.len() as u32).collect();
        if !tracks.is_sorted() {
            sort::by_key(&mut by_id, |&at| (i64::from(tracks[at as usize].0), 0));
        }
        Self { tracks, tops, by_id }
    }

    /// Height of the whole content, in pixels.
    pub fn height(&self) -> f64 {
        self.tops.last().copied().unwrap_or(0.0)
    }

    /// Returns tracks and tops of the rows that overlap a vertical range of the content.
    pub fn visible(&self, stretch: Range<f64>) -> impl Iterator<Item = (TrackId, f64)> + '_ {
        let first = self.tops.partition_point(|&top| top <= stretch.start).saturating_sub(1);
        let rows = self.tracks.iter().copied().zip(self.tops.iter().copied()).skip(first);
        rows.take_while(move |(_, top)| *top < stretch.end)
    }

    /// Returns the top of a track's row, if it has one.
    pub fn top(&self, track: TrackId) -> Option<f64> {
        self.row(track).map(|at| self.tops[at])
    }

    fn row(&self, track: TrackId) -> Option<usize> {
        let found = self.by_id.binary_search_by_key(&track, |&at| self.tracks[at as usize]);
        found.ok().map(|at| self.by_id[at] as usize)
    }

    /// Returns the vertical range of a track's row and all visible rows below it in the hierarchy; `None` if the track
    /// has no row.
    pub fn subtree(&self, trace: &Trace, track: TrackId) -> Option<Range<f64>> {
        let below = trace.tracks.subtree(track);
        let count = |end: u32| self.by_id.partition_point(|&at| self.tracks[at as usize].0 < end);
        let at = self.row(track)?;
        let bottom = self.tops.get(at + count(below.end) - count(below.start))?;
        Some(self.tops[at]..*bottom)
    }
}

/// Returns the height of a track's own row, including all its lanes.
fn height(trace: &Trace, id: TrackId, folds: &Folds) -> f32 {
    let track = trace.tracks.get(id);
    match track.kind {
        TrackKind::Run => metrics::HEADER + below_header(trace, id, folds.is_open(id)),
        _ => own_height(trace, id, folds),
    }
}

/// Returns the height of all visible rows of a track that is not a run.
pub(super) fn own_height(trace: &Trace, id: TrackId, folds: &Folds) -> f32 {
    let kind = trace.tracks.kind(id);
    let times = if folds.arranged().stacked(id).is_some() { STACK } else { 1.0 };
    times * f32::from(metrics::rows(kind, folds.levels(trace, id))) * metrics::height(kind)
}

/// Returns the height between a run's header and its first track: its own spans if it has any, or its activity while it
/// is closed.
pub(super) fn below_header(trace: &Trace, run: TrackId, open: bool) -> f32 {
    let lanes = f32::from(trace.tracks.get(run).lanes) * metrics::height(TrackKind::Run);
    let nothing = trace.tracks.spans(run).is_empty() && trace.tracks.events(run).is_empty();
    match (open, nothing) {
        (false, _) => metrics::ACTIVITY,
        (true, false) => lanes,
        (true, true) => 0.0,
    }
}
