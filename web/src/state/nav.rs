//! State of the views: exactly the content of a link's address and of a step of Back and Forward.

use queryscope::protocol::{
    Arrangement, BufferMeasure, BufferQueryList, ColorBy, CompareView, CompareWith, CounterView,
    ExecutionList, MergedSpec, PivotSpec, PivotView, QueryList, RangeRequest, ShapeList, SourceExecutionList,
    SourceList, TableView, TrackExpansion, TrackKey, TrackLayout, TransactionList, TrendChoice, ViewFilter,
    Viewport,
};

use super::note::UserNote;
use super::runs::{CompareMode, RunsView};
use super::{AreaView, OverviewView, Tab, Theme};

/// Maximum number of tables whose order is remembered.
const MOST_ORDERS: usize = 32;
/// Maximum number of gathered items.
pub const MOST_PICKED: usize = 500;
/// Maximum number of hidden tracks, and of moves of tracks, in the state and in a link.
pub const MOST_HIDDEN: usize = 200;
/// Maximum number of pinned tracks.
pub const MOST_PINS: usize = 50;

/// State of the views, as stored in an address.
#[derive(Clone, PartialEq, Debug)]
pub struct Nav {
    /// The current tab.
    pub tab: Tab,
    /// Row arrangement of the Gantt view.
    pub arrangement: Arrangement,
    /// Whether the user or an address chose the arrangement; if not, it depends on the trace's size.
    pub arrangement_chosen: bool,
    /// Tracks that the user expanded or collapsed.
    pub expansion: TrackExpansion,
    /// Tracks that stay above the rows while these scroll, in the order in which they were pinned.
    pub pins: Vec<TrackKey>,
    /// Tracks that the user hid, moved or filtered by name.
    pub tracks: TrackLayout,
    /// Settings of counters: value or rate, common scale, and stacking.
    pub counters: CounterView,
    /// Attribute that determines the colours of bars.
    pub color: ColorBy,
    /// Colour slots whose bars are highlighted while all other bars are pale; empty for no highlight.
    pub only: Vec<u16>,
    /// Which arrows of the selection are drawn.
    pub arrows: ArrowsShown,
    /// Whether the critical path of the selection is marked in the timeline.
    pub marks_path: bool,
    /// Which flame graph is shown.
    pub flame: Flame,
    /// Grouping and weight of the merged flame graph: see [`super::State::grouping`].
    pub merged: MergedSpec,
    /// The part of the merged flame graph that is shown, of 0..[`queryscope::protocol::MERGED_WIDTH`]; `None` for all of it.
    pub merged_part: Option<(i64, i64)>,
    /// The part of the compared executions' timelines that is shown, in nanoseconds since the start of each; `None` for all of it.
    pub side_part: Option<(i64, i64)>,
    /// The pivot table, whose time range is in `range`.
    pub pivot: PivotView,
    /// The side table that is shown.
    pub table: TableView,
    /// The SQL statement in the editor. It runs only on the user's command.
    pub sql: String,
    /// Whether SQL reads the open trace of a data set, instead of the whole data set.
    pub sql_of_trace: bool,
    /// Columns of the result's chart, to the right and upwards, by hashes of their names; `None` without a chart.
    pub sql_chart: Option<(u32, u32)>,
    /// Grouping, measure, engine and group of the trends of a data set.
    pub trends: TrendChoice,
    /// Whether the side table shows its values as recorded.
    pub raw_values: bool,
    /// Order of the transaction list. Its time range is in `range`.
    pub transactions: TransactionList,
    /// State of the statements tab.
    pub statements: StatementsView,
    /// State of the overview.
    pub overview: OverviewView,
    /// State of the sources tab.
    pub sources: SourcesView,
    /// Orders of the tables whose rows the page sorts, in the order in which they were chosen.
    pub orders: Vec<TableOrder>,
    /// The executions that are compared.
    pub compare: CompareView,
    /// State of the comparison of runs.
    pub runs: RunsView,
    /// The filter of all views that list or draw spans; empty for none.
    pub filter: String,
    /// Whether timelines hide spans and events that do not match the filter; otherwise they dim them.
    pub hides_rest: bool,
    /// Order of the query list, `None` until the user chooses one. Its time range and filter are in `range` and `filter`.
    pub queries: Option<QueryList>,
    /// Code of the selected item.
    pub selection: Option<u32>,
    /// Time range of all views, in nanoseconds since each run's first event; `None` for the whole trace.
    pub range: Option<(i64, i64)>,
    /// The selected area, whose time range is `range`.
    pub area: AreaView,
    /// Codes of the items that the user gathered, in the order of choice; empty for none.
    pub picked: Vec<u32>,
    /// Viewport of the timeline, updated a moment after it stopped moving.
    pub viewport: Option<Viewport>,
    /// The search text.
    pub search: String,
    /// The user's notes, in the order in which they were written.
    pub notes: Vec<UserNote>,
    /// Theme that the user chose in this view; `None` for the theme that the browser stored.
    pub theme: Option<Theme>,
}

/// State of the statements tab: the list of shapes, or one shape with its executions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StatementsView {
    /// Order of the list of shapes.
    pub list: ShapeList,
    /// The shape that is shown, with the order and selection of its executions; `None` for the list.
    pub executions: Option<ExecutionList>,
}

/// State of the sources tab. The time range of its lists is in [`Nav::range`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourcesView {
    /// Grouping and order of the list of sources.
    pub list: SourceList,
    /// The group whose executions are shown, with their order; `None` for the lists.
    pub executions: Option<SourceExecutionList>,
    /// Measure of the chart of buffer events.
    pub measure: BufferMeasure,
    /// Whether the chart of buffer events shows the sums since the start.
    pub cumulative: bool,
    /// Order of the list of queries with buffer events.
    pub queries: BufferQueryList,
}

/// Order of a table whose rows the page sorts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableOrder {
    /// Id of the table.
    pub table: String,
    /// Index of the column, from 0.
    pub column: u32,
    /// Whether the largest value is first.
    pub descending: bool,
}

impl Default for Nav {
    fn default() -> Self {
        Self {
            filter: String::new(),
            hides_rest: false,
            tab: Tab::Gantt,
            arrangement: Arrangement::ByQuery,
            arrangement_chosen: false,
            expansion: TrackExpansion::default(),
            pins: Vec::new(),
            tracks: TrackLayout::default(),
            counters: CounterView::default(),
            color: ColorBy::Kind,
            only: Vec::new(),
            arrows: ArrowsShown::Chain,
            marks_path: false,
            flame: Flame::Time(None),
            merged: default_merged(),
            merged_part: None,
            side_part: None,
            pivot: default_pivot(),
            table: TableView::default(),
            sql: String::new(),
            sql_of_trace: false,
            sql_chart: None,
            trends: TrendChoice::default(),
            raw_values: false,
            transactions: TransactionList::default(),
            statements: StatementsView::default(),
            overview: OverviewView::default(),
            sources: SourcesView::default(),
            orders: Vec::new(),
            compare: CompareView::default(),
            runs: RunsView::default(),
            queries: None,
            selection: None,
            range: None,
            area: AreaView::default(),
            picked: Vec::new(),
            viewport: None,
            search: String::new(),
            notes: Vec::new(),
            theme: None,
        }
    }
}

impl Nav {
    /// Resets the settings that belong to one trace; display settings stay.
    pub fn forget_trace(&mut self) {
        (self.viewport, self.range, self.search) = (None, None, String::new());
        self.table = TableView::default();
        (self.expansion, self.only) = (TrackExpansion::default(), Vec::new());
        self.statements.executions = None;
        self.sources.executions = None;
        self.runs = RunsView::default();
        self.merged.difference = None;
        self.merged_part = None;
        self.side_part = None;
        self.area = AreaView::default();
        self.pins.clear();
        self.picked.clear();
        self.tracks = TrackLayout::default();
        self.notes.clear();
    }

    /// Sets the compared executions. A new execution A switches the compare tab from runs to executions.
    pub fn compare_executions(&mut self, compare: CompareView) {
        if compare.a.is_some() && compare.a != self.compare.a {
            self.runs.chosen_mode = Some(CompareMode::Executions);
        }
        self.compare = compare;
    }

    /// Sets the state of the comparison of runs. If the sides change, the compared executions are reset.
    pub fn compare_runs(&mut self, view: RunsView) {
        if (&view.base, &view.new) != (&self.runs.base, &self.runs.new) {
            self.forget_compared();
            self.compare.b = CompareWith::Typical;
        }
        self.runs = view;
    }

    /// Resets the compared executions; the display settings of the comparison stay.
    pub fn forget_compared(&mut self) {
        if self.flame == Flame::SideBySide && self.compare.a.is_some() {
            self.side_part = None;
        }
        self.compare.a = None;
        if let CompareWith::Item(_) = self.compare.b {
            self.compare.b = CompareWith::Typical;
        }
    }

    /// Sets the time range; without one, no area is selected.
    pub fn set_range(&mut self, range: Option<(i64, i64)>) {
        let range = range.filter(|(start, end)| start < end);
        if range.is_none() {
            self.area.tracks.clear();
        }
        if range != self.range {
            // Groups are numbered in the order in which they occur in the range.
            self.area.spans = None;
        }
        self.range = range;
    }

    /// Sets the filter of all views.
    pub fn set_filter(&mut self, filter: String) {
        if filter != self.filter {
            // As for a time range.
            self.area.spans = None;
        }
        self.filter = filter;
    }

    /// Item codes of the executions A and B that timelines compare; `u32::MAX`, which is no item's code, for an execution that is not chosen.
    pub fn side_by_side(&self) -> [u32; 2] {
        let b = if let CompareWith::Item(item) = self.compare.b { Some(item) } else { None };
        [self.compare.a, b].map(|item| item.unwrap_or(u32::MAX))
    }

    /// Whether tracks are hidden or filtered, or spans are hidden by the filter.
    pub fn hides_items(&self) -> bool {
        !self.tracks.hidden.is_empty()
            || !self.tracks.name.is_empty()
            || !self.view_filter().hiding().is_empty()
    }

    /// The request of the sums of the selected time range; `None` without a range.
    pub fn range_request(&self) -> Option<RangeRequest> {
        let (start, end) = self.range?;
        Some(RangeRequest { start, end, filter: self.filter.clone() })
    }

    /// The filter of timelines.
    pub fn view_filter(&self) -> ViewFilter {
        ViewFilter { text: self.filter.clone(), hides: self.hides_rest }
    }

    /// Gathers an item, or removes it. The first item is gathered together with the selected one.
    pub fn pick(&mut self, item: u32) {
        if self.picked.is_empty() {
            self.picked.extend(self.selection.filter(|selected| *selected != item));
        }
        match self.picked.iter().position(|picked| *picked == item) {
            Some(at) => drop(self.picked.remove(at)),
            None if self.picked.len() < MOST_PICKED => self.picked.push(item),
            None => {}
        }
        self.area.spans = None;
    }

    /// Pins a track above the rows, or removes the pin.
    pub fn pin(&mut self, track: TrackKey, pinned: bool) {
        // There is one SQL result in the timeline.
        self.pins.retain(|key| *key != track && !(pinned && key.is_of_result() && track.is_of_result()));
        if pinned && self.pins.len() < MOST_PINS {
            self.pins.push(track);
        }
    }

    /// Replaces the text of a note; an empty text deletes the note.
    pub fn edit_note(&mut self, at: usize, text: &str) {
        let Some(note) = self.notes.get_mut(at) else { return };
        match UserNote::new(note.target, text) {
            Some(edited) => *note = edited,
            None => drop(self.notes.remove(at)),
        }
    }

    /// Sets the order of a table whose rows the page sorts; `None` for its original order.
    pub fn order(&mut self, table: &str, order: Option<(u32, bool)>) {
        self.orders.retain(|order| order.table != table);
        let added =
            order.map(|(column, descending)| TableOrder { table: table.to_owned(), column, descending });
        self.orders.extend(added);
        // The page has fewer tables, a link may name any number.
        self.orders.drain(..self.orders.len().saturating_sub(MOST_ORDERS));
    }

    /// Whether a change from `other` to `self` is a new step of the history, to which Back can return: they differ in tab, selection, time
    /// range, area, gathered items, counters, flame graph or side table; in focus, stacks or sides of the merged flame graph; in hidden, moved
    /// or filtered tracks; in whether the filter hides or dims; in the compared runs, their group, or the executions in timelines; in the opened
    /// shape or source; or in the settings of the overview or the trends. Other changes (panning, zooming, expanding tracks, typing, sorting) only update the latest step.
    pub fn is_step_from(&self, other: &Self) -> bool {
        let place = |nav: &Self| {
            let MergedSpec { focus, stacks, hidden, collapse_recursion, difference, .. } = nav.merged.clone();
            let merged = (nav.flame, focus, stacks, hidden, collapse_recursion, difference);
            let RunsView { chosen_mode, base, new, by, group, .. } = nav.runs.clone();
            let runs = (chosen_mode, base, new, by, group);
            let area = (nav.area.tracks.clone(), nav.area.spans);
            let sides = (nav.flame == Flame::SideBySide).then_some((nav.compare.a, nav.compare.b));
            let flame = (merged, sides);
            // Typing in the filter of tracks is not a step, but setting and clearing the filter are steps.
            let tracks = (nav.tracks.hidden.clone(), nav.tracks.moves.clone(), nav.tracks.name.is_empty());
            let rows = (area, nav.picked.clone(), tracks, nav.counters);
            let shape = nav.statements.executions.as_ref().map(|list| list.shape);
            let source = nav.sources.executions.as_ref().map(|list| list.group);
            let choices = (nav.overview.clone(), nav.trends.clone(), nav.hides_rest, shape, source);
            (nav.tab, nav.selection, nav.range, rows, flame, nav.table.table, runs, choices)
        };
        place(self) != place(other)
    }
}

/// Which arrows of the selection are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ArrowsShown {
    /// All arrows that lead to the selection, and all that follow from it, transitively.
    #[default]
    Chain,
    /// Only arrows that begin or end at the selection.
    Direct,
}

impl ArrowsShown {
    /// The other variant, for a toggle.
    pub fn other(self) -> Self {
        match self {
            Self::Chain => Self::Direct,
            Self::Direct => Self::Chain,
        }
    }
}

/// Which flame graph is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flame {
    /// In time order, for the query that holds the item; `None` for the whole trace.
    Time(Option<u32>),
    /// Merged: frames are grouped along a path.
    Merged,
    /// The compared executions in timelines, one below the other: see [`Nav::compare`].
    SideBySide,
}

/// The initial merged flame graph: the trace's default grouping, weighted by time.
pub fn default_merged() -> MergedSpec {
    MergedSpec::default()
}

/// The default pivot table: count and time by kind and name.
pub fn default_pivot() -> PivotView {
    pivot_of("kind, name", "count, sum, sum(self time), avg, p95, max", "")
}

/// The pivot table of traces with plans: functions by module, with their rows and bytes.
pub(super) fn functions() -> PivotView {
    pivot_of("category, name", "count, sum, sum(self time), max, sum(rows out), sum(bytes)", "kind = slice")
}

/// The pivot table of servers that sum up their own events: the server's sums by the server's event names.
pub(super) fn instruments() -> PivotView {
    pivot_of("kind, event name", "server count, server sum, server avg, server max, sum(self time), p95", "")
}

fn pivot_of(by: &str, measures: &str, filter: &str) -> PivotView {
    let [by, measures, filter] = [by, measures, filter].map(str::to_owned);
    let spec = PivotSpec { by, measures, filter, ..PivotSpec::default() };
    PivotView { spec, sort: Some(1), descending: true, ..PivotView::default() }
}
