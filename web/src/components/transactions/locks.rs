//! The table of those who wait for a lock, and of those who hold it.

use queryscope::protocol::{LockRow, LockSide, LockWaits};
use queryscope::text;
use yew::prelude::*;

use super::list::ROW;
use crate::components::PanelProps;
use crate::components::parallel::tables::shows;
use crate::state::Dispatch;
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, link};

/// The section.
pub fn section(props: &PanelProps, waits: &LockWaits) -> Html {
    if waits.rows.is_empty() && waits.notes.is_empty() {
        return Html::default();
    }
    let heading = html! {
        <>
            <h2 id="lock-waits">{ "Who waits for whom" }</h2>
            if !waits.rows.is_empty() {
                <p>{ "As the server's tables of locks said when they were read. Choose one to see it in the Gantt view, with the arrow from its blocker." }</p>
            }
            { for waits.notes.iter().map(|note| html! { <p>{ note }</p> }) }
        </>
    };
    if waits.rows.is_empty() {
        return html! { <section aria-labelledby="lock-waits"><header>{ heading }</header></section> };
    }
    let columns =
        ["Waiting", "Its statement", "For", "Blocked by", "Statement that took the lock", "Held in"];
    let columns: Vec<TableColumn> = columns.into_iter().map(TableColumn::text).collect();
    let dispatch = props.dispatch.clone();
    let rows = TableRows::in_page(waits.rows.clone(), move |wait| row(&dispatch, wait));
    html! {
        <section aria-labelledby="lock-waits">
            <DataTable id="lock" label="Who waits for whom" class="framed locks" row_height={ROW} {columns} {rows} heading={TableHeading::section(heading)} />
        </section>
    }
}

fn row(dispatch: &Dispatch, row: &LockRow) -> TableRow {
    let more = match row.more {
        0 => String::new(),
        more => format!("and up to {} more", text::count(i64::from(more))),
    };
    let object = html! { <b class="foreign">{ &row.object }</b> };
    let held = row.holder.span.as_ref().map_or("–".to_owned(), |span| timed(span.duration));
    TableRow::of(vec![
        two_lines(who(dispatch, &row.waiter), since(row), thread(&row.waiter)),
        statement(dispatch, &row.waiter),
        two_lines(object, row.wanted.clone().unwrap_or_default(), &row.object),
        two_lines(who(dispatch, &row.holder), more, thread(&row.holder)),
        statement(dispatch, &row.holder),
        two_lines(html! { <span>{ &held }</span> }, row.held.clone().unwrap_or_default(), &held),
    ])
}

/// A cell with a second line in small type.
fn two_lines(first: Html, second: String, text: &str) -> TableCell {
    let copied = if second.is_empty() { text.to_owned() } else { format!("{text}, {second}") };
    let shown = html! { <>{ first }<span class="muted foreign">{ &second }</span></> };
    TableCell::text(if second.chars().count() > text.chars().count() { second } else { text.to_owned() })
        .titled(copied.clone())
        .copied(copied)
        .shown(shown)
}

fn thread(side: &LockSide) -> &str {
    if side.thread.is_empty() { "unknown thread" } else { &side.thread }
}

/// The thread, which leads to what waits or holds.
fn who(dispatch: &Dispatch, side: &LockSide) -> Html {
    match &side.span {
        Some(span) => {
            let title = format!("Show in the Gantt view: {}", span.title);
            link(thread(side), title, shows(dispatch, span.item))
        }
        None => {
            html! { <span class="foreign" dir="auto" title="it is not in the trace">{ thread(side) }</span> }
        }
    }
}

/// How long it has waited, by the trace, else since when by the table.
fn since(row: &LockRow) -> String {
    let waited = row.waiter.span.as_ref().and_then(|span| span.duration);
    match (waited, &row.since) {
        (Some(waited), Some(since)) => format!("for {}, since {since}", text::duration(waited)),
        (Some(waited), None) => format!("for {}", text::duration(waited)),
        (None, Some(since)) => format!("since {since}"),
        (None, None) if row.waiter.span.is_some() => "not timed".to_owned(),
        (None, None) => String::new(),
    }
}

fn statement(dispatch: &Dispatch, side: &LockSide) -> TableCell {
    match (&side.statement, &side.running) {
        (Some(statement), _) => TableCell::text(statement.title.clone())
            .link(statement.title.clone(), shows(dispatch, statement.item)),
        (None, Some(running)) => {
            TableCell::text(running.clone()).titled(format!("{running} (not in the trace)"))
        }
        (None, None) => TableCell::absent("not reported"),
    }
}

fn timed(duration: Option<i64>) -> String {
    duration.map_or("not timed".to_owned(), text::duration)
}
