//! Comparison of runs: both sides with their totals, a verdict, and the groups of executions or one of them; or all runs with
//! one of them.

mod each_run;
mod group;
mod groups;
mod side_link;
mod sides;

use queryscope::protocol::{CompareRunsRequest, RunSelection, RunSummariesRequest};
use yew::prelude::*;

use super::mode_switch;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{PanelProps, VIEW, focus_later};
use crate::state::{Action, RunsView};
use crate::words;

/// The panel that compares runs.
#[component]
pub fn Runs(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let names = use_query(&props.client, Some(RunSummariesRequest), build);
    let names: Vec<String> = names
        .as_ref()
        .and_then(Answer::reply)
        .map(|runs| runs.iter().map(|run| run.run.clone()).collect())
        .unwrap_or_default();
    let wanted = use_state_eq(|| 0..64_u32);
    let base_of_all = state.nav.runs.base_of_all(state.load.info.runs);
    let sides = state.nav.runs.sides(state.load.info.runs, state.nav.range);
    let list = sides.map(|both| state.nav.runs.list(both, &state.nav.filter));
    let list = list.filter(|_| base_of_all.is_none());
    let request = list.clone().map(|list| CompareRunsRequest {
        list,
        first: wanted.start,
        count: wanted.end - wanted.start,
    });
    let answer = use_query(&props.client, request, build);
    let inert = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply);
    let list = list.map(|mut list| {
        // A filter that is not valid is not applied; links must not add conditions to it.
        if page.is_some_and(|page| !page.is_filtered) {
            list.spec.filter.clear();
        }
        list
    });
    let content = match (base_of_all, list, page) {
        (Some(base), ..) => {
            html! { <each_run::EachRun panel={props.clone()} {base} names={names.clone()} /> }
        }
        (_, None, _) => html! { <p class="muted" role="status">{ words::compare::CHOOSE_SIDES }</p> },
        (_, Some(_), None) => html! { <p class="muted">{ words::common::LOADING }</p> },
        (_, Some(list), Some(page)) => html! {
            <>
                if state.nav.runs.group.is_none() { { sides::totals(props, &list.spec, page, &names) } }
                if let Some(group) = state.nav.runs.group {
                    <group::Group panel={props.clone()} spec={list.spec} {group} names={names.clone()} />
                } else {
                    <groups::Groups panel={props.clone()} {list} names={names.clone()} page={(**page).clone()} onwanted={Callback::from({ let setter = wanted.setter(); move |range| setter.set(range) })} />
                }
            </>
        },
    };
    html! {
        <div class="overview compare scrolls compared-runs" tabindex="0" role="region" aria-label={words::compare::REGION_OF_RUNS} {inert}>
            { mode_switch(props) }
            <section class="compared-sides" aria-label={words::compare::SIDES}>{ sides::choices(props, &names) }</section>
            if state.load.progress.is_none() && state.nav.runs.names_missing_run(state.load.info.runs) {
                <p class="muted" role="status">{ words::compare::NO_SUCH_RUN }</p>
            }
            { content }
        </div>
    }
}

/// Returns a callback that updates the state of the comparison of runs.
fn change<T: 'static>(props: &PanelProps, change: impl Fn(&mut RunsView, T) + 'static) -> Callback<T> {
    let (dispatch, now) = (props.dispatch.clone(), props.state.nav.runs.clone());
    let mount = props.mount.clone();
    Callback::from(move |value| {
        let mut view = now.clone();
        change(&mut view, value);
        dispatch.dispatch(Action::CompareRuns(view));
        // A button that opens or leaves a run or group disappears.
        focus_later(&mount, VIEW, true);
    })
}

/// Describes a side: its runs and its time range.
pub fn side_name(side: &RunSelection, names: &[String]) -> String {
    let name = |at: &u32| names.get(*at as usize).cloned().unwrap_or_else(|| words::compare::run_number(*at));
    let runs = match side.runs.len() {
        0 if names.len() == 1 => names[0].clone(),
        0 => words::compare::ALL_RUNS.to_owned(),
        _ => side.runs.iter().map(name).collect::<Vec<_>>().join(" + "),
    };
    match side.within {
        None => runs,
        Some(range) => words::compare::part_of_run(&runs, range, side.outside),
    }
}
