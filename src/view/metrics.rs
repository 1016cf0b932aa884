//! Heights of rows and of the bars in them, in CSS pixels.

use super::scene_builder::BarPlace;
use crate::trace::{Kind, TrackKind};

/// Height of a run's header row.
pub(super) const HEADER: f32 = 28.0;
/// Height of the row of a closed run, which shows when the run is active.
pub(super) const ACTIVITY: f32 = 20.0;
/// Height of a row of the flame graph in time order.
pub(super) const FLAME: f32 = 18.0;
/// Gap between the groups of a flame graph.
pub(super) const FLAME_GAP: f32 = 6.0;
/// Height drawn above and below the visible area: about six rows.
pub(super) const OVERSCAN: f32 = 132.0;

/// Returns the height of one row of a track's spans.
pub(super) fn height(kind: TrackKind) -> f32 {
    match kind {
        TrackKind::Run => ACTIVITY,
        TrackKind::Query => 24.0,
        TrackKind::Source => 20.0,
        TrackKind::Execution => 22.0,
        TrackKind::Buffer => 18.0,
        TrackKind::Other => 20.0,
        TrackKind::Process => 20.0,
        TrackKind::Thread | TrackKind::Async => 18.0,
        TrackKind::Counter => 32.0,
    }
}

/// Whether the spans of a track are in rows by depth, and its points in the rows of the spans that contain them.
pub(super) fn is_nested(kind: TrackKind) -> bool {
    matches!(kind, TrackKind::Thread | TrackKind::Async)
}

/// Returns the distance of points from the top of their row: half of the row's height; in rows of nested spans, below
/// the labels of the bars.
pub(super) fn points_at(kind: TrackKind) -> f32 {
    if is_nested(kind) { height(kind) - 5.0 } else { height(kind) / 2.0 }
}

/// Returns the number of span rows of a track; the request, query and round trips of a statement share one row.
pub(super) fn rows(kind: TrackKind, lanes: u16) -> u16 {
    if kind == TrackKind::Query { 1 } else { lanes.max(1) }
}

/// Returns the position of the bars of a track whose rows begin at `y`.
pub(super) fn place(track: TrackKind, span: Kind, row: u16, y: f32) -> BarPlace {
    let backdrop = track == TrackKind::Query && span == Kind::Request;
    let row = if track == TrackKind::Query { 0.0 } else { f32::from(row) };
    let y = y + row * height(track);
    let bar = if backdrop { 18.0 } else { 14.0 };
    BarPlace { y: y + (height(track) - bar) / 2.0, height: bar, backdrop, labels: true }
}
