//! Where an item lies: the tracks that hold it.

use super::SHOWN;
use crate::base::text;
use crate::trace::{Item, Trace, TrackId};

/// The names of the tracks that hold `item`, from the outermost below the run to its own. Tracks that are a query or a part
/// of one have the names of the spans around the item.
pub fn names(trace: &Trace, item: Item) -> Vec<String> {
    let up = |&track: &TrackId| trace.tracks.get(track).parent;
    let all = std::iter::successors(Some(trace.track_of(item)), up).map(|track| trace.tracks.get(track));
    let named = all.filter(|track| track.kind.is_place()).map(|track| trace.str(track.name));
    let mut names: Vec<_> =
        named.filter(|name| !name.is_empty()).map(|name| text::shortened(name, SHOWN)).collect();
    names.reverse();
    names
}
