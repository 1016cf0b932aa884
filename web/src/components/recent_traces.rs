//! The list of recent traces on the landing page, and the switch for keeping them.

use queryscope::internal::text;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::PanelProps;
use crate::host::{Mount, RecentTrace, TraceStore, page};
use crate::messages::Source;
use crate::state::{Action, Notice, Phase};
use crate::words::recent_traces as words;

/// Storage key of the switch, without prefix.
const KEEPS: &str = "-keeps-traces";
const ON: &str = "1";

/// Content of the list.
#[derive(Clone, PartialEq, Debug, Default)]
struct Kept {
    is_on: bool,
    traces: Vec<RecentTrace>,
    /// Text on what failed, and why; `None` if nothing failed.
    error: Option<String>,
}

/// Opens sources as a new trace (`true`) or in addition to the open one.
type Opening = Callback<(Vec<Source>, bool)>;

/// The store of kept traces, and the content of the list.
#[derive(Clone)]
struct RecentList {
    store: TraceStore,
    kept: UseStateSetter<Kept>,
}

impl RecentList {
    /// Reads the list again, and shows what failed before (`error`).
    async fn refresh(&self, error: Option<String>) {
        self.kept.set(match self.store.all().await {
            Ok(traces) => Kept { is_on: true, traces, error },
            Err(reason) => {
                let error = error.unwrap_or_else(|| words::not_listed(&reason));
                Kept { is_on: true, traces: Vec::new(), error: Some(error) }
            }
        });
    }

    /// Deletes a trace, and reads the list again.
    async fn delete(&self, key: &str) {
        let error = self.store.delete(Some(key)).await.err();
        self.refresh(error.map(|reason| words::not_deleted(&reason))).await;
    }

    /// Opens a kept trace; if it is no longer kept, the list is read again.
    async fn open(&self, key: &str, open: &Opening) {
        match self.store.sources(key).await {
            Ok(sources) => open.emit((sources, true)),
            Err(reason) => self.refresh(Some(words::not_opened(&reason))).await,
        }
    }

    /// Keeps traces from now on, if the browser stores that.
    async fn turn_on(&self, mount: &Mount) {
        mount.store(KEEPS, ON);
        if is_on(mount) {
            self.refresh(None).await;
        } else {
            self.kept.set(Kept { error: Some(words::NOT_TURNED_ON.to_owned()), ..Kept::default() });
        }
    }

    /// Deletes all traces and keeps none from now on. If they cannot be deleted, they stay listed.
    async fn turn_off(&self, mount: &Mount) {
        match self.store.delete(None).await {
            Ok(()) => {
                mount.store(KEEPS, "");
                self.kept.set(Kept::default());
            }
            Err(reason) => self.refresh(Some(words::not_deleted(&reason))).await,
        }
    }
}

/// Whether the user wants traces to be kept.
fn is_on(mount: &Mount) -> bool {
    mount.stored(KEEPS).as_deref() == Some(ON)
}

/// Lists the kept traces. Without a store, nothing is shown.
#[component]
pub fn RecentTraces(props: &PanelProps) -> Html {
    let is_on = is_on(&props.mount);
    let kept = use_state(|| Kept { is_on, ..Kept::default() });
    let store = props.mount.host().trace_store().cloned();
    let list = store.map(|store| RecentList { store, kept: kept.setter() });
    {
        let list = list.clone().filter(|_| is_on);
        use_effect_with((), move |()| {
            if let Some(list) = list {
                spawn_local(async move { list.refresh(None).await });
            }
        });
    }
    let Some(list) = list else { return Html::default() };
    html! {
        <section class="formats recent" aria-labelledby="recent">
            <h2 id="recent" class="kicker">{ words::TITLE }</h2>
            { switch(props, &list, kept.is_on) }
            if let Some(error) = &kept.error { <p role="alert" dir="auto">{ error }</p> }
            if !kept.traces.is_empty() { <ul>{ for kept.traces.iter().map(|trace| row(props, &list, trace)) }</ul> }
        </section>
    }
}

fn switch(props: &PanelProps, list: &RecentList, is_on: bool) -> Html {
    let mount = props.mount.clone();
    let list = list.clone();
    let onchange = move |_: Event| {
        let (list, mount) = (list.clone(), mount.clone());
        spawn_local(async move {
            if is_on {
                list.turn_off(&mount).await;
            } else {
                list.turn_on(&mount).await;
            }
        });
    };
    html! {
        <label class="switch"><input type="checkbox" checked={is_on} {onchange} /><span>{ words::KEEP }</span></label>
    }
}

fn row(props: &PanelProps, list: &RecentList, trace: &RecentTrace) -> Html {
    // Runs a task on the list with the key of the trace when the button is clicked.
    let clicked = |task: fn(RecentList, String, Opening)| {
        let list = list.clone();
        let key = trace.key.clone();
        let open = props.open.clone();
        move |_: MouseEvent| task(list.clone(), key.clone(), open.clone())
    };
    let open = clicked(|list, key, open| spawn_local(async move { list.open(&key, &open).await }));
    let delete = clicked(|list, key, _| spawn_local(async move { list.delete(&key).await }));
    let size = text::bytes(i64::try_from(trace.bytes).unwrap_or(i64::MAX));
    html! {
        <li>
            <button type="button" class="link" dir="auto" onclick={open}>{ &trace.name }</button>
            <span>{ words::about(&size, &page::date(trace.opened)) }
                <button type="button" class="btn small" aria-label={words::delete(&trace.name)} onclick={delete}>{ words::DELETE }</button>
            </span>
        </li>
    }
}

/// Keeps the open trace once it is complete, if the user wants that. Says so if it cannot be kept, or if others were deleted.
#[hook]
pub fn use_kept_trace(panel: &PanelProps) {
    let load = &panel.state.load;
    let is_complete = load.phase == Phase::Ready && load.progress.is_none() && !load.has_dataset_alone();
    let panel = panel.clone();
    use_effect_with((is_complete, load.info.build), move |(is_complete, _)| {
        let is_wanted = *is_complete && is_on(&panel.mount);
        if let Some(store) = panel.mount.host().trace_store().filter(|_| is_wanted).cloned() {
            spawn_local(async move {
                let name = &panel.state.load.info.name;
                let bytes = panel.client.given();
                let outcome = store.store(name, bytes, &panel.client.sources()).await;
                if let Some((title, text)) = words::kept(outcome, bytes) {
                    let notice = Notice { title: title.to_owned(), text, recovery: None };
                    panel.dispatch.dispatch(Action::Notice(Some(notice)));
                }
            });
        }
    });
}
