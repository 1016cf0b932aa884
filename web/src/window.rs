//! What belongs to the whole window: keys, pasting, the theme, the address.

use std::time::Duration;

use js_sys::Reflect;
use queryscope::protocol::{Beside, Reply, Request};
use queryscope::text;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{ClipboardEvent, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use crate::canvas;
use crate::client::Client;
use crate::components::{PanelProps, focus, focus_view_if_none_has_it, later};
use crate::events::Listener;
use crate::files::{self, Dropped};
use crate::input::{self, Command};
use crate::messages::Source;
use crate::state::{Action, Dialog, Notice, Phase, State, Tab, Theme};
use crate::url::{Address, Compared, Place, fragment};

/// How long the state rests before the address follows.
const REST: Duration = Duration::from_millis(300);
/// How long the page stands before the engine is fetched.
const SETTLED: Duration = Duration::from_millis(400);
/// Characters of a wrong address that are shown.
const SHOWN: usize = 200;
const THEME_KEY: &str = "queryscope-theme";

/// The state that the page begins with.
pub fn first_state() -> State {
    State { theme: remembered_theme(), ..address().state() }
}

/// Everything that belongs to the whole window, for as long as the page lives.
#[hook]
pub fn use_window(panel: &PanelProps) {
    use_keys(panel);
    use_paste(panel);
    use_theme(panel.state.theme);
    use_title(panel);
    use_address(panel);
    use_watch(panel);
    use_engine(panel);
    use_first_focus(panel);
    use_leaving(panel.state.is_lost_by_leaving());
}

/// Has the browser ask before the page is left, by whatever way, while a trace is open that no address leads back to.
#[hook]
fn use_leaving(is_lost: bool) {
    use_effect_with(is_lost, |is_lost| {
        let target = web_sys::window().map(Into::into).filter(|_| *is_lost);
        // Without a listener the browser may keep the page as it is, for a way back.
        let listener = target.and_then(|window| {
            Listener::new(window, "beforeunload", |event| {
                event.prevent_default();
                // Chromium before 119 and Safari ask where a text is set, and show their own.
                let _ = Reflect::set(&event, &"returnValue".into(), &"Close the trace?".into());
            })
        });
        move || drop(listener)
    });
}

/// Has the engine fetched once the page stands, and practises painting: whoever came is about to open a trace. Where data is
/// precious, or nobody looks, it waits for one.
#[hook]
fn use_engine(panel: &PanelProps) {
    let (client, phase) = (panel.client.clone(), panel.state.phase.clone());
    use_effect_with((), move |()| {
        spawn_local(async move {
            yew::platform::time::sleep(SETTLED).await;
            let is_seen = web_sys::window()
                .and_then(|window| window.document())
                .is_some_and(|document| !document.hidden());
            if is_seen && !saves_data() {
                client.wake();
                if phase == Phase::Landing {
                    canvas::practise();
                }
            }
        });
    });
}

/// Whether the visitor asked for few bytes.
fn saves_data() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let connection = of(&window.navigator(), "connection");
    connection.is_object() && of(&connection, "saveData").is_truthy()
}

/// Tells the worker what to find again when the trace has grown.
#[hook]
fn use_watch(panel: &PanelProps) {
    let (client, build, items) = (panel.client.clone(), panel.state.info.build, panel.state.watched());
    use_effect_with((build, items), move |(build, items)| client.watch(*build, *items));
}

#[hook]
fn use_keys(panel: &PanelProps) {
    use_effect_with(panel.clone(), |panel| {
        let panel = panel.clone();
        let target = web_sys::window().map(Into::into);
        let listener = target.and_then(|window| {
            Listener::new(window, "keydown", move |event| {
                let event: KeyboardEvent = event.unchecked_into();
                if input::command(&event).is_some_and(|command| obey(&panel, command)) {
                    event.prevent_default();
                }
            })
        });
        move || drop(listener)
    });
}

/// Does what a key asks of the whole page; `false` if it asks nothing of it.
fn obey(panel: &PanelProps, command: Command) -> bool {
    let state = &panel.state;
    let go = |action| panel.dispatch.dispatch(action);
    if state.phase != Phase::Ready {
        return false;
    }
    if let Some(tab) = tab(command) {
        if Tab::of(&state.info).iter().any(|(shown, _)| *shown == tab) {
            go(Action::Show(tab));
        }
        return true;
    }
    match command {
        Command::Help => go(Action::Dialog(Some(Dialog::Help))),
        Command::Search => focus_search(),
        Command::Queries if state.embedded || state.info.items == 0 => return false,
        Command::Queries => focus_queries(panel),
        Command::NextHit => step_hit(panel, false),
        Command::PreviousHit => step_hit(panel, true),
        Command::Back if state.dialog.is_some() => go(Action::Dialog(None)),
        Command::Back if state.range.is_some() => go(Action::Range(None)),
        Command::Back if state.selection.is_some() => go(Action::Select(None)),
        _ => return false,
    }
    true
}

/// The tab that a key shows.
fn tab(command: Command) -> Option<Tab> {
    Some(match command {
        Command::Overview => Tab::Overview,
        Command::Gantt => Tab::Gantt,
        Command::Flame => Tab::Flame,
        Command::Pivot => Tab::Pivot,
        Command::Parallel => Tab::Parallel,
        Command::Compare => Tab::Compare,
        Command::Transactions => Tab::Transactions,
        Command::Tables => Tab::Tables,
        _ => return None,
    })
}

/// Opens the query list, if it is closed, and gives it the focus.
fn focus_queries(panel: &PanelProps) {
    panel.dispatch.dispatch(Action::List(true));
    // By then it is there.
    later(0, || {
        let document = web_sys::window().and_then(|window| window.document());
        focus(document.and_then(|document| document.query_selector("#queries .grid-body").ok()?));
    });
}

/// Gives the focus to the view once a trace is there, so that its keys work at once. A frame in another page takes none.
#[hook]
fn use_first_focus(panel: &PanelProps) {
    let is_there = panel.state.phase == Phase::Ready && !panel.state.embedded;
    use_effect_with(is_there, |is_there| {
        if *is_there {
            focus_view_if_none_has_it();
        }
    });
}

fn focus_search() {
    let search = web_sys::window().and_then(|window| window.document()?.get_element_by_id("search"));
    let Some(search) = search else { return };
    let input = search.query_selector("input").ok().flatten().unwrap_or(search);
    focus(Some(input.clone()));
    if let Some(input) = input.dyn_ref::<HtmlInputElement>() {
        input.select();
    }
}

fn step_hit(panel: &PanelProps, backwards: bool) {
    let PanelProps { client, state, dispatch, .. } = panel.clone();
    spawn_local(async move {
        if let Reply::Moved(Some(item)) =
            client.ask(Request::SearchStep { from: state.selection, backwards }).await
        {
            dispatch.dispatch(Action::Reveal(item));
        }
    });
}

/// Files from the clipboard, or text as a file. Pasting into a field stays pasting into a field.
#[hook]
fn use_paste(panel: &PanelProps) {
    use_effect_with(panel.open.clone(), |open| {
        let open = open.clone();
        let target = web_sys::window().map(Into::into);
        let listener = target.and_then(|window| {
            Listener::new(window, "paste", move |event| {
                let event: ClipboardEvent = event.unchecked_into();
                let field = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
                let typing = field.is_some_and(|field| field.matches("input, textarea").unwrap_or(false));
                if let Some(data) = event.clipboard_data().filter(|_| !typing) {
                    paste(&data, open.clone());
                }
            })
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

/// No effect: those may come a frame after what is drawn, and whoever draws reads the style sheets.
#[hook]
fn use_theme(theme: Theme) {
    use_memo(theme, |theme| {
        let name = match theme {
            Theme::System => "",
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let root = web_sys::window().and_then(|window| window.document()?.document_element());
        if let Some(root) = root {
            // The attribute's name is a valid one: neither can fail.
            let _ = if name.is_empty() {
                root.remove_attribute("data-theme")
            } else {
                root.set_attribute("data-theme", name)
            };
        }
        // Without storage (a sandboxed frame) the choice lasts as long as the page.
        let _ = storage().map(|storage| storage.set_item(THEME_KEY, name));
    });
}

fn remembered_theme() -> Theme {
    match storage().and_then(|storage| storage.get_item(THEME_KEY).ok()?).as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

#[hook]
fn use_title(panel: &PanelProps) {
    let name = panel.state.info.name.clone();
    use_effect_with(name, |name| {
        let title = if name.is_empty() { "queryscope".to_owned() } else { format!("{name} – queryscope") };
        if let Some(document) = web_sys::window().and_then(|window| window.document()) {
            document.set_title(&title);
        }
    });
}

/// The bytes of memory with which reading is to end, where the address says so.
pub fn memory_limit() -> Option<u64> {
    address().memory
}

fn address() -> Address {
    let location = web_sys::window().map(|window| window.location());
    let part =
        |text: Option<String>, sign: &str| text.unwrap_or_default().trim_start_matches(sign).to_owned();
    let search = part(location.as_ref().and_then(|location| location.search().ok()), "?");
    let hash = part(location.as_ref().and_then(|location| location.hash().ok()), "#");
    Address::parse(&search, &hash)
}

/// Opens what the address names, goes to what it selects, and keeps it up to date.
#[hook]
fn use_address(panel: &PanelProps) {
    let begin = use_memo((), |()| address());
    let restored = use_mut_ref(|| false);
    {
        let (begin, open, dispatch) = (begin.clone(), panel.open.clone(), panel.dispatch.clone());
        use_effect_with((), move |()| {
            let found = begin.traces.iter().map(|trace| absolute(trace));
            let (sources, wrong): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
            let sources: Vec<_> = sources.into_iter().flatten().collect();
            if !sources.is_empty() {
                open.emit((sources, true));
            }
            if let Some(notice) = wrong.into_iter().find_map(Result::err) {
                dispatch.dispatch(Action::Failed(notice));
            }
        });
    }
    let complete = panel.state.phase == Phase::Ready && panel.state.progress.is_none();
    {
        let (panel, begin) = (panel.clone(), begin.clone());
        use_effect_with(complete, move |complete| {
            if *complete && !std::mem::replace(&mut *restored.borrow_mut(), true) {
                spawn_local(async move { look_again(&panel, &begin).await });
            }
        });
    }
    let latest = use_mut_ref(|| 0_u32);
    let panel = panel.clone();
    use_effect_with(panel.state.clone(), move |_| {
        *latest.borrow_mut() += 1;
        let number = *latest.borrow();
        spawn_local(async move {
            yew::platform::time::sleep(REST).await;
            if *latest.borrow() == number && complete {
                write_address(&panel.client, &panel.state).await;
            }
        });
    });
}

/// What an address says of a trace; what is wrong with it where that is nothing to fetch.
fn absolute(trace: &str) -> Result<Source, Notice> {
    let base = web_sys::window().and_then(|window| window.document()?.base_uri().ok()?).unwrap_or_default();
    let wrong = |text: String| Notice { title: "The address names no trace".to_owned(), text, offer: None };
    let shown = text::shortened(trace, SHOWN);
    let url = web_sys::Url::new_with_base(trace, &base).map_err(|_| {
        wrong(format!(
            "“{shown}” (after trace=) is not a valid URL. Correct the address and reload, or open a file."
        ))
    })?;
    match url.protocol().as_str() {
        "http:" | "https:" => Ok(Source::Url { url: url.href() }),
        other => Err(wrong(format!(
            "“{shown}” (after trace=) begins with {other} but only http: and https: can be read. Correct the address and \
             reload, or open the file itself."
        ))),
    }
}

/// An address as a link holds it: of what lies beside this page, only the path from there.
fn relative(url: &str) -> String {
    let base = web_sys::window().and_then(|window| window.document()?.base_uri().ok()?).unwrap_or_default();
    let page = base.split(['?', '#']).next().unwrap_or_default();
    let folder = &page[..page.rfind('/').map_or(0, |slash| slash + 1)];
    url.strip_prefix(folder).filter(|rest| !folder.is_empty() && is_plain(rest)).unwrap_or(url).to_owned()
}

/// Whether a path leads from the folder of the page to where it led before.
fn is_plain(path: &str) -> bool {
    path.split_once(':').is_none() && !path.starts_with(['/', '?', '#']) && !path.is_empty()
}

/// Compares and selects what a link did, where it is still the same thing.
async fn look_again(panel: &PanelProps, address: &Address) {
    let [a, b] = address.compared.items;
    let mut view = panel.state.compare.clone();
    (view.a, view.b) = (known(panel, a).await, known(panel, b).await.map_or(view.b, Beside::Item));
    if view != panel.state.compare {
        panel.dispatch.dispatch(Action::Compare(view));
    }
    if let Some(item) = known(panel, address.selection).await {
        panel.dispatch.dispatch(Action::Reveal(item));
    }
}

/// The item of a link, if it is still where it was.
async fn known(panel: &PanelProps, place: Option<Place>) -> Option<u32> {
    let (item, start, duration) = place?;
    (place_of(&panel.client, item).await == Some((start, duration))).then_some(item)
}

async fn place_of(client: &Client, item: u32) -> Option<(i64, i64)> {
    match client.ask(Request::Details { item }).await {
        Reply::Details(Some(details)) => Some((details.start, details.duration.unwrap_or(0))),
        _ => None,
    }
}

async fn write_address(client: &Client, state: &State) {
    let [a, b] = Compared::chosen(&state.compare);
    let mut places = [None; 3];
    for (place, item) in places.iter_mut().zip([state.selection, a, b]) {
        if let Some(item) = item {
            *place = place_of(client, item).await.map(|(start, duration)| (item, start, duration));
        }
    }
    let [selection, a, b] = places;
    // Files of this machine have no address that a link could name.
    let traces: Vec<String> = state.addresses.iter().flatten().map(|url| relative(url)).collect();
    let Some(window) = web_sys::window() else { return };
    let text = format!("#{}", fragment(state, &traces, selection, [a, b]));
    let now = window.location().hash().unwrap_or_default();
    if now != text && !(now.is_empty() && text == "#") {
        // Refused where a page has no address of its own (a frame made from text): links are none there.
        let _ = window.history().and_then(|history| {
            history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&text))
        });
    }
}
