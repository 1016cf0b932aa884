//! Heights of rows and of the bars in them, in CSS pixels.

use super::scene_builder::BarPlace;
use crate::trace::{Kind, TrackKind};

/// The row that says what a run is.
pub(super) const HEADER: f32 = 28.0;
/// The row of a run that is closed: when something is going on in it.
pub(super) const ACTIVITY: f32 = 20.0;
/// A row of the flame graph in time order.
pub(super) const FLAME: f32 = 18.0;
/// Between the groups of a flame graph.
pub(super) const FLAME_GAP: f32 = 6.0;
/// What is drawn above and below the visible rows: about six of them.
pub(super) const OVERSCAN: f32 = 132.0;

/// The height of one row of a track's spans.
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

/// Whether the spans of a track nest in rows by their depth, and its points lie in the rows of what they are in.
pub(super) fn is_nested(kind: TrackKind) -> bool {
    matches!(kind, TrackKind::Thread | TrackKind::Async)
}

/// Where the points of a row are, from its top: in the middle, but below the labels of bars that nest.
pub(super) fn points_at(kind: TrackKind) -> f32 {
    if is_nested(kind) { height(kind) - 5.0 } else { height(kind) / 2.0 }
}

/// How many rows of spans a track is drawn with: the request, the query and the rounds of a statement share one.
pub(super) fn rows(kind: TrackKind, lanes: u16) -> u16 {
    if kind == TrackKind::Query { 1 } else { lanes.max(1) }
}

/// Where the bars of a track go whose row begins at `y`.
pub(super) fn place(track: TrackKind, span: Kind, row: u16, y: f32) -> BarPlace {
    let backdrop = track == TrackKind::Query && span == Kind::Request;
    let row = if track == TrackKind::Query { 0.0 } else { f32::from(row) };
    let y = y + row * height(track);
    let bar = if backdrop { 18.0 } else { 14.0 };
    BarPlace { y: y + (height(track) - bar) / 2.0, height: bar, backdrop, labels: true }
}
