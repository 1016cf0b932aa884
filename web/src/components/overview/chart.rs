//! A small chart drawn by plotters. The cursor and the selected range are overlays, so they need no redraw.

use std::rc::Rc;

use plotters::drawing::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use queryscope::internal::chart::{self, Plot};
use queryscope::internal::{filter_text, text};
use queryscope::protocol::{BufferMeasure, Charts, RunCharts};
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

use super::STEPS;
use super::chart_theme::{chart_style, use_dark};
use super::hover::{ChartHover, band, card, filter_at, share_at, values, values_at};
use super::marks::ChartMark;
use super::range::{Grip, Press};
use crate::components::size::use_inner_size;
use crate::components::{PanelProps, filter_by, show_filtered};
use crate::host::page;
use crate::state::{Action, Tab};
use crate::words;

/// The charts of the overview and of the sources tab.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Number of running queries over time.
    Queries,
    /// Bytes of buffer events by type, over time.
    Buffers,
    /// Measure of buffer events by type, over time; `true` if each step is the sum since the start.
    BufferActivity(BufferMeasure, bool),
    /// Histogram of query durations.
    Durations,
}

/// Properties of a chart.
#[derive(Properties, PartialEq)]
pub struct ChartProps {
    /// Which chart to draw.
    pub kind: Kind,
    /// Data of all charts.
    pub charts: Rc<Charts>,
    /// Marked parts of the time axis; a chart without a time axis does not show them.
    pub marks: Vec<ChartMark>,
    /// Properties that all panels share: the theme, and the dispatcher to which a selected time range goes.
    pub panel: PanelProps,
}

/// Names of the colours of buffer types, in order of appearance. Types of secondary storage differ clearly from the rest.
pub const BUFFERS: [&str; 6] =
    ["buffer", "category-4", "category-7", "category-2", "category-5", "category-8"];

/// Names of the colours of runs, if there are several runs.
pub const RUNS: [&str; Charts::MOST_RUNS] = [
    "category-0",
    "category-2",
    "category-1",
    "category-4",
    "category-5",
    "category-3",
    "category-6",
    "category-7",
    "category-8",
    "category-9",
    "category-10",
    "category-11",
];

impl Kind {
    fn title(self) -> &'static str {
        match self {
            Kind::Queries => words::overview::chart::RUNNING_QUERIES,
            Kind::Buffers => words::overview::chart::BUFFER_BYTES,
            Kind::BufferActivity(measure, cumulative) => words::sources::chart(measure, cumulative),
            Kind::Durations => words::overview::chart::QUERY_DURATION,
        }
    }

    fn over_time(self) -> bool {
        self != Kind::Durations
    }

    /// Formats a number of buffer events.
    pub fn amount(self, n: i64) -> String {
        match self {
            Kind::BufferActivity(measure, _) => words::sources::amount(measure, n),
            _ => text::bytes(n),
        }
    }

    /// The total of a series of buffer events.
    pub fn total(self, steps: &[i64]) -> i64 {
        match self {
            Kind::BufferActivity(_, true) => steps.last().copied().unwrap_or(0),
            _ => steps.iter().fold(0, |sum, step| sum.saturating_add(*step)),
        }
    }
}

/// A chart with a title, a legend and a card of the values at the cursor.
#[component]
pub fn Chart(props: &ChartProps) -> Html {
    let (frame, canvas) = (use_node_ref(), use_node_ref());
    let size = use_inner_size(&frame);
    let plot = use_state_eq(|| None::<Plot>);
    let scheme = use_dark();
    let (setter, node) = (plot.setter(), canvas.clone());
    use_effect_with(
        (props.kind, props.charts.clone(), props.panel.state.theme(), scheme, size),
        move |(kind, charts, _, _, size)| {
            setter.set(node.cast().and_then(|canvas| draw(&canvas, *kind, charts, *size)));
        },
    );
    let grip = use_state_eq(Grip::default);
    let over_time = props.kind.over_time();
    let hovered = grip.at.map(|share| ChartHover { share, kind: props.kind, charts: &props.charts });
    let on = Handlers::new(props, &grip, &plot);
    let marks = if over_time { &props.marks[..] } else { &[] };
    let title = props.kind.title();
    html! {
        <figure aria-label={words::overview::chart_label(title, &values(props.kind, &props.charts))}>
            <h3 class="kicker">{ title }</h3>
            <div class={classes!("chart-frame", over_time.then_some("over-time"))} ref={frame}>
                <canvas ref={canvas} tabindex="0" role="slider" title={(!over_time).then_some(words::overview::chart::LIST_QUERIES)} aria-label={words::overview::chart_slider(title, over_time)}
                    aria-valuemin="0" aria-valuemax="100" aria-valuenow={format!("{:.0}", grip.at.unwrap_or(0.5) * 100.0)}
                    aria-valuetext={hovered.as_ref().map(values_at)} onpointerdown={on.down} onpointerup={on.up} onpointermove={on.moved}
                    onpointerleave={on.left} onfocus={on.focus} onblur={on.blur} onkeydown={on.key} />
                { (*plot).as_ref().map_or_else(Html::default, |plot| html! {
                    <>
                        { for marks.iter().map(|mark| band(mark.class, mark.from, mark.until, plot, scale())) }
                        if let Some((from, to)) = grip.from.zip(grip.at) { { band("chart-range", from, to, plot, scale()) } }
                        if let Some(hovered) = hovered { { card(&hovered, plot, scale(), size.0) } }
                    </>
                }) }
            </div>
            { legend(props) }
            if !marks.is_empty() { <div class="chart-legend">{ for marks.iter().map(|mark| mark.entry()) }</div> }
        </figure>
    }
}

/// Pointer and key handlers of a chart.
struct Handlers {
    down: Callback<PointerEvent>,
    moved: Callback<PointerEvent>,
    up: Callback<PointerEvent>,
    left: Callback<PointerEvent>,
    focus: Callback<FocusEvent>,
    blur: Callback<FocusEvent>,
    key: Callback<KeyboardEvent>,
}

impl Handlers {
    fn new(props: &ChartProps, grip: &UseStateHandle<Grip>, plot: &UseStateHandle<Option<Plot>>) -> Self {
        let over_time = props.kind.over_time();
        let (now, plot) = (**grip, (**plot).clone());
        let at = move |event: &PointerEvent| share_at(f64::from(event.offset_x()) * scale(), plot.as_ref()?);
        let pressed = at.clone();
        let moved = at.clone();
        let released = at;
        let choose = {
            let charts = props.charts.clone();
            let onrange = props.panel.dispatch_of(|range| Action::Range(Some(range)));
            move |(from, to): (f64, f64)| onrange.emit((time_at(&charts, from), time_at(&charts, to)))
        };
        let chosen = choose.clone();
        let list_bar = {
            let (charts, onlist) = (props.charts.clone(), onlist(&props.panel));
            move |share: f64| filter_at(&charts, share).into_iter().for_each(|filter| onlist.emit(filter))
        };
        let list_clicked = list_bar.clone();
        // Two presses of an arrow key pass a bar, so that each bar can be reached.
        let steps = if over_time { STEPS } else { props.charts.durations.len() as u32 * 2 };
        let set = |change: fn(Grip) -> Grip| {
            let grip = grip.setter();
            move || grip.set(change(now))
        };
        let (let_go, leave, enter) = (
            set(|grip| Grip { from: None, ..grip }),
            set(|grip| if grip.from.is_some() { grip } else { Grip::default() }),
            set(Grip::focused),
        );
        let down = grip.setter();
        let go = grip.setter();
        let stop = grip.setter();
        let turn = grip.setter();
        Self {
            down: Callback::from(move |event: PointerEvent| {
                if over_time && event.button() == 0 {
                    // Without pointer capture, a drag ends at the chart's edge, which does no harm.
                    let _ = event.target_unchecked_into::<Element>().set_pointer_capture(event.pointer_id());
                    let at = pressed(&event);
                    down.set(Grip { at, from: at });
                }
            }),
            moved: Callback::from(move |event: PointerEvent| {
                go.set(Grip { at: moved(&event).or(now.from.and(now.at)), ..now })
            }),
            up: Callback::from(move |event: PointerEvent| {
                if !over_time && event.button() == 0 {
                    released(&event).into_iter().for_each(&list_clicked);
                }
                now.range().into_iter().for_each(&chosen);
                let_go();
            }),
            left: Callback::from(move |_: PointerEvent| leave()),
            focus: Callback::from(move |_: FocusEvent| enter()),
            blur: Callback::from(move |_: FocusEvent| stop.set(Grip::default())),
            key: Callback::from(move |event: KeyboardEvent| {
                let press = now.press(&event.key(), steps, over_time);
                let lists = !over_time && matches!(event.key().as_str(), "Enter" | " ");
                if press.is_none() && !lists {
                    return;
                }
                event.prevent_default();
                event.stop_propagation();
                match press {
                    None => list_bar(now.at.unwrap_or(0.5)),
                    Some(Press::Grip(grip)) => turn.set(grip),
                    Some(Press::Choose(from, to)) => {
                        choose((from, to));
                        turn.set(Grip { from: None, ..now });
                    }
                }
            }),
        }
    }
}

/// Draws the chart and returns the position of its plot area, or `None` if the element is too small or drawing fails.
fn draw(canvas: &HtmlCanvasElement, kind: Kind, charts: &Charts, size: (i32, i32)) -> Option<Plot> {
    let scale = scale();
    let pixels = |css: i32| (f64::from(css.max(0)) * scale).round() as u32;
    if size.0 < 120 || size.1 < 60 {
        return None;
    }
    // Setting the size also clears the canvas.
    canvas.set_width(pixels(size.0));
    canvas.set_height(pixels(size.1));
    let series: &[&str] = match kind {
        _ if !charts.runs.is_empty() => &RUNS,
        Kind::Buffers | Kind::BufferActivity(..) => &BUFFERS,
        Kind::Queries | Kind::Durations => &["query"],
    };
    let chart_style = chart_style(canvas, series, scale)?;
    let area = CanvasBackend::with_canvas_object(canvas.clone())?.into_drawing_area();
    let drawn = match kind {
        Kind::Queries => chart::queries(&area, charts, &chart_style),
        Kind::Buffers => chart::buffers(&area, charts, &chart_style),
        Kind::BufferActivity(BufferMeasure::Bytes, _) => {
            chart::amounts(&area, charts, &chart_style, text::bytes)
        }
        Kind::BufferActivity(..) => chart::amounts(&area, charts, &chart_style, text::count),
        Kind::Durations => chart::durations(&area, charts, &chart_style),
    };
    drawn.inspect_err(|error| web_sys::console::error_1(&error.to_string().into())).ok()
}

/// Returns a callback that lists the queries that pass the filter of all views and another one.
fn onlist(panel: &PanelProps) -> Callback<String> {
    let (dispatch, filter) = (panel.dispatch.clone(), panel.state.nav.filter.clone());
    Callback::from(move |more: String| {
        show_filtered(&dispatch, Tab::Gantt, &filter_text::with(&filter, &more));
    })
}

/// Renders a number that lists queries.
fn listing(props: &ChartProps, shown: String, title: String, filter: String) -> Html {
    let onclick = onlist(&props.panel).reform(move |_: MouseEvent| filter.clone());
    html! { <button type="button" class="link" {title} {onclick}>{ shown }</button> }
}

/// Renders the percentiles and the maximum of the histogram, each of which lists the queries that took at least as long: those of a run, or
/// of all runs.
fn percentiles(props: &ChartProps, of: Option<[i64; 4]>, run: Option<&str>) -> Html {
    let Some(of) = of else { return html! { words::common::NO_QUERIES } };
    let of_run = filter_by(&[("run", run)]);
    let link = |(name, ns): (&'static str, i64)| {
        let filter = filter_text::with(&of_run, &chart::filter_of_slower(&props.charts, ns));
        let shown = words::overview::named(name, &text::duration(ns));
        listing(props, shown, words::overview::show_slower(ns), filter)
    };
    html! { <>{ for words::overview::percentiles(of).map(link) }</> }
}

/// Renders the legend of runs, with each run's colour and summary value.
fn legend_of_runs(props: &ChartProps) -> Html {
    let charts = &props.charts;
    let entry = |(run, color): (&RunCharts, &&str)| {
        let value = match props.kind {
            Kind::Durations => percentiles(props, run.percentiles, Some(&run.name)),
            kind => html! { run_value(kind, run) },
        };
        html! {
            <span><i class="swatch" style={format!("background:var(--{color})")} aria-hidden="true" />
                <span class="foreign" dir="auto">{ &run.name }</span>{ " " }{ value }</span>
        }
    };
    html! {
        <div class="chart-legend">
            { for charts.runs.iter().zip(&RUNS).map(entry) }
            if charts.more_runs > 0 { <span>{ words::overview::runs_not_shown(charts.more_runs) }</span> }
            { incomplete(props) }
        </div>
    }
}

/// Returns the summary value of a run for the legend.
pub fn run_value(kind: Kind, run: &RunCharts) -> String {
    match kind {
        Kind::Queries => words::overview::max(run.queries.iter().copied().max().unwrap_or(0)),
        Kind::Buffers | Kind::BufferActivity(..) => {
            text::bytes(run.bytes.iter().fold(0, |sum: i64, bytes| sum.saturating_add(*bytes)))
        }
        Kind::Durations => run.percentiles.map_or_else(
            || words::common::NO_QUERIES.to_owned(),
            |[median, _, p99, _]| words::overview::median_and_p99(median, p99),
        ),
    }
}

/// Renders the number of queries that the histogram leaves out, which lists them. Empty without such queries, and for other charts.
fn incomplete(props: &ChartProps) -> Html {
    let n = props.charts.incomplete;
    if n == 0 || props.kind != Kind::Durations {
        return Html::default();
    }
    let filter = filter_text::INCOMPLETE;
    let [shown, title] = [words::overview::left_out(n), words::overview::show_counted(true, filter)];
    listing(props, shown, title, filter.to_owned())
}

fn legend(props: &ChartProps) -> Html {
    match props.kind {
        _ if !props.charts.runs.is_empty() => legend_of_runs(props),
        Kind::Queries => Html::default(),
        kind @ (Kind::Buffers | Kind::BufferActivity(..)) => html! {
            <div class="chart-legend">
                { for props.charts.buffers.iter().enumerate().map(|(i, (name, bytes))| {
                    let sum = kind.amount(kind.total(bytes));
                    html! {
                        <span><i class="swatch" style={format!("background:var(--{})", BUFFERS[i % BUFFERS.len()])} aria-hidden="true" />
                            { words::overview::named(name, &sum) }</span>
                    }
                }) }
            </div>
        },
        Kind::Durations => {
            html! { <div class="chart-legend">{ percentiles(props, props.charts.percentiles, None) }{ incomplete(props) }</div> }
        }
    }
}

/// Returns the time at a position of the axis, given as a share from 0 to 1.
fn time_at(charts: &Charts, share: f64) -> i64 {
    let length = charts.end.saturating_sub(charts.start).max(1);
    charts.start.saturating_add((length as f64 * share.clamp(0.0, 1.0)) as i64)
}

/// Number of device pixels per CSS pixel.
fn scale() -> f64 {
    page::pixel_ratio().clamp(0.5, 4.0)
}
