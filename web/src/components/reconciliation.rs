//! The reconciliation section of the import report: a server's own sums compared with the sums of its events.

use queryscope::protocol::{ReconcileRequest, Reconciled, ReconciledCell, ReconciledReason};
use yew::prelude::*;

use super::use_query::{Answer, use_query};
use crate::client::Client;
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;

/// Properties of a [`Reconciliation`] section.
#[derive(Properties, PartialEq)]
pub struct ReconciliationProps {
    /// Connection to the worker.
    pub client: Client,
    /// Number of the trace build that is shown.
    pub build: u32,
}

/// The reconciliation section. Empty if the trace has no table of sums.
#[component]
pub fn Reconciliation(props: &ReconciliationProps) -> Html {
    let answer = use_query(&props.client, Some(ReconcileRequest), props.build);
    let Some(tables) = answer.as_ref().and_then(Answer::reply).filter(|tables| !tables.is_empty()) else {
        return Html::default();
    };
    let differ = |table: &&Reconciled| table.different + table.only_events + table.derived > 0;
    html! {
        <section class="report-file reconciliation">
            <header>
                <div class="headed"><h3>{ words::reconciliation::SERVER_SUMS }</h3><TermHelp term={Term::ServerSums} /></div>
                <div class="facts"><span>{ headline(tables) }</span></div>
                if let Some(table) = tables.iter().find(|table| !table.averages.is_empty()) {
                    <div class="facts"><span>{ words::reconciliation::averages(&table.averages) }</span></div>
                }
            </header>
            { for tables.iter().filter(differ).map(table) }
            { equal(tables) }
        </section>
    }
}

fn headline(tables: &[Reconciled]) -> String {
    let sum = |of: fn(&Reconciled) -> u64| tables.iter().map(of).fold(0, u64::saturating_add);
    words::reconciliation::headline(sum(|table| table.equal), tables.len(), sum(|table| table.different))
}

fn table(table: &Reconciled) -> Html {
    html! {
        <details class="problem">
            <summary class="title">
                <b>{ &table.table }</b>
                if table.different > 0 {
                    <span class="badge">{ words::reconciliation::equal_and_different(table.equal, table.different) }</span>
                } else {
                    <span class="pill plain">{ words::reconciliation::equal(table.equal) }</span>
                }
                if table.derived > 0 {
                    <span class="pill plain">{ words::reconciliation::derived(table.derived) }</span>
                }
                if table.only_events > 0 {
                    <span class="pill plain">{ words::reconciliation::without_row(table.only_events) }</span>
                }
            </summary>
            { for table.derivations.iter().chain(&table.reasons).map(reason) }
        </details>
    }
}

fn reason(reason: &ReconciledReason) -> Html {
    let left_out = reason.cells.saturating_sub(reason.examples.len() as u64);
    html! {
        <>
            <p>{ words::reconciliation::reason(reason.cells, &reason.reason) }</p>
            <ol>{ for reason.examples.iter().map(example) }</ol>
            if left_out > 0 { <p>{ words::common::more(left_out) }</p> }
        </>
    }
}

fn example(cell: &ReconciledCell) -> Html {
    let values = match cell.column.as_str() {
        "" => words::reconciliation::NO_ROW.to_owned(),
        column => words::reconciliation::values(column, &cell.server, &cell.events),
    };
    html! { <li><span>{ values }</span><code class="foreign" dir="auto">{ &cell.row }</code></li> }
}

fn equal(tables: &[Reconciled]) -> Html {
    let equal = tables.iter().filter(|table| table.different + table.only_events + table.derived == 0);
    let names: Vec<&str> = equal.map(|table| table.table.as_str()).collect();
    match names.len() {
        0 => Html::default(),
        n => html! {
            <details class="problem">
                <summary class="title"><b>{ words::reconciliation::equal_tables(n) }</b></summary>
                <ol>{ for names.iter().map(|name| html! { <li><code>{ *name }</code></li> }) }</ol>
            </details>
        },
    }
}
