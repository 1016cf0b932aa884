//! In the import report: the sums that a server made itself against those of its events, for exports that hold both.

use queryscope::protocol::{Reconciled, ReconciledCell, ReconciledReason, Reply, Request};
use queryscope::text;
use yew::prelude::*;

use super::ask::use_reply;
use crate::client::Client;

/// What the section needs.
#[derive(Properties, PartialEq)]
pub struct ReconciliationProps {
    /// The line to the worker.
    pub client: Client,
    /// The build that it is about.
    pub build: u32,
}

/// The section; nothing where no table of sums is in the trace.
#[component]
pub fn Reconciliation(props: &ReconciliationProps) -> Html {
    let answer = use_reply(&props.client, Some(Request::Reconcile), props.build);
    let tables = match answer.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Reconciled(tables)) if !tables.is_empty() => tables,
        _ => return Html::default(),
    };
    let differ = |table: &&Reconciled| table.different + table.only_events + table.derived > 0;
    html! {
        <section class="report-file reconciliation">
            <header>
                <h3>{ "The server's own sums" }</h3>
                <div class="facts"><span>{ headline(tables) }</span></div>
                if let Some(table) = tables.iter().find(|table| !table.averages.is_empty()) {
                    <div class="facts"><span>{ format!("Compared: {}", table.averages) }</span></div>
                }
            </header>
            { for tables.iter().filter(differ).map(table) }
            { equal(tables) }
        </section>
    }
}

fn headline(tables: &[Reconciled]) -> String {
    let sum = |of: fn(&Reconciled) -> u64| tables.iter().map(of).fold(0, u64::saturating_add);
    format!(
        "{} in {} equal the sums of the events; {}",
        text::counted(sum(|table| table.equal), "cell", "cells"),
        text::counted(tables.len() as u64, "table", "tables"),
        match sum(|table| table.different) {
            0 => "none differs".to_owned(),
            n => format!("{} differ, for the reasons below", count(n)),
        }
    )
}

fn table(table: &Reconciled) -> Html {
    html! {
        <details class="problem">
            <summary class="title">
                <b>{ &table.table }</b>
                if table.different > 0 {
                    <span class="badge">{ format!("{} equal, {} different", count(table.equal), count(table.different)) }</span>
                } else {
                    <span class="pill plain">{ format!("{} equal", count(table.equal)) }</span>
                }
                if table.derived > 0 {
                    <span class="pill plain">{ format!("{} derived", count(table.derived)) }</span>
                }
                if table.only_events > 0 {
                    <span class="pill plain">{ format!("{} without a row", count(table.only_events)) }</span>
                }
            </summary>
            { for table.derivations.iter().chain(&table.reasons).map(reason) }
        </details>
    }
}

fn reason(reason: &ReconciledReason) -> Html {
    let more = reason.cells.saturating_sub(reason.examples.len() as u64);
    html! {
        <>
            <p>{ format!("{} ×: {}", count(reason.cells), reason.reason) }</p>
            <ol>{ for reason.examples.iter().map(example) }</ol>
            if more > 0 { <p>{ format!("and {} more", count(more)) }</p> }
        </>
    }
}

fn example(cell: &ReconciledCell) -> Html {
    let words = match cell.column.as_str() {
        "" => "no row".to_owned(),
        column => format!("{column}: server {}, events {}", cell.server, cell.events),
    };
    html! { <li><span>{ words }</span><code class="foreign" dir="auto">{ &cell.row }</code></li> }
}

fn equal(tables: &[Reconciled]) -> Html {
    let equal = tables.iter().filter(|table| table.different + table.only_events + table.derived == 0);
    let names: Vec<&str> = equal.map(|table| table.table.as_str()).collect();
    match names.len() {
        0 => Html::default(),
        n => html! {
            <details class="problem">
                <summary class="title"><b>{ format!("{} equal in every cell", text::counted(n as u64, "table", "tables")) }</b></summary>
                <ol>{ for names.iter().map(|name| html! { <li><code>{ *name }</code></li> }) }</ol>
            </details>
        },
    }
}

fn count(n: u64) -> String {
    text::count(i64::try_from(n).unwrap_or(i64::MAX))
}
