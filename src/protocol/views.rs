//! What a timeline or flame graph is asked by, and what is known of it beside the scene itself.

use serde::{Deserialize, Serialize};

use super::{TrackExpansion, TrackKey};

/// Which picture.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ViewSpec {
    /// The kind of picture, with its own choices.
    pub kind: ViewKind,
    /// What colours tell apart.
    pub color: ColorBy,
    /// Which tracks somebody expanded or collapsed.
    pub expansion: TrackExpansion,
}

impl ViewSpec {
    /// A picture in which nobody expanded or collapsed a track.
    #[must_use]
    pub fn new(kind: ViewKind, color: ColorBy) -> Self {
        Self { kind, color, expansion: TrackExpansion::default() }
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
    pub path: Vec<FrameDimension>,
    /// What the width measures.
    pub weight: FrameWeight,
    /// The frame that fills the width: its labels from the root; empty for all.
    pub focus: Vec<String>,
    /// Only what starts in this interval.
    pub range: Option<(i64, i64)>,
    /// Names of the arguments that `path` and `weight` point at.
    pub arguments: Vec<String>,
}

/// What frames are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FrameDimension {
    Run,
    /// The statement with its literals replaced.
    SqlShape,
    Query,
    Database,
    Connector,
    Datasource,
    CommandType,
    BufferType,
    Outcome,
    Process,
    Thread,
    Category,
    /// The name of a slice.
    Name,
    /// An argument, by its place in [`MergedSpec::arguments`].
    Argument(u8),
    /// The name, inside the names of everything that it lies in: a frame for each, so it comes last in every path.
    Stack,
}

/// What the width of a merged frame measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FrameWeight {
    /// Time of the frame's own spans, whatever they waited for.
    Time,
    /// Time that no child accounts for.
    SelfTime,
    RowsRead,
    RowsReturned,
    Bytes,
    Count,
    /// A number among the arguments, by its place in [`MergedSpec::arguments`].
    Argument(u8),
}

/// Where an item is in a view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Located {
    /// Its start.
    pub start: i64,
    /// Its end.
    pub end: i64,
    /// Top of its row, in CSS pixels from the top of the content.
    pub top: f64,
    /// Height of its row.
    pub height: f32,
    /// Tracks that hid it and were expanded.
    pub expanded: Vec<TrackKey>,
}

/// Which names the colours stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Legend {
    /// Colour slots with their names. Names that share a slot have an entry each.
    pub entries: Vec<(u16, String)>,
    /// How many more names there are.
    pub more: u32,
    /// Whether anything has failed, which is hatched.
    pub failed: bool,
}

/// An arrow between two bars, in nanoseconds and CSS pixels from the top of the content.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Arrow {
    /// When it leaves.
    pub leaves: i64,
    /// The middle of the row that it leaves.
    pub from: f64,
    /// When it arrives.
    pub arrives: i64,
    /// The middle of the row in which it arrives.
    pub to: f64,
    /// Whether one of its ends is the span itself; else it is further up or down the chain.
    pub direct: bool,
}

/// The arrows of a span.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Arrows {
    /// The nearest first.
    pub list: Vec<Arrow>,
    /// How many more there are in the chain.
    pub more: u32,
}

/// A direction for the keyboard's focus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FocusMove {
    /// The sibling before; where there is none, what stands before in the row.
    Previous,
    /// The sibling behind; where there is none, what stands behind in the row.
    Next,
    /// The parent; where there is none, the nearest in time of the track above.
    Parent,
    /// The first child; where there is none, the nearest in time of the track below.
    Child,
    /// The next of those that take no time and lie on each other, from the topmost down.
    Beneath,
}

impl FrameDimension {
    /// Display name of the dimension.
    pub fn name(self) -> &'static str {
        match self {
            FrameDimension::Run => "run",
            FrameDimension::SqlShape => "SQL shape",
            FrameDimension::Query => "query",
            FrameDimension::Database => "database",
            FrameDimension::Connector => "connector",
            FrameDimension::Datasource => "datasource",
            FrameDimension::CommandType => "command type",
            FrameDimension::BufferType => "buffer type",
            FrameDimension::Outcome => "outcome",
            FrameDimension::Process => "process",
            FrameDimension::Thread => "thread",
            FrameDimension::Category => "category",
            FrameDimension::Name => "name",
            FrameDimension::Argument(_) => "argument",
            FrameDimension::Stack => "call",
        }
    }
}

impl FrameWeight {
    /// Display name of the weight.
    pub fn name(self) -> &'static str {
        match self {
            FrameWeight::Time => "time",
            FrameWeight::SelfTime => "self time",
            FrameWeight::RowsRead => "rows read",
            FrameWeight::RowsReturned => "rows returned",
            FrameWeight::Bytes => "bytes",
            FrameWeight::Count => "count",
            FrameWeight::Argument(_) => "argument",
        }
    }
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
