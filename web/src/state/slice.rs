//! What a panel reads of the state: it is drawn again when that changes, and not when the rest does.

use super::{Load, Nav, State, Ui};

/// A part of the state that changes for reasons of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateSlice {
    /// How far reading is.
    Progress,
    /// What is open, but for how far reading is.
    Trace,
    /// The tab.
    Tab,
    /// How pictures are drawn: arrangement, expanded tracks, colours, arrows, which flame graph.
    Picture,
    /// The pivot table.
    Pivot,
    /// The side table.
    Table,
    /// What is compared.
    Compare,
    /// Order and filter of the query list.
    Queries,
    /// The selection.
    Selection,
    /// The time range.
    Range,
    /// What the timeline shows, and where it is to go.
    Viewport,
    /// What is searched for, and what was found.
    Search,
    /// Which panels and dialogs are open, and whether there are only the views.
    Panels,
    /// Light or dark.
    Theme,
    /// Messages in passing.
    Messages,
}

impl State {
    /// The state with these parts alone; the rest as it is in the beginning.
    pub fn only(&self, parts: &[StateSlice]) -> Self {
        let mut shown = Self::default();
        parts.iter().for_each(|part| shown.take(*part, self));
        shown
    }

    fn take(&mut self, part: StateSlice, from: &Self) {
        let (Load { phase, info, scene_version, addresses, .. }, nav, ui) = (&from.load, &from.nav, &from.ui);
        match part {
            StateSlice::Progress => {
                (self.load.progress, self.load.stopped) = (from.load.progress.clone(), from.load.stopped);
            }
            StateSlice::Trace => {
                let addresses = addresses.clone();
                let Load { progress, stopped, .. } = std::mem::take(&mut self.load);
                let phase = phase.clone();
                let info = info.clone();
                let scene_version = *scene_version;
                self.load = Load { phase, info, scene_version, addresses, progress, stopped };
            }
            StateSlice::Tab => self.nav.tab = nav.tab,
            StateSlice::Picture => {
                let Nav { arrangement, arrangement_chosen, color, arrows, flame, .. } = *nav;
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
                    flame,
                    merged,
                    ..now
                };
            }
            StateSlice::Pivot => self.nav.pivot = nav.pivot.clone(),
            StateSlice::Table => self.nav.table = nav.table.clone(),
            StateSlice::Compare => self.nav.compare = nav.compare.clone(),
            StateSlice::Queries => self.nav.queries = nav.queries.clone(),
            StateSlice::Selection => self.nav.selection = nav.selection,
            StateSlice::Range => self.nav.range = nav.range,
            StateSlice::Viewport => {
                self.nav.viewport = nav.viewport;
                (self.ui.jump, self.ui.visits) = (ui.jump, ui.visits);
            }
            StateSlice::Search => (self.nav.search, self.ui.found) = (nav.search.clone(), ui.found.clone()),
            StateSlice::Panels => {
                let Ui { dialog, layouts, low, embedded, .. } = *ui;
                let now = std::mem::take(&mut self.ui);
                self.ui = Ui { dialog, layouts, low, embedded, ..now };
            }
            StateSlice::Theme => self.ui.theme = ui.theme,
            StateSlice::Messages => (self.ui.status, self.ui.notice) = (ui.status.clone(), ui.notice.clone()),
        }
    }
}
