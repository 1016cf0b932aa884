//! The rows of a statement.

use std::rc::Rc;

use queryscope::protocol::{SqlIds, SqlResult, SqlResultColumn, SqlValueKind, TrackKey};
use yew::prelude::*;

use super::chart::keys;
use crate::components::PanelProps;
use crate::item_links::show_existing;
use crate::sql_client::SqlOutcome;
use crate::state::{Action, OpenDataset, Tab};
use crate::stored_trace::show_trace;
use crate::ui::{
    ColumnKind, DataTable, RowSource, SortKey, TableCell, TableColumn, TableHeading, TableRow, TableRows,
};
use crate::url::Place;
use crate::words;

/// Properties of the table.
#[derive(Properties, PartialEq)]
pub struct ResultProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The statement and its rows.
    pub outcome: Option<Rc<(String, SqlOutcome)>>,
    /// Whether another statement runs.
    pub is_old: bool,
}

/// The table of the rows.
#[component]
pub fn ResultTable(props: &ResultProps) -> Html {
    let dataset = props.panel.state.load.dataset.clone();
    let panel = props.panel.clone();
    let table = use_memo((props.outcome.clone(), dataset), |(outcome, dataset)| {
        let Some(SqlOutcome::Rows(result, _)) = outcome.as_ref().map(|outcome| &outcome.1) else {
            return None;
        };
        let links = ResultLinks { panel, dataset: dataset.clone().filter(|_| result.stored.is_none()) };
        Some((result.columns.iter().map(column).collect::<Vec<_>>(), rows(outcome.clone()?, result, links)))
    });
    let Some((columns, rows)) = &*table else { return Html::default() };
    let heading = heading(props);
    let sql = props.panel.client.sql().clone();
    let parquet = (words::sql::SAVE_PARQUET, Callback::from(move |()| sql.save()));
    html! {
        <div class="table-rows">
            <DataTable id="sql" label={words::sql::RESULT} columns={columns.clone()} rows={rows.clone()} file="result" other_file={parquet} is_old={props.is_old}
                heading={TableHeading { tag: "div", class: "table-tools", content: heading }}
                nothing={html! { <p class="muted">{ words::sql::NO_ROWS }</p> }} />
        </div>
    }
}

/// Heading of the table, with what can be done with the rows.
fn heading(props: &ResultProps) -> Html {
    let Some(SqlOutcome::Rows(result, _)) = props.outcome.as_ref().map(|outcome| &outcome.1) else {
        return Html::default();
    };
    let filter = |ids: &SqlIds| match ids.condition.clone() {
        Some(condition) => {
            let onclick =
                props.panel.dispatch_of(Action::Filter).reform(move |_: MouseEvent| condition.clone());
            html! { <button type="button" class="btn small" title={words::sql::FILTER_MEANING} {onclick}>{ words::sql::filter(ids.is_event) }</button> }
        }
        None => html! { <span class="muted">{ words::sql::no_filter(ids, result.is_cut) }</span> },
    };
    let is_open = props.panel.state.nav.sql_chart.is_some();
    let chart = result.chart.map(|columns| {
        let (toggle, columns) = (props.panel.dispatch_of(Action::SqlChart), keys(result, columns));
        let onclick = toggle.reform(move |_: MouseEvent| (!is_open).then_some(columns));
        html! { <button type="button" class="btn small" aria-pressed={is_open.to_string()} {onclick}>{ words::sql::CHART }</button> }
    });
    html! {
        <>
            <h2>{ words::sql::RESULT }</h2>
            { for result.ids.as_ref().map(filter) }
            { for chart }
            if result.has_track {
                <button type="button" class="btn small" title={words::sql::TRACK_MEANING} onclick={draw_track(&props.panel)}>{ words::sql::TRACK }</button>
            }
        </>
    }
}

/// Draws the rows as a pinned track of the timeline, in place of the result that was drawn before.
fn draw_track(panel: &PanelProps) -> Callback<MouseEvent> {
    let (client, dispatch) = (panel.client.clone(), panel.dispatch.clone());
    let then = Callback::from(move |key: TrackKey| {
        dispatch.dispatch(Action::Pin(key, true));
        dispatch.dispatch(Action::Show(Tab::Gantt));
    });
    Callback::from(move |_: MouseEvent| client.track_sql(then.clone()))
}

fn column(of: &SqlResultColumn) -> TableColumn {
    let name = of.name.clone();
    match of.kind {
        SqlValueKind::Number => TableColumn::number(name),
        SqlValueKind::Boolean => TableColumn { kind: ColumnKind::Boolean, ..TableColumn::text(name) },
        SqlValueKind::Text => TableColumn::text(name),
    }
}

/// What cells lead to: items of the open trace, or those of traces of the data set.
struct ResultLinks {
    panel: PanelProps,
    /// The data set whose rows these are.
    dataset: Option<OpenDataset>,
}

impl ResultLinks {
    fn link(&self, result: &SqlResult, row: &[Option<String>], at: usize, cell: TableCell) -> TableCell {
        let (Some(column), Some(Some(text))) = (result.columns.get(at), row.get(at)) else { return cell };
        let item = result.item(at, text);
        match (&self.dataset, item) {
            (None, Some(item)) => {
                let panel = self.panel.clone();
                cell.link(words::sql::SHOW_SPAN, Callback::from(move |_| show_existing(&panel, item)))
            }
            // Start and duration are those of the row's own item.
            (Some(dataset), Some(item)) if matches!(&*column.name, "span_id" | "event_id") => {
                match place_of(result, row, item) {
                    Some(place) => self.link_to_trace(dataset, result, row, Some(place), cell),
                    None => cell,
                }
            }
            (Some(dataset), None) if SqlResult::names_trace(&column.name) => {
                self.link_to_trace(dataset, result, row, None, cell)
            }
            _ => cell,
        }
    }

    fn link_to_trace(
        &self,
        dataset: &OpenDataset,
        result: &SqlResult,
        row: &[Option<String>],
        place: Option<Place>,
        cell: TableCell,
    ) -> TableCell {
        let Some(trace) = trace_of(result, row) else { return cell };
        let (dispatch, dataset) = (self.panel.dispatch.clone(), dataset.clone());
        let title = if place.is_some() { words::trends::SHOW_EXECUTION } else { words::trends::SHOW_TRACE };
        cell.link(title, Callback::from(move |_| show_trace(&dispatch, &dataset, &trace, place)))
    }
}

/// Place of an item that a row names: an item is found by its times as well, as in links.
fn place_of(result: &SqlResult, row: &[Option<String>], item: u32) -> Option<Place> {
    let number = |name: &str| {
        let at = result.columns.iter().position(|column| column.name == name)?;
        row.get(at)?.as_deref()?.parse::<i64>().ok()
    };
    Some((item, number("start_ns")?, number("duration_ns")?))
}

/// Name of the trace of the data set that a row is about.
fn trace_of(result: &SqlResult, row: &[Option<String>]) -> Option<String> {
    let columns = result.columns.iter().zip(row);
    let mut cells = columns.filter(|(column, _)| SqlResult::names_trace(&column.name));
    cells.find_map(|(_, cell)| result.traces.get(cell.as_deref()?).cloned())
}

fn rows(outcome: Rc<(String, SqlOutcome)>, result: &SqlResult, links: ResultLinks) -> TableRows {
    let row = move |at: u32| {
        let SqlOutcome::Rows(result, _) = &outcome.1 else { return None };
        let width = result.columns.len();
        let cells = result.cells.get(at as usize * width..(at as usize + 1) * width)?;
        let shown = cells.iter().zip(&result.columns).map(|(value, column)| cell(value.as_deref(), column));
        let linked = shown.enumerate().map(|(at, cell)| links.link(result, cells, at, cell));
        Some(TableRow::of(linked.collect()))
    };
    TableRows { count: result.rows, row: Rc::new(row), source: RowSource::Page }
}

fn cell(value: Option<&str>, column: &SqlResultColumn) -> TableCell {
    let Some(text) = value else { return TableCell::absent(words::sql::NULL) };
    let cell = TableCell::text(text.to_owned());
    if column.kind == SqlValueKind::Number { cell.key(key(text)) } else { cell }
}

/// A key that orders whole numbers exactly, and the numbers of a column of fractions by their nearest floating-point number. Whole
/// numbers beyond 64 bits are first or last.
fn key(text: &str) -> SortKey {
    if let Ok(whole) = text.parse() {
        return SortKey::Number(whole);
    }
    let number = match text {
        "inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        // Rust's code for reading fractions would make the page 10 kB larger.
        _ => js_sys::parse_float(text),
    };
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match number {
        _ if number.is_nan() => SortKey::Nothing,
        _ if is_whole => SortKey::Number(if number < 0.0 { i64::MIN } else { i64::MAX }),
        _ => SortKey::Number(ordered(number)),
    }
}

/// A whole number in the order of the floating-point numbers.
fn ordered(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn numbers_are_in_order() {
        for list in [
            &["-inf", "-1e30", "-2.5", "-1.0", "0.0", "0.25", "3.0", "12.00", "1e30", "inf"][..],
            &["-9223372036854775808", "-5", "9007199254740992", "9007199254740993"],
            &["-99999999999999999999", "-5", "9223372036854775806", "18446744073709551615"],
        ] {
            assert!(list.is_sorted_by(|left, right| key(left) < key(right)), "{list:?}");
        }
        assert_eq!(key("NaN"), SortKey::Nothing);
    }
}
