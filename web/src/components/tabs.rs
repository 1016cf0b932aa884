//! The tabs of the views, and the controls next to the tabs.

use web_sys::HtmlElement;
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use super::legend::Legend;
use super::scroll_into_view::use_scroll_into_view;
use crate::state::{Action, List, Tab, TabInfo};
use crate::words;

/// The tabs of all views that have something to show.
#[component]
pub fn Tabs(props: &PanelProps) -> Html {
    let list = use_node_ref();
    let current = props.state.nav.tab;
    let shown = Tab::of(&props.state.load);
    use_scroll_into_view(&list, "[role=tablist]", "[aria-selected=true]", (current, shown.len()));
    let all = shown.clone();
    let (dispatch, node) = (props.dispatch.clone(), list.clone());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let Some(index) = next_tab(&event.key(), &all, current) else { return };
        event.prevent_default();
        event.stop_propagation();
        dispatch.dispatch(Action::Show(all[index].tab));
        let button = node.cast::<HtmlElement>().and_then(|list| list.children().item(index as u32));
        if let Some(button) =
            button.and_then(|button| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(button).ok())
        {
            // An element in the document can take the focus.
            let _ = button.focus();
        }
    });
    let tabs = shown.into_iter().map(|TabInfo { tab, name, .. }| {
        let dispatch = props.dispatch.clone();
        let selected = current == tab;
        html! {
            <button type="button" role="tab" data-label={name} aria-selected={selected.to_string()} tabindex={if selected { "0" } else { "-1" }}
                onclick={move |_| dispatch.dispatch(Action::Show(tab))}>{ name }</button>
        }
    });
    html! {
        <nav class="tabs" aria-label={words::tabs::VIEWS}>
            <div role="tablist" ref={list} {onkeydown}>{ for tabs }</div>
            <Legend ..props.clone() />
            { panel_buttons(props) }
        </nav>
    }
}

fn next_tab(key: &str, all: &[TabInfo], current: Tab) -> Option<usize> {
    let (n, at) = (all.len(), all.iter().position(|shown| shown.tab == current)?);
    match key {
        "ArrowRight" => Some((at + 1) % n),
        "ArrowLeft" => Some((at + n - 1) % n),
        "Home" => Some(0),
        "End" => Some(n - 1),
        _ => None,
    }
}

fn panel_buttons(props: &PanelProps) -> Html {
    let toggle = |on: bool, action: Action, label: &'static str, shown: Icon| {
        let dispatch = props.dispatch.clone();
        let onclick = move |_: MouseEvent| dispatch.dispatch(action.clone());
        html! {
            <button type="button" class="btn quiet small icon-only" aria-pressed={on.to_string()} title={label} aria-label={label} {onclick}>
                { icon(shown) }
            </button>
        }
    };
    let state = &props.state;
    let (list, details) = (state.list(), state.has_details());
    html! {
        <div class="tools">
            if list != List::None { { toggle(list == List::Open, Action::List(list != List::Open), words::tabs::QUERY_LIST, Icon::List) } }
            { toggle(details, Action::Details(!details), words::tabs::DETAILS, Icon::Panel) }
        </div>
    }
}
