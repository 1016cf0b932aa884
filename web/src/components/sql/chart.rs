//! A chart of two columns of the result, which the SQL program computes.

use std::rc::Rc;

use queryscope::protocol::{SqlChart, SqlChartBar, SqlChartPlot, SqlResult, SqlResultColumn, SqlValueKind};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::components::PanelProps;
use crate::sql_client::SqlOutcome;
use crate::state::Action;
use crate::words;

/// Properties of the chart.
#[derive(Properties, PartialEq)]
pub struct ResultChartProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The statement and its rows.
    pub outcome: Option<Rc<(String, SqlOutcome)>>,
    /// The last chart of the SQL program.
    pub chart: Option<Rc<SqlChart>>,
}

/// The columns to draw: those that were chosen, if the result has them; `None` if the chart is closed or no column holds numbers.
fn columns_of(panel: &PanelProps, result: &SqlResult) -> Option<(u32, u32)> {
    let chosen = panel.state.nav.sql_chart?;
    let column = |at: u32| result.columns.get(at as usize);
    let fits = column(chosen.0).is_some() && column(chosen.1).is_some_and(is_number);
    if fits { Some(chosen) } else { result.chart }
}

fn is_number(column: &SqlResultColumn) -> bool {
    column.kind == SqlValueKind::Number
}

/// The chart with the menus of its columns.
#[component]
pub fn ResultChart(props: &ResultChartProps) -> Html {
    let rows = props.outcome.as_ref().and_then(|outcome| match &outcome.1 {
        SqlOutcome::Rows(result, _) => Some(result),
        _ => None,
    });
    let shown = rows.and_then(|result| Some((result, columns_of(&props.panel, result)?)));
    let sql = props.panel.client.sql().clone();
    use_effect_with((shown.map(|(_, columns)| columns), props.outcome.clone()), move |(columns, _)| {
        columns.iter().for_each(|columns| sql.chart(*columns));
    });
    let Some((result, columns)) = shown else { return Html::default() };
    let name = |at: u32| result.columns.get(at as usize).map_or("", |column| &column.name);
    let choose = props.panel.dispatch_of(Action::SqlChart);
    let all: Vec<(u32, &str)> = (0..).zip(&result.columns).map(|(at, column)| (at, &*column.name)).collect();
    let holds_numbers = |(at, _): &(u32, &str)| result.columns.get(*at as usize).is_some_and(is_number);
    let numbers = all.iter().copied().filter(holds_numbers).collect();
    let chart = props.chart.as_ref().filter(|chart| chart.columns == columns);
    html! {
        <figure class="sql-chart" aria-label={words::sql::chart_label(name(columns.0), name(columns.1))}>
            <div class="sql-tools">
                { menu(words::sql::CHART_Y, numbers, columns.1, choose.reform(move |y| Some((columns.0, y)))) }
                { menu(words::sql::CHART_X, all, columns.0, choose.reform(move |x| Some((x, columns.1)))) }
                if let Some(chart) = chart { <span class="count" role="status">{ words::sql::drawn(chart) }</span> }
            </div>
            if let Some(chart) = chart {
                if let Some(plot) = &chart.plot { { self::plot(plot) } }
                if !chart.bars.is_empty() {
                    <ol class="sql-bars scrolls" tabindex="0" aria-label={words::sql::BARS}>{ for chart.bars.iter().map(bar) }</ol>
                }
            }
        </figure>
    }
}

/// A menu of numbered names with a label.
pub fn menu(label: &'static str, columns: Vec<(u32, &str)>, chosen: u32, choose: Callback<u32>) -> Html {
    let places: Vec<u32> = columns.iter().map(|(at, _)| *at).collect();
    let onchange = move |event: Event| {
        let menu: HtmlSelectElement = event.target_unchecked_into();
        let at = usize::try_from(menu.selected_index()).ok().and_then(|at| places.get(at));
        at.into_iter().for_each(|at| choose.emit(*at));
    };
    html! {
        <label>{ label }{ " " }
            <select class="small foreign" {onchange}>
                { for columns.into_iter().map(|(at, name)| html! { <option selected={at == chosen}>{ name }</option> }) }
            </select>
        </label>
    }
}

fn bar(bar: &SqlChartBar) -> Html {
    html! {
        <li>
            <span class="clip foreign" title={bar.label.clone()}>{ &bar.label }</span>
            <i aria-hidden="true"><b style={format!("margin-left:{:.2}%;width:{:.2}%", bar.from, bar.width)} /></i>
            <span class="number">{ &bar.value }</span>
        </li>
    }
}

fn plot(plot: &SqlChartPlot) -> Html {
    let (width, height) = SqlChartPlot::SIZE;
    let ends = |(first, last): &(String, String)| html! { <><span>{ first }</span><span>{ last }</span></> };
    html! {
        <>
            <div class="sql-plot">
                <p class="histogram-axis">{ ends(&plot.upwards) }</p>
                <div class="chart-frame">
                    <svg class={classes!("dots", plot.is_line.then_some("line"))} viewBox={format!("0 0 {width} {height}")} preserveAspectRatio="none" aria-hidden="true">
                        <path d={plot.path.clone()} />
                    </svg>
                </div>
            </div>
            <p class="histogram-axis">{ ends(&plot.across) }</p>
        </>
    }
}
