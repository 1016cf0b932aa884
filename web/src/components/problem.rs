//! A kind of problem in a file: its meaning and positions. Each position opens to the record in the file.

use queryscope::protocol::{ProblemPlace, ProblemReport, RawRecord, RecordAtPlace, ReportPlaceRequest};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::details::raw::body;
use super::show_in_timeline;
use crate::client::Client;
use crate::state::{Action, Dispatch};
use crate::words;

/// Number of positions that are shown initially.
const FEW: usize = 5;

/// Properties of a [`Problem`].
#[derive(Properties, PartialEq)]
pub struct ProblemProps {
    /// Connection to the worker.
    pub client: Client,
    /// Dispatches the actions that show an item.
    pub dispatch: Dispatch,
    /// Index of the file in the import report.
    pub file: u32,
    /// Kind of problem, with its count and known positions.
    pub problem: ProblemReport,
}

/// A kind of problem with its first positions, or with all known positions after a click.
#[component]
pub fn Problem(props: &ProblemProps) -> Html {
    let all = use_state_eq(|| false);
    let problem = &props.problem;
    let shown = if *all { problem.places.len() } else { problem.places.len().min(FEW) };
    html! {
        <div class="problem">
            <div class="title">
                <b>{ &problem.name }</b>
                <span class={classes!("badge", problem.lost.then_some("bad"))}>{ words::import_report::times(problem.count) }</span>
                if problem.lost { <span class="pill plain">{ words::import_report::NOT_SHOWN }</span> }
            </div>
            <p>{ &problem.meaning }</p>
            <ol>{ for problem.places.iter().take(shown).map(|place| view(props, place)) }</ol>
            { rest(problem, shown, &all) }
        </div>
    }
}

fn view(props: &ProblemProps, place: &ProblemPlace) -> Html {
    let ProblemProps { client, dispatch, file, .. } = props;
    html! { <Spot client={client.clone()} dispatch={dispatch.clone()} file={*file} place={place.clone()} /> }
}

/// Renders the number of hidden positions, and a button that shows the known ones.
fn rest(problem: &ProblemReport, shown: usize, all: &UseStateHandle<bool>) -> Html {
    let known = problem.places.len();
    let more = problem.count.saturating_sub(shown as u64);
    let setter = all.setter();
    let is_open = **all;
    let onclick = move |_: MouseEvent| setter.set(!is_open);
    let label = match (is_open, problem.count > known as u64) {
        (true, _) => words::import_report::show_few(FEW),
        (false, true) => words::import_report::show_known(known, problem.count),
        (false, false) => words::import_report::show_all(known),
    };
    html! {
        if known > FEW || more > 0 {
            <p class="more">
                if known > FEW {
                    <button type="button" class="btn small" aria-expanded={is_open.to_string()} {onclick}>{ label }</button>
                }
                if more > 0 && shown == known {
                    { words::import_report::not_recorded(more) }
                } else if more > 0 {
                    { words::import_report::more_locations(more) }
                }
            </p>
        }
    }
}

/// Properties of one position of a problem.
#[derive(Properties, PartialEq)]
struct SpotProps {
    client: Client,
    dispatch: Dispatch,
    file: u32,
    place: ProblemPlace,
}

/// The record at the position of a problem, and the span or event that was created from the record.
#[derive(Clone, PartialEq)]
struct ShownRecord {
    record: Result<RawRecord, String>,
    /// Whether the record is longer than the excerpt.
    cut: bool,
    item: Option<u32>,
}

#[component]
fn Spot(props: &SpotProps) -> Html {
    let found = use_state(|| None::<ShownRecord>);
    let asked = use_mut_ref(|| false);
    let (client, setter) = (props.client.clone(), found.setter());
    let request = ReportPlaceRequest { file: props.file, offset: props.place.offset };
    let ontoggle = Callback::from(move |event: Event| {
        let open = event.target_unchecked_into::<HtmlElement>().has_attribute("open");
        if open && !asked.replace(true) {
            let client = client.clone();
            let request = request.clone();
            let setter = setter.clone();
            spawn_local(async move { setter.set(Some(find(&client, request).await)) });
        }
    });
    let ProblemPlace { line, offset, text } = &props.place;
    let head = html! {
        <>
            <span>{ words::import_report::location(*line, *offset) }</span>
            if !text.is_empty() { <code class="foreign" dir="auto">{ text }</code> }
        </>
    };
    match line {
        // The position in the stored file is outside of all records.
        None => html! { <li>{ head }</li> },
        Some(_) => html! {
            <li><details {ontoggle}><summary>{ head }</summary><div class="body">{ opened(props, found.as_ref()) }</div></details></li>
        },
    }
}

async fn find(client: &Client, request: ReportPlaceRequest) -> ShownRecord {
    let nothing = || Err(words::import_report::NO_RECORD.to_owned());
    match client.ask(request).await {
        Some(RecordAtPlace { record: Some(place), item }) => {
            ShownRecord { cut: place.cut, record: client.raw(place).await, item }
        }
        _ => ShownRecord { record: nothing(), cut: false, item: None },
    }
}

fn opened(props: &SpotProps, found: Option<&ShownRecord>) -> Html {
    let item = found.and_then(|found| found.item);
    html! {
        <>
            if let Some(item) = item { { jump(&props.dispatch, item) } }
            { body(found.map(|found| &found.record), found.is_some_and(|found| found.cut)) }
        </>
    }
}

fn jump(dispatch: &Dispatch, item: u32) -> Html {
    let dispatch = dispatch.clone();
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Dialog(None));
        show_in_timeline(&dispatch, item);
    };
    html! { <div><button type="button" class="btn small" {onclick}>{ words::import_report::SHOW_IN_TIMELINE }</button></div> }
}
