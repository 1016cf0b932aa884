//! The parallelism panel: concurrency, busy and waiting time of each thread, and the critical path.

mod critical;
mod cursor;
mod heat;
pub(super) mod tables;

use queryscope::internal::text;
use queryscope::protocol::{CompareView, CriticalPath, CriticalPathRequest, Parallel, ParallelRequest};
use yew::prelude::*;

use super::use_query::{Answer, is_old, use_query};
use super::{PanelProps, fact};
use crate::state::{Action, Tab};
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;

/// The parallelism panel.
#[component]
pub fn Parallelism(props: &PanelProps) -> Html {
    let state = &props.state;
    let (range, item) = (state.nav.range, state.nav.selection);
    let build = state.load.info.build;
    let request = Some(ParallelRequest { range, item }).filter(|_| state.load.info.parallel);
    let answer = use_query(&props.client, request, build);
    let path = Some(CriticalPathRequest { range, item }).filter(|_| state.load.info.critical);
    let path = use_query(&props.client, path, build);
    let path = path.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    let content = match (answer.as_ref().and_then(Answer::reply), path) {
        (Some(Some(view)), path) => content(props, view, path),
        (_, Some(path)) if !state.load.info.parallel => html! {
            <>
                { head(props, (&path.title, path.start, path.end), None, Some(path)) }
                <p class="muted">{ words::parallel::NO_BUSY_TIMES }</p>
                { critical::sections(props, Some(path)) }
            </>
        },
        (Some(None), _) => html! { <p class="muted">{ words::parallel::NO_PARALLELISM }</p> },
        _ if !state.load.info.parallel && !state.load.info.critical => {
            html! { <p class="muted">{ words::parallel::NO_PARALLELISM }</p> }
        }
        _ => html! { <p class="muted">{ words::common::LOADING }</p> },
    };
    let inert = is_old(answer.as_ref(), &state.load.info.build);
    html! {
        <div class="overview parallel scrolls" tabindex="0" role="region" aria-label={words::parallel::PARALLELISM} {inert}>
            { content }
        </div>
    }
}

fn content(props: &PanelProps, view: &Parallel, path: Option<&CriticalPath>) -> Html {
    html! {
        <>
            { head(props, (&view.title, view.start, view.end), Some(view), path) }
            <heat::HeatMap ..props.clone() />
            { tables::at_once(props, view).section(html! { <p>{ words::parallel::about::CONCURRENCY }</p> }) }
            { tables::workers(props, view).section(html! { <p>{ words::parallel::about::BY_THREAD }</p> }) }
            if !view.producers.is_empty() {
                { tables::producers(props, view).section(html! { <p>{ words::parallel::about::PRODUCERS }</p> }) }
            }
            if props.state.load.info.critical { { critical::sections(props, path) } }
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

fn parallelism(view: &Parallel) -> Html {
    let parallelism = view.parallelism.map(|thousandths| f64::from(thousandths) / 1000.0);
    let shown = text::or_dash(parallelism, text::percent);
    fact(words::parallel::PARALLELISM, shown, words::parallel::PARALLELISM_MEANING)
}

/// Renders the analysed range or span, and its key figures.
fn head(
    props: &PanelProps,
    (title, start, end): (&str, i64, i64),
    view: Option<&Parallel>,
    path: Option<&CriticalPath>,
) -> Html {
    let title = if title.is_empty() { words::common::time_range(start, end) } else { title.to_owned() };
    let wall_time = text::duration(end.saturating_sub(start));
    let all = props.dispatch_of(Action::Range).reform(|_: MouseEvent| None);
    // Without statements, the scope of a selection is a span, and without a selection the whole trace.
    let is_span = path.is_some_and(|path| path.item.is_some()) && props.state.load.info.has_slices_alone();
    let whole = props.dispatch_of(Action::Select).reform(|_: MouseEvent| None);
    html! {
        <section class="parallel-head">
            <h2 class="foreign clip" dir="auto" title={title.clone()}>{ &title }</h2>
            <dl>
                { for view.map(parallelism) }
                <div title={words::parallel::WALL_TIME_MEANING}>
                    <dt class="headed">{ words::parallel::WALL_TIME }<TermHelp term={Term::WallTime} /></dt><dd>{ wall_time }</dd>
                </div>
                if let Some(view) = view { { fact(words::parallel::BUSY_TIME, text::duration(view.busy), words::parallel::BUSY_TIME_MEANING) } }
                <div title={words::critical_path::LENGTH_MEANING}><dt>{ words::critical_path::CRITICAL_PATH }</dt><dd>{ critical::length(path) }</dd></div>
            </dl>
            if props.state.nav.range.is_some() {
                <button type="button" class="btn small" onclick={all}>{ words::common::CLEAR_RANGE }</button>
            }
            if is_span {
                <button type="button" class="btn small" onclick={whole}>{ words::parallel::SHOW_WHOLE_TRACE }</button>
            }
        </section>
    }
}
