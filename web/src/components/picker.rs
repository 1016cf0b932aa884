//! A button that opens the browser's dialog for files or for a folder.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::icon::{Icon, icon};
use crate::files;
use crate::messages::Source;

/// What a picker needs.
#[derive(Properties, PartialEq)]
pub struct PickerProps {
    /// The input's id.
    pub id: AttrValue,
    /// What stands on the button.
    pub label: AttrValue,
    /// Said in full where the label is short or hidden.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// For a folder with everything in it, instead of files.
    #[prop_or_default]
    pub folder: bool,
    /// Its look.
    #[prop_or_default]
    pub class: Classes,
    /// What it shows beside the label.
    #[prop_or(Icon::File)]
    pub icon: Icon,
    /// What was picked.
    pub onpick: Callback<Vec<Source>>,
}

/// A button that lies under an invisible file input, so that the browser's own dialog, focus and keys do the work.
#[component]
pub fn Picker(props: &PickerProps) -> Html {
    let onchange = props.onpick.reform(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let sources = files::from_list(input.files());
        // The same file picked again is a change again.
        input.set_value("");
        sources
    });
    let title = props.title.clone().unwrap_or_else(|| props.label.clone());
    html! {
        <span class={classes!("btn", "picker", props.class.clone())}>
            { icon(props.icon) }
            <span class="label" aria-hidden="true">{ &props.label }</span>
            <input id={props.id.clone()} type="file" multiple=true webkitdirectory={props.folder}
                title={title.clone()} aria-label={title} {onchange} />
        </span>
    }
}
