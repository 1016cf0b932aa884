//! Texts about hidden, moved and filtered tracks, and about counters.

use queryscope::internal::text;
use queryscope::protocol::{TrackCounts, TrackMoved};

pub const FILTER: &str = "Filter tracks";
pub const FILTER_LABEL: &str = "Filter tracks by name or statement";
pub const HIDDEN: &str = "Hidden tracks";
pub const SHOW_ALL: &str = "Show all";
pub const SHOW_ALL_TITLE: &str = "Show all hidden tracks again and clear the filter of tracks";
pub const RESET_ORDER: &str = "Reset order";
pub const RESET_ORDER_TITLE: &str = "Undo all moves of tracks";
pub const PIN: &str = "Pin";
pub const UNPIN: &str = "Unpin";
pub const HIDE: &str = "Hide";
pub const MOVE_UP: &str = "Move up";
pub const MOVE_DOWN: &str = "Move down";
pub const CLOSE: &str = "Close menu";
pub const MENU: &str = "Menu of the track";
pub const SHOWN_AGAIN: &str = "Track shown again.";
pub const WAS_HIDDEN: &str = "The span is on a track that was hidden.";
pub const WAS_FILTERED: &str = "The filter of tracks was cleared, because it hid the span.";
pub const NO_SELECTION: &str = "Select a span to open the menu of its track.";
pub const FULL: &str = "Too many hidden or moved tracks.";
pub const COUNTERS: &str = "Counters";
pub const VALUE: &str = "Value";
pub const RATE: &str = "Rate";
pub const RATE_TITLE: &str =
    "Change per second until the next sample. A counter that only grows has no rate where it resets.";
pub const COMMON_SCALE: &str = "Common scale";
pub const STACKED: &str = "Stacked";
pub const STACKED_TITLE: &str = "Counters of one parent with the same unit are stacked in one row, except those with negative values or rates.";
pub const COMMON_SCALE_TITLE: &str = "Counters of one parent with the same unit share one scale.";

/// Numbers of filtered tracks.
pub fn matching(counts: &TrackCounts) -> String {
    format!("{} of {}", text::count(counts.matching.into()), tracks(counts.total))
}

/// Number of hidden tracks.
pub fn hidden(count: u32) -> String {
    format!("{} hidden", tracks(count))
}

fn tracks(count: u32) -> String {
    text::counted(count.into(), "track", "tracks")
}

pub fn show_again(name: &str) -> String {
    format!("Show {name} again")
}

pub fn more(count: usize) -> String {
    format!("and {} more", text::count(count as i64))
}

/// Position of a track among its siblings.
pub fn position(moved: &TrackMoved) -> String {
    format!("{} of {}", text::count(moved.position.into()), text::count(moved.siblings.into()))
}

/// Announcement of a move.
pub fn moved(moved: &TrackMoved) -> String {
    format!("{}: {}", moved.name, position(moved))
}

pub fn full(most: usize) -> String {
    format!("At most {most} tracks can be hidden or moved. Show some again, or reset the order.")
}
