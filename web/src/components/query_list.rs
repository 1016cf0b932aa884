//! Placeholder until the panel is merged.

use yew::prelude::*;

use super::PanelProps;

/// The panel.
#[component]
pub fn QueryList(props: &PanelProps) -> Html {
    html! { <section data-epoch={props.state.epoch.to_string()} /> }
}
