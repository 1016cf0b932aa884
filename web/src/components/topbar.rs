//! The bar with the name of the trace, the search field and the actions for the whole page.

use yew::prelude::*;

use super::PanelProps;
use super::copy::{Copied, CopyButton, use_copy};
use super::icon::{Icon, icon, mark};
use super::picker::Picker;
use super::search::Search;
use crate::host::Mount;
use crate::messages::{Source, TraceInfo};
use crate::state::{Action, Dialog, Load, Notice, Theme};
use crate::ui::Chip;
use crate::url::{LINK_BYTES, fitted};
use crate::words;

/// The bar at the top of the page.
#[component]
pub fn TopBar(props: &PanelProps) -> Html {
    let add = props.open.reform(|sources: Vec<Source>| (sources, false));
    // A data set alone can be neither searched nor saved.
    let has_trace = !props.state.load.has_dataset_alone();
    let does = |action: Action| {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(action.clone()))
    };
    html! {
        <header class="topbar">
            <button type="button" class="logo link" title={words::topbar::CLOSE_TRACE} onclick={props.close()}>
                { mark() }<span class="word">{ words::common::PRODUCT }</span>
            </button>
            { opened(&props.state.load) }
            if has_trace { <Search ..props.clone() /> }
            <div class="actions">
                if has_trace {
                    <button type="button" id="filter-button" class="btn quiet icon-only" title={words::filter::OPEN} aria-label={words::filter::OPEN} onclick={does(Action::ShowFilter(true))}>
                        { icon(Icon::Filter) }
                    </button>
                }
                <Picker id="file-input" label={words::topbar::ADD} title={words::topbar::ADD_TITLE} icon={Icon::Plus} class="quiet" onpick={add} />
                if has_trace {
                    { report_button(&props.state.load.info, does(Action::Dialog(Some(Dialog::Report)))) }
                    <button type="button" id="save-button" class="btn" title={words::save::SAVE_TITLE} onclick={does(Action::Dialog(Some(Dialog::Save)))}>
                        { icon(Icon::Download) }<span class="label">{ words::save::SAVE }</span>
                    </button>
                    { notes(props) }
                }
                { theme_button(props) }
                <button type="button" class="btn quiet icon-only" title={words::topbar::KEYS_TITLE} aria-label={words::topbar::KEYS} onclick={does(Action::Dialog(Some(Dialog::Help)))}>
                    { icon(Icon::Keyboard) }
                </button>
                if props.mount.host().link().is_some() { <LinkButton ..props.clone() /> }
            </div>
        </header>
    }
}

fn opened(load: &Load) -> Html {
    let info = &load.info;
    let name = &info.name;
    let bytes = i64::try_from(info.bytes).unwrap_or(i64::MAX);
    let facts = match load.has_dataset_alone() {
        true => words::trends::DATA_SET.to_owned(),
        false => words::topbar::facts(info.runs, info.events, bytes, info.is_part),
    };
    html! {
        <Chip class="opened" title={words::topbar::opened(name, &facts)}>
            <h1 class="clip foreign" dir="auto">{ name }</h1><span class="clip">{ &facts }</span>
        </Chip>
    }
}

fn report_button(info: &TraceInfo, onclick: Callback<MouseEvent>) -> Html {
    let title = words::topbar::import_report(info.problems);
    html! {
        <button type="button" id="report-button" class="btn" {title} {onclick}>
            { icon(Icon::Report) }<span class="label">{ words::common::IMPORT_REPORT }</span>
            if info.problems > 0 { <span class="badge">{ info.problems }</span> }
        </button>
    }
}

fn notes(props: &PanelProps) -> Html {
    let count = props.state.nav.notes.len();
    let onclick = props.dispatch_of(Action::Dialog).reform(|_: MouseEvent| Some(Dialog::Notes));
    html! {
        <button type="button" id="notes-button" class={classes!("btn", "quiet", (count == 0).then_some("icon-only"))} title={words::notes::ADD_TITLE}
            aria-label={words::notes::button(count)} {onclick}>
            { icon(Icon::Note) }
            if count > 0 { <span class="badge">{ count }</span> }
        </button>
    }
}

fn theme_button(props: &PanelProps) -> Html {
    let (next, label, shown) = match props.state.theme() {
        Theme::System => (Theme::Light, words::topbar::THEME_SYSTEM, Icon::System),
        Theme::Light => (Theme::Dark, words::topbar::THEME_LIGHT, Icon::Sun),
        Theme::Dark => (Theme::System, words::topbar::THEME_DARK, Icon::Moon),
    };
    let dispatch = props.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Theme(next));
    html! {
        <button type="button" id="theme-button" class="btn quiet icon-only" title={label} aria-label={label} {onclick}>
            { icon(shown) }
        </button>
    }
}

#[component]
fn LinkButton(props: &PanelProps) -> Html {
    let (dispatch, mount) = (props.dispatch.clone(), props.mount.clone());
    let shared = props.state.load.addresses.is_some();
    let then = use_callback((dispatch, mount.clone()), move |copied: Copied, (dispatch, mount)| {
        dispatch.dispatch(Action::Notice(Some(notice(copied == Copied::Done, shared, short_link(mount)))));
    });
    let (copied, copy) = use_copy(then);
    // The link is read at the time of the click, because the view may have changed since the last render.
    let onclick = move |_: MouseEvent| copy.emit(short_link(&mount).0);
    // The toast with the notice is announced, so the button is not.
    html! { <CopyButton id="link-button" class="btn primary" label={words::link::COPY} title={words::link::TITLE} icon={Icon::Link} {copied} announced=false {onclick} /> }
}

/// The link to the current view, and the number of notes for which it is too long.
fn short_link(mount: &Mount) -> (String, u32) {
    let link = mount.host().link().unwrap_or_default();
    let Some((page, fragment)) = link.split_once('#') else { return (link, 0) };
    let (fragment, left_out) = fitted(fragment, LINK_BYTES);
    (format!("{page}#{fragment}"), left_out)
}

fn notice(copied: bool, shared: bool, (link, left_out): (String, u32)) -> Notice {
    let (title, mut text) = match (copied, shared) {
        (false, _) => (words::link::NOT_COPIED, link),
        (true, true) => (words::link::COPIED, words::link::opens_trace()),
        (true, false) => (words::link::COPIED, words::link::opens_view()),
    };
    if copied && left_out > 0 {
        text = format!("{} {text}", words::notes::not_in_link(left_out));
    }
    Notice { title: title.to_owned(), text, recovery: None }
}
