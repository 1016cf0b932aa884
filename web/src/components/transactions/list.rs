//! The table of transactions.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{
    Pause, TransactionColumn, TransactionList, TransactionListRequest, TransactionPage, TransactionRow,
};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::parallel::tables::shows;
use crate::components::worker_rows::worker_rows;
use crate::state::{Action, Dispatch, Tab};
use crate::ui::{
    ColumnKind, DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder,
    link,
};
use crate::words;

/// Height in CSS pixels of a row, which has two lines: the thread, and below it how the transaction ended.
pub const ROW: f64 = 40.0;

/// Sort key of the worker for each column of the table. `None` if the column is not sortable.
const ORDERS: [Option<TransactionColumn>; 9] = [
    None,
    Some(TransactionColumn::Start),
    Some(TransactionColumn::Duration),
    None,
    Some(TransactionColumn::Idle),
    Some(TransactionColumn::Share),
    Some(TransactionColumn::Longest),
    None,
    Some(TransactionColumn::Statements),
];

fn columns() -> Vec<TableColumn> {
    vec![
        TableColumn::text(words::transactions::TRANSACTION).characters(30, true).unsorted(),
        TableColumn::time(words::transactions::START).characters(13, false).smallest_first(),
        TableColumn::time(words::transactions::DURATION).characters(14, false),
        TableColumn::bars(words::transactions::WORK_AND_IDLE_TIME),
        TableColumn::time(words::transactions::IDLE).characters(12, false),
        TableColumn::share(words::transactions::SHARE).characters(9, false),
        TableColumn {
            kind: ColumnKind::Text,
            largest_first: true,
            ..TableColumn::time(words::transactions::LONGEST_IDLE_GAP).characters(36, false)
        },
        TableColumn::number(words::transactions::IDLE_GAPS).characters(9, false).unsorted(),
        TableColumn::number(words::transactions::STATEMENTS).characters(13, false),
    ]
}

/// Properties of the table of transactions.
#[derive(Properties, PartialEq)]
pub struct TransactionTableProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Fetched rows of the list. `None` before the first reply.
    pub page: Option<TransactionPage>,
    /// Sort order and time range of the list.
    pub list: TransactionList,
    /// Called to request another sort order.
    pub onlist: Callback<TransactionList>,
    /// Called to request other rows.
    pub onwanted: Callback<Range<u32>>,
    /// Heading above the table.
    pub heading: Html,
}

/// The table of transactions.
#[component]
pub fn TransactionTable(props: &TransactionTableProps) -> Html {
    html! {
        <DataTable id="transaction" label={words::transactions::TRANSACTIONS} class="framed transactions" row_height={ROW} columns={columns()} rows={rows(props)}
            heading={TableHeading::section(props.heading.clone())} onwanted={props.onwanted.clone()} beginning={format!("{:?}", props.list)} />
    }
}

fn rows(props: &TransactionTableProps) -> TableRows {
    let list = props.list.clone();
    let is_descending = |list: &TransactionList| (list.sort == TransactionColumn::Start) == list.reversed;
    let column = ORDERS.iter().position(|order| *order == Some(list.sort));
    let now = column.map(|column| SortOrder { column, descending: is_descending(&list) });
    let onsort = props.onlist.reform(move |order: Option<SortOrder>| {
        let sort = order.and_then(|order| *ORDERS.get(order.column)?).unwrap_or(list.sort);
        let plain = TransactionList { sort, reversed: false, ..list.clone() };
        let reversed = order.is_some_and(|order| order.descending != is_descending(&plain));
        TransactionList { reversed, ..plain }
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let (list, dispatch) = (props.list.clone(), props.panel.dispatch.clone());
    let request = move |range: Range<u32>| TransactionListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&props.panel.client, props.page.clone(), order, request, move |of| row(&dispatch, of))
}

fn row(dispatch: &Dispatch, row: &TransactionRow) -> TableRow {
    let duration = row.duration;
    let unfinished = if row.open { words::transactions::UNFINISHED } else { "" };
    let state = row.state.as_deref().unwrap_or(unfinished).to_lowercase();
    let idle = row.idle.unwrap_or(0);
    let missing = || TableCell::absent(words::transactions::NO_STATEMENTS);
    let name = html! {
        <>
            { link(&row.thread, words::common::SHOW_IN_GANTT, shows(dispatch, row.link.item)) }
            <span class="muted foreign">{ &state }</span>
        </>
    };
    let start = TableCell::number(words::common::since_start(row.link.start), row.link.start);
    let shown = text::at_least(row.open, text::duration(duration));
    TableRow::of(vec![
        TableCell::text(row.thread.clone()).copied(format!("{} {state}", row.thread)).shown(name),
        start.titled(text::duration_exact(row.link.start)),
        TableCell::number(shown, duration).titled(text::duration_exact(duration)),
        TableCell::bar(vec![("work", duration.saturating_sub(idle)), ("wait", idle)], duration),
        row.idle.map_or_else(missing, TableCell::time),
        row.idle.map_or_else(missing, |idle| TableCell::share(idle, duration)),
        row.longest.as_ref().map_or_else(|| TableCell::absent(""), |found| pause(dispatch, row, found)),
        TableCell::count(row.pauses),
        TableCell::count(row.statements),
    ])
}

/// A cell with the longest idle gap of a transaction, linked to the timeline, and the statement before the gap.
fn pause(dispatch: &Dispatch, row: &TransactionRow, pause: &Pause) -> TableCell {
    let length = pause.end.saturating_sub(pause.start);
    let to = dispatch.clone();
    let item = row.link.item;
    let range = (pause.start, pause.end);
    let onclick = Callback::from(move |_: MouseEvent| {
        to.dispatch(Action::Range(Some(range)));
        to.dispatch(Action::Show(Tab::Gantt));
        to.dispatch(Action::Reveal(item));
    });
    let shown = html! {
        <>
            { link(&text::duration(length), words::transactions::NARROW_TO_GAP, onclick) }
            if let Some(before) = &pause.before {
                <span class="muted">{ words::transactions::AFTER }</span>
                { link(&before.title, before.title.clone(), shows(dispatch, before.item)) }
            }
        </>
    };
    TableCell::time(length).class("pause").shown(shown)
}
