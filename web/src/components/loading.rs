//! How far reading is.

use yew::prelude::*;

use super::PanelProps;

/// Progress and a button that ends it.
#[component]
pub fn Loading(props: &PanelProps) -> Html {
    let client = props.client.clone();
    let bytes = props.state.progress.as_ref().map_or(0, |progress| progress.bytes);
    html! { <p>{ bytes }<button id="cancel-button" onclick={move |_| client.cancel()}>{ "Cancel" }</button></p> }
}
