//! The list of sources.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{
    SourceColumn, SourceDimension, SourceExecutionColumn, SourceExecutionList, SourceList, SourceListRequest,
    SourcePage, SourceRow,
};
use yew::prelude::*;

use super::change;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, filter_button, one_line, show_in_timeline, time_range};
use crate::state::Dispatch;
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp, WorkerOrder,
    link, segment, segments,
};
use crate::words;
use crate::words::glossary::Term;

/// Numeric columns, from left to right. They follow the columns of the grouping.
const NUMBERS: [SourceColumn; 11] = [
    SourceColumn::Executions,
    SourceColumn::Total,
    SourceColumn::P50,
    SourceColumn::P95,
    SourceColumn::Max,
    SourceColumn::Reading,
    SourceColumn::RowsRead,
    SourceColumn::RowsReturned,
    SourceColumn::OverFetch,
    SourceColumn::RowRate,
    SourceColumn::Failed,
];

/// Data that the cells of a row need.
#[derive(Clone)]
struct SourceContext {
    dispatch: Dispatch,
    by: Vec<SourceDimension>,
    /// Opens the executions of the group with this number in this order; if `true`, only the failed ones.
    onopen: Callback<(u32, SourceExecutionColumn, bool)>,
    onshow: Callback<u32>,
}

/// The list of sources, largest total first.
#[component]
pub fn List(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let wanted = use_state_eq(|| 0..64_u32);
    let list = SourceList {
        range: state.nav.range,
        filter: state.nav.filter.clone(),
        ..state.nav.sources.list.clone()
    };
    let request =
        SourceListRequest { list: list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_query(&props.client, Some(request), build);
    let is_other =
        answer.as_ref().and_then(Answer::request).is_some_and(|request| request.list.by != list.by);
    let is_old = is_other || is_old(answer.as_ref(), &build);
    // The cells of another grouping would be in the wrong columns.
    let page = answer.as_ref().and_then(Answer::reply).filter(|_| !is_other).cloned();
    let content = html! {
        <>
            <h2 id="sources">{ words::sources::SOURCES }</h2>
            <TermHelp term={Term::OverFetch} />
            { grouping(props) }
            { time_range(props) }
            <p class="whole-line">{ page.as_ref().map(words::sources::summary) }</p>
        </>
    };
    let (by, show) = (list.by.clone(), props.dispatch.clone());
    let context = SourceContext {
        dispatch: props.dispatch.clone(),
        by: list.by.clone(),
        onopen: change(props, move |view, (group, sort, failed)| {
            let by = by.clone();
            view.executions =
                Some(SourceExecutionList { by, group, sort, failed, ..SourceExecutionList::default() });
        }),
        onshow: Callback::from(move |item| show_in_timeline(&show, item)),
    };
    let nothing = html! { if page.is_some() { <p class="muted">{ words::filter::none(words::sources::WHAT, &props.state.nav) }</p> } };
    let rows = rows(props, page, &list, &context);
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="sources">
            <DataTable id="source" label={words::sources::SOURCES} class="framed" columns={columns(&list)} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

/// The buttons that add dimensions to the grouping or remove them.
fn grouping(props: &PanelProps) -> Html {
    let now = &props.state.nav.sources.list.by;
    let has_runs = props.state.load.info.runs > 1;
    let is_offered = |of: &SourceDimension| *of != SourceDimension::Run || has_runs || now.contains(of);
    let button = |dimension: SourceDimension| {
        let is_on = now.contains(&dimension);
        let onclick = change(props, move |view, _: MouseEvent| {
            let is_kept = |of: &SourceDimension| (*of == dimension) != view.list.by.contains(of);
            view.list.by = SourceDimension::ALL.into_iter().filter(is_kept).collect();
            if view.list.sort == SourceColumn::Name(dimension) {
                let begin = SourceList::default();
                (view.list.sort, view.list.reversed) = (begin.sort, begin.reversed);
            }
        });
        segment(words::sources::dimension(dimension), None, is_on, onclick)
    };
    let offered = SourceDimension::ALL.into_iter().filter(is_offered);
    let buttons = segments(words::sources::GROUP_BY, offered.map(button));
    html! { <span class="choice">{ words::sources::GROUP_BY }{ buttons }</span> }
}

/// All columns of a list: the dimensions of its grouping (`None` for the column of names without a grouping), then
/// numbers.
fn shown(list: &SourceList) -> Vec<Option<SourceColumn>> {
    let names: Vec<_> = match list.by.is_empty() {
        true => vec![None],
        false => list.by.iter().map(|dimension| Some(SourceColumn::Name(*dimension))).collect(),
    };
    names.into_iter().chain(NUMBERS.map(Some)).collect()
}

fn columns(list: &SourceList) -> Vec<TableColumn> {
    let column = |(at, column): (usize, Option<SourceColumn>)| {
        let Some(column) = column else {
            return TableColumn::text(words::sources::SOURCE).characters(24, true).unsorted();
        };
        let (name, meaning) = words::sources::column(column);
        let made = match column {
            SourceColumn::Name(SourceDimension::CommandShape) => {
                TableColumn::text(name).characters(40, at == 0)
            }
            SourceColumn::Name(_) => TableColumn::text(name).characters(14, at == 0),
            SourceColumn::Executions | SourceColumn::OverFetch => {
                TableColumn::number(name).characters(11, false)
            }
            SourceColumn::Failed => TableColumn::number(name).characters(8, false),
            SourceColumn::RowsRead | SourceColumn::RowsReturned | SourceColumn::RowRate => {
                TableColumn::number(name).characters(11, false)
            }
            SourceColumn::Reading => TableColumn::share(name).characters(10, false),
            _ => TableColumn::time(name).characters(11, false),
        };
        made.meaning(meaning)
    };
    shown(list).into_iter().enumerate().map(column).collect()
}

/// Whether the column holds numbers; a numeric column is sorted in descending order first.
fn is_number(column: SourceColumn) -> bool {
    !matches!(column, SourceColumn::Name(_))
}

fn rows(
    props: &PanelProps,
    page: Option<SourcePage>,
    list: &SourceList,
    context: &SourceContext,
) -> TableRows {
    let shown = shown(list);
    let index = shown.iter().position(|column| *column == Some(list.sort));
    let now = index.map(|column| SortOrder { column, descending: is_number(list.sort) != list.reversed });
    let onsort = change(props, move |view, order: Option<SortOrder>| {
        let column = order.and_then(|order| Some((order, (*shown.get(order.column)?)?)));
        if let Some((order, sort)) = column {
            (view.list.sort, view.list.reversed) = (sort, order.descending != is_number(sort));
        }
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let (list, context) = (list.clone(), context.clone());
    let request = move |range: Range<u32>| SourceListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&props.client, page, order, request, move |of| row(of, &context))
}

/// Cells of the dimensions; the first cell links to the executions.
fn names(row: &SourceRow, context: &SourceContext) -> Vec<TableCell> {
    let group = row.group;
    let onclick = context.onopen.reform(move |_: MouseEvent| (group, SourceExecutionColumn::Duration, false));
    let cell = |(at, name): (usize, Option<&str>)| {
        let shown = one_line(name.unwrap_or(text::NOT_REPORTED));
        let title = name.unwrap_or(words::common::NOT_REPORTED).to_owned();
        let cell = TableCell::text(shown.clone()).titled(title.clone());
        let text = if at == 0 {
            link(&shown, title, onclick.clone())
        } else {
            html! { <span class="clip">{ shown }</span> }
        };
        let attribute = context.by.get(at).map(|dimension| words::sources::attribute(*dimension));
        // A shortened name is not the value.
        let attribute = attribute.filter(|_| name.is_none_or(|name| !name.ends_with('…')));
        let filter = attribute.map(|attribute| filter_button(&context.dispatch, attribute, name, true));
        cell.shown(html! { <>{ text }{ filter }</> })
    };
    match row.names.is_empty() {
        true => vec![cell((0, Some(words::sources::EXECUTIONS)))],
        false => row.names.iter().map(Option::as_deref).enumerate().map(cell).collect(),
    }
}

fn row(row: &SourceRow, context: &SourceContext) -> TableRow {
    let (times, longest) = (row.times, row.longest);
    let onshow = context.onshow.reform(move |_: MouseEvent| longest);
    let group = row.group;
    let opens = |sort| context.onopen.reform(move |_: MouseEvent| (group, sort, false));
    let opening = |cell: TableCell, sort| match cell.is_absent() {
        true => cell,
        false => cell.link(words::sources::SHOW_EXECUTIONS, opens(sort)),
    };
    let time = |of: Option<i64>| match of {
        Some(ns) => opening(TableCell::time(ns), SourceExecutionColumn::Duration),
        None => TableCell::absent(words::sources::NOT_COMPLETE),
    };
    let rows = |of: Option<i64>, sort| opening(TableCell::or_absent(of, TableCell::count), sort);
    let failed = TableCell::count(row.failed);
    let over_fetch_absent = match row.rows_read.and(row.rows_returned) {
        Some(_) => words::sources::NO_ROWS_RETURNED,
        None => words::common::NOT_REPORTED,
    };
    let rate_absent = match row.rows_read.and(times) {
        Some(_) => words::sources::NO_TIME,
        None => words::common::NOT_REPORTED,
    };
    let mut cells = names(row, context);
    cells.extend([
        TableCell::count(row.executions)
            .link(words::sources::executions(row), opens(SourceExecutionColumn::Duration)),
        time(times.map(|_| row.total)),
        time(times.map(|times| times.p50)),
        time(times.map(|times| times.p95)),
        match times {
            Some(times) => TableCell::time(times.max).link(words::sources::SHOW_LONGEST, onshow),
            None => time(None),
        },
        opening(share(row.reading, words::common::NOT_REPORTED), SourceExecutionColumn::Reading),
        rows(row.rows_read, SourceExecutionColumn::RowsRead),
        rows(row.rows_returned, SourceExecutionColumn::RowsReturned),
        opening(TableCell::ratio(row.over_fetch, over_fetch_absent), SourceExecutionColumn::OverFetch),
        // Executions have no order by rows per second.
        opening(TableCell::ratio(row.row_rate, rate_absent), SourceExecutionColumn::RowsRead),
        match row.failed {
            0 => failed.class("faint"),
            _ => failed.class("bad").link(
                words::statements::SHOW_FAILED,
                context.onopen.reform(move |_: MouseEvent| (group, SourceExecutionColumn::Duration, true)),
            ),
        },
    ]);
    TableRow { item: Some(longest), ..TableRow::of(cells) }
}

/// A cell with a percentage, or a dash with a reason.
pub fn share(share: Option<f64>, absent: &'static str) -> TableCell {
    let Some(share) = share else { return TableCell::absent(absent) };
    TableCell::text(text::percent(share)).copied(format!("{:.4}", share * 100.0))
}
