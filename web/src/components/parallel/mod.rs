//! How well threads were used: how many ran at the same time, what each of them did and waited for, and the critical
//! path, which more threads cannot shorten.

mod cursor;
mod heat;
pub(super) mod tables;

use queryscope::protocol::{CompareView, Parallel, Reply, Request};
use queryscope::text;
use yew::prelude::*;

use super::PanelProps;
use super::ask::{is_old, use_reply};
use crate::state::{Action, Tab};

/// The panel.
#[component]
pub fn Parallelism(props: &PanelProps) -> Html {
    let state = &props.state;
    let request = Request::Parallel { range: state.nav.range, item: state.nav.selection };
    let answer = use_reply(&props.client, Some(request), state.load.info.build);
    let content = match answer.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Parallel(Some(view))) => content(props, view),
        Some(_) => {
            html! { <p class="muted">{ "No dependency information in this trace, so no parallelism to show." }</p> }
        }
        None => html! { <p class="muted">{ "Asking…" }</p> },
    };
    let inert = is_old(answer.as_ref(), &state.load.info.build);
    html! {
        <div class="overview parallel scrolls" tabindex="0" role="region" aria-label="How well threads were used" {inert}>
            { content }
        </div>
    }
}

fn content(props: &PanelProps, view: &Parallel) -> Html {
    html! {
        <>
            { head(props, view) }
            <heat::HeatMap ..props.clone() />
            { tables::at_once(view).section(html! { <p>{ "Time with exactly N threads running." }</p> }) }
            { tables::workers(view).section(html! { <p>{ BY_THREAD }</p> }) }
            if !view.producers.is_empty() {
                { tables::producers(props, view).section(html! { <p>{ "The input that became ready last." }</p> }) }
            }
            { critical_path(props, view) }
            if !view.plan.is_empty() {
                { tables::plan(props, view).section(html! { <><p>{ PLAN }</p>{ fold(props) }</> }) }
            }
            if view.n_equal > 0 {
                { tables::equal(props, view).section(html! { <p>{ "Parallel copies of one step, each for a part of a table. Skew: longest / average." }</p> }) }
            }
            if view.n_values > 0 {
                { tables::values(props, view).section(html! { <p>{ held(view) }</p> }) }
            }
        </>
    }
}

const BY_THREAD: &str = "Busy: running its own work, CPU time where that is recorded; loops that wait for tasks do not count. Waiting: in a span but not running, or in a recorded wait. Starved: idle because an input was not ready.";

const PLAN: &str = "Instructions in plan order, all executions of each together. A click selects the longest execution; the instruction of the selected execution is marked.";

/// The critical path by name and span by span, or why there is none.
fn critical_path(props: &PanelProps, view: &Parallel) -> Html {
    if view.n_path == 0 {
        return html! { <p class="muted">{ "No dependency information in this trace, so no critical path." }</p> };
    }
    let left_out = (view.n_path as usize).saturating_sub(view.path.len());
    let about = "Spans that each depend on the previous one; more threads cannot shorten it.";
    html! {
        <>
            if view.path_names.iter().any(|name| name.count > 1) {
                { tables::path_names(props, view).section(html! { <p>{ about }</p> }) }
            }
            { tables::path(props, view).section(html! {
                <p>
                    { about }
                    if left_out > 0 { { format!(" The first {}; {} more.", text::count(view.path.len() as i64), text::count(left_out as i64)) } }
                </p>
            }) }
        </>
    }
}

/// To where all instructions that do the same are one row.
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
    html! { <button type="button" class="btn small end" title="One row for all parallel copies of a step, with their skew" {onclick}>{ "Merge parallel copies (mitosis)" }</button> }
}

fn held(view: &Parallel) -> String {
    let count = text::counted(u64::from(view.n_values), "value", "values");
    match view.most_held {
        Some((time, bytes)) => {
            let since = text::duration(time.saturating_sub(view.start));
            format!("{count}; peak {} at +{since}.", text::bytes(bytes))
        }
        None => format!("{count}, the largest first."),
    }
}

/// What is asked about, and its numbers.
fn head(props: &PanelProps, view: &Parallel) -> Html {
    let wall = view.end.saturating_sub(view.start);
    let title = if view.title.is_empty() {
        format!("+{} … +{}", text::duration(view.start), text::duration(view.end))
    } else {
        view.title.clone()
    };
    let fact = |name: &'static str, value: String, meaning: &'static str| {
        html! { <div title={meaning}><dt>{ name }</dt><dd>{ value }</dd></div> }
    };
    let parallelism = view.parallelism.map(|thousandths| f64::from(thousandths) / 1000.0);
    let dispatch = props.dispatch.clone();
    let all = move |_: MouseEvent| dispatch.dispatch(Action::Range(None));
    html! {
        <section class="parallel-head">
            <h2 class="foreign clip" dir="auto" title={title.clone()}>{ &title }</h2>
            <dl>
                { fact("Parallelism", text::or_dash(parallelism, text::percent),
                    "Busy time as a share of the time of all cores (of all busy threads where cores are not recorded)") }
                { fact("Wall time", text::duration(wall), "From the start to the end") }
                { fact("Busy time", text::duration(view.busy), "Time in which threads ran their own work, summed over the threads") }
                { fact("Critical path", critical(view, wall), "Spans that each depend on the previous one") }
            </dl>
            if props.state.nav.range.is_some() {
                <button type="button" class="btn small" onclick={all}>{ "All times" }</button>
            }
        </section>
    }
}

/// How long the critical path is, and which share of the wall time.
fn critical(view: &Parallel, wall: i64) -> String {
    match view.n_path {
        0 => "–".to_owned(),
        _ => format!("{} ({})", text::duration(view.path_time), share(view.path_time, wall)),
    }
}

/// The share that a part is of a whole, as people read it.
pub(super) fn share(part: i64, whole: i64) -> String {
    if whole > 0 { text::percent(part as f64 / whole as f64) } else { "–".to_owned() }
}
