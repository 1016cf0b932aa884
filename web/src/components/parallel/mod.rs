//! The parallelism panel: concurrency, busy and waiting time of each thread, and the critical path, which more threads
//! cannot shorten.

mod cursor;
mod heat;
pub(super) mod tables;

use queryscope::internal::text;
use queryscope::protocol::{CompareView, Parallel, ParallelRequest};
use yew::prelude::*;

use super::PanelProps;
use super::use_query::{Answer, is_old, use_query};
use crate::state::{Action, Tab};
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;

/// The parallelism panel.
#[component]
pub fn Parallelism(props: &PanelProps) -> Html {
    let state = &props.state;
    let request = ParallelRequest { range: state.nav.range, item: state.nav.selection };
    let answer = use_query(&props.client, Some(request), state.load.info.build);
    let content = match answer.as_ref().and_then(Answer::reply) {
        Some(Some(view)) => content(props, view),
        Some(None) => html! { <p class="muted">{ words::parallel::NO_PARALLELISM }</p> },
        None => html! { <p class="muted">{ words::common::LOADING }</p> },
    };
    let inert = is_old(answer.as_ref(), &state.load.info.build);
    html! {
        <div class="overview parallel scrolls" tabindex="0" role="region" aria-label={words::parallel::PARALLELISM} {inert}>
            { content }
        </div>
    }
}

fn content(props: &PanelProps, view: &Parallel) -> Html {
    html! {
        <>
            { head(props, view) }
            <heat::HeatMap ..props.clone() />
            { tables::at_once(view).section(html! { <p>{ words::parallel::about::CONCURRENCY }</p> }) }
            { tables::workers(view).section(html! { <p>{ words::parallel::about::BY_THREAD }</p> }) }
            if !view.producers.is_empty() {
                { tables::producers(props, view).section(html! { <p>{ words::parallel::about::PRODUCERS }</p> }) }
            }
            { critical_path(props, view) }
            if !view.plan.is_empty() {
                { tables::plan(props, view).section(html! { <><p>{ words::parallel::about::PLAN }</p>{ fold(props) }</> }) }
            }
            if view.n_equal > 0 {
                { tables::equal(props, view).section(html! { <p>{ words::parallel::about::COPIES }</p> }) }
            }
            if view.n_values > 0 {
                { tables::values(props, view).section(html! { <p>{ words::parallel::about_values(view) }</p> }) }
            }
        </>
    }
}

/// Renders the critical path by name and by span, or the reason why there is none.
fn critical_path(props: &PanelProps, view: &Parallel) -> Html {
    if view.n_path == 0 {
        return html! { <p class="muted">{ words::parallel::NO_CRITICAL_PATH }</p> };
    }
    let left_out = (view.n_path as usize).saturating_sub(view.path.len());
    let about = words::parallel::CRITICAL_PATH_MEANING;
    html! {
        <>
            if view.path_names.iter().any(|name| name.count > 1) {
                { tables::path_names(props, view).section(html! { <p>{ about }</p> }) }
            }
            { tables::path(props, view).section(html! {
                <p>
                    { about }
                    if left_out > 0 { { words::parallel::part_of_path(view.path.len(), left_out) } }
                </p>
            }) }
        </>
    }
}

/// Renders the button to the comparison view that merges parallel copies of an instruction.
fn fold(props: &PanelProps) -> Html {
    if !props.state.load.info.compares() {
        return Html::default();
    }
    let (dispatch, view) = (props.dispatch.clone(), props.state.nav.compare.clone());
    let a = props.state.nav.selection;
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Compare(CompareView { a, fold: true, ..view.clone() }));
        dispatch.dispatch(Action::Show(Tab::Compare));
    };
    html! { <button type="button" class="btn small end" title={words::parallel::COPIES_MEANING} {onclick}>{ words::common::MERGE_COPIES }</button> }
}

/// Renders the analysed range or span, and its key figures.
fn head(props: &PanelProps, view: &Parallel) -> Html {
    let wall = view.end.saturating_sub(view.start);
    let title = if view.title.is_empty() {
        words::common::time_range(view.start, view.end)
    } else {
        view.title.clone()
    };
    let fact = |name: &'static str, value: String, meaning: &'static str| {
        html! { <div title={meaning}><dt>{ name }</dt><dd>{ value }</dd></div> }
    };
    let (path, wall_time) = (words::parallel::path_time(view, wall), text::duration(wall));
    let parallelism = view.parallelism.map(|thousandths| f64::from(thousandths) / 1000.0);
    let dispatch = props.dispatch.clone();
    let all = move |_: MouseEvent| dispatch.dispatch(Action::Range(None));
    html! {
        <section class="parallel-head">
            <h2 class="foreign clip" dir="auto" title={title.clone()}>{ &title }</h2>
            <dl>
                { fact(words::parallel::PARALLELISM, text::or_dash(parallelism, text::percent), words::parallel::PARALLELISM_MEANING) }
                <div title={words::parallel::WALL_TIME_MEANING}>
                    <dt class="headed">{ words::parallel::WALL_TIME }<TermHelp term={Term::WallTime} /></dt><dd>{ wall_time }</dd>
                </div>
                { fact(words::parallel::BUSY_TIME, text::duration(view.busy), words::parallel::BUSY_TIME_MEANING) }
                { fact(words::parallel::CRITICAL_PATH, path, words::parallel::CRITICAL_PATH_MEANING) }
            </dl>
            if props.state.nav.range.is_some() {
                <button type="button" class="btn small" onclick={all}>{ words::common::CLEAR_RANGE }</button>
            }
        </section>
    }
}
