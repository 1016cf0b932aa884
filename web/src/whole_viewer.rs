//! Hooks of the whole viewer: keys, pasting, the theme, and the title that its host shows.

use std::time::Duration;

use queryscope::protocol::SearchStepRequest;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ClipboardEvent, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use crate::canvas;
use crate::components::{
    PanelProps, QUERIES, focus_later, focus_view_if_none_has_it, span_jump, use_kept_trace,
};
use crate::files::{self, Dropped};
use crate::host::{Mount, page};
use crate::input::{self, Command};
use crate::messages::Source;
use crate::navigation::use_navigation;
use crate::state::{Action, Controls, Dialog, List, Load, Phase, State, Tab, Theme, Ui, WantedFiles};
use crate::stored_trace::use_stored_trace;
use crate::ui::focus;
use crate::url::Address;

/// Delay before the engine is downloaded, counted from the first rendering of the page.
const SETTLED: Duration = Duration::from_millis(400);
/// Height in CSS pixels below which an embedded viewer has no room for the query list below the views.
const LOW: f64 = 520.0;
const THEME_KEY: &str = "-theme";
const LAYOUTS_KEY: &str = "-panels";

/// The initial state of a viewer.
pub fn first_state(mount: &Mount) -> State {
    let options = mount.options();
    let remembered = || Theme::named(&mount.stored(THEME_KEY)?);
    let theme = options.theme.or_else(remembered).unwrap_or_default();
    let Address { embedded, nav, files, n_files: n, .. } = options.address.clone();
    let usual = if embedded { Controls::Minimal } else { Controls::Full };
    let controls = options.controls.or(options.address.controls).unwrap_or(usual);
    // A low viewer starts with the query list closed to leave room for the views; the user can open it.
    let is_low = !mount.host().takes_page_input() && mount.size().1 < LOW;
    let mut ui = Ui { theme, embedded, controls, low: is_low, ..Ui::default() };
    ui.take_layouts(&mount.stored(LAYOUTS_KEY).unwrap_or_default());
    let load = Load { wanted: WantedFiles { files, n }, ..Load::default() };
    State { load, nav, ui }
}

/// Installs all hooks of the whole viewer.
#[hook]
pub fn use_whole_viewer(panel: &PanelProps) {
    use_keys(panel);
    use_paste(panel);
    use_theme(panel);
    use_layouts(panel);
    use_title(panel);
    use_navigation(panel);
    use_watch(panel);
    use_engine(panel);
    use_first_focus(panel);
    use_leaving(panel);
    use_kept_trace(panel);
    use_stored_trace(panel);
}

/// Reports to the host whether leaving the page would lose the open trace.
#[hook]
fn use_leaving(panel: &PanelProps) {
    let is_lost = panel.state.is_lost_by_leaving();
    use_effect_with((is_lost, panel.mount.clone()), |(is_lost, mount)| {
        mount.host().hold(*is_lost);
        let mount = mount.clone();
        move || mount.host().hold(false)
    });
}

/// Downloads the engine and warms up painting once the page is rendered, because a trace will be opened soon. If the
/// user asked for reduced data usage, or the page is hidden, the download begins only when a trace is opened.
#[hook]
fn use_engine(panel: &PanelProps) {
    let client = panel.client.clone();
    let phase = panel.state.load.phase.clone();
    let mount = panel.mount.clone();
    use_effect_with((), move |()| {
        spawn_local(async move {
            yew::platform::time::sleep(SETTLED).await;
            if page::is_seen() && !page::saves_data() {
                client.wake();
                if phase == Phase::Landing {
                    canvas::warm_up(mount.root());
                }
            }
        });
    });
}

/// Sends the items that are to be tracked while the trace grows to the worker.
#[hook]
fn use_watch(panel: &PanelProps) {
    let client = panel.client.clone();
    let build = panel.state.load.info.build;
    let items = panel.state.tracked();
    use_effect_with((build, items), move |(build, items)| client.watch(*build, *items));
}

#[hook]
fn use_keys(panel: &PanelProps) {
    use_effect_with(panel.clone(), |panel| {
        let (panel, mount) = (panel.clone(), panel.mount.clone());
        let listener = mount.hear("keydown", move |event| {
            let event: KeyboardEvent = event.unchecked_into();
            if input::command(&event).is_some_and(|command| obey(&panel, command)) {
                event.prevent_default();
            }
        });
        move || drop(listener)
    });
}

/// Runs a command for the whole page; returns `false` if the command is not for the whole page or not possible now.
fn obey(panel: &PanelProps, command: Command) -> bool {
    let state = &panel.state;
    let go = |action| panel.dispatch.dispatch(action);
    if state.load.phase != Phase::Ready {
        return false;
    }
    match command {
        // Keys of controls that are not shown have no effect.
        Command::Show(_) | Command::Search | Command::Filter if state.ui.controls != Controls::Full => {
            return false;
        }
        Command::Help if state.ui.controls == Controls::None => return false,
        Command::Show(tab) => {
            if Tab::of(&state.load).iter().any(|shown| shown.tab == tab) {
                go(Action::Show(tab));
            }
        }
        Command::Help => go(Action::Dialog(Some(Dialog::Help))),
        Command::Search => focus_search(&panel.mount),
        Command::Filter => show_filter(panel),
        Command::Queries if state.list() == List::None => return false,
        Command::Queries => focus_queries(panel),
        Command::Note => go(Action::Dialog(Some(Dialog::Notes))),
        Command::NextHit => step_hit(panel, false),
        Command::PreviousHit => step_hit(panel, true),
        Command::Jump(target) if state.nav.tab.has_picture() && state.ui.dialog.is_none() => {
            span_jump(panel, target);
        }
        Command::Back if state.ui.dialog.is_some() => go(Action::Dialog(None)),
        Command::Back if !state.nav.picked.is_empty() => go(Action::Picked(Vec::new())),
        Command::Back if state.nav.range.is_some() => go(Action::Range(None)),
        Command::Back if state.nav.selection.is_some() => go(Action::Select(None)),
        _ => return false,
    }
    true
}

/// Opens the query list if it is closed, and focuses it.
fn focus_queries(panel: &PanelProps) {
    panel.dispatch.dispatch(Action::List(true));
    focus_later(&panel.mount, QUERIES, false);
}

/// Focuses the view once a trace is open, so that its keys work at once. An embedded viewer never takes the focus.
#[hook]
fn use_first_focus(panel: &PanelProps) {
    let is_own = panel.mount.host().takes_page_input() && !panel.state.ui.embedded;
    let (is_there, mount) = (panel.state.load.phase == Phase::Ready && is_own, panel.mount.clone());
    use_effect_with(is_there, move |is_there| {
        if *is_there {
            focus_view_if_none_has_it(&mount);
        }
    });
}

/// Shows the field of the filter and focuses it.
fn show_filter(panel: &PanelProps) {
    panel.dispatch.dispatch(Action::ShowFilter(true));
    // A field that appears takes the focus itself.
    focus(panel.mount.find("#page-filter"));
}

fn focus_search(mount: &Mount) {
    let Some(search) = mount.find("#search") else { return };
    let input = search.query_selector("input").ok().flatten().unwrap_or(search);
    focus(Some(input.clone()));
    if let Some(input) = input.dyn_ref::<HtmlInputElement>() {
        input.select();
    }
}

fn step_hit(panel: &PanelProps, backwards: bool) {
    let PanelProps { client, state, dispatch, .. } = panel.clone();
    spawn_local(async move {
        if let Some(Some(item)) = client.ask(SearchStepRequest { from: state.nav.selection, backwards }).await
        {
            dispatch.dispatch(Action::Reveal(item));
        }
    });
}

/// Opens pasted files, or pasted text as a file. Pasting into an input field is left to the browser.
#[hook]
fn use_paste(panel: &PanelProps) {
    use_effect_with((panel.open.clone(), panel.mount.clone()), |(open, mount)| {
        let open = open.clone();
        let listener = mount.hear("paste", move |event| {
            let event: ClipboardEvent = event.unchecked_into();
            let typing =
                input::origin(&event).is_some_and(|field| field.matches("input, textarea").unwrap_or(false));
            if let Some(data) = event.clipboard_data().filter(|_| !typing) {
                paste(&data, open.clone());
            }
        });
        move || drop(listener)
    });
}

fn paste(data: &web_sys::DataTransfer, open: Callback<(Vec<Source>, bool)>) {
    let (dropped, text) = (Dropped::take(data), data.get_data("text/plain").unwrap_or_default());
    if !dropped.is_empty() {
        spawn_local(async move { open.emit((dropped.sources(|_| ()).await, false)) });
    } else if !text.trim().is_empty() {
        open.emit((files::from_text(&text).into_iter().collect(), false));
    }
}

/// Applies the theme at once rather than in an effect, which may run a frame after drawing code has read the style sheets.
#[hook]
fn use_theme(panel: &PanelProps) {
    let state = &panel.state;
    use_memo((state.theme(), panel.mount.clone()), |(theme, mount)| {
        let (name, root) = (theme.name(), mount.root());
        // The attribute's name is valid, so neither call can fail.
        let _ = if name.is_empty() {
            root.remove_attribute("data-theme")
        } else {
            root.set_attribute("data-theme", name)
        };
    });
    // The theme of a link is not stored: it is of the link's view only.
    use_memo((state.ui.theme, panel.mount.clone()), |(theme, mount)| mount.store(THEME_KEY, theme.name()));
}

/// Stores which panels next to and below each view are open.
#[hook]
fn use_layouts(panel: &PanelProps) {
    let layouts = panel.state.ui.layouts_as_text();
    use_effect_with((layouts, panel.mount.clone()), |(layouts, mount)| mount.store(LAYOUTS_KEY, layouts));
}

#[hook]
fn use_title(panel: &PanelProps) {
    let name = panel.state.load.info.name.clone();
    use_effect_with((name, panel.mount.clone()), |(name, mount)| mount.host().set_title(name));
}
