//! The panel below the timeline while an area is selected: sums, names, spans and counters of the area.

mod counters;
mod names;
mod spans;

use queryscope::protocol::{AreaRequest, AreaSpec, AreaSummary, IssueTextRequest};
use yew::prelude::*;

use super::copy_issue::CopyIssue;
use super::use_query::{Answer, use_query};
use super::{PanelProps, Splitter, use_panel_size};
use crate::state::{Action, AreaView};
use crate::ui::Chip;
use crate::words;

/// Properties of the tables of an area.
#[derive(Properties, PartialEq, Clone)]
struct AreaProps {
    panel: PanelProps,
    area: AreaSpec,
}

/// The panel of the selected area, and the splitter above it that changes its height.
#[component]
pub fn AreaPanel(props: &PanelProps) -> Html {
    let (height, onresize) = use_panel_size(&props.mount, "area", 300.0);
    let build = props.state.load.info.build;
    let area = props.state.area();
    let request = area.clone().map(|area| AreaRequest { area });
    let answer = use_query(&props.client, request, build);
    let Some(area) = area else { return Html::default() };
    // The views keep a minimum height, even in a low viewer.
    let most = (props.mount.size().1 - 330.0).max(120.0);
    let height = height.clamp(120.0, most);
    let sums = answer.as_ref().and_then(Answer::reply);
    let inner = AreaProps { panel: props.clone(), area: area.clone() };
    html! {
        <>
            <Splitter label={words::area::SPLITTER} controls="area" upright=false size={height} bounds={(120.0, most)} {onresize} />
            <section id="area" class="queries area" aria-label={words::area::REGION} style={format!("height:{height:.0}px")}>
                { heading(props, &area, sums.map(|sums| &**sums)) }
                <div class="overview statements scrolls" tabindex="0" role="region" aria-label={words::area::TABLES}>
                    { tracks(props, sums.map(|sums| &**sums)) }
                    if props.state.nav.area.spans.is_some() { <spans::AreaSpans ..inner /> } else { <names::AreaNames ..inner /> }
                    if let Some(sums) = sums.filter(|sums| !sums.counters.is_empty()) { { counters::counters(props, sums) } }
                </div>
            </section>
        </>
    }
}

fn heading(props: &PanelProps, area: &AreaSpec, sums: Option<&AreaSummary>) -> Html {
    let is_gathered = !area.items.is_empty();
    let onclear = if is_gathered {
        props.dispatch_of(Action::Picked).reform(|_: MouseEvent| Vec::new())
    } else {
        change(props, |view, _: MouseEvent| *view = view.of(Vec::new()))
    };
    let (title, extent) = if is_gathered {
        (words::area::GATHERED, words::area::gathered(area.items.len()))
    } else {
        (words::area::TITLE, words::area::extent(area.range, area.tracks.len()))
    };
    let (clear, meaning) = if is_gathered {
        (words::area::CLEAR_GATHERED, words::area::CLEAR_GATHERED_TITLE)
    } else {
        (words::area::CLEAR, words::area::CLEAR_TITLE)
    };
    html! {
        <div class="tools">
            <h2>{ title }{ words::filter::filtered(sums.is_some_and(|sums| sums.is_filtered)) }</h2>
            <span class="count">{ extent }</span>
            <span class="area-sums" role="status">{ sums.map(words::area::sums) }</span>
            <CopyIssue client={props.client.clone()} request={IssueTextRequest::Area(area.clone())} class="btn small" />
            <button type="button" class="btn small" title={meaning} onclick={onclear}>{ clear }</button>
        </div>
    }
}

/// The tracks of the area, each with a button that removes it.
fn tracks(props: &PanelProps, sums: Option<&AreaSummary>) -> Html {
    let names = sums.map_or(&[][..], |sums| &sums.names);
    // Without names, there is no list: an empty list is not accessible.
    if names.is_empty() {
        return Html::default();
    }
    let chip = |(at, name): (usize, &Option<String>)| {
        let name = name.as_deref().unwrap_or(words::area::UNKNOWN_TRACK);
        let onclick = change(props, move |view, _: MouseEvent| {
            if at < view.tracks.len() {
                view.tracks.remove(at);
            }
        });
        let remove = Some((words::area::remove_track(name).into(), onclick));
        html! { <Chip title={name.to_owned()} is_listed=true {remove}><span class="foreign">{ name }</span></Chip> }
    };
    html! {
        <div class="chips area-tracks" role="list" aria-label={words::area::TRACKS}>{ for names.iter().enumerate().map(chip) }</div>
    }
}

/// Returns a callback that changes the area.
fn change<T: 'static>(props: &PanelProps, change: impl Fn(&mut AreaView, T) + 'static) -> Callback<T> {
    let (dispatch, now) = (props.dispatch.clone(), props.state.nav.area.clone());
    Callback::from(move |value| {
        let mut view = now.clone();
        change(&mut view, value);
        dispatch.dispatch(Action::Area(None, view));
    })
}
