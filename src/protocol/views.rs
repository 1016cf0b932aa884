//! Specifications of timelines and flame graphs, and the data about them that is not part of a scene.

use serde::{Deserialize, Serialize};

use super::{RunSelection, TrackExpansion, TrackKey, TrackLayout};

/// Specification of a timeline or flame graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ViewSpec {
    /// Kind of view, with its options.
    pub kind: ViewKind,
    /// Attribute that determines the colours.
    pub color: ColorBy,
    /// Tracks that the user expanded or collapsed.
    pub expansion: TrackExpansion,
    /// Tracks that the user hid, moved or filtered. Only the arrangement by query takes them into account.
    pub tracks: Box<TrackLayout>,
    /// Options of the strips that show counters.
    pub counters: CounterView,
    /// Filter of the spans and events. Merged flame graphs have their own filter, and two executions side by side have none.
    pub filter: ViewFilter,
}

/// Filter of the spans and events of a timeline or flame graph in time order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ViewFilter {
    /// The filter: see [`super::FilterRequest`]. Empty for none; one that is not valid has no effect.
    pub text: String,
    /// Whether spans and events that do not match are hidden; otherwise they are dimmed.
    pub hides: bool,
}

impl ViewFilter {
    /// The filter, if it hides the spans and events that do not match; empty otherwise.
    pub fn hiding(&self) -> &str {
        if self.hides { &self.text } else { "" }
    }
}

/// Options of the strips that show counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CounterView {
    /// Whether a strip shows the change per second until the next sample; otherwise the value. No change is shown where
    /// a counter that otherwise only grows was reset.
    pub rate: bool,
    /// Whether counters of one parent with the same unit share one scale.
    pub common_scale: bool,
    /// Whether counters of one parent with the same unit and without negative values are stacked in one row.
    pub stacked: bool,
}

impl ViewSpec {
    /// Creates a view in which no track was expanded, collapsed, hidden or moved by the user.
    #[must_use]
    pub fn new(kind: ViewKind, color: ColorBy) -> Self {
        let (expansion, tracks, counters, filter) = Default::default();
        Self { kind, color, expansion, tracks, counters, filter }
    }
}

/// Kind of view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ViewKind {
    /// Timeline: rows of bars over time.
    Gantt(Arrangement),
    /// Flame graph in time order (nested bars): one query, or the whole trace, packed into few lanes.
    FlameTime {
        /// Item code of the query or of any item in it; `None` for the whole trace.
        query: Option<u32>,
    },
    /// Two executions, one below the other; the axis counts from the start of each.
    SideBySide {
        /// Item code of the root span of the lower execution, new.
        a: u32,
        /// Item code of the root span of the upper execution, base.
        b: u32,
    },
    /// Rows of the pinned tracks, without those of their child tracks; tracks that the trace does not have are left
    /// out.
    Pinned(Vec<TrackKey>),
    /// Merged flame graph: frames grouped along a path. The viewport's interval for the full width is 0..[`MERGED_WIDTH`].
    FlameMerged(MergedSpec),
}

/// Full width of a merged flame graph in the units of its axis. The viewport zooms in these units instead of nanoseconds.
pub const MERGED_WIDTH: i64 = 1_000_000_000;

/// Arrangement of the rows of a timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Arrangement {
    /// One group of rows per query, ordered by start.
    ByQuery,
    /// As few lanes as the concurrency requires.
    Packed,
}

/// Attribute that determines the colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ColorBy {
    Kind,
    Connector,
    Datasource,
    Outcome,
    Query,
}

/// Specification of a merged flame graph: the grouping and the width of its frames.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MergedSpec {
    /// Dimensions that group the frames, from the root outwards.
    pub path: Vec<FrameDimension>,
    /// Quantity that determines the width of a frame.
    pub weight: FrameWeight,
    /// Focused frame, which fills the width: its labels from the root. Empty to focus the root.
    pub focus: Vec<String>,
    /// If set, only items that start in this interval, in nanoseconds.
    pub range: Option<(i64, i64)>,
    /// Names of the arguments that `path` and `weight` refer to by index.
    pub arguments: Vec<String>,
    /// Form of the call stacks. Without [`FrameDimension::Stack`] in `path`, it has no effect.
    pub stacks: StackForm,
    /// Names, or hashes of names, of hidden calls: calls without a frame, whose values count at their callers.
    pub hidden: Vec<String>,
    /// Whether a call whose caller has the same name gets no frame of its own.
    pub collapse_recursion: bool,
    /// If set, the difference of two sides is shown; `range` and the dimension of runs are then ignored.
    pub difference: Option<Box<MergedDifference>>,
    /// Filter: only spans and events that match, or have a match around them, count. Empty for all.
    pub filter: String,
}

/// Form of the call stacks in a merged flame graph. Names are texts or their hashes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum StackForm {
    /// Callees below their callers.
    #[default]
    Callees,
    /// Every name with its self time and own values, with callers below callees.
    Inverted,
    /// The outermost calls of one name, with callees below callers.
    CalleesOf(String),
    /// The outermost calls of one name, with callers below callees.
    CallersOf(String),
}

/// Sides of a difference flame graph, whose frames are aligned by their labels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MergedDifference {
    /// The side to compare with.
    pub base: RunSelection,
    /// The side that is compared.
    pub new: RunSelection,
    /// Whether frames are as wide as their values on the base side; otherwise on the new side.
    pub width_by_base: bool,
}

/// Dimension that groups the frames of a merged flame graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FrameDimension {
    Run,
    /// Statement text with its literals replaced.
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
    /// Name of a slice.
    Name,
    /// Value of an argument, by its index in [`MergedSpec::arguments`].
    Argument(u8),
    /// Call stack: one frame per ancestor name, then the item's own name. Always the last dimension of a path.
    Stack,
}

/// Quantity that determines the width of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FrameWeight {
    /// Total duration of the frame's own spans, including waits.
    #[default]
    Time,
    /// Self time: time not covered by children.
    SelfTime,
    RowsRead,
    RowsReturned,
    Bytes,
    Count,
    /// Numeric argument, by its index in [`MergedSpec::arguments`].
    Argument(u8),
}

/// Position of an item in a view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Located {
    /// Start of the item, in nanoseconds since the run's first event.
    pub start: i64,
    /// End of the item, in nanoseconds since the run's first event.
    pub end: i64,
    /// For an item without duration: start and end of the innermost ancestor with a duration. `None` if there is none, and
    /// for other items.
    pub around: Option<(i64, i64)>,
    /// Top of the item's row, in CSS pixels from the top of the content.
    pub top: f64,
    /// Height of the item's row, in CSS pixels.
    pub height: f32,
    /// Collapsed tracks that were expanded to show the item.
    pub expanded: Vec<TrackKey>,
    /// Hidden tracks that are shown again, because they hid the item.
    pub unhidden: Vec<TrackKey>,
    /// Whether the filter of tracks is removed, because it hid the item.
    pub unfiltered: bool,
    /// Whether the view's filter dims instead of hiding, because it hid the item.
    pub dims_again: bool,
}

/// Names that the colours represent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Legend {
    /// Colour slots with their names. Names that share a slot have one entry each.
    pub entries: Vec<(u16, String)>,
    /// Number of further names that are not listed.
    pub more: u32,
    /// Whether anything failed; failures are hatched.
    pub failed: bool,
}

/// An arrow between two bars.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Arrow {
    /// Time at which the arrow leaves, in nanoseconds.
    pub leaves: i64,
    /// Middle of the row that the arrow leaves, in CSS pixels from the top of the content.
    pub from: f64,
    /// Time at which the arrow arrives, in nanoseconds.
    pub arrives: i64,
    /// Middle of the row at which the arrow arrives, in CSS pixels from the top of the content.
    pub to: f64,
    /// Whether the arrow starts or ends at the requested item; `false` if it is further along the chain of dependencies.
    pub direct: bool,
}

/// Arrows of an item.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Arrows {
    /// Arrows, nearest to the item first.
    pub list: Vec<Arrow>,
    /// Number of further arrows in the chain.
    pub more: u32,
}

/// Direction in which the keyboard focus moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FocusMove {
    /// Previous sibling, or the previous item in the row if there is no such sibling.
    Previous,
    /// Next sibling, or the next item in the row if there is no such sibling.
    Next,
    /// Parent, or the nearest item in time on the track above if there is no parent.
    Parent,
    /// First child, or the nearest item in time on the track below if there is no child.
    Child,
    /// Next item below in a stack of zero-length items that cover each other, starting from the topmost.
    Beneath,
}

impl MergedSpec {
    /// Whether the grouping path ends with call stacks.
    pub fn has_stacks(&self) -> bool {
        self.path.contains(&FrameDimension::Stack)
    }

    /// The weight that widths show: self time instead of time for inverted stacks, because the total times of all names
    /// would count a nested call once for each name.
    pub fn shown_weight(&self) -> FrameWeight {
        match (&self.stacks, self.weight) {
            (StackForm::Inverted, FrameWeight::Time) if self.has_stacks() => FrameWeight::SelfTime,
            (_, weight) => weight,
        }
    }
}

impl StackForm {
    /// Name of the calls with which all stacks begin; `None` if all calls are shown.
    pub fn root(&self) -> Option<&str> {
        match self {
            StackForm::Callees | StackForm::Inverted => None,
            StackForm::CalleesOf(name) | StackForm::CallersOf(name) => Some(name),
        }
    }

    /// Whether callers are below their callees.
    pub fn is_inverted(&self) -> bool {
        matches!(self, StackForm::Inverted | StackForm::CallersOf(_))
    }

    /// Returns this form for calls named `root`, or for all calls if `root` is `None`.
    #[must_use]
    pub fn rooted(&self, root: Option<String>) -> Self {
        Self::new(self.is_inverted(), root)
    }

    /// The form with callers (`is_inverted`) or callees below the calls named `root`, or below all calls.
    #[must_use]
    pub fn new(is_inverted: bool, root: Option<String>) -> Self {
        match (root, is_inverted) {
            (None, false) => StackForm::Callees,
            (None, true) => StackForm::Inverted,
            (Some(name), false) => StackForm::CalleesOf(name),
            (Some(name), true) => StackForm::CallersOf(name),
        }
    }
}

impl Arrangement {
    /// The arrangement that gives an overview of this number of queries: packed if one row per query would be too many.
    pub fn suiting(queries: u32) -> Self {
        if queries > 500 { Self::Packed } else { Self::ByQuery }
    }
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

/// Colour slots. The slots below [`slot::CATEGORY`] have fixed meanings (see also [`crate::trace::Kind::slot`]); from there
/// on, [`slot::CATEGORIES`] slots are assigned to names.
pub mod slot {
    /// Failed, when coloured by outcome.
    pub const FAILED: u16 = 6;
    /// Unfinished, when coloured by outcome.
    pub const UNFINISHED: u16 = 7;
    /// Succeeded, when coloured by outcome.
    pub const OK: u16 = 8;
    /// No name, when coloured by name.
    pub const NONE: u16 = 9;
    /// First slot that is assigned to names.
    pub const CATEGORY: u16 = 16;
    /// Number of slots that are assigned to names.
    pub const CATEGORIES: u16 = 12;
    /// First of [`LEVELS`] slots for frames that are larger on the new side of a difference, from a small to a large
    /// change.
    pub const MORE: u16 = CATEGORY + CATEGORIES;
    /// First of [`LEVELS`] slots for frames that are smaller on the new side of a difference, from a small to a large
    /// change.
    pub const LESS: u16 = MORE + LEVELS;
    /// Number of slots for each direction of a difference.
    pub const LEVELS: u16 = 3;
    /// Number of slots.
    pub const END: u16 = LESS + LEVELS;
}
