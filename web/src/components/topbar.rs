//! What is open, the search, and what belongs to the whole page.

use queryscope::text;
use yew::prelude::*;

use super::PanelProps;
use super::copy::{Copied, CopyButton, use_copy};
use super::icon::{Icon, icon, mark};
use super::picker::Picker;
use super::search::Search;
use crate::messages::{Info, Source};
use crate::state::{Action, Dialog, Notice, Theme};
use crate::ui::Chip;

/// The bar at the top.
#[component]
pub fn TopBar(props: &PanelProps) -> Html {
    let add = props.open.reform(|sources: Vec<Source>| (sources, false));
    let does = |action: Action| {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(action.clone()))
    };
    html! {
        <header class="topbar">
            <button type="button" class="logo link" title="Close this trace, and start again" onclick={props.close()}>
                { mark() }<span class="word">{ "queryscope" }</span>
            </button>
            { opened(&props.state.load.info) }
            <Search ..props.clone() />
            <div class="actions">
                <Picker id="file-input" label="Add" title="Add files to this trace" icon={Icon::Plus} class="quiet" onpick={add} />
                { report_button(&props.state.load.info, does(Action::Dialog(Some(Dialog::Report)))) }
                { theme_button(props) }
                <button type="button" class="btn quiet icon-only" title="Keys (?)" aria-label="Keys" onclick={does(Action::Dialog(Some(Dialog::Help)))}>
                    { icon(Icon::Keyboard) }
                </button>
                if props.mount.host().link().is_some() { <LinkButton ..props.clone() /> }
            </div>
        </header>
    }
}

fn opened(info: &Info) -> Html {
    let name = &info.name;
    let part = if info.is_part { " · a part" } else { "" };
    let facts = format!(
        "{} · {} · {}{part}",
        text::counted(info.runs.into(), "run", "runs"),
        text::counted(info.events, "record", "records"),
        text::bytes(i64::try_from(info.bytes).unwrap_or(i64::MAX)),
    );
    html! {
        <Chip class="opened" title={format!("{name}: {facts}")}>
            <h1 class="clip foreign" dir="auto">{ name }</h1><span class="clip">{ &facts }</span>
        </Chip>
    }
}

fn report_button(info: &Info, onclick: Callback<MouseEvent>) -> Html {
    let title = match info.problems {
        0 => "Import report: everything could be used".to_owned(),
        n => format!("Import report: {}", text::counted(n.into(), "kind of problem", "kinds of problems")),
    };
    html! {
        <button type="button" id="report-button" class="btn" {title} {onclick}>
            { icon(Icon::Report) }<span class="label">{ "Import report" }</span>
            if info.problems > 0 { <span class="badge">{ info.problems }</span> }
        </button>
    }
}

fn theme_button(props: &PanelProps) -> Html {
    let (next, now, shown) = match props.state.ui.theme {
        Theme::System => (Theme::Light, "as the system", Icon::System),
        Theme::Light => (Theme::Dark, "light", Icon::Sun),
        Theme::Dark => (Theme::System, "dark", Icon::Moon),
    };
    let dispatch = props.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Theme(next));
    let label = format!("Colours: {now}");
    html! {
        <button type="button" id="theme-button" class="btn quiet icon-only" title={label.clone()} aria-label={label} {onclick}>
            { icon(shown) }
        </button>
    }
}

#[component]
fn LinkButton(props: &PanelProps) -> Html {
    let (dispatch, mount) = (props.dispatch.clone(), props.mount.clone());
    let shared = props.state.load.addresses.is_some();
    let then = use_callback((dispatch, mount.clone()), move |copied: Copied, (dispatch, mount)| {
        let link = mount.host().link().unwrap_or_default();
        dispatch.dispatch(Action::Notice(Some(notice(copied == Copied::Done, shared, link))));
    });
    let (copied, copy) = use_copy(then);
    // The address of now: what is looked at may have changed since this was drawn.
    let onclick = move |_: MouseEvent| copy.emit(mount.host().link().unwrap_or_default());
    let title = format!("Copy a link to this view. {LINK_HOLDS}");
    // The notice is announced.
    html! { <CopyButton id="link-button" class="btn primary" label="Copy link" {title} icon={Icon::Link} {copied} announced=false {onclick} /> }
}

/// What a link tells of a trace, and what it does not.
const LINK_HOLDS: &str =
    "It holds times, positions and what you typed; no names, statements or values of the trace.";

fn notice(copied: bool, shared: bool, link: String) -> Notice {
    let (title, text) = match (copied, shared) {
        (false, _) => ("The browser does not let this page copy.", link),
        (true, true) => {
            ("Link copied.", format!("It opens this trace by its address, at this view. {LINK_HOLDS}"))
        }
        (true, false) => (
            "Link copied.",
            format!("It leads to this view, not to the trace: open the same file to see it. {LINK_HOLDS}"),
        ),
    };
    Notice { title: title.to_owned(), text, offer: None }
}
