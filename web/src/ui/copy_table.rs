//! The button that copies a table, and the menu of the other forms of its text.

use yew::prelude::*;

use super::copied::CopyForm;
use super::popover::hang;
use crate::components::copy::{Copied, CopyButton};
use crate::components::icon::{Icon, icon};
use crate::words;

#[derive(Properties, PartialEq)]
pub struct CopyTableProps {
    /// Id of the table.
    pub id: &'static str,
    /// Result of the last attempt.
    pub copied: Option<Copied>,
    /// Called with the form in which to copy the table.
    pub oncopy: Callback<CopyForm>,
}

#[component]
pub fn CopyTable(props: &CopyTableProps) -> Html {
    let menu = use_node_ref();
    let id = format!("{}-forms", props.id);
    let onclick = props.oncopy.reform(|_: MouseEvent| CopyForm::default());
    let opener = menu.clone();
    let open = Callback::from(move |event: MouseEvent| hang(&opener, &event));
    let item = |form: CopyForm| {
        let onclick = props.oncopy.reform(move |_: MouseEvent| form);
        html! {
            <button type="button" class="btn quiet small" popovertarget={id.clone()} popovertargetaction="hide" {onclick}>{ words::copy::form(form) }</button>
        }
    };
    html! {
        <span class="copying">
            <CopyButton class="btn quiet small copy-table" label={words::common::COPY} title={words::common::COPY_TABLE} icon={Icon::Copy} copied={props.copied} {onclick} />
            <button type="button" class="btn quiet small icon-only copy-as" popovertarget={id.clone()} aria-label={words::copy::COPY_AS} title={words::copy::COPY_AS}
                onclick={open}>{ icon(Icon::Down) }</button>
            <div id={id.clone()} ref={menu} class="copy-forms" popover="auto" role="group" aria-label={words::copy::COPY_AS}>{ for CopyForm::ALL.map(item) }</div>
        </span>
    }
}
