//! The root component of the viewer, and drag and drop of files.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::client::{Client, EngineEvent, RecoveryAction};
use crate::components::{
    AreaPanel, DRAG, Details, DropOverlay, EmbedBar, FilterBar, FilterMenu, Help, Landing, Loading, Notes,
    PanelProps, PartDialog, QueryList, Report, SaveDialog, SearchedText, Tabs, Toast, TopBar,
};
use crate::files::Dropped;
use crate::host::page::Timer;
use crate::host::{Mount, ViewerEvent};
use crate::link_files::{other_files, tell_files};
use crate::messages::{Progress, Source};
use crate::remote::{Remote, use_remote};
use crate::state::{
    Action, Controls, Dialog, Dispatch, List, Notice, OpenDataset, Phase, State, StateSlice, Tab, TableOrder,
};
use crate::stored_trace::dataset_of;
use crate::timeline::Timeline;
use crate::ui::{SortOrder, TableOrders};
use crate::views::view_of;
use crate::whole_viewer::{self, use_whole_viewer};
use crate::words;

/// State slices that the panels around the views read.
const TOP_BAR: &[StateSlice] =
    &[StateSlice::Trace, StateSlice::Search, StateSlice::Selection, StateSlice::Theme, StateSlice::Notes];
const TABS_AND_LEGEND: &[StateSlice] =
    &[StateSlice::Trace, StateSlice::Tab, StateSlice::Picture, StateSlice::Panels];
const LOADING: &[StateSlice] = &[StateSlice::Trace, StateSlice::Progress];
const TIMELINE: &[StateSlice] = &[
    StateSlice::Trace,
    StateSlice::Tab,
    StateSlice::Picture,
    StateSlice::Range,
    StateSlice::Selection,
    StateSlice::Compare,
    StateSlice::Viewport,
    StateSlice::Panels,
    StateSlice::Theme,
    StateSlice::Notes,
    StateSlice::Filter,
];
const FILTER_BAR: &[StateSlice] =
    &[StateSlice::Trace, StateSlice::Tab, StateSlice::Picture, StateSlice::Filter, StateSlice::Panels];
const FILTER_MENU: &[StateSlice] = &[StateSlice::Filter];
const NOTES: &[StateSlice] =
    &[StateSlice::Trace, StateSlice::Tab, StateSlice::Notes, StateSlice::Range, StateSlice::Selection];
const DETAILS: &[StateSlice] =
    &[StateSlice::Trace, StateSlice::Selection, StateSlice::Filter, StateSlice::Range];
const AREA: &[StateSlice] = &[StateSlice::Trace, StateSlice::Range, StateSlice::Orders, StateSlice::Filter];
const QUERIES: &[StateSlice] = &[
    StateSlice::Trace,
    StateSlice::Progress,
    StateSlice::Tab,
    StateSlice::Queries,
    StateSlice::Filter,
    StateSlice::Range,
    StateSlice::Selection,
    StateSlice::Panels,
];
const SAVE_DIALOG: &[StateSlice] =
    &[StateSlice::Trace, StateSlice::Range, StateSlice::Selection, StateSlice::Notes];
const RANGE_DIALOG: &[StateSlice] = &[StateSlice::Trace, StateSlice::Progress, StateSlice::Range];

/// Time in milliseconds before the search through dropped folders is announced; a faster search shows nothing.
const LOOKING_MS: i32 = 120;

/// Properties of the root component.
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// The viewer's place in the page.
    pub mount: Mount,
    /// The connection to the viewer's worker.
    pub client: Client,
    /// Commands of the embedding page.
    pub remote: Remote,
}

/// The root component of a viewer.
#[component]
pub fn App(props: &AppProps) -> Html {
    let state = use_reducer(|| whole_viewer::first_state(&props.mount));
    let dispatch = state.dispatcher();
    use_memo((), |()| {
        props.client.listen(hearing(dispatch.clone(), props.mount.clone(), props.remote.clone()))
    });
    let AppProps { mount, client, remote } = props;
    html! {
        <Frame mount={mount.clone()} client={client.clone()} remote={remote.clone()} state={Rc::new((*state).clone())} {dispatch} />
    }
}

/// Returns a callback that converts the worker's events to actions.
fn hearing(dispatch: Dispatch, mount: Mount, remote: Remote) -> Callback<EngineEvent> {
    Callback::from(move |news| {
        let host = mount.host();
        dispatch.dispatch(match news {
            EngineEvent::Progress(progress) => {
                host.report(&ViewerEvent::Progress(&progress));
                Action::Progress(progress)
            }
            EngineEvent::Opened(info, partial, items) => Action::Opened(info, partial, items),
            EngineEvent::Drawn => Action::Drawn,
            EngineEvent::Computing(is_slow) => Action::Computing(is_slow),
            EngineEvent::Remapped(build, items) => Action::Remapped(build, items),
            EngineEvent::Failed(title, text, recovery) => {
                let notice = Notice { title, text, recovery };
                // A failure without a trace is reported when it is shown.
                if remote.shows_trace() && recovery != Some(RecoveryAction::Again) {
                    host.report(&ViewerEvent::Warned(&notice));
                }
                Action::Failed(notice)
            }
            EngineEvent::Warning(title, text, recovery) => {
                let notice = Notice { title, text, recovery: Some(recovery) };
                host.report(&ViewerEvent::Warned(&notice));
                Action::Notice(Some(notice))
            }
        })
    })
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    mount: Mount,
    client: Client,
    remote: Remote,
    state: Rc<State>,
    dispatch: Dispatch,
}

#[component]
fn Frame(props: &FrameProps) -> Html {
    let is_open = matches!(props.state.load.phase, Phase::Ready | Phase::Loading);
    let is_open = is_open && !props.state.load.has_dataset_alone();
    let open = use_callback(
        (props.client.clone(), props.dispatch.clone(), is_open, props.mount.clone()),
        |(sources, fresh): (Vec<Source>, bool), (client, dispatch, is_open, mount)| {
            if let Some((name, source)) = dataset_of(&sources) {
                client.open_dataset(source);
                let dataset = OpenDataset { name, ..OpenDataset::default() };
                dispatch.dispatch(Action::Dataset(dataset));
            } else if !sources.is_empty() {
                mount.host().report(&ViewerEvent::Opening { by_user: true });
                // Without an open trace, the sources begin a new one.
                open_sources(client, dispatch, sources, fresh || !is_open);
            }
        },
    );
    let over = use_state(|| false);
    let panel = PanelProps {
        mount: props.mount.clone(),
        client: props.client.clone(),
        state: props.state.clone(),
        dispatch: props.dispatch.clone(),
        open: open.clone(),
    };
    use_whole_viewer(&panel);
    use_remote(&panel, &props.remote);
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
            // Moving from one element of the viewer to another does not leave the viewer.
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
    let orders = use_orders(state, &props.dispatch);
    html! {
        <ContextProvider<TableOrders> context={orders}>
        <div id="app" {ondragover} {ondragleave} {ondrop}
            data-phase={state.load.phase.name()} data-view={state.nav.tab.id()} data-embed={state.ui.embedded.then_some("")} data-controls={state.ui.controls.name()}
            data-events={state.load.info.events.to_string()} data-queries={state.load.info.queries.to_string()}>
            { body(panel.clone()) }
            <Toast ..panel.reading(&[StateSlice::Trace, StateSlice::Messages]) />
            if *over { <DropOverlay adding={state.load.phase == Phase::Ready} /> }
            // While files are read, their progress stands there.
            <p class="computing" role="status">{ (state.load.is_computing && state.load.progress.is_none()).then_some(words::engine::COMPUTING) }</p>
            <p id="status" class="visually-hidden" aria-live="polite">{ &state.ui.status }</p>
        </div>
        </ContextProvider<TableOrders>>
    }
}

/// The orders of the tables whose rows the page sorts.
#[hook]
fn use_orders(state: &State, dispatch: &Dispatch) -> TableOrders {
    let order = |of: &TableOrder| {
        (of.table.clone(), SortOrder { column: of.column as usize, descending: of.descending })
    };
    let orders = state.nav.orders.iter().map(order).collect();
    let onorder =
        use_callback(dispatch.clone(), |(table, order): (&'static str, Option<SortOrder>), dispatch| {
            let order = order.map(|order| (order.column as u32, order.descending));
            dispatch.dispatch(Action::Order(table.to_owned(), order));
        });
    TableOrders { orders, onorder }
}

fn body(panel: PanelProps) -> Html {
    let state = panel.state.clone();
    match &state.load.phase {
        Phase::Landing | Phase::Error(_) => html! { <Landing ..panel /> },
        Phase::Loading => html! { <Loading ..panel /> },
        Phase::Ready => html! {
            <>
                { controls(&panel) }
                if state.shows_filter() { <FilterBar ..panel.reading(FILTER_BAR) /> }
                if state.load.progress.is_some() { <Loading ..panel.reading(LOADING) /> }
                if !state.load.info.reconstructed.is_empty() {
                    <p class="reconstructed" role="note">{ &state.load.info.reconstructed }</p>
                }
                if !state.load.info.counted_from.is_empty() {
                    <p class="counted-from" role="note">{ &state.load.info.counted_from }</p>
                }
                { other_files(&state) }
                <main class="stage">
                    <div class="views">
                        { view_of(&panel) }
                        <Timeline ..panel.reading(TIMELINE) />
                    </div>
                    if state.shows_details() { <Details ..panel.reading(DETAILS) /> }
                </main>
                if state.area().is_some() && state.nav.tab == Tab::Gantt {
                    <AreaPanel ..panel.reading(AREA) />
                } else if state.list() != List::None { <QueryList ..panel.reading(QUERIES) /> }
                <FilterMenu ..panel.reading(FILTER_MENU) />
                { dialog(panel) }
            </>
        },
    }
}

/// Renders the controls above the views.
fn controls(panel: &PanelProps) -> Html {
    let search = || html! { <SearchedText ..panel.reading(TOP_BAR) /> };
    match panel.state.ui.controls {
        Controls::Full => html! {
            <>
                <TopBar ..panel.reading(TOP_BAR) />
                <Tabs ..panel.reading(TABS_AND_LEGEND) />
            </>
        },
        Controls::Minimal => html! { <>{ search() }<EmbedBar ..panel.reading(TABS_AND_LEGEND) /></> },
        Controls::None => search(),
    }
}

fn dialog(panel: PanelProps) -> Html {
    match panel.state.ui.dialog {
        Some(Dialog::Report) => html! { <Report ..panel.reading(&[StateSlice::Trace]) /> },
        Some(Dialog::Part) => html! { <PartDialog ..panel.reading(RANGE_DIALOG) /> },
        Some(Dialog::Save) => html! { <SaveDialog ..panel.reading(SAVE_DIALOG) /> },
        Some(Dialog::Notes) => html! { <Notes ..panel.reading(NOTES) /> },
        Some(Dialog::Help) => html! { <Help ..panel.reading(&[]) /> },
        None => Html::default(),
    }
}

/// Whether an element of the page is dragged, rather than files from outside.
fn is_of_page(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    let is_own = |kind: wasm_bindgen::JsValue| kind.as_string().is_some_and(|kind| kind.starts_with(DRAG));
    types.is_some_and(|types| types.iter().any(is_own))
}

/// Reads sources: as a new trace if `fresh`, else in addition to the open trace, which then exists.
pub fn open_sources(client: &Client, dispatch: &Dispatch, sources: Vec<Source>, fresh: bool) {
    // A link needs an address for every source.
    let addresses = sources.iter().map(|source| source.url().map(str::to_owned)).collect();
    dispatch.dispatch(Action::Opening(fresh, addresses));
    tell_files(dispatch, &sources, fresh);
    client.open(sources, fresh);
}

/// Progress of the search through dropped folders; shown only if it takes long.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Looking {
    #[default]
    Begun,
    Shown,
    Ended,
}

/// Adds dropped files to the open trace, so that several files of one run can be combined.
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
                // No file is found yet: the open trace keeps its address.
                panel.dispatch.dispatch(match panel.state.load.phase {
                    Phase::Ready => Action::Progress(Progress::default()),
                    _ => Action::Opening(true, None),
                });
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
            words::reading::SCAN_CANCELLED
        } else if folders && sources.is_empty() {
            words::reading::EMPTY_FOLDER
        } else {
            return panel.open.emit((sources, false));
        };
        let (title, text) = (words::reading::NOTHING_READ.to_owned(), text.to_owned());
        panel.dispatch.dispatch(Action::Failed(Notice { title, text, recovery: None }));
    });
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::time::Duration;

    use queryscope::protocol::{self, QueryColumn, ShapeColumn, ShapeList, Viewport};
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::host::page;
    use crate::messages::{TraceInfo, TrackedItems};
    use crate::shells::EmbeddedHost;
    use crate::spawn_engine::EngineProgram;
    use crate::state::{StatementsView, Tab};
    use crate::viewer::Options;
    use crate::views::VIEWS;

    thread_local! {
        static DRAWN: RefCell<BTreeMap<&'static str, u32>> = RefCell::default();
        static DISPATCH: RefCell<Option<Dispatch>> = RefCell::default();
    }

    #[derive(Properties, PartialEq)]
    struct CountedProps {
        name: &'static str,
        panel: PanelProps,
    }

    /// Counts how often it is rendered.
    #[component]
    fn Counted(props: &CountedProps) -> Html {
        DRAWN.with_borrow_mut(|drawn| *drawn.entry(props.name).or_default() += 1);
        html! { <p>{ props.panel.state.load.info.items }</p> }
    }

    #[derive(Properties, PartialEq)]
    struct HarnessProps {
        mount: Mount,
        client: Client,
    }

    /// Renders one counter in place of each panel and each view.
    #[component]
    fn Harness(props: &HarnessProps) -> Html {
        let state = use_reducer(State::default);
        DISPATCH.replace(Some(state.dispatcher()));
        let panel = PanelProps {
            mount: props.mount.clone(),
            client: props.client.clone(),
            state: Rc::new((*state).clone()),
            dispatch: state.dispatcher(),
            open: use_callback((), |_, ()| ()),
        };
        let counted = |(name, parts): (&'static str, &[StateSlice])| {
            html! { <Counted {name} panel={panel.reading(parts)} /> }
        };
        let panels = [
            ("top bar", TOP_BAR),
            ("tabs", TABS_AND_LEGEND),
            ("loading", LOADING),
            ("timeline", TIMELINE),
            ("details", DETAILS),
            ("query list", QUERIES),
        ];
        let views = VIEWS.iter().map(|view| (view.tab.id(), view.reads));
        html! { <>{ for panels.into_iter().chain(views).map(counted) }</> }
    }

    async fn drawn_by(action: Action) -> Vec<&'static str> {
        DRAWN.with_borrow_mut(BTreeMap::clear);
        if let Some(dispatch) = DISPATCH.with_borrow(Clone::clone) {
            dispatch.dispatch(action);
        }
        yew::platform::time::sleep(Duration::from_millis(30)).await;
        DRAWN.with_borrow(|drawn| {
            assert!(drawn.values().all(|times| *times == 1), "{drawn:?}");
            drawn.keys().copied().collect()
        })
    }

    #[wasm_bindgen_test]
    async fn only_what_shows_a_change_is_drawn_again() {
        let root = page::element("div").expect("a document");
        let host = EmbeddedHost::default();
        let mount = Mount::new(root.clone(), Options::default(), Rc::new(host));
        let client = Client::new(EngineProgram::default(), None);
        yew::Renderer::<Harness>::with_root_and_props(root, HarnessProps { mount, client }).render();
        yew::platform::time::sleep(Duration::from_millis(30)).await;
        let info = TraceInfo { items: 9, queries: 3, parallel: true, ..TraceInfo::default() };
        let opened = drawn_by(Action::Opened(info, false, TrackedItems::default())).await;
        assert_eq!(
            opened.len(),
            6 + VIEWS.len() - 2,
            "all but Gantt and flame, which the timeline draws: {opened:?}"
        );
        let by_duration = protocol::QueryList { sort: QueryColumn::Duration, ..Default::default() };
        let list = ShapeList { sort: ShapeColumn::Count, ..ShapeList::default() };
        let by_count = StatementsView { list, executions: None };
        let look = Viewport { start: 1, end: 5, width: 1.0, top: 0.0, height: 1.0 };
        let of_range = [
            "compare",
            "details",
            "overview",
            "parallel",
            "pivot",
            "query list",
            "sources",
            "statements",
            "timeline",
            "transactions",
        ];
        for (action, expected) in [
            (Action::ViewportSettled(look), &["overview", "sources", "timeline"][..]),
            (Action::Range(Some((1, 5))), &of_range),
            (Action::Range(Some((1, 6))), &of_range),
            (
                Action::Select(Some(3)),
                &[
                    "compare",
                    "details",
                    "overview",
                    "parallel",
                    "query list",
                    "sources",
                    "sql",
                    "timeline",
                    "top bar",
                ],
            ),
            (Action::Search("a".to_owned()), &["top bar"]),
            (
                Action::Filter("a".to_owned()),
                &[
                    "compare",
                    "details",
                    "overview",
                    "pivot",
                    "query list",
                    "sources",
                    "statements",
                    "timeline",
                ],
            ),
            // Links of the comparison keep the orders of the lists that they open.
            (Action::Queries(by_duration), &["compare", "query list"]),
            (Action::Statements(by_count), &["compare", "statements"]),
            (Action::Progress(Progress::default()), &["loading", "query list"]),
            (Action::Announce("selected".to_owned()), &[]),
            (Action::Show(Tab::Pivot), &["query list", "tabs", "timeline"]),
        ] {
            let told = format!("{action:?}");
            assert_eq!(drawn_by(action).await, expected, "{told}");
        }
    }
}
