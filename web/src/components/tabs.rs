//! The tabs.

use yew::prelude::*;

use super::PanelProps;
use crate::state::{Action, Tab};

/// Overview, Gantt, Flame.
#[component]
pub fn Tabs(props: &PanelProps) -> Html {
    let tabs = Tab::ALL.map(|(tab, name)| {
        let dispatch = props.dispatch.clone();
        let selected = (props.state.tab == tab).to_string();
        html! { <button role="tab" aria-selected={selected} onclick={move |_| dispatch.dispatch(Action::Show(tab))}>{ name }</button> }
    });
    html! { <nav class="tabs"><div role="tablist">{ for tabs }</div></nav> }
}
