//! The panels around the canvases. Each panel queries the worker for its content when `State::scene_version` changes.

use std::rc::Rc;

use queryscope::internal::{filter_text, text};
use queryscope::protocol::{AreaTracksRequest, Finding, PivotView, RANGE_MEANS, RANGE_WHOLE, Viewport};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::client::Client;
use crate::host::Mount;
use crate::messages::Source;
use crate::state::{Action, AreaView, Dialog, Dispatch, State, StateSlice, Tab};
use crate::words;

/// Properties that all panels share.
#[derive(Properties, Clone, PartialEq)]
pub struct PanelProps {
    /// Host and root element of the viewer.
    pub mount: Mount,
    /// Connection to the worker.
    pub client: Client,
    /// State of the page, reduced to the slices that the panel reads: see [`PanelProps::reading`].
    pub state: Rc<State>,
    /// Dispatches actions that change the state.
    pub dispatch: Dispatch,
    /// Opens files and addresses: `true` for a new trace, `false` to add to the open one.
    pub open: Callback<(Vec<Source>, bool)>,
}

mod area;
pub mod color;
mod compare;
pub mod copy;
pub mod copy_issue;
mod details;
mod embed_bar;
mod filter;
mod filter_completion;
mod filter_menu;
mod focus;
mod help;
pub mod icon;
mod landing;
mod legend;
mod load_subset;
mod loading;
mod notes;
mod overview;
mod parallel;
mod picker;
mod pivot;
mod problem;
mod query_list;
mod recent_traces;
mod reconciliation;
mod recovery_action;
mod report;
mod save;
mod scroll_into_view;
mod search;
mod show_more;
mod size;
mod sources;
mod span_jump;
mod splitter;
mod sql;
mod statements;
mod tables;
mod tabs;
mod toast;
mod topbar;
mod transactions;
mod trends;
mod unrecognized_files;
pub mod use_query;
pub mod worker_rows;

pub use area::AreaPanel;
pub use compare::{Comparison, side_name};
pub use details::Details;
pub use embed_bar::EmbedBar;
pub use filter::FilterBar;
pub use filter_menu::{FilterMenu, filter_button};
pub use focus::{QUERIES, VIEW, focus_later, focus_view, focus_view_if_none_has_it};
pub use help::Help;
pub use landing::{DropOverlay, Landing};
pub use load_subset::PartDialog;
pub use loading::Loading;
pub use notes::{Notes, notes_button};
pub use overview::Overview;
pub use parallel::Parallelism;
pub use pivot::{DRAG, Pivot, parts};
pub use query_list::QueryList;
pub use recent_traces::use_kept_trace;
pub use report::{Report, as_json};
pub use save::SaveDialog;
pub use search::SearchedText;
pub use size::{stored as stored_size, use_inner_size, use_panel_size};
pub use sources::Sources;
pub use span_jump::span_jump;
pub use splitter::Splitter;
pub use sql::Sql;
pub use statements::Statements;
pub use tables::Tables;
pub use tabs::Tabs;
pub use toast::Toast;
pub use topbar::TopBar;
pub use transactions::Transactions;
pub use trends::Trends;

/// Renders the active time range, how spans count in it, and a button that clears it. Empty without a time range.
fn time_range(props: &PanelProps) -> Html {
    if props.state.nav.range.is_none() {
        return Html::default();
    }
    html! {
        <>
            { active_range(props) }
            <p class="muted whole-line">
                { RANGE_MEANS }
                if !props.state.load.info.has_slices_alone() { { " " }{ RANGE_WHOLE } }
            </p>
        </>
    }
}

/// Renders the active time range and a button that clears it. Empty without a time range.
fn active_range(props: &PanelProps) -> Html {
    let Some((start, end)) = props.state.nav.range else { return Html::default() };
    let onclick = props.dispatch_of(Action::Range).reform(|_: MouseEvent| None);
    html! {
        <>
            <p>{ words::common::time_range(start, end) }</p>
            <button type="button" class="btn small end" {onclick}>{ words::common::CLEAR_RANGE }</button>
        </>
    }
}

/// Renders a number of a description list with its name; `meaning` is the tooltip.
fn fact(name: impl Into<AttrValue>, value: String, meaning: &'static str) -> Html {
    let name = name.into();
    html! { <div title={meaning}><dt>{ name }</dt><dd>{ value }</dd></div> }
}

/// Selects an item and shows it in the timeline.
pub fn show_in_timeline(dispatch: &Dispatch, item: u32) {
    dispatch.dispatch(Action::Show(Tab::Gantt));
    dispatch.dispatch(Action::ZoomTo(item));
}

/// A filter by the values of attributes; an attribute without a value is left out.
fn filter_by(values: &[(&str, Option<&str>)]) -> String {
    let known = values.iter().filter(|(_, value)| value.is_some());
    let conditions = known.map(|(name, value)| filter_text::condition(name, *value, false));
    conditions.collect::<Vec<_>>().join(" ")
}

/// Shows a tab, and sets the filter of all views; an empty `filter` leaves it unchanged. In the Gantt view, the query list is opened as well.
#[inline(never)]
fn show_filtered(dispatch: &Dispatch, tab: Tab, filter: &str) {
    if !filter.is_empty() {
        dispatch.dispatch(Action::Filter(filter.to_owned()));
    }
    dispatch.dispatch(Action::Show(tab));
    if tab == Tab::Gantt {
        dispatch.dispatch(Action::List(true));
    }
}

/// Returns a click handler that shows a pivot table.
fn opens_pivot(dispatch: &Dispatch, view: PivotView) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| {
        dispatch.dispatch(Action::Pivot(view.clone()));
        dispatch.dispatch(Action::Show(Tab::Pivot));
    })
}

/// Selects the item of a finding and shows it in the timeline. For a finding about a thread or process, selects its track as area, too; for
/// one about a period, selects the period as time range and zooms to it; for one about a file or run, opens the import report.
fn show_finding(panel: &PanelProps, finding: &Finding) {
    let dispatch = &panel.dispatch;
    if let Some((track, item)) = finding.track.zip(finding.item) {
        let whole = (0, panel.state.load.info.end);
        return show_track(panel, track, item, panel.state.nav.range.unwrap_or(whole));
    }
    let Some((start, end)) = finding.period else {
        return match finding.item {
            Some(item) => show_in_timeline(dispatch, item),
            None => dispatch.dispatch(Action::Dialog(Some(Dialog::Report))),
        };
    };
    show_period(dispatch, (start, end));
}

/// Selects an item, shows it in the timeline, and selects a track in a time range as area, whose panel lists the spans.
fn show_track(panel: &PanelProps, track: u32, item: u32, range: (i64, i64)) {
    let (client, dispatch) = (panel.client.clone(), panel.dispatch.clone());
    dispatch.dispatch(Action::Show(Tab::Gantt));
    dispatch.dispatch(Action::Reveal(item));
    spawn_local(async move {
        if let Some(tracks) = client.ask(AreaTracksRequest { rows: vec![(track, false)] }).await {
            dispatch.dispatch(Action::Area(Some(range), AreaView { tracks, ..AreaView::default() }));
        }
    });
}

/// Returns a click handler that selects an item, shows it in the timeline, and selects a track in a time range as area.
fn shows_track(panel: &PanelProps, track: u32, item: u32, range: (i64, i64)) -> Callback<MouseEvent> {
    let panel = panel.clone();
    Callback::from(move |_: MouseEvent| show_track(&panel, track, item, range))
}

/// Selects a period as time range and zooms to it.
fn show_period(dispatch: &Dispatch, (start, end): (i64, i64)) {
    dispatch.dispatch(Action::Show(Tab::Gantt));
    dispatch.dispatch(Action::Range(Some((start, end))));
    let around = end.saturating_sub(start) / 4 + 1;
    let (start, end) = (start.saturating_sub(around), end.saturating_add(around));
    dispatch.dispatch(Action::MoveTo(Viewport { start, end, width: 1.0, top: 0.0, height: 1.0 }));
}

/// Returns the key handler of an input field: keys do not reach the views, and Esc leaves the field.
pub fn typing(mount: &Mount) -> Callback<KeyboardEvent> {
    let mount = mount.clone();
    Callback::from(move |event: KeyboardEvent| {
        event.stop_propagation();
        if event.key() == "Escape" {
            event.prevent_default();
            focus_view(&mount);
        }
    })
}

/// Returns a text of the trace on one line, with control characters made visible, so that spacing stays regular. Spaces at the end
/// are shown as `␣`, because names that differ only in them are different names.
fn one_line(text: &str) -> String {
    let shown: String = text.chars().map(text::visible).collect();
    let n_spaces = text.len() - text.trim_end_matches(' ').len();
    shown.split_whitespace().collect::<Vec<_>>().join(" ") + &"␣".repeat(n_spaces)
}

impl PanelProps {
    /// Returns the properties for a panel that reads only these state slices, and renders again only when one of them changes.
    pub fn reading(&self, parts: &[StateSlice]) -> Self {
        Self { state: Rc::new(self.state.only(parts)), ..self.clone() }
    }

    /// Returns a callback that dispatches the action that `action` makes from a value.
    fn dispatch_of<T: 'static>(&self, action: fn(T) -> Action) -> Callback<T> {
        let dispatch = self.dispatch.clone();
        Callback::from(move |value| dispatch.dispatch(action(value)))
    }

    /// Returns a click handler that closes the trace.
    fn close(&self) -> Callback<MouseEvent> {
        let (client, dispatch) = (self.client.clone(), self.dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            client.close();
            dispatch.dispatch(Action::Close);
        })
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::one_line;

    #[wasm_bindgen_test]
    fn spaces_at_the_end_of_a_name_are_shown() {
        for (text, expected) in
            [("a", "a"), ("a ", "a␣"), ("a  ", "a␣␣"), (" a  b\n", "a b"), (" ", "␣"), ("", "")]
        {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }
}
