//! Placeholder until the panel is merged.

use yew::prelude::*;

use super::PanelProps;

/// The panel.
#[component]
pub fn Details(props: &PanelProps) -> Html {
    html! { <aside data-epoch={props.state.epoch.to_string()} /> }
}
