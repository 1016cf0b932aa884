//! The part of an address that stores hidden, moved and filtered tracks, and what counters show. Tracks are hashes.

use queryscope::protocol::{CounterView, TrackKey};

use crate::state::{MOST_HIDDEN, Nav};

/// Applies one name-value pair of an address; returns `false` if the pair is not about the layout of tracks.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let layout = &mut nav.tracks;
    match name {
        "tracks.hidden" => {
            let keys = value.split(',').filter_map(|key| key.parse().ok());
            keys.take(MOST_HIDDEN).for_each(|key| layout.hide(key, true));
        }
        "tracks.moved" => {
            let read = |part: &str| {
                let (key, index) = part.rsplit_once('-')?;
                Some((key.parse().ok()?, index.parse().ok()?))
            };
            layout.moves = value.split(',').filter_map(read).take(MOST_HIDDEN).collect();
        }
        "tracks.name" => value.clone_into(&mut layout.name),
        "counters" => {
            let has = |word: &str| value.split(',').any(|part| part == word);
            nav.counters = CounterView { rate: has(RATE), common_scale: has(COMMON), stacked: has(STACKED) };
        }
        _ => return false,
    }
    true
}

const RATE: &str = "rate";
const COMMON: &str = "common-scale";
const STACKED: &str = "stacked";

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let layout = &nav.tracks;
    let moves = layout.moves.iter().map(|(key, index)| format!("{key}-{index}"));
    let counters =
        [(nav.counters.rate, RATE), (nav.counters.common_scale, COMMON), (nav.counters.stacked, STACKED)];
    let counters = counters.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| (*word).to_owned());
    for (name, value) in [
        ("tracks.hidden", layout.hidden.iter().map(TrackKey::to_string).collect::<Vec<_>>().join(",")),
        ("tracks.moved", moves.collect::<Vec<_>>().join(",")),
        ("tracks.name", layout.name.clone()),
        ("counters", counters.collect::<Vec<_>>().join(",")),
    ] {
        if !value.is_empty() {
            add(name, &value);
        }
    }
}
