//! Comparison of runs; and of one execution of a statement with another, or with the average of all others: slower and missing
//! steps.

mod choices;
mod runs;
mod table;

use queryscope::internal::text;
use queryscope::protocol::{Compare, CompareRequest, CompareView, CompareWith, Execution};
use yew::prelude::*;

use super::use_query::{Answer, is_old, use_query};
use super::{PanelProps, fact, show_in_timeline};
use crate::state::{Action, CompareMode, RunsView};
use crate::words;
pub use runs::side_name;
use table::Table;

/// The panel of the compare tab.
#[component]
pub fn Comparison(props: &PanelProps) -> Html {
    match mode(props) {
        CompareMode::Runs => html! { <runs::Runs ..props.clone() /> },
        CompareMode::Executions => html! { <Executions ..props.clone() /> },
    }
}

fn mode(props: &PanelProps) -> CompareMode {
    let nav = &props.state.nav;
    let info = &props.state.load.info;
    let has_sides = info.runs > 1 || nav.range.is_some() && nav.selection.is_none();
    nav.runs.mode(has_sides, nav.compare.a.is_some(), info.compares())
}

/// Renders the switch between runs and executions.
fn mode_switch(props: &PanelProps) -> Html {
    let now = mode(props);
    let view = props.state.nav.runs.clone();
    let onclick = props.dispatch_of(Action::CompareRuns);
    let button = |mode: CompareMode, label: &'static str, title: &'static str| {
        let view = RunsView { chosen_mode: Some(mode), ..view.clone() };
        let onclick = onclick.reform(move |_: MouseEvent| view.clone());
        html! { <button type="button" class="btn small" aria-pressed={(now == mode).to_string()} {title} {onclick}>{ label }</button> }
    };
    html! {
        <div class="compare-modes" role="group" aria-label={words::compare::MODES}>
            { button(CompareMode::Runs, words::compare::RUNS, words::compare::RUNS_MEANING) }
            { button(CompareMode::Executions, words::compare::EXECUTIONS, words::compare::EXECUTIONS_MEANING) }
        </div>
    }
}

/// The panel that compares executions.
#[component]
fn Executions(props: &PanelProps) -> Html {
    let state = &props.state;
    // Until the user chooses the new execution, the selection is compared, or executions of the chosen runs.
    let request = CompareRequest {
        view: state.nav.compare.clone(),
        selection: state.nav.selection,
        sides: state.nav.runs.chosen_sides(state.load.info.runs, state.nav.range),
    };
    let answer = use_query(&props.client, Some(request), state.load.info.build);
    let inert = is_old(answer.as_ref(), &state.load.info.build);
    let content = match answer.as_ref().and_then(Answer::reply) {
        Some(found) => content(props, found),
        None => html! { <p class="muted">{ words::common::LOADING }</p> },
    };
    html! {
        <div class="overview compare scrolls" tabindex="0" role="region" aria-label={words::compare::REGION} {inert}>
            { mode_switch(props) }
            { content }
        </div>
    }
}

/// Whether the compared executions are of the sides that the user chose for the comparison of runs.
fn is_of_chosen_sides(props: &PanelProps) -> bool {
    let nav = &props.state.nav;
    nav.compare.a.is_none() && nav.runs.chosen_sides(props.state.load.info.runs, nav.range).is_some()
}

fn content(props: &PanelProps, found: &Compare) -> Html {
    let Some(a) = &found.a else {
        return html! { <p class="muted">{ words::compare::NO_STATEMENTS }</p> };
    };
    html! {
        <>
            <section class="compare-head" aria-label={words::compare::COMPARED}>
                { choices::choices(props, found, a) }
                if is_of_chosen_sides(props) { <p class="muted">{ words::compare::OF_CHOSEN_SIDES }</p> }
                { facts(found, a) }
                { table_or_timelines(props, found) }
            </section>
            <section aria-labelledby="compare-steps">
                <Table panel={props.clone()} found={found.clone()} about={words::compare::about(found)} switches={switches(props, found)} />
            </section>
        </>
    }
}

/// Returns a callback that selects a span and shows it in the timeline, and keeps the compared executions.
fn jump(props: &PanelProps, found: &Compare, item: u32) -> Callback<MouseEvent> {
    let (dispatch, view) = (props.dispatch.clone(), pinned(props, found));
    Callback::from(move |_| {
        dispatch.dispatch(Action::Compare(view.clone()));
        show_in_timeline(&dispatch, item);
    })
}

/// Returns the view with its current executions as the user's choice, so that a new selection does not change them.
fn pinned(props: &PanelProps, found: &Compare) -> CompareView {
    let now = props.state.nav.compare.clone();
    let item = |of: &Option<Execution>| of.as_ref().map(|of| of.item);
    let b = match now.b {
        CompareWith::Typical => item(&found.b).map_or(CompareWith::Typical, CompareWith::Item),
        chosen => chosen,
    };
    CompareView { a: item(&found.a), b, ..now }
}

/// Renders the durations of base and new, and their difference.
fn facts(found: &Compare, a: &Execution) -> Html {
    // The names of two runs stand next to the durations.
    let b = found.b.as_ref();
    let has_two_runs = b.is_some_and(|b| b.run != a.run);
    let of = |name: &'static str, of: &Execution| match has_two_runs {
        true => format!("{name} · {}", of.run).into(),
        false => AttrValue::from(name),
    };
    let per = found.sums.1 / i64::from(found.n_b.max(1));
    html! {
        <dl>
            if let Some(b) = b { { fact(of(words::compare::DURATION_OF_BASE, b), text::duration(b.duration), words::compare::DURATION_MEANING) } }
            { fact(of(words::compare::DURATION_OF_NEW, a), text::duration(a.duration), words::compare::DURATION_MEANING) }
            if let Some(b) = b {
                { fact(words::compare::DIFFERENCE, words::compare::signed(a.duration.saturating_sub(b.duration)), words::compare::DIFFERENCE_MEANING) }
                { fact(words::compare::RATIO, words::compare::ratio(a.duration, b.duration), words::compare::RATIO_MEANING) }
            }
            if found.has_base() { { fact(words::compare::STEP_TIME_OF_BASE, text::duration(per), words::compare::STEP_TIME_OF_BASE_MEANING) } }
            { fact(words::compare::STEP_TIME_OF_NEW, text::duration(found.sums.0), words::compare::STEP_TIME_OF_NEW_MEANING) }
        </dl>
    }
}

/// The switch from the table of steps to the executions in timelines.
fn table_or_timelines(props: &PanelProps, found: &Compare) -> Html {
    let disabled = found.b.is_none();
    let view = pinned(props, found);
    let onclick = props.dispatch_of(Action::SideBySide).reform(move |_: MouseEvent| view.clone());
    let title =
        if disabled { words::compare::TIMELINES_NEED_BASE } else { words::compare::TIMELINES_MEANING };
    html! {
        <span class="segments" role="group" aria-label={words::compare::TABLE_OR_TIMELINES}>
            <button type="button" aria-pressed="true">{ words::compare::TABLE }</button>
            <button type="button" aria-pressed="false" {disabled} {title} {onclick}>{ words::compare::TIMELINES }</button>
        </span>
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
                { switch(now.fold, words::common::MERGE_COPIES, words::compare::MERGE_COPIES_MEANING,
                    CompareView { fold: !now.fold, ..now.clone() }) }
            }
            { switch(now.inclusive, words::compare::INCLUSIVE_TIME, words::compare::INCLUSIVE_TIME_MEANING,
                CompareView { inclusive: !now.inclusive, ..now.clone() }) }
        </>
    }
}
