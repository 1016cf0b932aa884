//! Views as data: this module computes what to draw, and never draws.
//!
//! ```text
//! trace ─ content ─ lane ──┐                       rows of bars and points, each with an index over it
//!       ├ rows ── gantt ───┤                       which rows there are, and where
//!       └ packed_layout ───┴─ scene_builder ─→ Scene ─ bytes ─→ page ─ hit
//! ```
//! The cost of a scene depends on the number of pixels, not of spans: see `lane.rs`.

mod arranged_tracks;
#[cfg(test)]
mod arranged_tracks_tests;
mod arrows;
mod bar_layout;
mod bytes;
mod color;
mod content;
mod counter;
mod folds;
mod gantt;
mod hit;
mod label;
mod lane;
mod levels;
pub mod merged;
mod metrics;
mod minimap;
mod neighbour;
mod notes;
mod offscreen_hints;
mod packed;
mod packed_layout;
mod palette;
mod rows;
pub mod ruler;
mod scene;
mod scene_builder;
mod scene_cache;
mod side_by_side;
mod texts;
mod theme;
mod track_keys;

pub use arranged_tracks::{track_counts, track_move};
pub use bar_layout::{BarEdges, FADE, HATCH, LABEL_SIZE, LabelPlace, RADIUS, heading_detail, note_of};
pub use color::{Color, LABEL_CONTRAST, Paint};
pub use hit::{Hit, HitTarget, Transform};
pub use neighbour::neighbour;
pub use offscreen_hints::OffscreenHint;
pub use scene::{BarStyle, Fold, Rect, Scene, SceneMark, SceneRow};
pub use scene_cache::SceneCache;
pub use theme::{SLOT_NAMES, SceneTheme, TOKENS};
pub(crate) use track_keys::tracks;
