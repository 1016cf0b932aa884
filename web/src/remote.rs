//! Commands of the page that embeds a viewer, and events that the viewer reports to that page.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use queryscope::protocol::{DetailsRequest, FindQueryRequest, QueryList, QueryListRequest, Viewport};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::open_sources;
use crate::components::PanelProps;
use crate::exports::{ExportedFile, export_file};
use crate::host::{ViewerEvent, Visit};
use crate::item_links::known;
use crate::messages::Source;
use crate::state::{Action, Controls, Phase, Theme};
use crate::url::{Address, Place};

type RemoteCommand = Box<dyn FnOnce(&PanelProps)>;

/// Commands of the page around a viewer; cheap to clone. They run in order, each after the viewer has rendered the effects of the
/// previous commands.
#[derive(Clone, Default)]
pub struct Remote(Rc<RemoteState>);

#[derive(Default)]
struct RemoteState {
    /// The viewer's state as rendered; `None` before the first rendering, and once the viewer is gone.
    panel: RefCell<Option<PanelProps>>,
    /// Commands that wait for a rendering.
    waiting: RefCell<Vec<RemoteCommand>>,
    /// Whether a command has opened sources since the last rendering, which therefore shows an outdated state.
    stale: Cell<bool>,
}

impl PartialEq for Remote {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Remote {
    fn run(&self, command: impl FnOnce(&PanelProps) + 'static) {
        let panel = self.0.panel.borrow().clone();
        match panel.filter(|_| !self.0.stale.get()) {
            Some(panel) => command(&panel),
            None => self.0.waiting.borrow_mut().push(Box::new(command)),
        }
    }

    /// Takes the rendered state and runs the commands that waited for it.
    fn rendered(&self, panel: Option<PanelProps>) {
        let is_there = panel.is_some();
        self.0.panel.replace(panel);
        self.0.stale.set(false);
        if is_there {
            // A command that makes the state stale puts the commands after it back.
            self.0.waiting.take().into_iter().for_each(|command| self.run(command));
        }
    }

    /// Whether a trace is shown, as rendered.
    pub fn shows_trace(&self) -> bool {
        self.0.panel.borrow().as_ref().is_some_and(|panel| panel.state.load.phase == Phase::Ready)
    }

    /// Drops all commands that wait, because the viewer is gone.
    pub fn forget(&self) {
        self.0.waiting.take();
    }

    /// Reads sources: `fresh` closes the open trace, else they are added to it.
    pub fn open(&self, sources: Vec<Source>, fresh: bool) {
        let remote = self.clone();
        self.run(move |panel| {
            if sources.is_empty() {
                return;
            }
            remote.0.stale.set(true);
            let is_open = matches!(panel.state.load.phase, Phase::Ready | Phase::Loading);
            panel.mount.host().report(&ViewerEvent::Opening { by_user: false });
            open_sources(&panel.client, &panel.dispatch, sources, fresh || !is_open);
        });
    }

    /// Goes to the state of an address. Without a trace in it, the open trace stays; its items are selected once they are read.
    pub fn visit(&self, mut address: Address) {
        self.run(move |panel| {
            if address.traces.is_empty() {
                address.traces = panel.state.load.addresses.clone().unwrap_or_default();
            }
            panel.mount.visit(Visit { step: None, address: Box::new(address) });
        });
    }

    /// Moves the timeline to a time range in nanoseconds.
    pub fn zoom_to(&self, start: i64, end: i64) {
        let viewport = Viewport { start, end, width: 1.0, top: 0.0, height: 1.0 };
        self.run(move |panel| panel.dispatch.dispatch(Action::MoveTo(viewport)));
    }

    /// Selects an item, if the trace holds it unchanged, and calls `then` with whether it does. `None` clears the selection.
    pub fn select(&self, place: Option<Place>, then: impl FnOnce(bool) + 'static) {
        self.run(move |panel| {
            let panel = panel.clone();
            spawn_local(async move {
                let item = known(&panel, place).await;
                let is_found = item.is_some() || place.is_none();
                if is_found {
                    panel.dispatch.dispatch(item.map_or(Action::Select(None), Action::Reveal));
                }
                then(is_found);
            });
        });
    }

    /// Selects the first query that a filter of the query list finds, and calls `then` with whether there is one.
    pub fn select_query(&self, filter: String, then: impl FnOnce(bool) + 'static) {
        self.run(move |panel| {
            let panel = panel.clone();
            spawn_local(async move {
                let item = first_query(&panel, filter).await;
                if let Some(item) = item {
                    panel.dispatch.dispatch(Action::Reveal(item));
                }
                then(item.is_some());
            });
        });
    }

    /// Highlights a text in all views; an empty text removes the highlighting.
    pub fn search(&self, text: String) {
        self.run(move |panel| panel.dispatch.dispatch(Action::Search(text)));
    }

    /// Sets the theme.
    pub fn set_theme(&self, theme: Theme) {
        self.run(move |panel| panel.dispatch.dispatch(Action::Theme(theme)));
    }

    /// Sets how much is shown around the views.
    pub fn set_controls(&self, controls: Controls) {
        self.run(move |panel| panel.dispatch.dispatch(Action::Controls(controls)));
    }

    /// Calls `then` with a file of this format, as the viewer's [`export_file`] writes it.
    pub fn export(&self, format: String, dark: Option<bool>, then: impl FnOnce(ExportedFile) + 'static) {
        self.run(move |panel| {
            let panel = panel.clone();
            spawn_local(async move { then(export_file(&panel, &format, dark).await) });
        });
    }

    /// Closes the trace.
    pub fn close(&self) {
        self.run(move |panel| {
            panel.client.close();
            panel.dispatch.dispatch(Action::Close);
        });
    }
}

async fn first_query(panel: &PanelProps, filter: String) -> Option<u32> {
    let list = QueryList { filter, ..QueryList::default() };
    let rows = panel.client.ask(QueryListRequest { list, first: 0, count: 1 }).await?;
    let record = rows.rows.first()?.record;
    panel.client.ask(FindQueryRequest { record: record? }).await?
}

/// Connects a viewer to the page around it.
#[hook]
pub fn use_remote(panel: &PanelProps, remote: &Remote) {
    let reported = panel.clone();
    use_effect_with((), move |()| reported.mount.host().report(&ViewerEvent::Ready));
    let mount = panel.mount.clone();
    use_effect_with(panel.state.load.phase.clone(), move |phase| {
        if let Phase::Error(notice) = phase {
            mount.host().report(&ViewerEvent::Failed(notice));
        }
    });
    use_loaded(panel);
    use_selection(panel);
    use_effect_with((panel.clone(), remote.clone()), |(panel, remote)| {
        remote.rendered(Some(panel.clone()));
        let remote = remote.clone();
        move || remote.rendered(None)
    });
}

/// Reports that a trace is complete, or that it was closed.
#[hook]
fn use_loaded(panel: &PanelProps) {
    let load = &panel.state.load;
    let is_complete = load.phase == Phase::Ready && load.progress.is_none();
    let was_open = use_mut_ref(|| false);
    let panel = panel.clone();
    use_effect_with((is_complete, load.info.build, load.phase == Phase::Landing), move |seen| {
        let (host, load) = (panel.mount.host(), &panel.state.load);
        match *seen {
            (true, ..) => host.report(&ViewerEvent::Loaded(&load.info)),
            (.., true) if *was_open.borrow() => host.report(&ViewerEvent::Closed),
            _ => {}
        }
        was_open.replace(load.phase != Phase::Landing);
    });
}

/// Reports the selected item.
#[hook]
fn use_selection(panel: &PanelProps) {
    let reported = use_mut_ref(|| None::<Place>);
    let selection = panel.state.nav.selection;
    let panel = panel.clone();
    use_effect_with((selection, panel.state.load.info.build), move |(selection, _)| {
        let selection = *selection;
        spawn_local(async move {
            let host = panel.mount.host();
            let Some(item) = selection else {
                if reported.take().is_some() {
                    host.report(&ViewerEvent::Selected(None));
                }
                return;
            };
            let Some(Some(details)) = panel.client.ask(DetailsRequest { item }).await else { return };
            let place = (item, details.start, details.duration.unwrap_or(0));
            if reported.replace(Some(place)) != Some(place) {
                host.report(&ViewerEvent::Selected(Some((place, &details.title))));
            }
        });
    });
}
