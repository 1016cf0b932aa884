//! Where the time of a trace without queries went: by thread, the busiest first, and by name.

use queryscope::protocol::{BusyName, BusyThread, BusyThreads, Reply, Request};
use queryscope::text;
use yew::prelude::*;

use crate::components::ask::use_reply;
use crate::components::parallel::share;
use crate::components::parallel::tables::{bar, table, time};
use crate::components::{PanelProps, show_in_timeline};
use crate::state::{Action, Tab};

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
                <section aria-labelledby="busiest">
                    <header>
                        <h2 id="busiest">{ "Where the time went" }</h2>
                        <p>{ threads_in_words(view) }</p>
                    </header>
                    { threads(props, view) }
                </section>
            }
            <section aria-labelledby="names">
                <header>
                    <h2 id="names">{ if view.threads.is_empty() { "Where the time went" } else { "By name" } }</h2>
                    <p>{ names_in_words(view) }</p>
                </header>
                { names(props, view) }
            </section>
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
    let wall = view.end.saturating_sub(view.start);
    let row = |thread: &BusyThread| {
        let (dispatch, item) = (props.dispatch.clone(), thread.item);
        let onclick = move |_: MouseEvent| show_in_timeline(&dispatch, item);
        let names: Vec<String> =
            thread.names.iter().map(|(name, ns)| format!("{name} ({})", text::duration(*ns))).collect();
        let names = names.join(", ");
        html! {
            <tr>
                <th scope="row" class="clip">
                    <button type="button" class="link foreign" dir="auto" title={format!("{}: show its longest stretch of work in the Gantt view", thread.name)} {onclick}>{ &thread.name }</button>
                </th>
                { bar(&[("work", thread.busy), ("wait", thread.waiting)], wall) }
                { time(thread.busy) }
                <td>{ share(thread.busy, wall) }</td>
                { time(thread.waiting) }
                <td>{ text::count(i64::from(thread.spans)) }</td>
                <td class="clip foreign" dir="auto" title={names.clone()}>{ &names }</td>
            </tr>
        }
    };
    let columns = ["Thread", "", "Busy", "Share", "Waiting", "Spans", "Mostly in"];
    table("Where the time went", &columns, view.threads.iter().map(row).collect())
}

fn names(props: &PanelProps, view: &BusyThreads) -> Html {
    let in_threads = !view.threads.is_empty();
    let titles =
        ["Name", if in_threads { "Busy" } else { "Self time" }, "Inclusive time", "Spans", "Longest"];
    let own = |of: &BusyName| if in_threads { of.busy } else { of.self_time };
    let most = view.names.iter().map(own).max().unwrap_or(0).max(1);
    html! {
        <div class="table-frame scrolls" tabindex="0" role="group" aria-labelledby="names">
            <table class="summary names">
                <thead><tr>{ for titles.iter().map(|title| html! { <th scope="col">{ *title }</th> }) }</tr></thead>
                <tbody>{ for view.names.iter().map(|of| name(props, of, own(of), most)) }</tbody>
            </table>
        </div>
    }
}

fn name(props: &PanelProps, of: &BusyName, own: i64, most: i64) -> Html {
    let (dispatch, name) = (props.dispatch.clone(), of.name.clone());
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Search(name.clone()));
        dispatch.dispatch(Action::Show(Tab::Gantt));
    };
    let width = format!("--share:{:.2}%", own as f64 / most as f64 * 100.0);
    html! {
        <tr>
            <th scope="row" class="clip foreign" dir="auto" title={of.name.clone()}>
                <button type="button" {onclick}>{ &of.name }</button>
            </th>
            <td style={width} title={text::duration_exact(own)}>{ text::duration(own) }</td>
            { time(of.total) }
            <td>{ text::count(i64::try_from(of.count).unwrap_or(i64::MAX)) }</td>
            { time(of.longest) }
        </tr>
    }
}
