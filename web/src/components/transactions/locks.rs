//! The table of lock waits: waiting and blocking threads.

use queryscope::internal::text;
use queryscope::protocol::{LockRow, LockSide, LockWaits};
use yew::prelude::*;

use super::list::ROW;
use crate::components::PanelProps;
use crate::components::parallel::tables::shows;
use crate::state::Dispatch;
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp, link};
use crate::words;
use crate::words::glossary::Term;

/// The section of lock waits.
pub fn section(props: &PanelProps, waits: &LockWaits) -> Html {
    if waits.rows.is_empty() && waits.notes.is_empty() {
        return Html::default();
    }
    let heading = html! {
        <>
            <h2 id="lock-waits">{ words::transactions::LOCK_WAITS }</h2>
            <TermHelp term={Term::LockWait} />
            if !waits.rows.is_empty() {
                <p>{ words::transactions::LOCK_WAITS_MEANING }</p>
            }
            { for waits.notes.iter().map(|note| html! { <p>{ note }</p> }) }
        </>
    };
    if waits.rows.is_empty() {
        return html! { <section aria-labelledby="lock-waits"><header>{ heading }</header></section> };
    }
    let columns = [
        words::transactions::WAITING,
        words::transactions::WAITING_STATEMENT,
        words::transactions::LOCKED_OBJECT,
        words::transactions::BLOCKED_BY,
        words::transactions::BLOCKING_STATEMENT,
        words::transactions::HOLDER_DURATION,
    ];
    let columns: Vec<TableColumn> = columns.into_iter().map(TableColumn::text).collect();
    let dispatch = props.dispatch.clone();
    let rows = TableRows::in_page(waits.rows.clone(), move |wait| row(&dispatch, wait));
    html! {
        <section aria-labelledby="lock-waits">
            <DataTable id="lock" label={words::transactions::LOCK_WAITS} class="framed locks" row_height={ROW} {columns} {rows} heading={TableHeading::section(heading)} />
        </section>
    }
}

fn row(dispatch: &Dispatch, row: &LockRow) -> TableRow {
    let more = match row.more {
        0 => String::new(),
        more => words::transactions::other_holders(more),
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
    if side.thread.is_empty() { words::transactions::UNKNOWN_THREAD } else { &side.thread }
}

/// Renders the thread, linked to its waiting or blocking span if the trace has one.
fn who(dispatch: &Dispatch, side: &LockSide) -> Html {
    match &side.span {
        Some(span) => link(thread(side), words::transactions::show(&span.title), shows(dispatch, span.item)),
        None => {
            html! { <span class="foreign" dir="auto" title={words::transactions::NOT_IN_TRACE}>{ thread(side) }</span> }
        }
    }
}

/// Duration of the wait if the trace has the waiting span, and its start according to the table of lock waits.
fn since(row: &LockRow) -> String {
    let waited = row.waiter.span.as_ref().and_then(|span| span.duration);
    match (waited, &row.since) {
        (None, None) if row.waiter.span.is_some() => words::transactions::NOT_TIMED.to_owned(),
        (waited, since) => words::transactions::waited(waited, since.as_deref()),
    }
}

fn statement(dispatch: &Dispatch, side: &LockSide) -> TableCell {
    match (&side.statement, &side.running) {
        (Some(statement), _) => TableCell::text(statement.title.clone())
            .link(statement.title.clone(), shows(dispatch, statement.item)),
        (None, Some(running)) => {
            TableCell::text(running.clone()).titled(words::transactions::not_in_trace(running))
        }
        (None, None) => TableCell::absent(words::common::NOT_REPORTED),
    }
}

fn timed(duration: Option<i64>) -> String {
    duration.map_or(words::transactions::NOT_TIMED.to_owned(), text::duration)
}
