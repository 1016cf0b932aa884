//! One execution of a statement beside another, or beside all others: which steps took longer, and which are missing.

mod choices;
mod table;

use queryscope::protocol::{Beside, Compare, CompareView, Execution, Reply, Request};
use queryscope::text;
use yew::prelude::*;

use super::ask::{is_old, use_reply};
use super::{PanelProps, show_in_timeline};
use crate::state::Action;
use table::Table;

/// The panel.
#[component]
pub fn Comparison(props: &PanelProps) -> Html {
    let state = &props.state;
    // Until somebody chooses, it is about what is selected.
    let view = CompareView { a: state.nav.compare.a.or(state.nav.selection), ..state.nav.compare.clone() };
    let answer = use_reply(&props.client, Some(Request::Compare { view }), state.load.info.build);
    let inert = is_old(answer.as_ref(), &state.load.info.build);
    let content = match answer.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Compare(found)) => content(props, found),
        _ => html! { <p class="muted">{ "Asking…" }</p> },
    };
    html! {
        <div class="overview compare scrolls" tabindex="0" role="region" aria-label="Executions beside each other" {inert}>{ content }</div>
    }
}

fn content(props: &PanelProps, found: &Compare) -> Html {
    let Some(a) = &found.a else {
        return html! { <p class="muted">{ "There is no statement in this trace." }</p> };
    };
    html! {
        <>
            <section class="compare-head" aria-label="What is compared">
                { choices::choices(props, found, a) }
                { facts(found, a) }
            </section>
            <section aria-labelledby="compare-steps">
                <Table panel={props.clone()} found={found.clone()} about={about(found)} switches={switches(props, found)} />
            </section>
        </>
    }
}

/// Selects a span and shows it; what is compared stays.
fn jump(props: &PanelProps, found: &Compare, item: u32) -> Callback<MouseEvent> {
    let (dispatch, view) = (props.dispatch.clone(), pinned(props, found));
    Callback::from(move |_| {
        dispatch.dispatch(Action::Compare(view.clone()));
        show_in_timeline(&dispatch, item);
    })
}

/// The view with what it shows now as its choice: selecting something else changes it no more.
fn pinned(props: &PanelProps, found: &Compare) -> CompareView {
    let now = props.state.nav.compare.clone();
    let item = |of: &Option<Execution>| of.as_ref().map(|of| of.item);
    let b = match now.b {
        Beside::Typical => item(&found.b).map_or(Beside::Typical, Beside::Item),
        chosen => chosen,
    };
    CompareView { a: item(&found.a), b, ..now }
}

fn about(found: &Compare) -> String {
    let steps = text::counted(u64::from(found.n_steps), "step", "steps");
    let mut about = match found.n_b {
        0 => format!("{steps}; there is nothing beside them yet."),
        1 => format!("{steps}, paired by what they do and where in the plan they stand."),
        n => format!(
            "{steps}; B is the average of {}.",
            text::counted(u64::from(n), "execution", "executions")
        ),
    };
    if !found.has_places && found.n_b == 1 {
        about = format!("{steps}, paired by what they do.");
    }
    if found.n_b > 0 && found.only != (0, 0) {
        about += &format!(" {} only in A, {} only in B.", found.only.0, found.only.1);
    }
    about
}

/// The numbers of both, and what lies between them.
fn facts(found: &Compare, a: &Execution) -> Html {
    let fact = |name: &'static str, value: String, meaning: &'static str| {
        html! { <div title={meaning}><dt>{ name }</dt><dd>{ value }</dd></div> }
    };
    let b = found.b.as_ref().map(|b| b.duration);
    let per = found.sums.1 / i64::from(found.n_b.max(1));
    html! {
        <dl>
            { fact("A took", text::duration(a.duration), "From its start to its end") }
            if let Some(b) = b {
                { fact("B took", text::duration(b), "From its start to its end") }
                { fact("Difference", signed(a.duration.saturating_sub(b)), "How much longer A took") }
                { fact("Ratio", ratio(a.duration, b), "How many times as long A took") }
            }
            { fact("Steps of A", text::duration(found.sums.0), "Time of all steps; those that ran at the same time count each") }
            if found.n_b > 0 { { fact("Steps of B", text::duration(per), "Time of all steps, of one execution") } }
        </dl>
    }
}

fn switches(props: &PanelProps, found: &Compare) -> Html {
    let switch = |on: bool, label: &'static str, title: &'static str, view: CompareView| {
        let onclick = props.dispatch_of(Action::Compare).reform(move |_: MouseEvent| view.clone());
        html! { <button type="button" class="btn small" aria-pressed={on.to_string()} {title} {onclick}>{ label }</button> }
    };
    let now = &props.state.nav.compare;
    html! {
        <>
            if found.has_places {
                { switch(now.fold, "Fold equal steps", "One row for all instructions that do the same, such as the parts that mitosis makes",
                    CompareView { fold: !now.fold, ..now.clone() }) }
            }
            { switch(now.inclusive, "Whole times", "With what other steps inside account for",
                CompareView { inclusive: !now.inclusive, ..now.clone() }) }
        </>
    }
}

/// A difference with its sign.
fn signed(ns: i64) -> String {
    match ns {
        0 => "none".to_owned(),
        ns if ns < 0 => format!("−{}", text::duration(ns.saturating_neg())),
        ns => format!("+{}", text::duration(ns)),
    }
}

/// How many times as long `a` is as `b`.
fn ratio(a: i64, b: i64) -> String {
    if b > 0 { text::ratio(a as f64 / b as f64) } else { "–".to_owned() }
}
