//! One shape: its text and numbers, the distribution of its durations, and its executions over time.

use queryscope::internal::text;
use queryscope::protocol::{
    DurationBar, ExecutionDot, ExecutionList, ShapeDetail, ShapeDetailRequest, ShapeRow,
};
use web_sys::Element;
use yew::prelude::*;

use super::change;
use super::executions::Executions;
use super::path::ShapePathSection;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{PanelProps, focus_later, show_in_timeline, time_range};
use crate::words;

/// The shape that the tab shows.
#[component]
pub fn Detail(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let list = state.nav.statements.executions.clone().unwrap_or_default();
    let request =
        ShapeDetailRequest { shape: list.shape, range: state.nav.range, filter: state.nav.filter.clone() };
    let answer = use_query(&props.client, Some(request), build);
    let inert = is_old(answer.as_ref(), &build);
    let is_of_slices = state.load.info.has_slices_alone();
    let all = if is_of_slices { words::statements::ALL_SLICES } else { words::statements::ALL_STATEMENTS };
    let back = change(props, |view, _: MouseEvent| view.executions = None);
    let detail = answer.as_ref().and_then(Answer::reply).map(|reply| reply.as_deref());
    html! {
        <>
            <section {inert} aria-labelledby="shape">
                <header>
                    <button type="button" class="btn small" onclick={back}>{ format!("← {all}") }</button>
                    { time_range(props) }
                </header>
                { match detail {
                    None => Html::default(),
                    Some(None) => html! { <p class="muted" role="status">{ words::statements::NO_LONGER }</p> },
                    Some(Some(detail)) => shape(props, detail, &list),
                } }
            </section>
            if let Some(Some(detail)) = detail && detail.row.count > 0 {
                <Executions panel={props.clone()} list={list.clone()} median={detail.row.times.map(|times| times.p50)} />
                <ShapePathSection panel={props.clone()} {list} />
            }
        </>
    }
}

fn shape(props: &PanelProps, detail: &ShapeDetail, list: &ExecutionList) -> Html {
    let is_empty = detail.row.count == 0;
    let numbers = match is_empty {
        true => words::filter::none(words::statements::WHAT, &props.state.nav),
        false => words::statements::numbers(&detail.row),
    };
    html! {
        <>
            <h2 id="shape" class="shape-text foreign">{ &detail.text }</h2>
            <p class="muted numbers">{ numbers }</p>
            if !detail.bars.is_empty() {
                <div class="charts">
                    { histogram(props, detail, list) }
                    { over_time(props, detail) }
                </div>
            } else if !is_empty {
                <p class="muted">{ words::statements::NO_COMPLETE }</p>
            }
        </>
    }
}

/// The histogram of durations. Each bar is a button that restricts the list of executions to the bar's durations.
fn histogram(props: &PanelProps, detail: &ShapeDetail, list: &ExecutionList) -> Html {
    let most = detail.bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let onbar = change(props, |view, between: Option<(i64, i64)>| {
        if let Some(list) = &mut view.executions {
            list.between = between;
        }
    });
    let bar = |bar: &DurationBar| {
        let between = Some((bar.from, bar.until));
        let pressed = list.between == between;
        let onclick = onbar.reform(move |_: MouseEvent| between.filter(|_| !pressed));
        let share = |count: u32| f64::from(count) / f64::from(most) * 100.0;
        let label = words::statements::bar(bar);
        html! {
            <button type="button" aria-pressed={pressed.to_string()} aria-label={label.clone()} title={label} {onclick} disabled={bar.count == 0}>
                <i style={format!("height:{:.1}%", if bar.count > 0 { share(bar.count).max(1.5) } else { 0.0 })}>
                    if bar.failed > 0 { <b style={format!("height:{:.1}%", share(bar.failed) / share(bar.count) * 100.0)} /> }
                </i>
            </button>
        }
    };
    html! {
        <figure aria-label={words::statements::DISTRIBUTION}>
            <h3 class="kicker">{ words::statements::DISTRIBUTION }</h3>
            <div class="axes">
                <p class="histogram-axis"><span>{ "0" }</span><span>{ words::statements::COUNT }</span><span>{ text::count(most.into()) }</span></p>
                <div class="chart-frame histogram" role="group" aria-label={words::statements::DISTRIBUTION}>{ for detail.bars.iter().map(bar) }</div>
                { axis(&detail.bars, &detail.row) }
            </div>
        </figure>
    }
}

/// Shortest and longest duration of the histogram; the longest is empty if both have the same text.
fn ends(bars: &[DurationBar]) -> Option<(String, String)> {
    let (first, last) = bars.first().zip(bars.last())?;
    let (shortest, mut longest) = (text::duration(first.from), text::duration(last.until.saturating_sub(1)));
    if shortest == longest {
        longest.clear();
    }
    Some((shortest, longest))
}

/// Axis labels of the histogram: the shortest and the longest duration and, on a line of its own, the median at its position; one label
/// if all durations are equal.
fn axis(bars: &[DurationBar], row: &ShapeRow) -> Html {
    let Some(((shortest, longest), times)) = ends(bars).zip(row.times) else { return Html::default() };
    let at = bars.partition_point(|bar| bar.until <= times.p50);
    let share = ((at as f64 + 0.5) / bars.len() as f64 * 100.0).min(100.0);
    let median = format!("p50 {}", text::duration(times.p50));
    html! {
        <p class="histogram-axis">
            <span>{ shortest }</span>
            if !longest.is_empty() {
                <span>{ longest }</span>
                <span class="median"><span style={format!("left:{share:.1}%;transform:translateX(-{share:.1}%)")}>{ median }</span></span>
            }
        </p>
    }
}

/// Labels of the upward axis of the scatter plot, from the bottom. The bars have `room` below and above, as a share of the height. If they
/// are too close together for two labels, one in the middle stands for all.
fn upward_axis(bars: &[DurationBar], room: f64) -> Html {
    let Some((shortest, longest)) = ends(bars) else { return Html::default() };
    if room > CROWDED {
        let all = bars
            .first()
            .zip(bars.last())
            .map(|(first, last)| words::statements::between(first.from, last.until));
        return html! { <p class="histogram-axis"><span /><span>{ all }</span><span>{ words::statements::DURATION }</span></p> };
    }
    html! {
        <p class="histogram-axis" style={format!("--room:{:.1}%", room * 100.0)}>
            <span>{ shortest }</span><span>{ words::statements::DURATION }</span><span>{ longest }</span>
        </p>
    }
}

/// The list of executions.
const EXECUTIONS: &str = "[aria-labelledby=executions] .grid";

/// Returns a click handler that lists all executions by their start and moves the focus to the list, because the dots are out of reach of the
/// keyboard.
fn lists_by_start(props: &PanelProps) -> Callback<MouseEvent> {
    let order = change(props, |view, _: MouseEvent| {
        if let Some(list) = &mut view.executions {
            *list = ExecutionList { between: None, by_start: true, reversed: false, ..list.clone() };
        }
    });
    let mount = props.mount.clone();
    Callback::from(move |event: MouseEvent| {
        order.emit(event);
        focus_later(&mount, EXECUTIONS, false);
    })
}

/// Least number of rows of the scatter plot.
const LEAST_ROWS: u16 = 24;
/// Share of the height that is empty below the bars, from which on the labels of the upward axis would overlap.
const CROWDED: f64 = 0.35;

/// Scatter plot of the executions: time to the right, duration upwards on the scale of the histogram.
fn over_time(props: &PanelProps, detail: &ShapeDetail) -> Html {
    // Few bars leave room above and below, so that a dot does not fill the chart.
    let bars = (detail.bars.len() as u16).max(LEAST_ROWS);
    let (columns, below) = (ShapeDetail::COLUMNS, (bars - detail.bars.len() as u16) / 2);
    let all: Vec<ExecutionDot> =
        detail.dots.iter().map(|dot| ExecutionDot { bar: dot.bar + below, ..*dot }).collect();
    let most = detail.dots.iter().map(|dot| dot.count).max().unwrap_or(1);
    let path = |class: &'static str, is_of: &dyn Fn(&ExecutionDot) -> bool| {
        let dots = all.iter().filter(|dot| is_of(dot));
        let d: String = dots.map(|dot| format!("M{} {}h1v1h-1z", dot.column, bars - 1 - dot.bar)).collect();
        html! { <path {class} {d} /> }
    };
    // Three colours: one execution, several, and more than a third of the maximum.
    let depth = |dot: &ExecutionDot| match dot.count {
        _ if dot.failed => 3,
        1 => 0,
        count if count <= most / 3 => 1,
        _ => 2,
    };
    let dots = all.clone();
    let dispatch = props.dispatch.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        // The shapes inside the chart receive no events.
        let element: Element = event.target_unchecked_into();
        if let Some(dot) = nearest(&dots, &element, &event, (columns, bars)) {
            show_in_timeline(&dispatch, dot.item);
        }
    });
    html! {
        <figure aria-label={words::statements::OVER_TIME}>
            <h3 class="kicker">{ words::statements::OVER_TIME }</h3>
            <div class="axes">
                { upward_axis(&detail.bars, f64::from(below) / f64::from(bars)) }
                <div class="chart-frame over-time" title={words::statements::DOTS_MEANING}>
                    <svg class="dots" viewBox={format!("0 0 {columns} {bars}")} preserveAspectRatio="none" aria-hidden="true" {onclick}>
                        { path("one", &|dot| depth(dot) == 0) }
                        { path("some", &|dot| depth(dot) == 1) }
                        { path("many", &|dot| depth(dot) == 2) }
                        { path("failed", &|dot| depth(dot) == 3) }
                    </svg>
                </div>
                <p class="histogram-axis">
                    <span>{ words::common::since_start(detail.axis.0) }</span>
                    <span>{ words::common::since_start(detail.axis.1) }</span>
                </p>
            </div>
            <button type="button" class="link" title={words::statements::LIST_BY_START_MEANING} onclick={lists_by_start(props)}>{ words::statements::LIST_BY_START }</button>
        </figure>
    }
}

/// The dot nearest to the pointer, at most a few cells away.
fn nearest(
    dots: &[ExecutionDot],
    chart: &Element,
    event: &MouseEvent,
    (columns, bars): (u16, u16),
) -> Option<ExecutionDot> {
    const REACH: f64 = 3.0;
    let (width, height) =
        (f64::from(chart.client_width()).max(1.0), f64::from(chart.client_height()).max(1.0));
    let column = f64::from(event.offset_x()) / width * f64::from(columns) - 0.5;
    let row = f64::from(event.offset_y()) / height * f64::from(bars) - 0.5;
    let distance = |dot: &ExecutionDot| {
        let across = f64::from(dot.column) - column;
        let down = f64::from(bars - 1 - dot.bar) - row;
        across.hypot(down)
    };
    let near = dots.iter().filter(|dot| distance(dot) <= REACH);
    near.min_by(|a, b| distance(a).total_cmp(&distance(b))).copied()
}
