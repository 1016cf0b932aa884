//! The table of those who wait for a lock, and of those who hold it.

use queryscope::protocol::{LockRow, LockSide, LockWaits};
use queryscope::text;
use yew::prelude::*;

use super::jump;
use crate::components::PanelProps;

/// The section.
pub fn section(props: &PanelProps, waits: &LockWaits, (shown, more): (usize, Html)) -> Html {
    if waits.rows.is_empty() && waits.notes.is_empty() {
        return Html::default();
    }
    html! {
        <section aria-labelledby="lock-waits">
            <header>
                <h2 id="lock-waits">{ "Who waits for whom" }</h2>
                if !waits.rows.is_empty() {
                    <p>{ "As the server's tables of locks said when they were read. Choose one to see it in the Gantt view, with the arrow from its blocker." }</p>
                }
                { for waits.notes.iter().map(|note| html! { <p>{ note }</p> }) }
            </header>
            if !waits.rows.is_empty() { { table(props, waits.rows.get(..shown).unwrap_or(&waits.rows)) } { more } }
        </section>
    }
}

fn table(props: &PanelProps, rows: &[LockRow]) -> Html {
    const COLUMNS: [&str; 6] =
        ["Waiting", "Its statement", "For", "Blocked by", "Statement that took the lock", "Held in"];
    html! {
            <div class="table-frame scrolls" tabindex="0" role="group" aria-label="Who waits for whom">
                <table class="summary locks">
                    <thead><tr>{ for COLUMNS.iter().map(|name| html! { <th scope="col">{ *name }</th> }) }</tr></thead>
                    <tbody>{ for rows.iter().map(|wait| row(props, wait)) }</tbody>
                </table>
            </div>
    }
}

fn row(props: &PanelProps, row: &LockRow) -> Html {
    let words = |text: &Option<String>| text.clone().unwrap_or_default();
    html! {
        <tr>
            <th scope="row">{ who(props, &row.waiter) }{ since(row) }</th>
            <td class="statement">{ statement(props, &row.waiter) }</td>
            <td><b class="foreign">{ &row.object }</b><span class="muted foreign">{ words(&row.wanted) }</span></td>
            <td>
                { who(props, &row.holder) }
                if row.more > 0 {
                    <span class="muted">{ format!("and up to {} more", text::count(i64::from(row.more))) }</span>
                }
            </td>
            <td class="statement">{ statement(props, &row.holder) }</td>
            <td>{ held(row) }</td>
        </tr>
    }
}

/// The thread, which leads to what waits or holds.
fn who(props: &PanelProps, side: &LockSide) -> Html {
    let thread = if side.thread.is_empty() { "unknown thread" } else { &side.thread };
    match &side.span {
        Some(span) => jump(props, span.item, thread, format!("Show in the Gantt view: {}", span.title)),
        None => html! { <span class="foreign" dir="auto" title="it is not in the trace">{ thread }</span> },
    }
}

/// How long it has waited, by the trace, else since when by the table.
fn since(row: &LockRow) -> Html {
    let waited = row.waiter.span.as_ref().and_then(|span| span.duration);
    let words = match (waited, &row.since) {
        (Some(waited), Some(since)) => format!("for {}, since {since}", text::duration(waited)),
        (Some(waited), None) => format!("for {}", text::duration(waited)),
        (None, Some(since)) => format!("since {since}"),
        (None, None) if row.waiter.span.is_some() => "not timed".to_owned(),
        (None, None) => return Html::default(),
    };
    html! { <span class="muted foreign">{ words }</span> }
}

fn statement(props: &PanelProps, side: &LockSide) -> Html {
    match (&side.statement, &side.running) {
        (Some(statement), _) => jump(props, statement.item, &statement.title, statement.title.clone()),
        (None, Some(running)) => {
            html! { <span class="foreign" dir="auto" title="it is not in the trace">{ running }</span> }
        }
        (None, None) => html! { "–" },
    }
}

/// The transaction or statement that holds the lock, and in what mode.
fn held(row: &LockRow) -> Html {
    let time = |duration: Option<i64>| duration.map_or("not timed".to_owned(), text::duration);
    html! {
        <>
            { row.holder.span.as_ref().map_or("–".to_owned(), |span| time(span.duration)) }
            <span class="muted foreign">{ row.held.clone().unwrap_or_default() }</span>
        </>
    }
}
