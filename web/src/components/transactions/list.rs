//! The table of transactions.

use std::ops::Range;
use std::rc::Rc;

use queryscope::protocol::{
    Pause, Reply, Request, TransactionColumn, TransactionList, TransactionPage, TransactionRow,
};
use queryscope::text;
use yew::prelude::*;

use crate::client::Client;
use crate::components::PanelProps;
use crate::components::parallel::share;
use crate::components::parallel::tables::shows;
use crate::state::{Action, Dispatch, Tab};
use crate::ui::{
    ColumnKind, DataTable, FetchRows, RowSource, SortOrder, TableCell, TableColumn, TableHeading, TableRow,
    TableRows, WorkerOrder, link,
};

/// Height of a row: a thread, and below it how the transaction ended.
pub const ROW: f64 = 40.0;

/// By column of the table: what the worker orders the transactions by.
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
        TableColumn::text("Transaction").characters(30, true).unsorted(),
        TableColumn::time("Start").characters(13, false).smallest_first(),
        TableColumn::time("Duration").characters(14, false),
        TableColumn::bars("Work and idle time"),
        TableColumn::time("Idle").characters(12, false),
        TableColumn::share("Share").characters(9, false),
        TableColumn {
            kind: ColumnKind::Text,
            largest_first: true,
            ..TableColumn::time("Longest pause").characters(36, false)
        },
        TableColumn::number("Pauses").characters(9, false).unsorted(),
        TableColumn::number("Statements").characters(13, false),
    ]
}

/// All of them in a sentence.
pub fn summary(page: &TransactionPage) -> String {
    match page.total {
        0 => "None.".to_owned(),
        total => format!(
            "{}, {} of them with pauses: {} of {} idle ({}).",
            text::counted(u64::from(total), "transaction", "transactions"),
            text::count(i64::from(page.idle)),
            text::duration(page.idle_time),
            text::duration(page.duration),
            share(page.idle_time, page.duration)
        ),
    }
}

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TransactionTableProps {
    /// What every panel gets.
    pub panel: PanelProps,
    /// The page of the list that is here.
    pub page: Option<TransactionPage>,
    /// The order and range of the list.
    pub list: TransactionList,
    /// Asks for another order.
    pub onlist: Callback<TransactionList>,
    /// Asks for other rows.
    pub onwanted: Callback<Range<u32>>,
    /// What stands above the table.
    pub heading: Html,
}

/// The table.
#[component]
pub fn TransactionTable(props: &TransactionTableProps) -> Html {
    html! {
        <DataTable id="transaction" label="Transactions" class="framed transactions" row_height={ROW} columns={columns()} rows={rows(props)}
            heading={TableHeading::section(props.heading.clone())} onwanted={props.onwanted.clone()} beginning={format!("{:?}", props.list)} />
    }
}

fn rows(props: &TransactionTableProps) -> TableRows {
    let list = props.list.clone();
    let is_descending = |list: &TransactionList| (list.sort == TransactionColumn::Start) == list.reversed;
    let column = ORDERS.iter().position(|order| *order == Some(list.sort));
    let now = column.map(|column| SortOrder { column, descending: is_descending(&list) });
    let fetch = fetch(props.panel.client.clone(), props.panel.dispatch.clone(), list.clone());
    let onsort = props.onlist.reform(move |order: Option<SortOrder>| {
        let sort = order.and_then(|order| *ORDERS.get(order.column)?).unwrap_or(list.sort);
        let plain = TransactionList { sort, reversed: false, ..list.clone() };
        let reversed = order.is_some_and(|order| order.descending != is_descending(&plain));
        TransactionList { reversed, ..plain }
    });
    let source = RowSource::Worker(WorkerOrder { now, has_original: false, onsort }, Some(fetch));
    let count = props.page.as_ref().map_or(0, |page| page.total);
    let (page, dispatch) = (props.page.clone(), props.panel.dispatch.clone());
    let row = move |at: u32| {
        let page = page.as_ref()?;
        page.rows.get(at.checked_sub(page.first)? as usize).map(|of| row(&dispatch, of))
    };
    TableRows { count, row: Rc::new(row), source }
}

fn fetch(client: Client, dispatch: Dispatch, list: TransactionList) -> FetchRows {
    Rc::new(move |range: Range<u32>| {
        let (client, dispatch, list) = (client.clone(), dispatch.clone(), list.clone());
        Box::pin(async move {
            let request = Request::Transactions { list, first: range.start, count: range.end - range.start };
            match client.ask(request).await {
                Reply::Transactions(page) => page.rows.iter().map(|of| row(&dispatch, of)).collect(),
                _ => Vec::new(),
            }
        })
    })
}

fn row(dispatch: &Dispatch, row: &TransactionRow) -> TableRow {
    let duration = row.duration;
    let state = row.state.as_deref().unwrap_or(if row.open { "not ended" } else { "" }).to_lowercase();
    let idle = row.idle.unwrap_or(0);
    let missing = || TableCell::absent("the trace has no statements of it");
    let name = html! {
        <>
            { link(&row.thread, "Show in the Gantt view", shows(dispatch, row.link.item)) }
            <span class="muted foreign">{ &state }</span>
        </>
    };
    let start = TableCell::number(format!("+{}", text::duration(row.link.start)), row.link.start);
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

/// How long the longest pause is, which leads to it, and what it came after.
fn pause(dispatch: &Dispatch, row: &TransactionRow, pause: &Pause) -> TableCell {
    let length = pause.end.saturating_sub(pause.start);
    let (to, item, range) = (dispatch.clone(), row.link.item, (pause.start, pause.end));
    let onclick = Callback::from(move |_: MouseEvent| {
        to.dispatch(Action::Range(Some(range)));
        to.dispatch(Action::Show(Tab::Gantt));
        to.dispatch(Action::Reveal(item));
    });
    let title = "Narrow everything to this pause: what did the others do meanwhile?";
    let shown = html! {
        <>
            { link(&text::duration(length), title, onclick) }
            if let Some(before) = &pause.before {
                <span class="muted">{ " after " }</span>
                { link(&before.title, before.title.clone(), shows(dispatch, before.item)) }
            }
        </>
    };
    TableCell::time(length).class("pause").shown(shown)
}
