//! The tabs, what can be chosen in the one that is open, and what its colours mean.

use queryscope::trace::Kind;
use queryscope::view::{ColorBy, slot};
use web_sys::HtmlElement;
use yew::prelude::*;

use super::PanelProps;
use super::color::{css, swatch};
use super::icon::{Icon, icon};
use crate::state::{Action, State, Tab};

/// Overview, Gantt, Flame.
#[component]
pub fn Tabs(props: &PanelProps) -> Html {
    let list = use_node_ref();
    let current = props.state.tab;
    let (dispatch, node) = (props.dispatch.clone(), list.clone());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let Some(index) = next_tab(&event.key(), current) else { return };
        event.prevent_default();
        event.stop_propagation();
        dispatch.dispatch(Action::Show(Tab::ALL[index].0));
        let button = node.cast::<HtmlElement>().and_then(|list| list.children().item(index as u32));
        if let Some(button) =
            button.and_then(|button| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(button).ok())
        {
            // An element that is there can take the focus.
            let _ = button.focus();
        }
    });
    let tabs = Tab::ALL.map(|(tab, name)| {
        let dispatch = props.dispatch.clone();
        let selected = current == tab;
        html! {
            <button type="button" role="tab" aria-selected={selected.to_string()} tabindex={if selected { "0" } else { "-1" }}
                onclick={move |_| dispatch.dispatch(Action::Show(tab))}>{ name }</button>
        }
    });
    html! {
        <nav class="tabs" aria-label="Views">
            <div role="tablist" ref={list} {onkeydown}>{ for tabs }</div>
            { legend(&props.state) }
            { panel_buttons(props) }
        </nav>
    }
}

fn next_tab(key: &str, current: Tab) -> Option<usize> {
    let (n, at) = (Tab::ALL.len(), Tab::ALL.iter().position(|(tab, _)| *tab == current)?);
    match key {
        "ArrowRight" => Some((at + 1) % n),
        "ArrowLeft" => Some((at + n - 1) % n),
        "Home" => Some(0),
        "End" => Some(n - 1),
        _ => None,
    }
}

/// What the colours mean where that is fixed; names have their colours in the labels of what they colour.
fn legend(state: &State) -> Html {
    if state.tab == Tab::Overview {
        return html! { <span class="legend" /> };
    }
    let entry = |color: u16, name: &str| html! { <span>{ swatch(color) }{ name.to_owned() }</span> };
    let entries: Vec<Html> = match state.color {
        ColorBy::Kind => Kind::ALL
            .iter()
            .filter(|kind| **kind != Kind::Other)
            .map(|kind| entry(*kind as u16, kind.name()))
            .collect(),
        ColorBy::Outcome => [(slot::OK, "ok"), (slot::FAILED, "failed"), (slot::UNFINISHED, "unfinished")]
            .map(|(c, n)| entry(c, n))
            .into(),
        ColorBy::Connector | ColorBy::Datasource | ColorBy::Query => Vec::new(),
    };
    html! {
        <div class="legend" aria-label="Colours">
            { for entries }
            if state.color == ColorBy::Kind {
                <span><i class="swatch" style={format!("background:{}", "var(--reading)")} aria-hidden="true" />{ "reading" }</span>
            }
            <span><i class="swatch hatched" style={format!("border:1px solid {}", css(slot::FAILED))} aria-hidden="true" />{ "failed" }</span>
        </div>
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
    html! {
        <div class="tools">
            { toggle(state.list, Action::List(!state.list), "Query list", Icon::List) }
            { toggle(state.details, Action::Details(!state.details), "Details", Icon::Panel) }
        </div>
    }
}
