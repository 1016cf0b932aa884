//! The button that copies a summary of an item or a time range, to paste into an issue.

use queryscope::protocol::IssueTextRequest;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::copy::{CopyButton, use_copy};
use super::icon::Icon;
use crate::client::Client;
use crate::words;

/// Properties of [`CopyIssue`].
#[derive(Properties, PartialEq)]
pub struct CopyIssueProps {
    /// Connection to the engine, which writes the summary.
    pub client: Client,
    /// Item, time range or area to summarise.
    pub request: IssueTextRequest,
    /// CSS classes of the button.
    pub class: Classes,
}

/// A button that copies a summary as Markdown.
#[component]
pub fn CopyIssue(props: &CopyIssueProps) -> Html {
    let (copied, copy) = use_copy(Callback::noop());
    let onclick = use_callback(
        (props.client.clone(), props.request.clone(), copy),
        |_: MouseEvent, (client, request, copy)| {
            let client = client.clone();
            let request = request.clone();
            let copy = copy.clone();
            spawn_local(async move {
                if let Some(Some(text)) = client.ask(request).await {
                    copy.emit(text);
                }
            });
        },
    );
    html! {
        <CopyButton class={props.class.clone()} label={words::copy::ISSUE} title={words::copy::ISSUE_TITLE} icon={Icon::Copy}
            icon_only=true {copied} {onclick} />
    }
}
