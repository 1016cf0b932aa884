//! Placeholder until the panel is merged.

use yew::prelude::*;

use super::PanelProps;

/// The panel.
#[component]
pub fn TopBar(props: &PanelProps) -> Html {
    html! { <header data-epoch={props.state.epoch.to_string()} /> }
}
