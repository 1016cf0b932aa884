//! State of the page, changed only by actions. One selection and one time range apply to all views.
//!
//! ```text
//! State ┬ load   the open trace and the reading progress
//!       ├ nav    state of the views: exactly the content of an address
//!       └ ui     panels, dialogs, messages
//! ```

mod action;
mod area_view;
mod load;
mod nav;
mod note;
mod overview_view;
mod runs;
mod slice;
mod tab;
#[cfg(test)]
mod tests;
mod ui;

use std::rc::Rc;

use queryscope::internal::filter_text;
use queryscope::protocol::{
    AreaSpec, Arrangement, MergedDifference, MergedSpec, QueryList, TrackExpansion, TrackLayout,
    TransactionList, ViewKind, ViewSpec,
};

use yew::prelude::*;

use crate::client::RecoveryAction;
use crate::messages::{Progress, TraceInfo, TrackedItems};
pub use action::Action;
pub use area_view::{AreaView, MOST_AREA_TRACKS};
pub use load::{Load, OpenDataset, Phase, WantedFiles, WantedTrace};
pub use nav::{
    ArrowsShown, Flame, MOST_HIDDEN, MOST_PICKED, MOST_PINS, Nav, SourcesView, StatementsView, TableOrder,
    default_merged, default_pivot,
};
use nav::{functions, instruments};
use note::add_notes;
pub use note::{MOST_NOTES, NOTE_CHARACTERS, NoteTarget, UserNote, notes_as_text};
pub use overview_view::{OverviewView, TimeDimension, TimeMeasure};
pub use runs::{CompareMode, RunTableView, RunsView};
pub use slice::StateSlice;
pub use tab::{TABS, Tab, TabInfo};
pub use ui::{Controls, Dialog, Jump, JumpZoom, Layout, Notice, Theme, Ui};

/// Sends an action to the state.
pub type Dispatch = UseReducerDispatcher<State>;

/// State of the page, except for what changes with every frame (the timeline's camera, the hover).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The open trace and the reading progress.
    pub load: Load,
    /// State of the views, as stored in an address.
    pub nav: Nav,
    /// Panels, dialogs and messages around the views.
    pub ui: Ui,
}

/// Visibility of the query list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// Hidden.
    None,
    /// Only its heading, which opens the list.
    Heading,
    /// The whole list.
    Open,
}

impl State {
    /// The scene to draw for the current tab; `None` for a tab without a timeline.
    pub fn view(&self) -> Option<ViewSpec> {
        let kind = match self.nav.tab {
            Tab::Gantt => ViewKind::Gantt(self.nav.arrangement),
            Tab::Flame => match self.nav.flame {
                Flame::Time(query) => ViewKind::FlameTime { query },
                Flame::Merged => {
                    let mut grouping = self.grouping();
                    grouping.difference.take_if(|_| self.difference().is_none());
                    ViewKind::FlameMerged(grouping)
                }
                Flame::SideBySide => {
                    let [a, b] = self.nav.side_by_side();
                    ViewKind::SideBySide { a, b }
                }
            },
            _ => return None,
        };
        Some(self.view_of(kind))
    }

    /// The specification of a view with the chosen colours, tracks and counters.
    pub fn view_of(&self, kind: ViewKind) -> ViewSpec {
        let Nav { color, expansion, tracks, counters, .. } = &self.nav;
        let tracks = if self.has_track_rows() { tracks.clone() } else { TrackLayout::default() };
        let (expansion, tracks) = (expansion.clone(), Box::new(tracks));
        let filter = self.nav.view_filter();
        ViewSpec { kind, color: *color, expansion, tracks, counters: *counters, filter }
    }

    /// Whether the rows of the current view are tracks, which can be hidden and moved.
    pub fn has_track_rows(&self) -> bool {
        self.nav.tab == Tab::Gantt && self.nav.arrangement == Arrangement::ByQuery
    }

    /// The theme to show: the user's choice in this viewer, or else the stored choice.
    pub fn theme(&self) -> Theme {
        self.nav.theme.unwrap_or(self.ui.theme)
    }

    /// The gathered items, or the selected area; `None` if there is neither.
    pub fn area(&self) -> Option<AreaSpec> {
        if self.nav.picked.is_empty() {
            let area = self.nav.area.spec(self.nav.range)?;
            return Some(AreaSpec { filter: self.nav.filter.clone(), ..area });
        }
        // Gathered spans were chosen one by one.
        Some(AreaSpec { items: self.nav.picked.clone(), ..AreaSpec::default() })
    }

    /// Whether leaving the page loses the trace: local files must be found and opened again, whereas everything else can be
    /// reloaded from the address.
    pub fn is_lost_by_leaving(&self) -> bool {
        let has_address = self.load.dataset.as_ref().is_some_and(|dataset| dataset.address.is_some());
        matches!(self.load.phase, Phase::Ready | Phase::Loading)
            && self.load.addresses.is_none()
            && !has_address
    }

    /// Whether the details panel is shown: an item is selected and the user did not close the panel.
    pub fn shows_details(&self) -> bool {
        let has_room = self.ui.controls != Controls::None;
        has_room && self.load.info.items > 0 && self.nav.selection.is_some() && self.has_details()
    }

    /// Whether the bar with the filter is shown.
    pub fn shows_filter(&self) -> bool {
        let is_shown = self.ui.shows_filter && self.ui.controls == Controls::Full;
        self.load.info.items > 0
            && (is_shown || !self.nav.filter.is_empty() && self.ui.controls != Controls::None)
    }

    /// A filter of a view together with the filter of all views.
    pub fn joined_filter(&self, own: &str) -> String {
        filter_text::with(own, &self.nav.filter).trim().to_owned()
    }

    /// Whether selecting an item shows the details panel.
    pub fn has_details(&self) -> bool {
        self.ui.layout(self.nav.tab).details.unwrap_or(self.ui.controls == Controls::Full)
    }

    /// Visibility of the query list below the view: hidden where it has no use, only its heading where it is closed.
    pub fn list(&self) -> List {
        let tab = self.nav.tab;
        if self.ui.controls != Controls::Full || self.load.info.queries == 0 || !tab.has_list() {
            return List::None;
        }
        let usual = tab == Tab::Gantt && !self.ui.low;
        if self.ui.layout(tab).list.unwrap_or(usual) { List::Open } else { List::Heading }
    }

    /// Settings of the merged flame graph: the user's choices, with the selected time range and the filter of all views. If the user chose no
    /// grouping path, the trace's default path is used.
    pub fn grouping(&self) -> MergedSpec {
        let chosen = Some(&self.nav.merged.path).filter(|path| !path.is_empty());
        let path = chosen.unwrap_or(&self.load.info.flame).clone();
        MergedSpec { path, range: self.nav.range, filter: self.nav.filter.clone(), ..self.nav.merged.clone() }
    }

    /// Sides of the difference flame graph, if all of their runs are open. A link may name others; then the graph is a plain one.
    pub fn difference(&self) -> Option<&MergedDifference> {
        let runs = self.load.info.runs;
        let sides = self.nav.merged.difference.as_deref();
        sides.filter(|sides| runs::is_open(&sides.base, runs) && runs::is_open(&sides.new, runs))
    }

    fn jump_to(&mut self, item: u32, zoom: JumpZoom) {
        let number = self.ui.jump.map_or(0, |jump| jump.number) + 1;
        self.nav.selection = Some(item);
        self.ui.jump = Some(Jump { item, zoom, number });
    }

    /// The selected item and the item whose query the flame graph shows.
    pub fn tracked(&self) -> TrackedItems {
        let Flame::Time(flame) = self.nav.flame else {
            return TrackedItems { selection: self.nav.selection, flame: None };
        };
        TrackedItems { selection: self.nav.selection, flame }
    }

    fn opened(&mut self, info: TraceInfo, partial: bool, items: TrackedItems) {
        // A trace of tables alone opens in the tables tab, until it also has items.
        let tables_alone = info.items == 0 && info.tables > 0 && !partial;
        if tables_alone {
            self.nav.tab = Tab::Tables;
        } else if self.nav.tab == Tab::Tables
            && self.load.info.tables > 0
            && self.load.info.items == 0
            && info.items > 0
        {
            self.nav.tab = Tab::Gantt;
        }
        self.load.info = info;
        self.load.scene_version += 1;
        // Ids change with every build: an untracked id would name another item in the new build.
        self.nav.selection = self.nav.selection.and(items.selection);
        self.nav.picked.clear();
        self.ui.jump = None;
        self.nav.forget_compared();
        if let Flame::Time(query) = &mut self.nav.flame {
            *query = query.and(items.flame);
        }
        if self.nav.selection.is_none() && self.nav.viewport.is_none() {
            self.suit_rows();
        }
        if (self.load.info.items > 0 || tables_alone)
            && let Phase::Error(notice) = std::mem::replace(&mut self.load.phase, Phase::Ready)
        {
            self.ui.notice = Some(notice);
        }
        if !partial {
            if !self.waits_for_picture() {
                self.load.progress = None;
            }
            self.suit_pivot();
        }
    }

    /// Chooses the row arrangement by the number of queries, unless the user chose one.
    fn suit_rows(&mut self) {
        if !self.nav.arrangement_chosen {
            self.nav.arrangement = Arrangement::suiting(self.load.info.queries);
        }
    }

    /// Chooses the pivot table that suits the trace, unless the user changed it.
    fn suit_pivot(&mut self) {
        if [default_pivot(), functions(), instruments()].contains(&self.nav.pivot) {
            self.nav.pivot = match &self.load.info {
                info if info.plans => functions(),
                info if info.server => instruments(),
                _ => default_pivot(),
            };
        }
    }

    /// Restores the selection and the flame graph's query after a rebuild, unless something else was selected since.
    fn named(&mut self, items: TrackedItems) {
        self.nav.selection = self.nav.selection.or(items.selection);
        if let Flame::Time(query) = &mut self.nav.flame {
            *query = query.or(items.flame);
        }
    }

    fn failed(&mut self, notice: Notice) {
        // Without an engine, no view can be shown.
        if self.load.phase == Phase::Ready && notice.recovery != Some(RecoveryAction::Again) {
            self.ui.notice = Some(notice);
        } else {
            self.load.phase = Phase::Error(notice);
        }
        if !self.waits_for_picture() || matches!(self.load.phase, Phase::Error(_)) {
            (self.load.progress, self.load.stopped) = (None, false);
        }
    }

    /// Whether reading has ended and its progress message stays until the scene is ready.
    fn waits_for_picture(&self) -> bool {
        self.load.stopped || self.load.progress.as_ref().is_some_and(|progress| progress.complete)
    }

    fn goes_on(&mut self, progress: Progress) {
        // Files dropped after Cancel are read after the cancellation was reported as an error.
        if matches!(self.load.phase, Phase::Error(_)) {
            self.load.phase = Phase::Loading;
        }
        self.load.progress = Some(progress);
    }

    fn opening(&mut self, fresh: bool, added: Option<Vec<String>>) {
        let before = if fresh { Some(Vec::new()) } else { self.load.addresses.take() };
        let addresses = before.zip(added).map(|(before, added)| [before, added].concat());
        if fresh || self.load.phase != Phase::Ready {
            let was_open = self.load.phase != Phase::Landing && !self.load.has_dataset_alone();
            self.load = Load {
                phase: Phase::Loading,
                scene_version: self.load.scene_version + 1,
                files: std::mem::take(&mut self.load.files),
                wanted: std::mem::take(&mut self.load.wanted),
                file_match: self.load.file_match,
                ..Load::default()
            };
            self.ui = self.ui.emptied();
            // Settings from an address are kept; settings of the trace that was open before are dropped.
            if was_open {
                self.nav.forget_trace();
            }
            self.nav.selection = None;
            self.nav.forget_compared();
        }
        if self.nav.tab == Tab::Trends {
            self.nav.tab = Tab::Gantt;
        }
        self.load.addresses = addresses;
        (self.load.progress, self.load.stopped, self.ui.notice) = (Some(Progress::default()), false, None);
    }

    /// Shows a data set without an open trace.
    fn show_dataset(&mut self, dataset: OpenDataset) {
        let info = TraceInfo { name: dataset.name.clone(), ..TraceInfo::default() };
        let scene_version = self.load.scene_version + 1;
        self.load =
            Load { phase: Phase::Ready, info, scene_version, dataset: Some(dataset), ..Load::default() };
        self.ui = self.ui.emptied();
        if self.nav.tab != Tab::Sql {
            self.nav.tab = Tab::Trends;
        }
    }

    /// Restores the state of a step of the history, or of a link.
    fn go(&mut self, nav: Nav) {
        let Nav { viewport, selection, merged_part, side_part, .. } = self.nav;
        // Going back never takes a note away.
        let notes = std::mem::take(&mut self.nav.notes);
        let more = std::mem::replace(&mut self.nav, nav).notes;
        let more = [more, std::mem::replace(&mut self.nav.notes, notes)].concat();
        add_notes(&mut self.nav.notes, more);
        self.suit_rows();
        self.suit_pivot();
        // The timeline moves to the new viewport; if there is none, it stays.
        if self.nav.viewport.is_none() {
            self.nav.viewport = viewport;
        }
        let parts = (merged_part, side_part);
        if self.nav.viewport != viewport || (self.nav.merged_part, self.nav.side_part) != parts {
            self.ui.visits += 1;
        }
        let item = self.nav.selection.filter(|_| self.nav.selection != selection);
        // A jump to a hidden track or span would show it again.
        if let Some(item) = item.filter(|_| !self.nav.hides_items()) {
            self.jump_to(item, JumpZoom::Keep);
        }
    }

    /// Sets the specification of the merged flame graph.
    fn merge(&mut self, merged: MergedSpec) {
        let stacks = |spec: &MergedSpec| (spec.stacks.clone(), spec.hidden.clone(), spec.collapse_recursion);
        let reshapes = stacks(&merged) != stacks(&self.nav.merged);
        if reshapes || merged.focus != self.nav.merged.focus {
            let was_zoomed = self.nav.merged_part.take().is_some();
            // The timeline shows all of the other frames.
            self.ui.visits += u32::from(reshapes && was_zoomed);
        }
        // The trace's default path is not stored as a choice, because the next trace has its own default.
        let chosen = merged.path != self.load.info.flame;
        let path = if chosen { merged.path } else { Vec::new() };
        self.nav.merged = MergedSpec { path, range: None, filter: String::new(), ..merged };
    }

    /// Applies the actions about notes, pins, orders, the files of a link, and the appearance of the viewer.
    fn mark(&mut self, action: Action) {
        match action {
            Action::Theme(theme) => (self.ui.theme, self.nav.theme) = (theme, Some(theme)),
            Action::Pin(track, pinned) => self.nav.pin(track, pinned),
            Action::Pick(item) => self.nav.pick(item),
            Action::Picked(items) => {
                if items.is_empty() {
                    self.nav.area.spans = None;
                }
                self.nav.picked = items;
            }
            Action::Tracks(layout) => self.nav.tracks = layout,
            Action::Counters(view) => self.nav.counters = view,
            Action::Approach(item) => self.jump_to(item, JumpZoom::IfNarrow),
            Action::Area(range, area) => {
                range.into_iter().for_each(|range| self.nav.set_range(Some(range)));
                self.nav.area = area;
            }
            Action::MergedSettled(part) => self.nav.merged_part = part,
            Action::SidesSettled(part) => self.nav.side_part = part,
            Action::SideBySide(executions) => {
                self.nav.compare_executions(executions);
                (self.nav.flame, self.nav.tab, self.nav.side_part) = (Flame::SideBySide, Tab::Flame, None);
            }
            Action::Sql(sql) => self.nav.sql = sql,
            Action::SqlOfTrace(is_trace) => self.nav.sql_of_trace = is_trace,
            Action::SqlChart(columns) => self.nav.sql_chart = columns,
            Action::Trends(choice) => self.nav.trends = choice,
            Action::Dataset(dataset) => self.show_dataset(dataset),
            Action::StoredTrace(dataset) => self.load.dataset = Some(dataset),
            Action::RawValues(raw) => self.nav.raw_values = raw,
            // The time range is shared by all views and is not stored in the transaction list.
            Action::Transactions(list) => {
                self.nav.transactions = TransactionList { range: None, ..list };
            }
            // The time range is shared by all views here as well.
            Action::Statements(view) => self.nav.statements = view,
            Action::Overview(view) => self.nav.overview = view,
            Action::Sources(view) => self.nav.sources = view,
            Action::CompareRuns(view) => self.nav.compare_runs(view),
            Action::MergeDifference(sides) => {
                (self.nav.merged.difference, self.nav.merged.focus) = (Some(Box::new(sides)), Vec::new());
                (self.nav.flame, self.nav.tab, self.nav.merged_part) = (Flame::Merged, Tab::Flame, None);
            }
            Action::Files(fresh, files) => self.load.add_files(fresh, files),
            Action::Hashed(files) => self.load.hashed(files),
            Action::Wanted(wanted) => self.load.wanted = wanted,
            Action::Order(table, order) => self.nav.order(&table, order),
            Action::AddNote(note) => add_notes(&mut self.nav.notes, vec![note]),
            Action::EditNote(at, text) => self.nav.edit_note(at, &text),
            Action::Controls(controls) => self.ui.controls = controls,
            // All other actions are reduced before.
            _ => {}
        }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Opening(fresh, added) => state.opening(fresh, added),
            Action::Progress(progress) => state.goes_on(progress),
            Action::Stop => state.load.stopped = true,
            Action::Drawn if state.waits_for_picture() => {
                (state.load.progress, state.load.stopped) = (None, false)
            }
            // Another trace is being read by now.
            Action::Drawn => {}
            Action::Computing(is_slow) => state.load.is_computing = is_slow,
            Action::Opened(info, partial, items) => state.opened(info, partial, items),
            Action::Remapped(build, items) if build == state.load.info.build => state.named(items),
            Action::Remapped(..) => {}
            Action::Failed(notice) => state.failed(notice),
            Action::Confirm(urls) => state.load.unconfirmed = urls,
            Action::Close => {
                let load = Load { scene_version: self.load.scene_version + 1, ..Load::default() };
                let nav = Nav { theme: self.nav.theme, ..Nav::default() };
                state = State { load, nav, ui: self.ui.emptied() };
            }
            Action::Show(tab) => state.nav.tab = tab,
            Action::Arrange(arrangement) => {
                (state.nav.arrangement, state.nav.arrangement_chosen) = (arrangement, true)
            }
            Action::Expand(tracks, expanded) => {
                tracks.into_iter().for_each(|track| state.nav.expansion.set(track, expanded));
            }
            Action::ExpandAll(all) => {
                state.nav.expansion = TrackExpansion { all: Some(all), ..TrackExpansion::default() };
            }
            Action::Color(color) => (state.nav.color, state.nav.only) = (color, Vec::new()),
            Action::Only(slots) => state.nav.only = slots,
            Action::Arrows(arrows) => state.nav.arrows = arrows,
            Action::MarkPath(marks) => state.nav.marks_path = marks,
            Action::Flame(flame) => state.nav.flame = flame,
            Action::Merge(merged) => state.merge(merged),
            // The time range is shared by all views and is not stored in the pivot table.
            Action::Pivot(mut pivot) => {
                pivot.spec.range = None;
                state.nav.pivot = pivot;
            }
            Action::Table(table) => state.nav.table = table,
            Action::Compare(compare) => state.nav.compare_executions(compare),
            // The time range and the filter are shared by all views and are not stored in the query list.
            Action::Queries(list) => {
                state.nav.queries = Some(QueryList { range: None, filter: String::new(), ..list });
            }
            Action::Filter(text) => state.nav.set_filter(text),
            Action::HideRest(hides) => state.nav.hides_rest = hides,
            Action::FilterMenu(of) => state.ui.filter_menu = of,
            Action::ShowFilter(shown) => state.ui.shows_filter = shown,
            Action::Go(nav) => state.go(*nav),
            Action::Select(item) => state.nav.selection = item,
            Action::Reveal(item) => state.jump_to(item, JumpZoom::Keep),
            Action::ZoomTo(item) => state.jump_to(item, JumpZoom::Fill),
            Action::Range(range) => state.nav.set_range(range),
            Action::MoveTo(viewport) => {
                state.nav.viewport = Some(viewport);
                state.ui.visits += 1;
            }
            Action::ViewportSettled(viewport) => state.nav.viewport = Some(viewport),
            Action::Announce(status) => state.ui.status = status,
            Action::Search(text) => state.nav.search = text,
            Action::SearchFound(found) => {
                state.ui.found = found;
                state.load.scene_version += 1;
            }
            Action::InvalidateScenes => state.load.scene_version += 1,
            Action::Dialog(dialog) => state.ui.dialog = dialog,
            Action::Notice(notice) => state.ui.notice = notice,
            Action::Details(open) => state.ui.layout_mut(self.nav.tab).details = Some(open),
            Action::List(open) => state.ui.layout_mut(self.nav.tab).list = Some(open),
            other => state.mark(other),
        }
        Rc::new(state)
    }
}
