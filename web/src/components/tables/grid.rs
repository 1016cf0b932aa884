//! The rows of one side table. Only the visible rows are fetched and rendered.

use std::ops::Range;
use std::rc::Rc;

use queryscope::protocol::{TableCell as Value, TableInfo, TablePage, TablePageRequest, TableView};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::client::Client;
use crate::components::use_query::{Answer, use_query};
use crate::components::{PanelProps, typing};
use crate::state::Action;
use crate::ui::{
    DataTable, FetchRows, RowSource, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows,
    WorkerOrder,
};
use crate::words;

/// Properties of the grid of rows.
#[derive(Properties, PartialEq)]
pub struct GridProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The table to show.
    pub info: TableInfo,
}

/// The grid of the table's rows.
#[component]
pub fn Grid(props: &GridProps) -> Html {
    let PanelProps { client, state, .. } = &props.panel;
    let view = &state.nav.table;
    let wanted = use_state_eq(|| 0..64_u32);
    let exact = state.nav.raw_values;
    let request =
        TablePageRequest { view: view.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_query(client, Some(request), state.load.info.build);
    let of_this_table = |answer: &&Answer<TablePageRequest>| {
        answer.request().is_some_and(|request| request.view.table == view.table)
    };
    let page = answer.as_ref().filter(of_this_table).and_then(Answer::reply);
    let heading = TableHeading { tag: "div", class: "table-tools", content: tools(props, page) };
    let onwanted = wanted.setter();
    html! {
        <div class="table-rows">
            <DataTable id="table" label={props.info.name.clone()} columns={page.map_or_else(Vec::new, |page| columns(page, exact))}
                rows={rows(props, page, exact)} {heading} onwanted={move |wanted| onwanted.set(wanted)}
                nothing={html! { if page.is_some() { <p class="muted">{ words::tables::NO_MATCHING_ROWS }</p> } }}
                beginning={format!("{view:?}")} />
        </div>
    }
}

fn columns(page: &TablePage, exact: bool) -> Vec<TableColumn> {
    let column = |(at, column): (usize, &queryscope::protocol::TableColumn)| {
        // With exact values, a number has up to 20 digits.
        let digits = if exact && column.is_number { 20 } else { 0 };
        let name = column.name.chars().count() * 5 / 4 + 3;
        let characters = name.max(usize::from(column.width) + 2).max(digits);
        let of = match column.is_number {
            true => TableColumn::number(column.name.clone()),
            false => TableColumn::text(column.name.clone()),
        };
        of.characters(characters, at == 0)
    };
    page.columns.iter().enumerate().map(column).collect()
}

fn rows(props: &GridProps, page: Option<&TablePage>, exact: bool) -> TableRows {
    let view = props.panel.state.nav.table.clone();
    let numbers: Vec<u32> =
        page.map_or_else(Vec::new, |page| page.columns.iter().map(|of| of.number).collect());
    let column = view.sort.and_then(|sort| numbers.iter().position(|number| *number == sort));
    let now = column.map(|column| SortOrder { column, descending: view.descending });
    let fetch = fetch(props.panel.client.clone(), view.clone());
    let onsort = props.panel.dispatch_of(Action::Table).reform(move |order: Option<SortOrder>| {
        let sort = order.and_then(|order| numbers.get(order.column).copied());
        TableView { sort, descending: order.is_some_and(|order| order.descending), ..view.clone() }
    });
    let order = WorkerOrder { now, has_original: true, onsort };
    let (count, page) = (page.map_or(0, |page| page.matched), page.cloned());
    let row = move |at: u32| {
        let page = page.as_ref()?;
        page.rows.get(at.checked_sub(page.first)? as usize).map(|cells| row(cells, exact))
    };
    TableRows { count, row: Rc::new(row), source: RowSource::Worker(order, Some(fetch)) }
}

fn fetch(client: Client, view: TableView) -> FetchRows {
    Rc::new(move |range: Range<u32>| {
        let (client, view) = (client.clone(), view.clone());
        Box::pin(async move {
            let request = TablePageRequest { view, first: range.start, count: range.end - range.start };
            let page = client.ask(request).await.unwrap_or_default();
            page.rows.iter().map(|cells| row(cells, true)).collect()
        })
    })
}

fn row(cells: &[Value], exact: bool) -> TableRow {
    TableRow::of(cells.iter().map(|value| cell(value, exact)).collect())
}

fn cell(value: &Value, exact: bool) -> TableCell {
    let is_null = value.exact.as_deref() == Some("");
    let whole = value.exact.as_ref().unwrap_or(&value.text);
    let written = if exact && !is_null { whole } else { &value.text };
    let class = if is_null { Some("absent") } else { (written == "0").then_some("faint") };
    let cell = TableCell::text(written.clone()).titled(if is_null {
        words::tables::NULL.to_owned()
    } else {
        whole.clone()
    });
    cell.copied(if is_null { String::new() } else { whole.clone() }).class_if(class)
}

fn tools(props: &GridProps, page: Option<&TablePage>) -> Html {
    let view = &props.panel.state.nav.table;
    let now = view.clone();
    let oninput = props.panel.dispatch_of(Action::Table).reform(move |event: InputEvent| {
        let filter = event.target_unchecked_into::<HtmlInputElement>().value();
        TableView { filter, ..now.clone() }
    });
    let onkeydown = typing(&props.panel.mount);
    let is_exact = props.panel.state.nav.raw_values;
    let onexact = props.panel.dispatch_of(Action::RawValues).reform(move |_: MouseEvent| !is_exact);
    let other = TableView { nonzero: !view.nonzero, ..view.clone() };
    let nonzero = props.panel.dispatch_of(Action::Table).reform(move |_: MouseEvent| other.clone());
    html! {
        <>
            <h2 class="clip" title={props.info.name.clone()}>{ &props.info.name }</h2>
            <span class="count" role="status">{ page.map(|page| words::tables::shown(page.matched, page.total, page.empty)) }</span>
            <span class="space" />
            <button type="button" class="btn small" aria-pressed={view.nonzero.to_string()} onclick={nonzero}
                title={words::tables::HIDE_ZERO_ROWS_MEANING}>{ words::tables::HIDE_ZERO_ROWS }</button>
            <button type="button" class="btn small" aria-pressed={is_exact.to_string()} onclick={onexact}
                title={words::tables::RAW_VALUES_MEANING}>{ words::tables::RAW_VALUES }</button>
            <div class="field">
                <input type="search" aria-label={words::tables::FIND_ROWS} placeholder={words::tables::FIND_ROWS} autocomplete="off" spellcheck="false"
                    value={view.filter.clone()} {oninput} {onkeydown} />
            </div>
        </>
    }
}
