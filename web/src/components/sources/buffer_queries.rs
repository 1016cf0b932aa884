//! The queries with buffer events.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{
    BufferQueryColumn, BufferQueryList, BufferQueryListRequest, BufferQueryPage, BufferQueryRow,
};
use yew::prelude::*;

use super::change;
use super::list::share;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, one_line, show_in_timeline};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder,
};
use crate::words;

/// Sortable columns, between the columns of the statement and the run.
const COLUMNS: [BufferQueryColumn; 6] = [
    BufferQueryColumn::Bytes,
    BufferQueryColumn::Elements,
    BufferQueryColumn::Events,
    BufferQueryColumn::Spilled,
    BufferQueryColumn::SpillShare,
    BufferQueryColumn::Duration,
];

/// The list of queries, most bytes first.
#[component]
pub fn BufferQueries(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let wanted = use_state_eq(|| 0..64_u32);
    let list = BufferQueryList {
        range: state.nav.range,
        filter: state.nav.filter.clone(),
        ..state.nav.sources.queries.clone()
    };
    let request =
        BufferQueryListRequest { list: list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_query(&props.client, Some(request), build);
    let is_old = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply).cloned();
    let has_runs = state.load.info.runs > 1;
    let content = html! {
        <>
            <h2 id="buffer-queries">{ words::sources::BUFFER_QUERIES }</h2>
            <p>{ page.as_ref().map(|page| words::sources::buffer_queries(page.total, page.without_query)) }</p>
        </>
    };
    let nothing = html! { if page.is_some() { <p class="muted">{ words::filter::none(words::sources::WHAT_OF_BUFFERS, &state.nav) }</p> } };
    let dispatch = props.dispatch.clone();
    let onshow = Callback::from(move |item| show_in_timeline(&dispatch, item));
    let rows = rows(props, page, &list, (has_runs, onshow));
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="buffer-queries">
            <DataTable id="buffer-query" label={words::sources::BUFFER_QUERIES} class="framed" columns={columns(has_runs)} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

fn columns(has_runs: bool) -> Vec<TableColumn> {
    let sorted = |column: &BufferQueryColumn| {
        let (name, meaning) = words::sources::query_column(*column);
        let made = match column {
            BufferQueryColumn::Bytes | BufferQueryColumn::Spilled => TableColumn::bytes(name),
            BufferQueryColumn::SpillShare => TableColumn::share(name),
            BufferQueryColumn::Duration => TableColumn::time(name),
            _ => TableColumn::number(name),
        };
        made.characters(12, false).meaning(meaning)
    };
    let mut columns = vec![TableColumn::text(words::sources::QUERY).characters(40, true).unsorted()];
    columns.extend(COLUMNS.iter().map(sorted));
    if has_runs {
        columns.push(TableColumn::text(words::sources::RUN).characters(14, false).unsorted());
    }
    columns
}

fn rows(
    panel: &PanelProps,
    page: Option<BufferQueryPage>,
    list: &BufferQueryList,
    (has_runs, onshow): (bool, Callback<u32>),
) -> TableRows {
    let index = COLUMNS.iter().position(|column| *column == list.sort);
    let now = index.map(|at| SortOrder { column: at + 1, descending: !list.reversed });
    let onsort = change(panel, |view, order: Option<SortOrder>| {
        let column = order.and_then(|order| Some((order, *COLUMNS.get(order.column.checked_sub(1)?)?)));
        if let Some((order, sort)) = column {
            (view.queries.sort, view.queries.reversed) = (sort, !order.descending);
        }
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let list = list.clone();
    let request = move |range: Range<u32>| BufferQueryListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&panel.client, page, order, request, move |of| row(of, has_runs, &onshow))
}

fn row(row: &BufferQueryRow, has_runs: bool, onshow: &Callback<u32>) -> TableRow {
    let item = row.item;
    let onclick = onshow.reform(move |_: MouseEvent| item);
    let duration = text::at_least(!row.is_complete, text::duration(row.duration));
    let mut cells = vec![
        TableCell::text(one_line(&row.title)).link(row.title.clone(), onclick),
        TableCell::or_absent(row.bytes, TableCell::bytes),
        TableCell::or_absent(row.elements, TableCell::count),
        TableCell::count(i64::try_from(row.events).unwrap_or(i64::MAX)),
        TableCell::or_absent(row.spill.written.map(|_| row.spill.spilled), TableCell::bytes),
        share(row.spill.share(), words::sources::NOTHING_WRITTEN),
        TableCell::number(duration, row.duration).titled(text::duration_exact(row.duration)),
    ];
    if has_runs {
        cells.push(TableCell::text(row.run.clone()));
    }
    TableRow { item: Some(item), ..TableRow::of(cells) }
}
