//! Tracks that contain an item.

use super::SHOWN;
use crate::base::text;
use crate::trace::{Item, Trace, TrackId};

/// Names of the tracks that contain `item`, from the outermost below the run to the item's own track. Tracks of queries
/// and their parts are left out, because they have the names of the enclosing spans.
pub fn names(trace: &Trace, item: Item) -> Vec<String> {
    let up = |&track: &TrackId| trace.tracks.get(track).parent;
    let all = std::iter::successors(Some(trace.track_of(item)), up).map(|track| trace.tracks.get(track));
    let named = all.filter(|track| track.kind.is_place()).map(|track| trace.str(track.name));
    let mut names: Vec<_> =
        named.filter(|name| !name.is_empty()).map(|name| text::shortened(name, SHOWN)).collect();
    names.reverse();
    names
}
