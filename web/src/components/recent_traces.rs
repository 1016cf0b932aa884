//! The list of recent traces on the landing page, and the switch for keeping them.

use queryscope::internal::text;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::PanelProps;
use crate::host::{RecentTrace, TraceStore, page};
use crate::state::Phase;
use crate::words::recent_traces as words;

/// Storage key of the switch, without prefix.
const KEEPS: &str = "-keeps-traces";
const ON: &str = "1";

/// What the list shows.
#[derive(Clone, PartialEq, Debug, Default)]
struct Kept {
    is_on: bool,
    traces: Vec<RecentTrace>,
    /// Why the browser's storage cannot be used.
    error: Option<String>,
}

type Kepts = UseStateSetter<Kept>;

/// Lists the kept traces. Without a store, nothing is shown.
#[component]
pub fn RecentTraces(props: &PanelProps) -> Html {
    let is_on = props.mount.stored(KEEPS).as_deref() == Some(ON);
    let kept = use_state(|| Kept { is_on, ..Kept::default() });
    let store = props.mount.host().trace_store().cloned();
    {
        let (store, set) = (store.clone(), kept.setter());
        use_effect_with((), move |()| {
            if let Some(store) = store.filter(|_| is_on) {
                refresh(store, set);
            }
        });
    }
    let Some(store) = store else { return Html::default() };
    let row = |trace: &RecentTrace| row(props, &store, &kept.setter(), trace);
    html! {
        <section class="formats recent" aria-labelledby="recent">
            <h2 id="recent" class="kicker">{ words::TITLE }</h2>
            { switch(props, &store, &kept) }
            if let Some(error) = &kept.error { <p role="alert">{ words::no_storage(error) }</p> }
            if !kept.traces.is_empty() { <ul>{ for kept.traces.iter().map(row) }</ul> }
        </section>
    }
}

fn switch(props: &PanelProps, store: &TraceStore, kept: &UseStateHandle<Kept>) -> Html {
    let (mount, store, kept) = (props.mount.clone(), store.clone(), kept.clone());
    let is_on = kept.is_on;
    let onchange = move |_: Event| {
        mount.store(KEEPS, if is_on { "" } else { ON });
        kept.set(Kept { is_on: !is_on, ..Kept::default() });
        let (store, set) = (store.clone(), kept.setter());
        if is_on {
            spawn_local(async move {
                if let Err(error) = store.delete(None).await {
                    set.set(Kept { error: Some(error), ..Kept::default() });
                }
            });
        } else {
            refresh(store, set);
        }
    };
    html! {
        <label class="switch"><input type="checkbox" checked={is_on} {onchange} /><span>{ words::KEEP }</span></label>
    }
}

fn row(props: &PanelProps, store: &TraceStore, set: &Kepts, trace: &RecentTrace) -> Html {
    let open = {
        let (store, key, set) = (store.clone(), trace.key.clone(), set.clone());
        let emit = props.open.clone();
        move |_: MouseEvent| {
            let (store, key, set, emit) = (store.clone(), key.clone(), set.clone(), emit.clone());
            spawn_local(async move {
                match store.sources(&key).await {
                    Ok(sources) => emit.emit((sources, true)),
                    Err(_) => refresh(store, set),
                }
            });
        }
    };
    let delete = {
        let (store, key, set) = (store.clone(), trace.key.clone(), set.clone());
        move |_: MouseEvent| {
            let (store, key, set) = (store.clone(), key.clone(), set.clone());
            spawn_local(async move {
                let deleted = store.delete(Some(&key)).await;
                match deleted {
                    Ok(()) => refresh(store, set),
                    Err(error) => set.set(Kept { is_on: true, error: Some(error), ..Kept::default() }),
                }
            });
        }
    };
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

/// Reads the list again.
fn refresh(store: TraceStore, set: Kepts) {
    spawn_local(async move {
        set.set(match store.all().await {
            Ok(traces) => Kept { is_on: true, traces, error: None },
            Err(error) => Kept { is_on: true, traces: Vec::new(), error: Some(error) },
        });
    });
}

/// Keeps the open trace once it is complete, if the user wants that.
#[hook]
pub fn use_kept_trace(panel: &PanelProps) {
    let load = &panel.state.load;
    let is_complete = load.phase == Phase::Ready && load.progress.is_none();
    let panel = panel.clone();
    use_effect_with((is_complete, load.info.build), move |(is_complete, _)| {
        let is_on = panel.mount.stored(KEEPS).as_deref() == Some(ON);
        let store = panel.mount.host().trace_store().filter(|_| *is_complete && is_on).cloned();
        if let Some(store) = store {
            let (name, bytes, sources) =
                (panel.state.load.info.name.clone(), panel.client.given(), panel.client.sources());
            spawn_local(async move {
                // The list says why, where the user looks for the trace.
                let _ = store.store(&name, bytes, &sources).await;
            });
        }
    });
}
