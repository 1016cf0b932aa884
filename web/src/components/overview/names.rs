//! Busiest threads and span names, for a trace without queries.

use queryscope::protocol::{BusiestRequest, BusyName, BusyThread, BusyThreads};
use yew::prelude::*;

use crate::components::parallel::tables::shows;
use crate::components::use_query::{Answer, use_query};
use crate::components::{PanelProps, shows_track};
use crate::state::{Action, Tab};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp};
use crate::words;
use crate::words::glossary::Term;

/// Number of threads and of names that are listed. The pivot table shows all.
const SHOWN: u32 = 12;

/// The busiest threads, and the span names with the most time.
#[component]
pub fn Names(props: &PanelProps) -> Html {
    let request = BusiestRequest { range: props.state.nav.range, most: SHOWN };
    let found = use_query(&props.client, Some(request), props.state.load.scene_version);
    let Some(view) = found.as_ref().and_then(Answer::reply).filter(|view| !view.names.is_empty()) else {
        return Html::default();
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

fn threads(props: &PanelProps, view: &BusyThreads) -> Html {
    let (range, panel) = ((view.start, view.end), props.clone());
    let wall = range.1.saturating_sub(range.0);
    let row = move |thread: &BusyThread| {
        let spans = words::parallel::show_thread(&thread.name);
        let onspans = shows_track(&panel, thread.track, thread.item, range);
        let title = words::overview::show_busy_period(&thread.name);
        let names = thread.names.iter().map(|(name, ns)| words::overview::name_and_time(name, *ns));
        TableRow::of(vec![
            TableCell::text(thread.name.clone()).link(title, shows(&panel.dispatch, thread.item)),
            TableCell::bar(vec![("work", thread.busy), ("wait", thread.waiting)], wall),
            TableCell::time(thread.busy).link(spans.clone(), onspans.clone()),
            TableCell::share(thread.busy, wall),
            TableCell::time(thread.waiting),
            TableCell::count(thread.spans).link(spans, onspans),
            TableCell::text(names.collect::<Vec<_>>().join(", ")),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, words::overview::THREAD),
        (TableColumn::bars, words::overview::BUSY_AND_WAITING),
        (TableColumn::time, words::overview::BUSY),
        (TableColumn::share, words::overview::SHARE),
        (TableColumn::time, words::overview::WAITING),
        (TableColumn::number, words::overview::SPANS),
        (TableColumn::text, words::overview::TOP_SPANS),
    ]);
    let heading = html! {
        <><h2 id="busiest">{ words::overview::BUSIEST_THREADS }</h2><p>{ words::overview::about_threads(view) }</p></>
    };
    let rows = TableRows::in_page(view.threads.clone(), row);
    html! { <DataTable id="busy-thread" label={words::overview::BUSIEST_THREADS} class="framed" {columns} {rows} heading={TableHeading::section(heading)} /> }
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
            TableCell::text(of.name.clone()).link(words::overview::find(&of.name), onclick),
            TableCell::time(own(of)).style(share),
            TableCell::time(of.total),
            TableCell::count(i64::try_from(of.count).unwrap_or(i64::MAX)),
            TableCell::time(of.longest),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, words::overview::NAME),
        (TableColumn::time, if in_threads { words::overview::BUSY } else { words::overview::SELF_TIME }),
        (TableColumn::time, words::overview::INCLUSIVE_TIME),
        (TableColumn::number, words::overview::SPANS),
        (TableColumn::time, words::overview::LONGEST),
    ]);
    let title = words::overview::TIME_BY_NAME;
    let heading = html! {
        <><h2 id="names">{ title }</h2><TermHelp term={Term::SelfTime} /><p>{ words::overview::about_names(view) }</p></>
    };
    let rows = TableRows::in_page(view.names.clone(), row);
    html! { <DataTable id="busy-name" label={title} class="framed names" {columns} {rows} heading={TableHeading::section(heading)} /> }
}
