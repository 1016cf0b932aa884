//! What is looked at: all of it, and nothing else, is in the address of a link and in the steps of Back and Forward.

use queryscope::protocol::{
    Arrangement, ColorBy, CompareView, FrameWeight, MergedSpec, PivotSpec, PivotView, QueryList, TableView,
    TrackExpansion, Viewport,
};

use super::Tab;

/// What is looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Nav {
    /// The tab.
    pub tab: Tab,
    /// How the Gantt view arranges its rows.
    pub arrangement: Arrangement,
    /// Whether that was chosen, by the user or an address; else it goes by the trace's size.
    pub arrangement_chosen: bool,
    /// Which tracks somebody expanded or collapsed.
    pub expansion: TrackExpansion,
    /// What colours tell apart.
    pub color: ColorBy,
    /// Colour slots of which the bars stand out; none: all are alike.
    pub only: Vec<u16>,
    /// Which arrows of the selection are drawn.
    pub arrows: ArrowsShown,
    /// Which flame graph.
    pub flame: Flame,
    /// What merged frames are grouped by, and weigh: see [`super::State::grouping`].
    pub merged: MergedSpec,
    /// The pivot table. Its range is `range`.
    pub pivot: PivotView,
    /// The side table that is looked at.
    pub table: TableView,
    /// Which executions stand beside each other.
    pub compare: CompareView,
    /// Order and filter of the query list, once somebody chose one. Its range is `range`.
    pub queries: Option<QueryList>,
    /// The selected item's code.
    pub selection: Option<u32>,
    /// The time range that everything is narrowed to: nanoseconds since the runs' first events.
    pub range: Option<(i64, i64)>,
    /// What the timeline shows, told a moment after it came to rest.
    pub viewport: Option<Viewport>,
    /// The text that is searched for.
    pub search: String,
}

impl Default for Nav {
    fn default() -> Self {
        Self {
            tab: Tab::Gantt,
            arrangement: Arrangement::ByQuery,
            arrangement_chosen: false,
            expansion: TrackExpansion::default(),
            color: ColorBy::Kind,
            only: Vec::new(),
            arrows: ArrowsShown::Chain,
            flame: Flame::Time(None),
            merged: default_merged(),
            pivot: default_pivot(),
            table: TableView::default(),
            compare: CompareView::default(),
            queries: None,
            selection: None,
            range: None,
            viewport: None,
            search: String::new(),
        }
    }
}

impl Nav {
    /// Leaves what belongs to one trace; how things are shown stays.
    pub fn forget_trace(&mut self) {
        (self.viewport, self.range, self.search) = (None, None, String::new());
        self.table = TableView::default();
        (self.expansion, self.only) = (TrackExpansion::default(), Vec::new());
    }

    /// Whether it is a step away from another one, which Back returns to: another tab, selection, time range, flame graph or
    /// side table. Panning, zooming, expanding tracks, typing and sorting change the step that was made last.
    pub fn is_step_from(&self, other: &Self) -> bool {
        let place = |nav: &Self| {
            let focus = nav.merged.focus.clone();
            (nav.tab, nav.selection, nav.range, nav.flame, focus, nav.table.table)
        };
        place(self) != place(other)
    }
}

/// Which arrows of the selection are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ArrowsShown {
    /// Those that lead to it, and those that lead on from there, to the end.
    #[default]
    Chain,
    /// Those that begin or end at it.
    Direct,
}

impl ArrowsShown {
    /// The other choice.
    pub fn other(self) -> Self {
        match self {
            Self::Chain => Self::Direct,
            Self::Direct => Self::Chain,
        }
    }
}

/// The flame graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flame {
    /// In time order: the query that holds the item, or everything.
    Time(Option<u32>),
    /// Grouped along a path.
    Merged,
}

/// By what suits the trace, by time.
pub fn default_merged() -> MergedSpec {
    let path = Vec::new();
    let arguments = Vec::new();
    let focus = Vec::new();
    MergedSpec { path, weight: FrameWeight::Time, focus, range: None, arguments }
}

/// By kind and name: how many, and where the time went.
pub fn default_pivot() -> PivotView {
    pivot_of("kind, name", "count, sum, sum(self time), avg, p95, max", "")
}

/// Where spans are instructions of plans: the functions that they call by their modules, and what those made.
pub(super) fn functions() -> PivotView {
    pivot_of("category, name", "count, sum, sum(self time), max, sum(rows out), sum(bytes)", "kind = slice")
}

/// Where a database server names what it did and sums it up: its own numbers, by its own names.
pub(super) fn instruments() -> PivotView {
    pivot_of("kind, event name", "server count, server sum, server avg, server max, sum(self time), p95", "")
}

fn pivot_of(by: &str, measures: &str, filter: &str) -> PivotView {
    let [by, measures, filter] = [by, measures, filter].map(str::to_owned);
    let spec = PivotSpec { by, measures, filter, ..PivotSpec::default() };
    PivotView { spec, sort: Some(1), descending: true, ..PivotView::default() }
}
