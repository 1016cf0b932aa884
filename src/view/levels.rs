//! Collapsible levels of a thread: levels that are used only briefly would leave most of the thread's rows blank.

use super::metrics;
use crate::base::FxHashMap;
use crate::trace::{SpanId, Trace, TrackId};

/// Minimum number of levels that are hidden while a track is collapsed, and minimum number that stay visible.
const FEWEST: u16 = 3;
/// A level can be collapsed if its busy time is less than 1/`SHARE` of the busiest level's time.
const SHARE: i64 = 20;

/// Returns the number of levels shown while collapsed, for each track that has collapsible levels.
pub(super) fn short_levels(trace: &Trace) -> FxHashMap<TrackId, u16> {
    let deep = (0..trace.tracks.len() as u32).map(TrackId).filter(|id| is_deep(trace, *id));
    deep.filter_map(|id| Some((id, shown_levels(&times(trace, id))?))).collect()
}

/// Whether a track has enough levels of its own that some may be collapsible.
pub(super) fn is_deep(trace: &Trace, track: TrackId) -> bool {
    let row = trace.tracks.get(track);
    metrics::is_nested(row.kind) && row.lanes >= 2 * FEWEST && trace.tracks.subtree(track).len() == 1
}

/// Returns the busy time of each level, in nanoseconds.
fn times(trace: &Trace, track: TrackId) -> Vec<i64> {
    let mut times = vec![0_i64; usize::from(trace.tracks.get(track).lanes)];
    for id in trace.tracks.spans(track).map(SpanId) {
        if let Some(time) = times.get_mut(usize::from(trace.spans.depth(id))) {
            *time = time.saturating_add(trace.spans.duration(id));
        }
    }
    times
}

/// Returns the number of levels shown while collapsed: all up to the last long level, and one short level, to show where
/// the hidden levels are. `None` if too few levels would be hidden.
fn shown_levels(times: &[i64]) -> Option<u16> {
    let most = times.iter().copied().max()?;
    let last_long = times.iter().rposition(|time| *time > most / SHARE)?;
    let (shown, all) = (last_long as u16 + 2, times.len() as u16);
    (all >= shown.max(FEWEST) + FEWEST).then(|| shown.max(FEWEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_levels_fold_away_if_there_are_several() {
        for (times, shown) in [
            (&[100, 90, 4, 3, 2, 1, 1][..], Some(3)),
            (&[100, 4, 3, 2, 1, 1], Some(3)),
            (&[100, 90, 80, 4, 3, 2], None),
            (&[100, 90, 80, 4, 3, 2, 1], Some(4)),
            (&[100, 1, 1, 1, 1, 90], None),
            (&[0, 0, 0, 0, 0, 0, 0], None),
            (&[], None),
        ] {
            assert_eq!(shown_levels(times), shown, "{times:?}");
        }
    }
}
