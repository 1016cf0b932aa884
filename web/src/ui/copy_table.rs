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
    /// Called with the form in which to save the table as a file, if it can be saved.
    pub onsave: Option<Callback<CopyForm>>,
    /// Additional file type in which the table can be saved: the text in the menu, and the callback that saves it.
    pub other: Option<(&'static str, Callback<()>)>,
}

#[component]
pub fn CopyTable(props: &CopyTableProps) -> Html {
    let menu = use_node_ref();
    let id = format!("{}-forms", props.id);
    let onclick = props.oncopy.reform(|_: MouseEvent| CopyForm::default());
    let opener = menu.clone();
    let open = Callback::from(move |event: MouseEvent| hang(&opener, &event));
    let item = |label: String, onclick: Callback<MouseEvent>| {
        html! {
            <button type="button" class="btn quiet small" popovertarget={id.clone()} popovertargetaction="hide" {onclick}>{ label }</button>
        }
    };
    let copy = |form: CopyForm| item(words::copy::form(form).to_owned(), props.oncopy.reform(move |_| form));
    let save = |form: CopyForm, onsave: &Callback<CopyForm>| {
        item(words::copy::file(form), onsave.reform(move |_| form))
    };
    let other = props.other.as_ref().map(|(label, save)| item((*label).to_owned(), save.reform(|_| ())));
    html! {
        <span class="copying">
            <CopyButton class="btn quiet small copy-table" label={words::common::COPY} title={words::common::COPY_TABLE} icon={Icon::Copy} copied={props.copied} {onclick} />
            <button type="button" class="btn quiet small icon-only copy-as" popovertarget={id.clone()} aria-label={words::copy::COPY_AS} title={words::copy::COPY_AS}
                onclick={open}>{ icon(Icon::Down) }</button>
            <div id={id.clone()} ref={menu} class="copy-forms" popover="auto" role="group" aria-label={words::copy::COPY_AS}>
                { for CopyForm::ALL.map(copy) }
                if let Some(onsave) = &props.onsave { { for CopyForm::FILES.map(|form| save(form, onsave)) } }
                { for other }
            </div>
        </span>
    }
}
