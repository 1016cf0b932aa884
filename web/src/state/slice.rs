//! Slices of the state: a panel is rendered again only when a slice that it reads changes.

use super::{Load, Nav, State, Ui};

/// A part of the state that changes independently of the other parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateSlice {
    /// Reading progress.
    Progress,
    /// The open trace, without the reading progress.
    Trace,
    /// The current tab.
    Tab,
    /// Settings of scenes: arrangement, expanded tracks, colours, arrows, flame graph.
    Picture,
    /// Settings of the pivot table.
    Pivot,
    /// The selected side table and its order.
    Table,
    /// The compared executions and runs.
    Compare,
    /// Order of the query list.
    Queries,
    /// The filter of all views, and the value by which its menu filters.
    Filter,
    /// The selected item.
    Selection,
    /// The selected time range, and the selected area.
    Range,
    /// Viewport of the timeline, and the target of its next move.
    Viewport,
    /// Search text and search result.
    Search,
    /// Open panels and dialogs, and the controls around the views.
    Panels,
    /// The theme: light, dark or the system's.
    Theme,
    /// The user's notes.
    Notes,
    /// Orders of the tables whose rows the page sorts, and of the transaction list.
    Orders,
    /// State of the statements tab.
    Statements,
    /// State of the overview.
    Overview,
    /// State of the sources tab.
    Sources,
    /// The SQL statement.
    Sql,
    /// Grouping, measure, engine and group of the trends.
    Trends,
    /// Transient messages.
    Messages,
}

impl State {
    /// Returns the state with only `parts` copied; everything else has its default value.
    pub fn only(&self, parts: &[StateSlice]) -> Self {
        let mut shown = Self::default();
        parts.iter().for_each(|part| shown.take(*part, self));
        shown
    }

    fn take(&mut self, part: StateSlice, from: &Self) {
        let (Load { phase, info, scene_version, addresses, unconfirmed, .. }, nav, ui) =
            (&from.load, &from.nav, &from.ui);
        match part {
            StateSlice::Progress => {
                (self.load.progress, self.load.stopped) = (from.load.progress.clone(), from.load.stopped);
            }
            StateSlice::Trace => {
                let addresses = addresses.clone();
                let unconfirmed = unconfirmed.clone();
                let Load { progress, stopped, .. } = std::mem::take(&mut self.load);
                self.load = Load {
                    dataset: from.load.dataset.clone(),
                    phase: phase.clone(),
                    info: info.clone(),
                    scene_version: *scene_version,
                    addresses,
                    unconfirmed,
                    progress,
                    stopped,
                    ..Load::default()
                };
            }
            StateSlice::Tab => self.nav.tab = nav.tab,
            StateSlice::Picture => {
                self.take_tracks(nav);
                let Nav { arrangement, arrangement_chosen, color, arrows, marks_path, flame, .. } = *nav;
                let expansion = nav.expansion.clone();
                let only = nav.only.clone();
                let merged = nav.merged.clone();
                let now = std::mem::take(&mut self.nav);
                self.nav = Nav {
                    arrangement,
                    arrangement_chosen,
                    expansion,
                    color,
                    only,
                    arrows,
                    marks_path,
                    flame,
                    merged,
                    ..now
                };
            }
            StateSlice::Pivot => self.nav.pivot = nav.pivot.clone(),
            StateSlice::Table => (self.nav.table, self.nav.raw_values) = (nav.table.clone(), nav.raw_values),
            StateSlice::Compare => {
                (self.nav.compare, self.nav.runs) = (nav.compare.clone(), nav.runs.clone());
            }
            StateSlice::Queries => self.nav.queries = nav.queries.clone(),
            StateSlice::Filter => {
                (self.nav.filter, self.nav.hides_rest) = (nav.filter.clone(), nav.hides_rest);
                self.ui.filter_menu = ui.filter_menu.clone();
            }
            StateSlice::Selection => self.nav.selection = nav.selection,
            StateSlice::Range => self.take_range(nav),
            StateSlice::Viewport => {
                (self.nav.viewport, self.nav.merged_part) = (nav.viewport, nav.merged_part);
                self.nav.side_part = nav.side_part;
                (self.ui.jump, self.ui.visits) = (ui.jump, ui.visits);
            }
            StateSlice::Search => (self.nav.search, self.ui.found) = (nav.search.clone(), ui.found.clone()),
            StateSlice::Panels => {
                let Ui { dialog, layouts, low, embedded, controls, shows_filter, .. } = *ui;
                let now = std::mem::take(&mut self.ui);
                self.ui = Ui { dialog, layouts, low, embedded, controls, shows_filter, ..now };
            }
            StateSlice::Theme => (self.ui.theme, self.nav.theme) = (ui.theme, nav.theme),
            StateSlice::Notes => self.nav.notes = nav.notes.clone(),
            StateSlice::Orders => {
                (self.nav.orders, self.nav.transactions) = (nav.orders.clone(), nav.transactions.clone());
            }
            StateSlice::Sources => self.nav.sources = nav.sources.clone(),
            StateSlice::Sql => self.take_sql(nav),
            StateSlice::Trends => self.nav.trends = nav.trends.clone(),
            StateSlice::Statements => self.nav.statements = nav.statements.clone(),
            StateSlice::Overview => self.nav.overview = nav.overview.clone(),
            StateSlice::Messages => (self.ui.status, self.ui.notice) = (ui.status.clone(), ui.notice.clone()),
        }
    }

    fn take_tracks(&mut self, nav: &Nav) {
        self.nav.pins = nav.pins.clone();
        self.nav.tracks = nav.tracks.clone();
        self.nav.counters = nav.counters;
    }

    fn take_sql(&mut self, nav: &Nav) {
        (self.nav.sql, self.nav.sql_chart) = (nav.sql.clone(), nav.sql_chart);
        self.nav.sql_of_trace = nav.sql_of_trace;
    }

    fn take_range(&mut self, nav: &Nav) {
        (self.nav.range, self.nav.area) = (nav.range, nav.area.clone());
        self.nav.picked = nav.picked.clone();
    }
}
