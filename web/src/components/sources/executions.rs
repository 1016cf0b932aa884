//! The executions of one source.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{
    SourceExecutionColumn, SourceExecutionList, SourceExecutionListRequest, SourceExecutionPage,
    SourceExecutionRow,
};
use yew::prelude::*;

use super::change;
use super::list::share;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, one_line, show_in_timeline, time_range};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder,
};
use crate::words;

/// Sortable columns, between the columns of the command and those of outcome, query and run.
const COLUMNS: [SourceExecutionColumn; 6] = [
    SourceExecutionColumn::Start,
    SourceExecutionColumn::Duration,
    SourceExecutionColumn::Reading,
    SourceExecutionColumn::RowsRead,
    SourceExecutionColumn::RowsReturned,
    SourceExecutionColumn::OverFetch,
];

/// Data that the cells of a row need.
#[derive(Clone)]
struct SourceExecutionContext {
    has_runs: bool,
    onshow: Callback<u32>,
}

/// The executions of the group that the tab shows, longest first.
#[component]
pub fn Executions(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let wanted = use_state_eq(|| 0..64_u32);
    let sources = &state.nav.sources;
    let (by, range) = (sources.list.by.clone(), state.nav.range);
    let list = SourceExecutionList {
        by,
        range,
        filter: state.nav.filter.clone(),
        ..sources.executions.clone().unwrap_or_default()
    };
    let request = SourceExecutionListRequest {
        list: list.clone(),
        first: wanted.start,
        count: wanted.end - wanted.start,
    };
    let answer = use_query(&props.client, Some(request), build);
    let is_old = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply).cloned();
    let back = change(props, |view, _: MouseEvent| view.executions = None);
    let all = change(props, |view, _: MouseEvent| {
        if let Some(list) = &mut view.executions {
            list.failed = false;
        }
    });
    let show = props.dispatch.clone();
    let context = SourceExecutionContext {
        has_runs: state.load.info.runs > 1,
        onshow: Callback::from(move |item| show_in_timeline(&show, item)),
    };
    let group = page.as_ref().and_then(|page| page.group.clone());
    let is_unknown = page.is_some() && group.is_none();
    let content = html! {
        <>
            <button type="button" class="btn small" onclick={back}>{ format!("← {}", words::sources::ALL_SOURCES) }</button>
            { time_range(props) }
            <h2 id="source-executions" class="whole-line foreign">{ group.as_ref().map_or_else(|| words::sources::EXECUTIONS.to_owned(), |row| one_line(&words::sources::group(row))) }</h2>
            <p class="whole-line">{ group.as_ref().map(words::sources::numbers) }</p>
            if list.failed {
                <p>{ words::sources::FAILED_ONLY }</p>
                <button type="button" class="btn small" onclick={all}>{ words::sources::ALL_EXECUTIONS }</button>
            }
        </>
    };
    let nothing = match is_unknown {
        true => html! { <p class="muted" role="status">{ words::sources::NO_LONGER }</p> },
        false => {
            html! { if page.is_some() { <p class="muted">{ words::filter::none(words::sources::WHAT, &state.nav) }</p> } }
        }
    };
    let rows = rows(props, page, &list, &context);
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="source-executions">
            <DataTable id="source-execution" label={words::sources::EXECUTIONS} class="framed shapes" columns={columns(&context)} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

fn columns(context: &SourceExecutionContext) -> Vec<TableColumn> {
    let sorted = |column: &SourceExecutionColumn| {
        let (name, meaning) = words::sources::execution_column(*column);
        let made = match column {
            SourceExecutionColumn::Start => TableColumn::start(name),
            SourceExecutionColumn::Duration => TableColumn::time(name),
            SourceExecutionColumn::Reading => TableColumn::share(name),
            _ => TableColumn::number(name),
        };
        made.characters(12, false).meaning(meaning)
    };
    let mut columns = vec![TableColumn::text(words::sources::EXECUTION).characters(36, true).unsorted()];
    columns.extend(COLUMNS.iter().map(sorted));
    columns.push(TableColumn::text(words::sources::STATUS).characters(9, false).unsorted());
    columns.push(TableColumn::text(words::sources::QUERY).characters(30, false).unsorted());
    if context.has_runs {
        columns.push(TableColumn::text(words::sources::RUN).characters(14, false).unsorted());
    }
    columns
}

fn rows(
    panel: &PanelProps,
    page: Option<Box<SourceExecutionPage>>,
    list: &SourceExecutionList,
    context: &SourceExecutionContext,
) -> TableRows {
    // Starts begin with the earliest, everything else with the largest.
    let descends = |sort: SourceExecutionColumn| sort != SourceExecutionColumn::Start;
    let index = COLUMNS.iter().position(|column| *column == list.sort);
    let now = index.map(|at| SortOrder { column: at + 1, descending: descends(list.sort) != list.reversed });
    let onsort = change(panel, move |view, order: Option<SortOrder>| {
        let column = order.and_then(|order| Some((order, *COLUMNS.get(order.column.checked_sub(1)?)?)));
        if let Some(((order, sort), list)) = column.zip(view.executions.as_mut()) {
            (list.sort, list.reversed) = (sort, order.descending != descends(sort));
        }
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let (list, context) = (list.clone(), context.clone());
    let request = move |range: Range<u32>| SourceExecutionListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&panel.client, page, order, request, move |of| row(of, &context))
}

fn row(row: &SourceExecutionRow, context: &SourceExecutionContext) -> TableRow {
    let item = row.item;
    let onshow = context.onshow.reform(move |_: MouseEvent| item);
    let over_fetch_absent = match row.rows_read.and(row.rows_returned) {
        Some(_) => words::sources::NO_ROWS_RETURNED,
        None => words::common::NOT_REPORTED,
    };
    let duration =
        TableCell::number(text::at_least(!row.is_complete, text::duration(row.duration)), row.duration)
            .titled(text::at_least(!row.is_complete, text::duration_exact(row.duration)));
    let status = match (row.is_failed, row.is_complete) {
        (true, _) => TableCell::text(words::sources::FAILED).class("bad"),
        (false, true) => TableCell::text(words::sources::OK),
        (false, false) => TableCell::text(words::sources::INCOMPLETE),
    };
    let mut cells = vec![
        TableCell::text(one_line(&row.title)).link(row.title.clone(), onshow),
        TableCell::number(words::common::since_start(row.start), row.start).titled(text::time(row.start)),
        duration,
        share(row.reading, words::common::NOT_REPORTED),
        TableCell::or_absent(row.rows_read, TableCell::count),
        TableCell::or_absent(row.rows_returned, TableCell::count),
        TableCell::ratio(row.over_fetch, over_fetch_absent),
        status,
        TableCell::text(one_line(&row.query)).titled(row.query.clone()),
    ];
    if context.has_runs {
        cells.push(TableCell::text(row.run.clone()));
    }
    TableRow { item: Some(item), ..TableRow::of(cells) }
}
