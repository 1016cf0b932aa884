//! The frame of the viewer, and what is dropped on it.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::client::{Client, News};
use crate::components::{
    Comparison, DRAG, Details, DropOverlay, Help, Landing, Loading, Overview, PanelProps, Parallelism,
    PartDialog, Pivot, QueryList, Report, Tables, Tabs, Toast, TopBar, Transactions,
};
use crate::files::Dropped;
use crate::host::Mount;
use crate::host::page::Timer;
use crate::messages::{Progress, Source};
use crate::state::{Action, Dialog, Dispatch, Notice, Phase, State, Tab};
use crate::timeline::Timeline;
use crate::window::{self, use_window};

/// What is over sooner is not announced.
const LOOKING_MS: i32 = 120;

/// What a viewer needs.
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// Where it is.
    pub mount: Mount,
    /// The line to its worker.
    pub client: Client,
}

/// A viewer.
#[component]
pub fn App(props: &AppProps) -> Html {
    let state = use_reducer(|| window::first_state(&props.mount));
    let dispatch = state.dispatcher();
    use_memo((), |()| props.client.listen(hearing(dispatch.clone())));
    let AppProps { mount, client } = props;
    html! {
        <Frame mount={mount.clone()} client={client.clone()} state={Rc::new((*state).clone())} {dispatch} />
    }
}

/// What is done with what the worker says unasked.
fn hearing(dispatch: Dispatch) -> Callback<News> {
    Callback::from(move |news| {
        dispatch.dispatch(match news {
            News::Progress(progress) => Action::Progress(progress),
            News::Opened(info, partial, items) => Action::Opened(info, partial, items),
            News::Drawn => Action::Drawn,
            News::Named(build, items) => Action::Named(build, items),
            News::Failed(title, text, offer) => Action::Failed(Notice { title, text, offer }),
            News::Aside(title, text, offer) => {
                Action::Notice(Some(Notice { title, text, offer: Some(offer) }))
            }
        })
    })
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    mount: Mount,
    client: Client,
    state: Rc<State>,
    dispatch: Dispatch,
}

#[component]
fn Frame(props: &FrameProps) -> Html {
    let is_open = matches!(props.state.load.phase, Phase::Ready | Phase::Loading);
    let open = use_callback((props.client.clone(), props.dispatch.clone(), is_open), open_sources);
    let over = use_state(|| false);
    let panel = PanelProps {
        mount: props.mount.clone(),
        client: props.client.clone(),
        state: props.state.clone(),
        dispatch: props.dispatch.clone(),
        open: open.clone(),
    };
    use_window(&panel);
    let ondragover =
        use_callback((over.setter(), props.client.clone()), |event: DragEvent, (over, client)| {
            if is_of_page(&event) {
                return;
            }
            event.prevent_default();
            client.wake();
            over.set(true);
        });
    let ondragleave =
        use_callback((over.setter(), props.mount.clone()), |event: DragEvent, (over, mount)| {
            // Leaving one element for another inside the viewer is no leaving.
            if event.related_target().is_none_or(|other| !mount.holds(&other)) {
                over.set(false);
            }
        });
    let ondrop = use_callback((panel.clone(), over.setter()), |event: DragEvent, (panel, over)| {
        event.prevent_default();
        over.set(false);
        if let Some(data) = event.data_transfer() {
            drop_files(Dropped::take(&data), panel.clone());
        }
    });
    let state = &props.state;
    html! {
        <div id="app" {ondragover} {ondragleave} {ondrop}
            data-phase={state.load.phase.name()} data-view={state.nav.tab.id()} data-embed={state.ui.embedded.then_some("")}
            data-events={state.load.info.events.to_string()} data-queries={state.load.info.queries.to_string()}>
            { body(panel.clone()) }
            <Toast ..panel />
            if *over { <DropOverlay adding={state.load.phase == Phase::Ready} /> }
            <p id="status" class="visually-hidden" aria-live="polite">{ &state.ui.status }</p>
        </div>
    }
}

fn body(panel: PanelProps) -> Html {
    let state = panel.state.clone();
    match &state.load.phase {
        Phase::Landing | Phase::Error(_) => html! { <Landing ..panel /> },
        Phase::Loading => html! { <Loading ..panel /> },
        Phase::Ready => html! {
            <>
                if state.ui.embedded {
                    <h1 class="visually-hidden">{ &state.load.info.name }</h1>
                } else {
                    <TopBar ..panel.clone() />
                    <Tabs ..panel.clone() />
                }
                if state.load.progress.is_some() { <Loading ..panel.clone() /> }
                if !state.load.info.reconstructed.is_empty() {
                    <p class="reconstructed" role="note">{ &state.load.info.reconstructed }</p>
                }
                if !state.load.info.counted_from.is_empty() {
                    <p class="counted-from" role="note">{ &state.load.info.counted_from }</p>
                }
                <main class="stage">
                    <div class="views">
                        if state.nav.tab == Tab::Overview { <Overview ..panel.clone() /> }
                        if state.nav.tab == Tab::Pivot { <Pivot ..panel.clone() /> }
                        if state.nav.tab == Tab::Parallel { <Parallelism ..panel.clone() /> }
                        if state.nav.tab == Tab::Compare { <Comparison ..panel.clone() /> }
                        if state.nav.tab == Tab::Transactions { <Transactions ..panel.clone() /> }
                        if state.nav.tab == Tab::Tables { <Tables ..panel.clone() /> }
                        <Timeline ..panel.clone() />
                    </div>
                    if state.ui.details && state.load.info.items > 0 { <Details ..panel.clone() /> }
                </main>
                if state.ui.list && state.load.info.items > 0 { <QueryList ..panel.clone() /> }
                { dialog(panel) }
            </>
        },
    }
}

fn dialog(panel: PanelProps) -> Html {
    match panel.state.ui.dialog {
        Some(Dialog::Report) => html! { <Report ..panel /> },
        Some(Dialog::Part) => html! { <PartDialog ..panel /> },
        Some(Dialog::Help) => html! { <Help ..panel /> },
        None => Html::default(),
    }
}

/// Whether a part of the page is dragged, and nothing from outside.
fn is_of_page(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    let is_own = |kind: wasm_bindgen::JsValue| kind.as_string().is_some_and(|kind| kind.starts_with(DRAG));
    types.is_some_and(|types| types.iter().any(is_own))
}

type Opener = (Client, Dispatch, bool);

fn open_sources((sources, fresh): (Vec<Source>, bool), (client, dispatch, is_open): &Opener) {
    // Without an open trace there is nothing to add to: what was open before is not meant.
    let fresh = fresh || !is_open;
    if sources.is_empty() {
        return;
    }
    // A link can only lead to what has an address, all of it.
    let address = |source: &Source| match source {
        Source::Url { url } => Some(url.clone()),
        Source::File { .. } | Source::Closed { .. } => None,
    };
    dispatch.dispatch(Action::Opening(fresh, sources.iter().map(address).collect()));
    client.open(sources, fresh);
}

/// How far the look through dropped folders is; it is shown when it takes long.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Looking {
    #[default]
    Begun,
    Shown,
    Ended,
}

/// Adds to the trace that is open: dropping is how several files of one run come together.
fn drop_files(dropped: Dropped, panel: PanelProps) {
    if dropped.is_empty() {
        return;
    }
    let (cancelled, folders) = (panel.client.cancelled(), dropped.has_folders());
    let looking = Rc::<Cell<Looking>>::default();
    let announcing = folders.then(|| {
        let (panel, looking) = (panel.clone(), looking.clone());
        Timer::start(LOOKING_MS, move || {
            if looking.get() == Looking::Begun {
                looking.set(Looking::Shown);
                panel.dispatch.dispatch(Action::Opening(panel.state.load.phase == Phase::Landing, None));
            }
        })
    });
    spawn_local(async move {
        let tell = |files: usize| {
            if looking.get() == Looking::Shown && panel.client.cancelled() == cancelled {
                let progress = Progress { files: files as u32, ..Progress::default() };
                panel.dispatch.dispatch(Action::Progress(progress));
            }
        };
        let sources = dropped.sources(tell).await;
        looking.set(Looking::Ended);
        drop(announcing);
        let text = if folders && panel.client.cancelled() != cancelled {
            "It was cancelled while the folder was looked through."
        } else if folders && sources.is_empty() {
            "There is no file in what was dropped."
        } else {
            return panel.open.emit((sources, false));
        };
        let (title, text) = ("Nothing was read".to_owned(), text.to_owned());
        panel.dispatch.dispatch(Action::Failed(Notice { title, text, offer: None }));
    });
}
