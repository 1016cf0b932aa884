//! How well threads were used: how many worked at once, what each of them did and waited for, and the chain that no
//! number of threads makes shorter.

mod cursor;
mod heat;
pub(super) mod tables;

use queryscope::protocol::{CompareView, Parallel, Reply, Request};
use queryscope::text;
use yew::prelude::*;

use super::PanelProps;
use super::ask::{is_old, use_reply};
use super::reveal::use_reveal;
use crate::state::{Action, Tab};

/// The panel.
#[component]
pub fn Parallelism(props: &PanelProps) -> Html {
    let state = &props.state;
    let request = Request::Parallel { range: state.range, item: state.selection };
    let answer = use_reply(&props.client, Some(request), state.info.build);
    let content = match answer.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Parallel(Some(view))) => content(props, view),
        Some(_) => {
            html! { <p class="muted">{ "Nothing in this trace tells what threads hand on to each other." }</p> }
        }
        None => html! { <p class="muted">{ "Asking…" }</p> },
    };
    let inert = is_old(answer.as_ref(), &state.info.build);
    let marked = match answer.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Parallel(Some(view))) => view.marked,
        _ => None,
    };
    let node = use_node_ref();
    use_reveal(&node, ".table-frame", "tr.selected", (marked, state.selection));
    html! {
        <div ref={node} class="overview parallel scrolls" tabindex="0" role="region" aria-label="How well threads were used" {inert}>
            { content }
        </div>
    }
}

fn content(props: &PanelProps, view: &Parallel) -> Html {
    html! {
        <>
            { head(props, view) }
            <heat::HeatMap ..props.clone() />
            <section aria-labelledby="at-once">
                <header><h2 id="at-once">{ "Threads at work" }</h2><p>{ "For how long so many of them worked at the same time." }</p></header>
                { tables::at_once(view) }
            </section>
            <section aria-labelledby="workers">
                <header>
                    <h2 id="workers">{ "Threads" }</h2>
                    <p>{ "Starved: it had nothing to do because what it did next needed something that was not there yet." }</p>
                </header>
                { tables::workers(view) }
            </section>
            if !view.producers.is_empty() {
                <section aria-labelledby="producers">
                    <header><h2 id="producers">{ "What they waited for" }</h2><p>{ "Of all that a span needed, what was ready last." }</p></header>
                    { tables::producers(props, view) }
                </section>
            }
            if view.n_chain > 0 {
                <section aria-labelledby="chain">
                    <header>
                        <h2 id="chain">{ "Longest chain" }</h2>
                        <p>{ format!("{} of which each needed the one before: no number of threads makes it shorter.",
                            text::counted(u64::from(view.n_chain), "span", "spans")) }</p>
                    </header>
                    { tables::chain(props, view) }
                </section>
            } else {
                <p class="muted">{ "Nothing here tells what one instruction needed of another: there is no chain, and no list of what was handed on." }</p>
            }
            <section aria-labelledby="plan">
                <header><h2 id="plan">{ "Plan" }</h2><p>{ "Instructions in their order, with all of their runs. A click selects the longest; whichever run is selected, its instruction is marked." }</p>{ fold(props) }</header>
                { tables::plan(props, view) }
            </section>
            if view.n_equal > 0 {
                <section aria-labelledby="equal">
                    <header>
                        <h2 id="equal">{ "Parts of one step" }</h2>
                        <p>{ "Instructions that do the same to different parts of a table. Skew: the longest as a multiple of the average." }</p>
                    </header>
                    { tables::equal(props, view) }
                </section>
            }
            if view.n_values > 0 {
                <section aria-labelledby="values">
                    <header><h2 id="values">{ "Handed on" }</h2><p>{ held(view) }</p></header>
                    { tables::values(props, view) }
                </section>
            }
        </>
    }
}

/// To where all instructions that do the same are one row.
fn fold(props: &PanelProps) -> Html {
    if !props.state.info.compares() {
        return Html::default();
    }
    let (dispatch, view) = (props.dispatch.clone(), props.state.compare.clone());
    let a = props.state.selection;
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Compare(CompareView { a, fold: true, ..view.clone() }));
        dispatch.dispatch(Action::Show(Tab::Compare));
    };
    html! { <button type="button" class="btn small end" title="One row for all instructions that do the same, such as the parts that mitosis makes, with how evenly they ran" {onclick}>{ "Fold equal steps" }</button> }
}

fn held(view: &Parallel) -> String {
    let count = text::counted(u64::from(view.n_values), "value", "values");
    match view.most_held {
        Some((time, bytes)) => {
            let since = text::duration(time.saturating_sub(view.start));
            format!("{count}; the most at one moment is {}, {since} after the start.", text::bytes(bytes))
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
                    "The share of the time of all cores (without heartbeats: of all threads that worked) in which they worked") }
                { fact("Wall time", text::duration(wall), "From the start to the end") }
                { fact("Work", text::duration(view.busy), "Time in which threads worked, all together") }
                { fact("Longest chain", format!("{} ({})", text::duration(view.chain_time), share(view.chain_time, wall)),
                    "Spans of which each needed the one before") }
            </dl>
            if props.state.range.is_some() {
                <button type="button" class="btn small" onclick={all}>{ "All times" }</button>
            }
        </section>
    }
}

/// The share that a part is of a whole, as people read it.
pub(super) fn share(part: i64, whole: i64) -> String {
    if whole > 0 { text::percent(part as f64 / whole as f64) } else { "–".to_owned() }
}
