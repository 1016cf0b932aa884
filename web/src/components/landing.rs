//! What a visitor sees first.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::PanelProps;
use crate::files;

/// Pickers and the sample run.
#[component]
pub fn Landing(props: &PanelProps) -> Html {
    let open = props.open.clone();
    let onchange = Callback::from(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        open.emit((files::from_list(input.files()), true));
    });
    html! { <input id="file-input" type="file" multiple=true {onchange} /> }
}
