//! The part of the toolbar about tracks: the filter by name, hidden tracks, and what counters show.

use queryscope::protocol::{CounterView, TrackCountsRequest, TrackLayout};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::components::use_query::{Answer, use_query};
use crate::components::{PanelProps, typing};
use crate::state::Action;
use crate::ui::{Chip, segment, segments};
use crate::words::tracks as words;

/// Number of hidden tracks that have a button of their own.
const LISTED: usize = 6;

/// The filter of tracks, and the lines about filtered, hidden and moved ones.
#[component]
pub fn TrackTools(props: &PanelProps) -> Html {
    let (state, layout) = (&props.state, &props.state.nav.tracks);
    let request = (*layout != TrackLayout::default()).then(|| TrackCountsRequest { layout: layout.clone() });
    let answer = use_query(&props.client, request, state.load.info.build);
    let counts = answer.as_ref().and_then(Answer::reply).cloned().unwrap_or_default();
    let set = |change: fn(&mut TrackLayout)| {
        let (dispatch, layout) = (props.dispatch.clone(), layout.clone());
        Callback::from(move |_: MouseEvent| {
            let mut layout = layout.clone();
            change(&mut layout);
            dispatch.dispatch(Action::Tracks(layout));
        })
    };
    let (dispatch, now) = (props.dispatch.clone(), layout.clone());
    let oninput = move |event: InputEvent| {
        let name = event.target_unchecked_into::<HtmlInputElement>().value();
        dispatch.dispatch(Action::Tracks(TrackLayout { name, ..now.clone() }));
    };
    let (dispatch, now) = (props.dispatch.clone(), layout.clone());
    let show = move |key| {
        let (dispatch, mut layout) = (dispatch.clone(), now.clone());
        layout.hide(key, false);
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Tracks(layout.clone())))
    };
    let more = counts.list.len().saturating_sub(LISTED);
    let is_filtered = !layout.name.trim().is_empty();
    html! {
        <>
            <span class="field track-filter">
                <input id="track-filter" type="search" placeholder={words::FILTER} aria-label={words::FILTER_LABEL} autocomplete="off" spellcheck="false"
                    value={layout.name.clone()} {oninput} onkeydown={typing(&props.mount)} />
            </span>
            <span role="status" class="track-counts">
                if is_filtered { <span>{ words::matching(&counts) }</span> }
                if !layout.hidden.is_empty() { <span>{ words::hidden(counts.hidden) }</span> }
            </span>
            if !counts.list.is_empty() && !layout.hidden.is_empty() {
                <span class="chips" role="list" aria-label={words::HIDDEN}>
                    { for counts.list.iter().take(LISTED).map(|of| html! {
                        <Chip is_listed=true remove={Some((words::show_again(&of.name).into(), show(of.key)))}><span class="foreign">{ &of.name }</span></Chip>
                    }) }
                </span>
                if more > 0 { <span>{ words::more(more) }</span> }
            }
            if !layout.hidden.is_empty() || is_filtered {
                <button type="button" class="btn small" title={words::SHOW_ALL_TITLE} onclick={set(|layout| {
                    layout.hidden.clear();
                    layout.name.clear();
                })}>{ words::SHOW_ALL }</button>
            }
            if !layout.moves.is_empty() {
                <button type="button" class="btn small" title={words::RESET_ORDER_TITLE} onclick={set(|layout| layout.moves.clear())}>{ words::RESET_ORDER }</button>
            }
            if state.load.info.counters { { counters(props) } }
        </>
    }
}

/// Renders the settings of counters: value or rate, common scale, and stacking.
fn counters(props: &PanelProps) -> Html {
    let now = props.state.nav.counters;
    let go = |view: CounterView| {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Counters(view)))
    };
    let choices = [
        segment(words::VALUE, None, !now.rate, go(CounterView { rate: false, ..now })),
        segment(words::RATE, Some(words::RATE_TITLE), now.rate, go(CounterView { rate: true, ..now })),
    ];
    let common = go(CounterView { common_scale: !now.common_scale, ..now });
    let stacked = go(CounterView { stacked: !now.stacked, ..now });
    html! {
        <span class="choice">{ words::COUNTERS }
            { segments(words::COUNTERS, choices.into_iter()) }
            <button type="button" class="btn small" title={words::COMMON_SCALE_TITLE} aria-pressed={now.common_scale.to_string()} onclick={common}>{ words::COMMON_SCALE }</button>
            <button type="button" class="btn small" title={words::STACKED_TITLE} aria-pressed={now.stacked.to_string()} onclick={stacked}>{ words::STACKED }</button>
        </span>
    }
}
