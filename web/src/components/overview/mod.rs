//! The overview: most important findings, summaries of the runs, time by group, all findings, and small charts.

pub mod chart;
pub mod chart_theme;
mod findings;
mod hover;
pub mod marks;
mod names;
pub mod range;
mod summary;
mod time;
mod worth;

pub use summary::{n_noted, notes};

use std::collections::HashMap;
use std::rc::Rc;

use queryscope::protocol::{Charts, ChartsRequest, RANGE_MEANS, RunSummariesRequest};
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use super::show_more::use_show_more;
use super::use_query::{Answer, use_query};
use crate::state::Action;
use crate::words;
use chart::{Chart, Kind};
use marks::{ChartMark, use_marks};

/// Number of points along the time axis of the charts.
pub const STEPS: u32 = 120;

/// The overview panel.
#[component]
pub fn Overview(props: &PanelProps) -> Html {
    let state = &props.state;
    // The sections at the top are requested first.
    let build = state.load.info.build;
    let filter = state.nav.filter.clone();
    let request = findings::request(state);
    // An incomplete list is requested again.
    let left = use_state_eq(|| 0);
    let found = use_query(&props.client, Some(request), (build, *left));
    let now = found.as_ref().and_then(Answer::reply).map_or(0, |list| list.rules_left);
    use_effect_with(now, {
        let left = left.setter();
        move |&now| left.set(now)
    });
    let runs = use_query(&props.client, Some(RunSummariesRequest), state.load.scene_version);
    let (start, end) = state.nav.range.unwrap_or((0, state.load.info.end));
    // The charts at the bottom are requested when the section above them is shown.
    let has_times = use_state(|| false);
    let onanswered = use_callback((), {
        let has_times = has_times.setter();
        move |(), ()| has_times.set(true)
    });
    let charts = use_query(
        &props.client,
        has_times.then_some(ChartsRequest { start, end, buckets: STEPS, filter }),
        state.load.scene_version,
    );
    let inert = found.as_ref().is_some_and(|answer| answer.scene_version().0 != build);
    let found = found.as_ref().and_then(Answer::reply);
    let runs = runs.as_ref().and_then(Answer::reply).map(Vec::as_slice);
    let (noted, more) = use_show_more(
        runs.map_or(0, summary::n_noted),
        words::overview::ONE_RUN_WITH_NOTES,
        words::overview::RUNS_WITH_NOTES,
    );
    let names = use_mut_ref(Vec::new);
    let charts = use_memo(charts, |answer| {
        let charts = answer.as_ref().and_then(Answer::reply)?;
        Some(Rc::new(in_order(charts.clone(), &mut names.borrow_mut())))
    });
    let has_queries = state.load.info.queries > 0;
    let has_charts = has_queries || charts.as_ref().as_ref().is_some_and(|charts| !charts.buffers.is_empty());
    let charts = charts.as_ref().as_ref().filter(|_| has_charts);
    let marks = use_marks(props, charts.map(Rc::as_ref));
    let about = match (has_queries, runs.is_some_and(summary::has_sources)) {
        (false, _) => "",
        (true, false) => words::overview::ALL_COMPLETED,
        (true, true) => words::overview::ALL_COMPLETED_AND_ROWS,
    };
    let is_limited = state.nav.range.is_some() || !state.nav.filter.is_empty();
    let whole = if is_limited { words::overview::WHOLE_RUNS } else { "" };
    html! {
        <div class="overview scrolls" tabindex="0" role="region" aria-label={words::overview::OVERVIEW}>
            { worth::section(props, found, inert) }
            <section aria-labelledby="runs">
                { summary::table(&props.dispatch, runs.unwrap_or_default(), has_queries, html! { <><h2 id="runs">{ words::overview::RUNS }</h2><p>{ about }{ whole }</p></> }) }
                { runs.map_or_else(Html::default, |runs| summary::notes(runs, noted)) }
                { more }
            </section>
            <time::TimeDivision panel={props.clone()} {onanswered} />
            { findings::section(props, found, inert) }
            if !has_queries {
                <names::Names ..props.clone() />
            }
            if has_charts {
                <section aria-labelledby="over-time">
                    <header><h2 id="over-time">{ words::overview::OVER_TIME }</h2>{ range(props) }</header>
                    <div class="charts">{ charts.map_or_else(Html::default, |charts| figures(props, charts, &marks)) }</div>
                </section>
            }
        </div>
    }
}

/// Sorts the series of the charts by first appearance, so that a type keeps its colour when the time range changes.
fn in_order(mut charts: Charts, names: &mut Vec<String>) -> Charts {
    for (name, _) in &charts.buffers {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut series: HashMap<String, Vec<i64>> = charts.buffers.drain(..).collect();
    charts.buffers =
        names.iter().map(|name| (name.clone(), series.remove(name).unwrap_or_default())).collect();
    charts
}

fn range(props: &PanelProps) -> Html {
    let Some((start, end)) = props.state.nav.range else {
        return html! { <p>{ words::overview::OVER_TIME_MEANING }</p> };
    };
    let dispatch = props.dispatch.clone();
    let all = move |_: MouseEvent| dispatch.dispatch(Action::Range(None));
    html! {
        <>
            <p>{ words::overview::range_with_length(start, end) }</p>
            <p class="muted whole-line">{ RANGE_MEANS }</p>
            <button type="button" class="btn small end" onclick={all}>{ icon(Icon::Close) }{ words::common::CLEAR_RANGE }</button>
        </>
    }
}

fn figures(props: &PanelProps, charts: &Rc<Charts>, marks: &[ChartMark]) -> Html {
    let has_buffer_events = charts.buffers.iter().any(|(_, steps)| !steps.is_empty());
    if !has_buffer_events && charts.queries.iter().all(|running| *running == 0) {
        return html! { <p>{ words::overview::NOTHING_OVER_TIME }</p> };
    }
    let figure = |kind: Kind| html! { <Chart {kind} charts={charts.clone()} marks={marks.to_vec()} panel={props.clone()} /> };
    let (has_queries, has_buffers) = (props.state.load.info.queries > 0, !charts.buffers.is_empty());
    let kinds = [(Kind::Queries, has_queries), (Kind::Buffers, has_buffers), (Kind::Durations, has_queries)];
    html! { <>{ for kinds.into_iter().filter(|of| of.1).map(|of| figure(of.0)) }</> }
}
