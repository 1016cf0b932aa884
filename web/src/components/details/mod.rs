//! The details of the selection.

pub mod code;
mod critical;
mod links;
pub mod raw;
mod siblings;

use std::rc::Rc;

use queryscope::internal::text;
use queryscope::protocol::{Details as Facts, DetailsRequest, IssueTextRequest, Note};
use yew::prelude::*;

use super::color::swatch;
use super::copy::Copy;
use super::copy_issue::CopyIssue;
use super::icon::{Icon, icon};
use super::size::use_panel_size;
use super::span_jump::jump_buttons;
use super::splitter::Splitter;
use super::use_query::{Answer, use_query};
use super::{PanelProps, filter_button, notes_button};
use crate::state::{Action, Dispatch};
use crate::words;
use code::CodeBlock;
use raw::Raw;

/// The details panel at the right, and the splitter that changes its width.
#[component]
pub fn Details(props: &PanelProps) -> Html {
    let (width, onresize) = use_panel_size(&props.mount, "details", 344.0);
    let most = (props.mount.size().0 * 0.6).max(300.0);
    let width = width.clamp(240.0, most);
    let request = props.state.nav.selection.map(|item| DetailsRequest { item });
    let answer = use_query(&props.client, request, props.state.load.scene_version);
    let facts = answer.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    let facts = facts.map(|facts| Rc::new(facts.clone()));
    let unfolded = use_state_eq(|| false);
    let class = classes!(facts.is_none().then_some("nothing"), unfolded.then_some("unfolded"));
    html! {
        <>
            <Splitter label={words::details::DETAILS} controls="details" upright=true size={width} bounds={(240.0, most)} {onresize} />
            <aside id="details" {class} aria-label={words::details::OF_SELECTION} style={format!("width:{width:.0}px")}>
                { facts.map_or_else(|| waiting(props), |facts| shown(props, &facts, &unfolded)) }
            </aside>
        </>
    }
}

fn shown(props: &PanelProps, facts: &Facts, unfolded: &UseStateHandle<bool>) -> Html {
    html! {
        <>
            { head(props, facts, unfolded) }
            // A new key resets the scroll position when the selection changes.
            <div key={facts.item} class="details-body scrolls" tabindex="0" role="group" aria-label={words::details::DETAILS}>
                { for facts.notes.iter().map(note) }
                <siblings::SiblingsNote ..props.clone() />
                { jump_buttons(props) }
                { times(facts, &props.dispatch) }
                { reading(facts) }
                <critical::PathSection ..props.clone() />
                { fields(facts, &props.dispatch) }
                { for facts.codes.iter().enumerate().map(|(at, code)| html! {
                    <CodeBlock key={format!("{}-{at}", facts.item)} code={code.clone()} />
                }) }
                { links::parents(facts, &props.dispatch) }
                { links::children(facts, &props.dispatch) }
                { links::arrows(facts, &props.dispatch) }
                { records(props, facts) }
            </div>
        </>
    }
}

/// The kind, title and times of the selection. In a narrow window, everything else is folded.
fn head(props: &PanelProps, facts: &Facts, unfolded: &UseStateHandle<bool>) -> Html {
    let mark = |mark: &String| {
        let look = if mark.contains("failed") { "bad" } else { "warn" };
        html! { <span class={classes!("pill", look)}>{ mark }</span> }
    };
    let dispatch = props.dispatch.clone();
    let item = facts.item;
    let zoom = move |_: MouseEvent| dispatch.dispatch(Action::ZoomTo(item));
    html! {
        <header class="details-head">
            <div>
                <p class="kicker">{ swatch(facts.color) }{ &facts.kind }{ filter(facts, &props.dispatch, "kind") }<span class="peek">{ when(facts) }</span></p>
                <div class="named"><h2 class="foreign" dir="auto" title={facts.title.clone()}>{ &facts.title }</h2>{ filter(facts, &props.dispatch, "name") }</div>
                if !facts.marks.is_empty() { <div class="marks">{ for facts.marks.iter().map(mark) }{ filter(facts, &props.dispatch, "status") }</div> }
            </div>
            { unfold(unfolded) }
            <CopyIssue client={props.client.clone()} request={IssueTextRequest::Item(facts.item)} class="btn quiet small" />
            { notes_button(props, "btn quiet small icon-only", words::notes::ADD) }
            <button type="button" class="btn quiet small icon-only" title={words::details::ZOOM_WITH_KEY} aria-label={words::details::ZOOM} onclick={zoom}>{ icon(Icon::Search) }</button>
            { close(props) }
        </header>
    }
}

fn when(facts: &Facts) -> String {
    facts.duration.map_or_else(|| words::common::since_start(facts.start), text::duration)
}

/// The button that unfolds the details in a narrow window.
fn unfold(unfolded: &UseStateHandle<bool>) -> Html {
    let (on, setter) = (**unfolded, unfolded.setter());
    let (label, shown) =
        if on { (words::details::SHOW_FEWER, Icon::Down) } else { (words::details::SHOW_ALL, Icon::Up) };
    html! {
        <button type="button" class="btn quiet small icon-only unfold" title={label} aria-label={label} aria-expanded={on.to_string()}
            onclick={move |_| setter.set(!on)}>{ icon(shown) }</button>
    }
}

fn close(props: &PanelProps) -> Html {
    let dispatch = props.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Details(false));
    html! {
        <button type="button" class="btn quiet small icon-only" title={words::details::CLOSE} aria-label={words::details::CLOSE} {onclick}>{ icon(Icon::Close) }</button>
    }
}

fn note(note: &Note) -> Html {
    html! {
        <p class={classes!("note", note.failure.then_some("failure"))}><b>{ &note.lead }</b>{ " " }{ &note.text }</p>
    }
}

/// The button that filters by the value that is shown under a label, if a filter can name it.
fn filter(facts: &Facts, dispatch: &Dispatch, label: &str) -> Option<Html> {
    let of = facts.filters.iter().find(|of| of.label == label)?;
    Some(filter_button(dispatch, &of.attribute, Some(&of.value), false))
}

fn times(facts: &Facts, dispatch: &Dispatch) -> Html {
    html! {
        <dl class="kv">
            <dt>{ words::details::RUN }{ filter(facts, dispatch, "run") }</dt><dd class="foreign lines" dir="auto" title={facts.run.clone()}>{ &facts.run }</dd>
            { track(&facts.tracks, filter(facts, dispatch, "thread")) }
            <dt>{ words::details::START }</dt><dd>{ text::time(facts.start) }</dd>
            if let Some(duration) = facts.duration {
                <dt>{ words::details::DURATION }</dt><dd>{ text::duration_exact(duration) }</dd>
                <dt>{ words::details::END }</dt><dd>{ text::time(facts.start.saturating_add(duration)) }</dd>
            }
            <dt title={words::details::TIMESTAMP_MEANING}>{ words::details::TIMESTAMP }</dt>
            <dd class="mono">{ facts.timestamp }</dd>
        </dl>
    }
}

/// Renders the names of the item's tracks as a path, outermost first. Names keep their own text direction.
fn track(names: &[String], filter: Option<Html>) -> Html {
    if names.is_empty() {
        return Html::default();
    }
    let name = |(at, name): (usize, &String)| {
        html! { <>{ if at > 0 { " › " } else { "" } }<span class="foreign" dir="auto">{ name }</span></> }
    };
    html! { <><dt>{ words::details::TRACK }{ filter }</dt><dd class="lines" title={names.join(" › ")}>{ for names.iter().enumerate().map(name) }</dd></> }
}

/// The share of an execution that was spent fetching rows, as a bar and as text.
fn reading(facts: &Facts) -> Html {
    let (Some(reading), Some(duration)) = (facts.reading, facts.duration.filter(|d| *d > 0)) else {
        return Html::default();
    };
    let share = (reading as f64 / duration as f64).clamp(0.0, 1.0);
    let rest = duration.saturating_sub(reading).max(0);
    html! {
        <div>
            <div class="reading-bar" aria-hidden="true"><i style={format!("width:{:.2}%", share * 100.0)} /></div>
            <p class="reading-words">
                <span>{ words::details::fetching_rows(reading, share) }</span>
                <span>{ words::details::other_time(rest) }</span>
            </p>
        </div>
    }
}

fn fields(facts: &Facts, dispatch: &Dispatch) -> Html {
    if facts.fields.is_empty() {
        return Html::default();
    }
    html! {
        <dl class="kv">
            { for facts.fields.iter().map(|(name, value)| html! { <><dt>{ name }{ filter(facts, dispatch, name) }</dt><dd class="foreign" dir="auto">{ value }</dd></> }) }
        </dl>
    }
}

fn records(props: &PanelProps, facts: &Facts) -> Html {
    if facts.records.is_empty() {
        return Html::default();
    }
    html! {
        <section>
            <h3 class="kicker">{ words::details::source_records(facts.records.len()) }</h3>
            { for facts.records.iter().map(|place| html! {
                <Raw key={format!("{}-{}", props.state.load.scene_version, place.record)} client={props.client.clone()} place={place.clone()} />
            }) }
        </section>
    }
}

/// The panel until the worker has replied, or without a selection.
fn waiting(props: &PanelProps) -> Html {
    html! { <header class="details-head"><div><p class="kicker">{ words::details::DETAILS }</p></div>{ close(props) }</header> }
}

/// Renders a heading, with a button that copies `copied`; without a button if `copied` is `None`.
fn titled(title: &str, copied: Option<&str>, more: Html) -> Html {
    html! {
        <h3 class="kicker">
            { title.to_owned() }
            <span class="end">
                { more }
                if let Some(text) = copied { <Copy text={text.to_owned()} label={words::details::copy(title)} /> }
            </span>
        </h3>
    }
}
