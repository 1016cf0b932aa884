//! A button that opens the browser's file or folder dialog.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::icon::{Icon, icon};
use crate::files;
use crate::messages::Source;

/// Properties of a [`Picker`].
#[derive(Properties, PartialEq)]
pub struct PickerProps {
    /// Id of the file input.
    pub id: AttrValue,
    /// Text on the button.
    pub label: AttrValue,
    /// Tooltip, for a label that is short or hidden.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Whether the user picks a folder with all its contents instead of files.
    #[prop_or_default]
    pub folder: bool,
    /// CSS classes of the button.
    #[prop_or_default]
    pub class: Classes,
    /// Icon next to the label.
    #[prop_or(Icon::File)]
    pub icon: Icon,
    /// Receives the picked files.
    pub onpick: Callback<Vec<Source>>,
}

/// A button below an invisible file input, which provides the browser's dialog, focus and keys.
#[component]
pub fn Picker(props: &PickerProps) -> Html {
    let onchange = props.onpick.reform(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let sources = files::from_list(input.files());
        // Clears the input, so that picking the same file again is a change.
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
