//! Where the time of a trace without queries went: by thread, the busiest first, and by name.

use queryscope::protocol::{BusyName, BusyThread, BusyThreads, Reply, Request};
use queryscope::text;
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::ask::use_reply;
use crate::components::parallel::tables::shows;
use crate::state::{Action, Tab};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows};

/// Threads and names that are listed; the pivot table has them all.
const SHOWN: u32 = 12;

/// The busiest threads, and the names whose spans were busiest.
#[component]
pub fn Names(props: &PanelProps) -> Html {
    let request = Request::Busiest { range: props.state.nav.range, most: SHOWN };
    let found = use_reply(&props.client, Some(request), props.state.load.epoch);
    let view = match found.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Busiest(view)) if !view.names.is_empty() => view,
        _ => return Html::default(),
    };
    html! {
        <>
            if !view.threads.is_empty() {
                <section aria-labelledby="busiest">{ threads(props, view) }</section>
            }
            <section aria-labelledby="names">{ names(props, view) }</section>
        </>
    }
}

fn threads_in_words(view: &BusyThreads) -> String {
    let left_out = (view.n_threads as usize).saturating_sub(view.threads.len());
    let more = match left_out {
        0 => String::new(),
        _ => format!(" {} more threads were less busy.", text::count(left_out as i64)),
    };
    format!(
        "By thread, busiest first. Busy: running its own work, CPU time where that is recorded; loops that wait for tasks do not count.{more}"
    )
}

fn names_in_words(view: &BusyThreads) -> &'static str {
    match view.threads.is_empty() {
        true => "By name and self time: time without nested spans. Choose one to find its spans.",
        false => {
            "Busy time of all threads in spans of one name, without nested spans. Choose one to find its spans."
        }
    }
}

fn threads(props: &PanelProps, view: &BusyThreads) -> Html {
    let (wall, dispatch) = (view.end.saturating_sub(view.start), props.dispatch.clone());
    let row = move |thread: &BusyThread| {
        let title = format!("{}: show its longest stretch of work in the Gantt view", thread.name);
        let names = thread.names.iter().map(|(name, ns)| format!("{name} ({})", text::duration(*ns)));
        TableRow::of(vec![
            TableCell::text(thread.name.clone()).link(title, shows(&dispatch, thread.item)),
            TableCell::bar(vec![("work", thread.busy), ("wait", thread.waiting)], wall),
            TableCell::time(thread.busy),
            TableCell::share(thread.busy, wall),
            TableCell::time(thread.waiting),
            TableCell::count(thread.spans),
            TableCell::text(names.collect::<Vec<_>>().join(", ")),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, "Thread"),
        (TableColumn::bars, "Busy and waiting"),
        (TableColumn::time, "Busy"),
        (TableColumn::share, "Share"),
        (TableColumn::time, "Waiting"),
        (TableColumn::number, "Spans"),
        (TableColumn::text, "Mostly in"),
    ]);
    let heading =
        html! { <><h2 id="busiest">{ "Where the time went" }</h2><p>{ threads_in_words(view) }</p></> };
    let rows = TableRows::in_page(view.threads.clone(), row);
    html! { <DataTable id="busy-thread" label="Where the time went" class="framed" {columns} {rows} heading={TableHeading::section(heading)} /> }
}

fn names(props: &PanelProps, view: &BusyThreads) -> Html {
    let in_threads = !view.threads.is_empty();
    let own = move |of: &BusyName| if in_threads { of.busy } else { of.self_time };
    let most = view.names.iter().map(own).max().unwrap_or(0).max(1);
    let dispatch = props.dispatch.clone();
    let row = move |of: &BusyName| {
        let (dispatch, name) = (dispatch.clone(), of.name.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            dispatch.dispatch(Action::Search(name.clone()));
            dispatch.dispatch(Action::Show(Tab::Gantt));
        });
        let share = format!("--share:{:.2}%", own(of) as f64 / most as f64 * 100.0);
        TableRow::of(vec![
            TableCell::text(of.name.clone()).link(format!("Find {}", of.name), onclick),
            TableCell::time(own(of)).style(share),
            TableCell::time(of.total),
            TableCell::count(i64::try_from(of.count).unwrap_or(i64::MAX)),
            TableCell::time(of.longest),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, "Name"),
        (TableColumn::time, if in_threads { "Busy" } else { "Self time" }),
        (TableColumn::time, "Inclusive time"),
        (TableColumn::number, "Spans"),
        (TableColumn::time, "Longest"),
    ]);
    let title = if in_threads { "By name" } else { "Where the time went" };
    let heading = html! { <><h2 id="names">{ title }</h2><p>{ names_in_words(view) }</p></> };
    let rows = TableRows::in_page(view.names.clone(), row);
    html! { <DataTable id="busy-name" label={title} class="framed names" {columns} {rows} heading={TableHeading::section(heading)} /> }
}
