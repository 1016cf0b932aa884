//! A chart of two columns of the result, which the SQL program computes.

use std::rc::Rc;

use queryscope::internal::word_hash::fnv_1a;
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

/// Number by which the state and links name a column, so that it is found in results with other columns: a hash of its name, plus the
/// number of columns of this name before it.
fn key(result: &SqlResult, at: u32) -> u32 {
    let (before, rest) = result.columns.split_at((at as usize).min(result.columns.len()));
    let name = rest.first().map_or("", |column| &column.name);
    let same = before.iter().filter(|column| column.name == name).count();
    (fnv_1a(name.bytes()) as u32).wrapping_add(same as u32)
}

/// Numbers of two columns.
pub fn keys(result: &SqlResult, (x, y): (u32, u32)) -> (u32, u32) {
    (key(result, x), key(result, y))
}

/// The columns to draw: those that were chosen, if the result has them, or else the first ones; `None` if no column holds numbers.
fn columns_of(result: &SqlResult, (x, y): (u32, u32)) -> Option<(u32, u32)> {
    let find = |wanted: u32| (0..result.columns.len() as u32).find(|at| key(result, *at) == wanted);
    let found = find(x).zip(find(y));
    found.filter(|(_, y)| result.columns.get(*y as usize).is_some_and(is_number)).or(result.chart)
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
    let chosen = props.panel.state.nav.sql_chart;
    let shown = rows.and_then(|result| Some((result, columns_of(result, chosen?)?)));
    let sql = props.panel.client.sql().clone();
    use_effect_with((shown.map(|(_, columns)| columns), props.outcome.clone()), move |(columns, _)| {
        columns.iter().for_each(|columns| sql.chart(*columns));
    });
    let choose = props.panel.dispatch_of(Action::SqlChart);
    let (drawn, keep) = (shown.map(|(result, columns)| keys(result, columns)), choose.clone());
    // A choice that the result does not have is replaced.
    use_effect_with((drawn, chosen), move |(drawn, chosen)| {
        if drawn.is_some() && drawn != chosen {
            keep.emit(*drawn);
        }
    });
    let Some((result, columns)) = shown else { return Html::default() };
    let name = |at: u32| result.columns.get(at as usize).map_or("", |column| &column.name);
    let of_result = props.outcome.clone();
    let choose = Callback::from(move |columns| {
        if let Some(SqlOutcome::Rows(result, _)) = of_result.as_ref().map(|outcome| &outcome.1) {
            choose.emit(Some(keys(result, columns)));
        }
    });
    let all: Vec<(u32, &str)> = (0..).zip(&result.columns).map(|(at, column)| (at, &*column.name)).collect();
    let holds_numbers = |(at, _): &(u32, &str)| result.columns.get(*at as usize).is_some_and(is_number);
    let numbers = all.iter().copied().filter(holds_numbers).collect();
    let chart = props.chart.as_ref().filter(|chart| chart.columns == columns);
    html! {
        <figure class="sql-chart" aria-label={words::sql::chart_label(name(columns.0), name(columns.1))}>
            <div class="sql-tools">
                { menu(words::sql::CHART_Y, numbers, columns.1, choose.reform(move |y| (columns.0, y))) }
                { menu(words::sql::CHART_X, all, columns.0, choose.reform(move |x| (x, columns.1))) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn columns_are_found_by_their_names() {
        let result = |columns: &[(&str, bool)]| SqlResult {
            columns: columns
                .iter()
                .map(|(name, is_number)| SqlResultColumn {
                    name: (*name).to_owned(),
                    kind: if *is_number { SqlValueKind::Number } else { SqlValueKind::Text },
                })
                .collect(),
            chart: Some((0, 1)),
            ..SqlResult::default()
        };
        let first = result(&[("name", false), ("t", true), ("t", true)]);
        for (columns, chosen, expected) in [
            (&[("name", false), ("t", true), ("t", true)][..], (0, 2), (0, 2)),
            (&[("n", true), ("t", true), ("name", false)], (0, 1), (2, 1)),
            // Not there, or without numbers: the first ones.
            (&[("n", true), ("u", true), ("name", false)], (0, 1), (0, 1)),
            (&[("n", true), ("u", true), ("t", false), ("name", false)], (0, 1), (0, 1)),
            (&[("n", true), ("t", true), ("name", false)], (0, 2), (0, 1)),
        ] {
            let found = columns_of(&result(columns), keys(&first, chosen));
            assert_eq!(found, Some(expected), "{columns:?}, {chosen:?}");
        }
    }
}
