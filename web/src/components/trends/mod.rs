//! The trends tab: groups of executions over the runs of a data set, one group, and the traces. The SQL program makes its tables and
//! charts.

mod content;

use std::cell::Cell;
use std::rc::Rc;

use queryscope::protocol::{DatasetAnswer, DatasetOrder, DatasetQuestion, DatasetReply, TrendChoice};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::PanelProps;
use crate::sql_client::SqlClient;
use crate::state::{Action, OpenDataset, WantedTrace};
use crate::stored_trace::MOST_UNASKED;
use crate::words;
use content::Content;

/// The answer that is shown, and what was asked last.
#[derive(Clone, PartialEq, Default)]
struct Shown {
    reply: Option<Rc<DatasetReply>>,
    /// Whether an answer is waited for.
    is_reading: bool,
    /// Why there is no answer.
    stopped: Option<&'static str>,
}

/// The panel of the trends tab.
#[component]
pub fn Trends(props: &PanelProps) -> Html {
    let client = props.client.sql().clone();
    let status = use_state_eq(|| client.status());
    let (shown, limit, attempt) =
        (use_state_eq(Shown::default), use_state_eq(|| MOST_UNASKED), use_state_eq(|| 0_u32));
    let (sql, setter) = (client.clone(), status.setter());
    use_effect_with((), move |()| {
        sql.listen(Callback::from(move |status| setter.set(status)));
        move || sql.listen(Callback::noop())
    });
    let choice = props.state.nav.trends.clone();
    let address =
        props.state.load.dataset.as_ref().map(|dataset| (dataset.address.clone(), dataset.name.clone()));
    let (sql, setter) = (client.clone(), shown.setter());
    let before = shown.reply.clone();
    use_effect_with((choice.clone(), *limit, *attempt, address), move |(choice, limit, ..)| {
        let order = DatasetOrder { question: DatasetQuestion::Trend(choice.clone()), limit: *limit };
        setter.set(Shown { reply: before, is_reading: true, stopped: None });
        let is_last = Rc::new(Cell::new(true));
        let asked = is_last.clone();
        spawn_local(async move {
            let shown = match sql.ask(order).await {
                Ok((reply, _)) => Shown { reply: Some(Rc::new(reply)), ..Shown::default() },
                Err(reason) => Shown { stopped: Some(reason), ..Shown::default() },
            };
            // The answer to an earlier question is not shown.
            if asked.get() {
                setter.set(shown);
            }
        });
        move || is_last.set(false)
    });
    if !client.is_built() {
        return html! { <div class="empty"><strong>{ words::trends::NOT_BUILT_IN }</strong><span>{ words::trends::NOT_BUILT_IN_REASON }</span></div> };
    }
    let (allow, again) = (limit.setter(), attempt.setter());
    let next = *attempt + 1;
    let waits = shown.is_reading && status.is_running && !status.is_answering;
    let said = match (&shown.reply, shown.is_reading) {
        (_, true) if waits && !status.is_starting => words::trends::WAITING.to_owned(),
        (_, true) => words::trends::reading(status.is_starting, status.fetched),
        (Some(reply), _) if reply.requests > 0 => words::trends::fetched((reply.requests, reply.bytes)),
        _ => String::new(),
    };
    let answer = shown.reply.as_ref().map(|reply| &reply.answer);
    html! {
        <div class="overview trends scrolls" tabindex="0" role="region" aria-label={words::trends::REGION}>
            { wanted(props) }
            <div class="trend-tools">
                { choices(props, answer) }
                <span class="count" role="status">{ said }</span>
                { stop_buttons(&client, shown.is_reading, waits) }
            </div>
            if let Some(reason) = shown.stopped {
                { notice(words::trends::NO_TRENDS, reason, words::trends::TRY_AGAIN, Callback::from(move |_| again.set(next))) }
            }
            { match answer {
                Some(DatasetAnswer::Trend(page)) => html! { <Content panel={props.clone()} page={(**page).clone()} is_old={shown.is_reading} /> },
                Some(DatasetAnswer::TooLarge(bytes)) => {
                    notice("", &words::trends::asks_for_trend(*bytes), &words::trends::read(*bytes), Callback::from(move |_| allow.set(u64::MAX)))
                }
                Some(DatasetAnswer::Failed(text)) => {
                    let again = attempt.setter();
                    notice(words::trends::NO_TRENDS, text, words::trends::TRY_AGAIN, Callback::from(move |_| again.set(next)))
                }
                _ => Html::default(),
            } }
        </div>
    }
}

/// Buttons that cancel the trends, and that stop the statement for which they wait.
fn stop_buttons(client: &SqlClient, is_reading: bool, waits: bool) -> Html {
    let (of_trends, of_sql) = (client.clone(), client.clone());
    let cancel = move |_: MouseEvent| of_trends.cancel_trends();
    let stop = move |_: MouseEvent| of_sql.cancel();
    html! {
        <>
            if waits { <button type="button" class="btn small" onclick={stop}>{ words::sql::CANCEL_MEANING }</button> }
            if is_reading { <button type="button" class="btn small" onclick={cancel}>{ words::trends::CANCEL }</button> }
        </>
    }
}

/// A sentence with a button.
fn notice(title: &str, text: &str, button: &str, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <section class="notice" role="alert">
            if !title.is_empty() { <h2>{ title.to_owned() }</h2> }
            <p dir="auto">{ text.to_owned() }</p>
            <div class="buttons"><button type="button" class="btn" {onclick}>{ button.to_owned() }</button></div>
        </section>
    }
}

/// The trace that is being opened, or asks whether to fetch that many bytes.
pub fn wanted(props: &PanelProps) -> Html {
    let Some((dataset, wanted)) =
        props.state.load.dataset.as_ref().and_then(|dataset| Some((dataset, dataset.wanted.as_ref()?)))
    else {
        return Html::default();
    };
    let Some(bytes) = wanted.bytes else {
        return html! { <p role="status" dir="auto">{ words::trends::opening(&wanted.name) }</p> };
    };
    let becomes = |wanted: Option<WantedTrace>| {
        let next = OpenDataset { wanted, ..dataset.clone() };
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::StoredTrace(next.clone())))
    };
    let all = WantedTrace { limit: u64::MAX, bytes: None, ..wanted.clone() };
    html! {
        <section class="notice" role="alert">
            <p dir="auto">{ words::trends::asks_for_trace(&wanted.name, bytes) }</p>
            <div class="buttons">
                <button type="button" class="btn primary" onclick={becomes(Some(all))}>{ words::trends::read(bytes) }</button>
                <button type="button" class="btn" onclick={becomes(None)}>{ words::trends::CANCEL }</button>
            </div>
        </section>
    }
}

/// The menus of what the trends are about, and the way back from a group.
fn choices(props: &PanelProps, answer: Option<&DatasetAnswer>) -> Html {
    let choice = &props.state.nav.trends;
    let change = |change: fn(&mut TrendChoice, String)| {
        let (dispatch, now) = (props.dispatch_of(Action::Trends), choice.clone());
        Callback::from(move |value: String| {
            let mut next = TrendChoice { group: None, ..now.clone() };
            change(&mut next, value);
            dispatch.emit(next);
        })
    };
    let known = |list: &[(&str, &str)]| {
        list.iter().map(|(value, name)| ((*value).to_owned(), (*name).to_owned())).collect::<Vec<_>>()
    };
    let engines = match answer {
        Some(DatasetAnswer::Trend(page)) if page.engines.len() > 1 => {
            page.engines.iter().map(|(engine, _)| (engine.clone(), engine.clone())).collect()
        }
        _ => Vec::new(),
    };
    let (now, back) = (choice.clone(), props.dispatch_of(Action::Trends));
    let onback = move |_: MouseEvent| back.emit(TrendChoice { group: None, ..now.clone() });
    html! {
        <>
            if choice.group.is_some() { <button type="button" class="btn small" onclick={onback}>{ "‹ " }{ words::trends::BACK }</button> }
            { menu(words::trends::BY, known(&words::trends::GROUPINGS), &choice.by, change(|choice, value| choice.by = value)) }
            { menu(words::trends::MEASURE, known(&words::trends::MEASURES), &choice.measure, change(|choice, value| choice.measure = value)) }
            if !engines.is_empty() { { menu(words::trends::ENGINE, engines, &choice.engine, change(|choice, value| choice.engine = value)) } }
        </>
    }
}

/// A menu whose first entry is the default.
fn menu(label: &'static str, list: Vec<(String, String)>, chosen: &str, onchoose: Callback<String>) -> Html {
    let at = list.iter().position(|(value, _)| value == chosen).unwrap_or(0);
    let values: Vec<String> = list.iter().map(|(value, _)| value.clone()).collect();
    let onchange = move |event: Event| {
        let menu: HtmlSelectElement = event.target_unchecked_into();
        let value = usize::try_from(menu.selected_index()).ok().and_then(|at| values.get(at));
        value.iter().for_each(|value| onchoose.emit((*value).clone()));
    };
    let option = |(index, (_, name)): (usize, &(String, String))| html! { <option selected={index == at}>{ name }</option> };
    html! {
        <label class="muted">{ label }{ " " }<select class="small" {onchange}>{ for list.iter().enumerate().map(option) }</select></label>
    }
}
