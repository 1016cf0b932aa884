//! The summary of every run.

use queryscope::protocol::RunSummary;
use queryscope::text;
use yew::prelude::*;

/// The table of all runs; of traces without queries only what there is of them.
pub fn table(runs: &[RunSummary], has_queries: bool) -> Html {
    let (columns, row): (&[&str], fn(&RunSummary) -> Html) =
        if has_queries { (&COLUMNS, row) } else { (&["Run", "Length", "Events"], short_row) };
    html! {
        <div class="table-frame scrolls" tabindex="0" role="region" aria-labelledby="runs">
            <table class="summary">
                <thead><tr>{ for columns.iter().map(|name| html! { <th scope="col">{ *name }</th> }) }</tr></thead>
                <tbody>{ for runs.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

fn short_row(run: &RunSummary) -> Html {
    let events = text::count(i64::try_from(run.events).unwrap_or(i64::MAX));
    html! {
        <tr>
            <th scope="row" class="clip foreign" dir="auto" title={run.run.clone()}>{ &run.run }</th>
            <td title={text::duration_exact(run.wall_ns)}>{ text::duration(run.wall_ns) }</td>
            <td>{ events }</td>
        </tr>
    }
}

const COLUMNS: [&str; 15] = [
    "Run",
    "Queries",
    "Unfinished",
    "Failed",
    "Total",
    "Average",
    "Min",
    "Max",
    "Source calls",
    "Rows read",
    "Rows returned",
    "Buffer events",
    "Buffer bytes",
    "Buffer elements",
    "Events",
];

/// Bytes from which on a note is folded.
const LONG: usize = 400;

/// What is to be said of the runs: how complete they are, how their clocks were brought together.
pub fn notes(runs: &[RunSummary]) -> Html {
    let several = runs.len() > 1;
    let notes = runs.iter().flat_map(|run| run.notes.iter().map(move |(about, text)| (run, about, text)));
    let note = |(run, about, text): (&RunSummary, &String, &String)| {
        let about = if several { format!("{}: {about}", run.run) } else { about.clone() };
        let start = text::shortened(text, LONG / 2);
        let whole = if text.len() <= LONG {
            html! { <>{ text }</> }
        } else {
            html! { <details><summary>{ start }</summary>{ text }</details> }
        };
        html! { <><dt class="foreign">{ about }</dt><dd>{ whole }</dd></> }
    };
    if runs.iter().all(|run| run.notes.is_empty()) {
        return Html::default();
    }
    html! { <dl class="run-notes">{ for notes.map(note) }</dl> }
}

fn row(run: &RunSummary) -> Html {
    let count = |n: u64| text::count(i64::try_from(n).unwrap_or(i64::MAX));
    let time = |ns: i64| html! { <td title={text::duration_exact(ns)}>{ text::duration(ns) }</td> };
    let maybe = |ns: Option<i64>| {
        ns.map_or_else(|| html! { <td title="no query with a start and an end">{ "–" }</td> }, time)
    };
    let worth = |n: u64, look: &'static str| html! { <td class={classes!((n > 0).then_some(look))}>{ count(n) }</td> };
    let number = |n: u64| html! { <td>{ count(n) }</td> };
    let sum = |n: i64| html! { <td>{ text::count(n) }</td> };
    html! {
        <tr>
            <th scope="row" class="clip foreign" dir="auto" title={run.run.clone()}>{ &run.run }</th>
            { number(run.queries) }
            { worth(run.unfinished, "warn") }
            { worth(run.failed, "bad") }
            { time(run.total_duration_ns) }
            { maybe(run.avg_duration_ns.map(|ns| ns.round() as i64)) }
            { maybe(run.min_duration_ns) }
            { maybe(run.max_duration_ns) }
            { number(run.source_calls) }
            { sum(run.rows_read) }
            { sum(run.rows_returned) }
            { number(run.buffer_events) }
            <td title={format!("{} B", text::count(run.buffer_bytes))}>{ text::bytes(run.buffer_bytes) }</td>
            { sum(run.buffer_elements) }
            { number(run.events) }
        </tr>
    }
}
