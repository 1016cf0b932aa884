//! Placeholder until the panel is merged.

use yew::prelude::*;

use super::PanelProps;

/// The panel.
#[component]
pub fn Help(props: &PanelProps) -> Html {
    html! { <div data-epoch={props.state.epoch.to_string()} /> }
}
