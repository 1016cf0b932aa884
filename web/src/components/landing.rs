//! The landing page, also shown after opening a trace failed.

use std::net::IpAddr;

use queryscope::import::recipes::{RECIPES, Recipe};
use queryscope::import::{ABOUT, About};
use queryscope::internal::text::shortened;
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon, mark};
use super::picker::Picker;
use super::recent_traces::RecentTraces;
use super::report::Report;
use crate::client::RecoveryAction;
use crate::host::HostedTrace;
use crate::host::page::{download, host_of};
use crate::messages::Source;
use crate::navigation::open_dataset;
use crate::state::{Action, Dialog, Notice, Phase, WantedFiles};
use crate::words;
use crate::words::link::Linked;

/// The sample run: two runs of the same queries, without a buffer and with one that spills.
const SAMPLE: [&str; 2] = ["no-buffer.json.gz", "buffer-rocks.json.gz"];

/// Maximum number of characters of a URL that are shown.
const SHOWN: usize = 200;

/// The landing page. After a failure, the page shows the error above the same options.
#[component]
pub fn Landing(props: &PanelProps) -> Html {
    let head = match &props.state.load.phase {
        Phase::Error(notice) => failure(notice, props),
        _ if !props.state.load.unconfirmed.is_empty() => question(props),
        _ => intro(),
    };
    html! {
        <main class="landing">
            { head }
            { wanted(&props.state.load.wanted) }
            { drop_target(props) }
            { hosted(props) }
            <RecentTraces ..props.clone() />
            <p class="privacy">{ icon(Icon::Shield) }{ words::landing::PRIVACY }</p>
            { formats() }
            if props.state.ui.dialog == Some(Dialog::Report) { <Report ..props.clone() /> }
        </main>
    }
}

/// Renders the names of the local files that the opened link is for, so that the user can open them. Empty for any other link.
fn wanted(wanted: &WantedFiles) -> Html {
    if wanted.files.is_empty() {
        return Html::default();
    }
    html! { <p class="wanted-files" role="status" dir="auto">{ icon(Icon::File) }{ words::link::wanted_files(&wanted.files, wanted.n) }</p> }
}

fn intro() -> Html {
    html! {
        <div class="intro">
            { mark() }
            <h1>{ words::landing::TITLE }</h1>
            <p>{ words::landing::INTRO }</p>
        </div>
    }
}

fn failure(notice: &Notice, props: &PanelProps) -> Html {
    let dispatch = props.dispatch.clone();
    let report = move |_: MouseEvent| dispatch.dispatch(Action::Dialog(Some(Dialog::Report)));
    html! {
        <section class="notice" role="alert" aria-labelledby="failure">
            <header>{ icon(Icon::Warning) }<h1 id="failure" dir="auto">{ &notice.title }</h1></header>
            <p dir="auto">{ &notice.text }</p>
            <div class="buttons">
                { props.recovery_button(notice) }
                if notice.recovery != Some(RecoveryAction::Again) {
                    <button type="button" id="report-button" class="btn" onclick={report}>{ icon(Icon::Report) }{ words::common::IMPORT_REPORT }</button>
                }
                <button type="button" class="btn" onclick={props.close()}>{ words::landing::START_AGAIN }</button>
            </div>
        </section>
    }
}

/// Asks whether to request the traces of a link from other hosts than the page's.
fn question(props: &PanelProps) -> Html {
    let urls = &props.state.load.unconfirmed;
    // The data set of an earlier link may have been declined.
    let dataset = props.state.load.dataset.clone().filter(|dataset| dataset.address.as_ref() == urls.first());
    let linked = if dataset.is_some() { Linked::Dataset } else { Linked::Trace };
    let sources = urls.iter().cloned().map(Source::of_url).collect::<Vec<_>>();
    let onclick = match dataset {
        Some(dataset) => {
            let panel = props.clone();
            Callback::from(move |_: MouseEvent| open_dataset(&panel, dataset.clone()))
        }
        None => props.open.reform(move |_: MouseEvent| (sources.clone(), true)),
    };
    let dispatch = props.dispatch.clone();
    let leave = move |_: MouseEvent| dispatch.dispatch(Action::Confirm(Vec::new()));
    let mut hosts: Vec<_> = urls.iter().filter_map(|url| host_of(url)).collect();
    hosts.dedup();
    let is_private = hosts.iter().any(|(_, name)| is_private(name));
    let names: Vec<_> = hosts.into_iter().map(|(host, _)| host).collect();
    html! {
        <section class="notice" role="alert" aria-labelledby="question">
            <header>{ icon(Icon::Shield) }<h1 id="question">{ words::landing::open_from(linked, &names) }</h1></header>
            <p>{ words::landing::warning(linked, is_private) }</p>
            <ul class="addresses">{ for urls.iter().map(|url| html! { <li dir="ltr"><code>{ shortened(url, SHOWN) }</code></li> }) }</ul>
            <div class="buttons">
                <button type="button" class="btn primary" {onclick}>{ words::landing::open_linked(linked) }</button>
                <button type="button" class="btn" onclick={leave}>{ words::landing::DO_NOT_OPEN }</button>
            </div>
        </section>
    }
}

/// Whether a host name belongs to this machine or to a private network.
fn is_private(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_unspecified()
        }
        // A name without a dot is one of the local network.
        Err(_) => {
            !host.contains('.')
                || [".localhost", ".local", ".internal", ".lan"].iter().any(|end| host.ends_with(end))
        }
    }
}

/// The traces that the site's host offers.
fn hosted(props: &PanelProps) -> Html {
    let row = |trace: &HostedTrace| {
        let link = format!("#trace={}", js_sys::encode_uri_component(&trace.url));
        html! { <li><a href={link}>{ &trace.name }</a><span>{ &trace.description }</span></li> }
    };
    let traces = props.mount.host().hosted_traces();
    if traces.is_empty() {
        return Html::default();
    }
    html! {
        <section class="formats hosted" aria-labelledby="hosted">
            <h2 id="hosted" class="kicker">{ words::landing::HOSTED }</h2>
            <ul>{ for traces.iter().map(row) }</ul>
        </section>
    }
}

fn drop_target(props: &PanelProps) -> Html {
    let open = props.open.reform(|sources: Vec<Source>| (sources, true));
    // A click means that files are about to be opened, so the engine starts while the browser shows its file dialog.
    let client = props.client.clone();
    let onclick = move |_: MouseEvent| client.wake();
    html! {
        <section class="drop-target" aria-label={words::landing::OPEN_TRACE} {onclick}>
            { picture() }
            <strong>{ words::landing::DROP }</strong>
            <div class="buttons">
                <Picker id="file-input" label={words::landing::CHOOSE_FILES} class="primary" onpick={open.clone()} />
                <Picker id="folder-input" label={words::landing::CHOOSE_FOLDER} icon={Icon::Folder} folder=true onpick={open} />
                if let Some(folder) = props.mount.host().assets().sample.clone() { { sample_button(props, folder) } }
            </div>
            <p class="hint">{ words::landing::PASTE }<kbd>{ words::landing::PASTE_KEYS[0] }</kbd>{ " " }<kbd>{ words::landing::PASTE_KEYS[1] }</kbd>
                { words::landing::MERGED }</p>
        </section>
    }
}

fn sample_button(props: &PanelProps, folder: String) -> Html {
    let sources =
        move || SAMPLE.iter().map(|name| Source::of_url(format!("{folder}{name}"))).collect::<Vec<_>>();
    let onclick = props.open.reform(move |_: MouseEvent| (sources(), true));
    html! {
        <button type="button" id="sample-button" class="btn" {onclick}>{ icon(Icon::Play) }{ words::landing::OPEN_SAMPLE }</button>
    }
}

/// A decorative timeline, drawn as in the Gantt view.
fn picture() -> Html {
    const BARS: [(u16, u16, u16, &str); 9] = [
        (8, 6, 300, "query"),
        (26, 22, 120, "source"),
        (34, 38, 92, "execution"),
        (34, 38, 58, "reading"),
        (96, 54, 176, "source"),
        (104, 70, 152, "execution"),
        (104, 70, 118, "reading"),
        (236, 102, 150, "query"),
        (250, 118, 90, "source"),
    ];
    let bars = BARS.map(|(x, y, width, color)| {
        html! { <rect x={x.to_string()} y={y.to_string()} width={width.to_string()} height="11" rx="3" fill={format!("var(--{color})")} /> }
    });
    let dots =
        [(112, 3), (124, 4), (141, 3), (152, 5), (171, 3), (188, 4), (207, 3), (238, 4)].map(|(x, r)| {
            html! { <circle cx={x.to_string()} cy="92" r={r.to_string()} fill="var(--buffer)" /> }
        });
    html! {
        <svg class="picture" viewBox="0 0 400 136" aria-hidden="true">
            { for (1..5).map(|i| html! { <path d={format!("M{} 0V136", i * 80)} stroke="var(--line-soft)" /> }) }
            { for bars }
            { for dots }
            <path d="M222 87l5 5-5 5-5-5z" fill="var(--buffer)" />
        </svg>
    }
}

fn formats() -> Html {
    let row = |format: &About| {
        let scripts = RECIPES.iter().filter(|recipe| recipe.format == format.id).map(script);
        html! { <li><b>{ format.name }</b><span>{ with_code(format.how_to_record) }{ for scripts }</span></li> }
    };
    html! {
        <section class="formats" aria-labelledby="formats">
            <h2 id="formats" class="kicker">{ words::landing::FORMATS }</h2>
            <ul>{ for ABOUT.iter().map(row) }</ul>
        </section>
    }
}

/// Renders a recording script with a download link.
fn script(recipe: &Recipe) -> Html {
    let (file, text) = (recipe.file, recipe.text);
    let onclick = move |_: MouseEvent| download(file, "text/plain", text);
    html! { <>{ " " }<button type="button" class="btn small" title={recipe.about} {onclick}>{ recipe.file }</button></> }
}

/// Renders a text whose parts between backquotes are code.
fn with_code(text: &str) -> Html {
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => html! { { part.to_owned() } },
        _ => html! { <code>{ part.to_owned() }</code> },
    };
    text.split('`').enumerate().map(part).collect()
}

/// Properties of a [`DropOverlay`].
#[derive(Properties, PartialEq)]
pub struct DropOverlayProps {
    /// Whether dropped files are added to the open trace.
    pub adding: bool,
}

/// An overlay on the whole page while files are dragged over it.
#[component]
pub fn DropOverlay(props: &DropOverlayProps) -> Html {
    let (title, text) = if props.adding {
        (words::landing::DROP_TO_ADD, words::landing::DROP_TO_ADD_TEXT)
    } else {
        (words::landing::DROP_TO_OPEN, words::landing::DROP_TO_OPEN_TEXT)
    };
    html! {
        <div class="drop-overlay" aria-hidden="true"><div><div><strong>{ title }</strong><p>{ text }</p></div></div></div>
    }
}
