//! Pictures as data: what to draw, never drawing.
//!
//! ```text
//! trace ─ content ─ lane ──┐                       rows of bars and points, each with an index over it
//!       ├ rows ── gantt ───┤                       which rows there are, and where
//!       └ packed ─ strips ─┴─ pen ─→ Scene ─ bytes ─→ page ─ hit
//! ```
//! A scene costs pixels, not spans: see `lane.rs`.

mod arrows;
mod bytes;
mod content;
mod counter;
mod expansion;
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
mod packed;
mod palette;
mod pen;
mod pictures;
mod rows;
pub mod ruler;
mod scene;
mod strips;
mod viewport;

use serde::{Deserialize, Serialize};

pub use crate::stats::{Dimension, Weight};
pub use arrows::{Arrow, Arrows};
pub use expansion::{Expansion, TrackKey};
pub use hit::{Hit, Transform, What};
pub use neighbour::{Step, neighbour};
pub use palette::Legend;
pub use pictures::{Located, Pictures};
pub use scene::{Fold, Mark, Rect, Row, Scene, Style};
pub use viewport::{MAX_PIXELS, MIN_SPAN, Viewport};

/// Which picture.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ViewSpec {
    /// The kind of picture, with its own choices.
    pub kind: ViewKind,
    /// What colours tell apart.
    pub color: ColorBy,
    /// Which tracks somebody expanded or collapsed.
    pub expansion: Expansion,
}

impl ViewSpec {
    /// A picture in which nobody expanded or collapsed a track.
    #[must_use]
    pub fn new(kind: ViewKind, color: ColorBy) -> Self {
        Self { kind, color, expansion: Expansion::default() }
    }
}

/// The kinds of pictures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ViewKind {
    /// Rows of bars over time.
    Gantt(Arrangement),
    /// Nested bars in time order: one query (the item that is or is in it), or everything, packed.
    FlameTime {
        /// An item of the query; `None` for the whole trace.
        query: Option<u32>,
    },
    /// Frames grouped along a path; the viewport's interval is 0..[`MERGED_WIDTH`] for the whole width.
    FlameMerged(MergedSpec),
}

/// The width of a merged flame graph in units of its own axis: the viewport zooms in it as it does in time.
pub const MERGED_WIDTH: i64 = 1_000_000_000;

/// How the Gantt view arranges its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Arrangement {
    /// One group of rows per query, in start order.
    ByQuery,
    /// As few lanes as the concurrency needs.
    Packed,
}

/// What colours tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ColorBy {
    Kind,
    Connector,
    Datasource,
    Outcome,
    Query,
}

/// A merged flame graph: what its frames are grouped by, and what their width is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MergedSpec {
    /// From the root outwards.
    pub path: Vec<Dimension>,
    /// What the width measures.
    pub weight: Weight,
    /// The frame that fills the width: its labels from the root; empty for all.
    pub focus: Vec<String>,
    /// Only what starts in this interval.
    pub range: Option<(i64, i64)>,
    /// Names of the arguments that `path` and `weight` point at.
    pub arguments: Vec<String>,
}

/// Colour slots: those of [`crate::trace::Kind::slot`], from [`slot::CATEGORY`] on
/// [`slot::CATEGORIES`] slots for names.
pub mod slot {
    /// Failed, where colours tell outcomes apart.
    pub const FAILED: u16 = 6;
    /// Unfinished, where colours tell outcomes apart.
    pub const UNFINISHED: u16 = 7;
    /// Succeeded, where colours tell outcomes apart.
    pub const OK: u16 = 8;
    /// Without a name, where colours tell names apart.
    pub const NONE: u16 = 9;
    /// The first of the slots for names.
    pub const CATEGORY: u16 = 16;
    /// How many there are.
    pub const CATEGORIES: u16 = 12;
}
