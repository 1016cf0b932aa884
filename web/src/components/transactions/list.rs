//! The table of transactions.

use queryscope::protocol::{Pause, TransactionColumn, TransactionPage, TransactionRow};
use queryscope::text;
use yew::prelude::*;

use super::jump;
use crate::components::PanelProps;
use crate::components::parallel::share;
use crate::components::parallel::tables::{bar, heading, time};
use crate::state::{Action, Tab};

/// The columns; those that can order the table say how.
const COLUMNS: [(&str, Option<TransactionColumn>); 9] = [
    ("Transaction", None),
    ("Start", Some(TransactionColumn::Start)),
    ("Duration", Some(TransactionColumn::Duration)),
    ("", None),
    ("Idle", Some(TransactionColumn::Idle)),
    ("Share", Some(TransactionColumn::Share)),
    ("Longest pause", Some(TransactionColumn::Longest)),
    ("Pauses", None),
    ("Statements", Some(TransactionColumn::Statements)),
];

/// All of them in a sentence.
pub fn summary(page: &TransactionPage) -> Html {
    let sentence = match page.total {
        0 => "None.".to_owned(),
        total => format!(
            "{}, {} of them with pauses: {} of {} idle ({}).",
            text::counted(u64::from(total), "transaction", "transactions"),
            text::count(i64::from(page.idle)),
            text::duration(page.idle_time),
            text::duration(page.duration),
            share(page.idle_time, page.duration)
        ),
    };
    html! { <p class="muted">{ sentence }</p> }
}

/// The table.
pub fn table(
    props: &PanelProps,
    page: &TransactionPage,
    sort: TransactionColumn,
    onsort: &Callback<TransactionColumn>,
) -> Html {
    if page.rows.is_empty() {
        return Html::default();
    }
    html! {
        <div class="table-frame scrolls" tabindex="0" role="group" aria-label="Transactions">
            <table class="summary transactions">
                <thead><tr>{ for COLUMNS.iter().map(|(name, column)| head(name, *column, sort, onsort)) }</tr></thead>
                <tbody>{ for page.rows.iter().map(|transaction| row(props, transaction)) }</tbody>
            </table>
        </div>
    }
}

fn head(
    name: &'static str,
    column: Option<TransactionColumn>,
    sort: TransactionColumn,
    onsort: &Callback<TransactionColumn>,
) -> Html {
    let Some(column) = column else { return heading(name) };
    let onsort = onsort.clone();
    let onclick = move |_: MouseEvent| onsort.emit(column);
    let ascending = column == TransactionColumn::Start;
    let order = match (column == sort, ascending) {
        (false, _) => "none",
        (true, true) => "ascending",
        (true, false) => "descending",
    };
    let arrow = if ascending { " ↑" } else { " ↓" };
    html! {
        <th scope="col" aria-sort={order}>
            <button type="button" class="link" {onclick}>{ name }<span aria-hidden="true">{ if column == sort { arrow } else { "" } }</span></button>
        </th>
    }
}

fn row(props: &PanelProps, row: &TransactionRow) -> Html {
    let duration = row.duration;
    let state = row.state.as_deref().unwrap_or(if row.open { "not ended" } else { "" });
    let idle = row.idle.unwrap_or(0);
    let maybe = |ns: Option<i64>| match ns {
        Some(ns) => time(ns),
        None => html! { <td title="the trace has no statements of it">{ "–" }</td> },
    };
    html! {
        <tr>
            <th scope="row">
                { jump(props, row.link.item, &row.thread, "Show in the Gantt view".to_owned()) }
                <span class="muted foreign">{ state.to_lowercase() }</span>
            </th>
            <td title={text::duration_exact(row.link.start)}>{ format!("+{}", text::duration(row.link.start)) }</td>
            <td title={text::duration_exact(duration)}>{ text::at_least(row.open, text::duration(duration)) }</td>
            { bar(&[("work", duration.saturating_sub(idle)), ("wait", idle)], duration) }
            { maybe(row.idle) }
            <td>{ row.idle.map_or("–".to_owned(), |idle| share(idle, duration)) }</td>
            <td class="pause">{ row.longest.as_ref().map_or_else(|| html! { "–" }, |found| pause(props, row, found)) }</td>
            <td>{ text::count(i64::from(row.pauses)) }</td>
            <td>{ text::count(i64::from(row.statements)) }</td>
        </tr>
    }
}

/// How long the longest pause is, which leads to it, and what it came after.
fn pause(props: &PanelProps, row: &TransactionRow, pause: &Pause) -> Html {
    let (dispatch, item, range) = (props.dispatch.clone(), row.link.item, (pause.start, pause.end));
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Range(Some(range)));
        dispatch.dispatch(Action::Show(Tab::Gantt));
        dispatch.dispatch(Action::Reveal(item));
    };
    let title = "Narrow everything to this pause: what did the others do meanwhile?";
    html! {
        <>
            <button type="button" class="link" {title} {onclick}>{ text::duration(pause.end.saturating_sub(pause.start)) }</button>
            if let Some(before) = &pause.before {
                <span class="muted">{ " after " }</span>
                { jump(props, before.item, &before.title, before.title.clone()) }
            }
        </>
    }
}
