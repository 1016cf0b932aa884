//! The controls that choose the compared executions.

use queryscope::internal::text;
use queryscope::protocol::{Compare, CompareView, CompareWith, Execution, Repeated};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::pinned;
use crate::components::{PanelProps, one_line};
use crate::state::Action;
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;

/// Maximum length of a statement in the list, in characters.
const TITLE: usize = 90;
const TYPICAL: &str = "typical";
const OTHERS: &str = "others";

/// Renders the choices: the statement; base, one execution or the average of all others; and new, the execution `a`.
pub fn choices(props: &PanelProps, found: &Compare, a: &Execution) -> Html {
    let now = pinned(props, found);
    let selected = props.state.nav.selection;
    let dispatch = props.dispatch_of(Action::Compare);
    let take = |label: &'static str, view: Option<CompareView>| {
        let disabled = view.is_none();
        let onclick = dispatch.reform(move |_: MouseEvent| view.clone().unwrap_or_default());
        html! { <button type="button" class="btn small" {disabled} {onclick}>{ label }</button> }
    };
    let as_a = selected.map(|item| CompareView { a: Some(item), ..now.clone() });
    let as_b = selected.map(|item| CompareView { b: CompareWith::Item(item), ..now.clone() });
    html! {
        <div class="compare-choices">
            <span class="headed"><label for="compare-statement">{ words::compare::STATEMENT }</label><TermHelp term={Term::StatementShape} /></span>
            { statements(props, found, a) }
            <span class="compare-own">{ swap(props, found) }</span>
            <label for="compare-b"><b>{ words::compare::BASE }</b></label>
            { other(props, found, a) }
            <span class="compare-own">{ take(words::compare::USE_SELECTION_AS_BASE, as_b) }</span>
            <label for="compare-a"><b>{ words::compare::NEW }</b></label>
            { one(props, found, a) }
            <span class="compare-own">{ take(words::compare::USE_SELECTION_AS_NEW, as_a) }</span>
        </div>
    }
}

fn select(id: &'static str, options: Vec<Html>, onchange: Callback<String>) -> Html {
    let onchange = onchange.reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value());
    html! { <select {id} class="foreign" dir="auto" {onchange}>{ for options }</select> }
}

fn option(value: String, selected: bool, text: String) -> Html {
    html! { <option key={value.clone()} {value} {selected}>{ text }</option> }
}

fn statements(props: &PanelProps, found: &Compare, a: &Execution) -> Html {
    let is_own = |of: &Repeated| found.executions.iter().any(|own| own.item == of.item);
    let text = |of: &Repeated| {
        let title = text::shortened(&one_line(&of.title), TITLE);
        words::compare::repeated(of.count, &title, of.time)
    };
    let known = found.statements.iter().any(is_own);
    let mut options: Vec<Html> =
        found.statements.iter().map(|of| option(of.item.to_string(), is_own(of), text(of))).collect();
    if !known {
        options.insert(0, option(a.item.to_string(), true, one_line(&a.title)));
    }
    let hidden = (found.n_statements as usize).saturating_sub(found.statements.len());
    if hidden > 0 {
        options.push(
            html! { <option key="more" disabled=true>{ words::compare::more_statements(hidden) }</option> },
        );
    }
    let (dispatch, now) = (props.dispatch_of(Action::Compare), props.state.nav.compare.clone());
    let onchange = Callback::from(move |value: String| {
        // Executions of another statement need another base.
        dispatch.emit(CompareView { a: value.parse().ok(), b: CompareWith::Typical, ..now.clone() });
    });
    select("compare-statement", options, onchange)
}

fn one(props: &PanelProps, found: &Compare, a: &Execution) -> Html {
    let (dispatch, now) = (props.dispatch_of(Action::Compare), pinned(props, found));
    let onchange = Callback::from(move |value: String| {
        dispatch.emit(CompareView { a: value.parse().ok(), ..now.clone() })
    });
    select("compare-a", executions(found, a), onchange)
}

fn other(props: &PanelProps, found: &Compare, a: &Execution) -> Html {
    let others = found.n_executions.saturating_sub(1);
    let mut options = Vec::new();
    let chosen = props.state.nav.compare.b;
    let b = found.b.as_ref();
    if others > 1 {
        let all = words::compare::average_of_others(others);
        options.push(option(OTHERS.to_owned(), chosen == CompareWith::Others, all));
    } else if others == 0 && b.is_none() {
        let none = words::compare::NO_OTHER_EXECUTION.to_owned();
        options.push(option(TYPICAL.to_owned(), true, none));
    }
    match b.filter(|_| chosen != CompareWith::Others) {
        Some(b) => options.extend(executions(found, b)),
        None => options.extend(
            found.executions.iter().filter(|of| of.item != a.item).map(|of| listed(found, of, false)),
        ),
    }
    let (dispatch, now) = (props.dispatch_of(Action::Compare), pinned(props, found));
    let onchange = Callback::from(move |value: String| {
        let b = match value.as_str() {
            OTHERS => CompareWith::Others,
            item => item.parse().map_or(CompareWith::Typical, CompareWith::Item),
        };
        dispatch.emit(CompareView { b, ..now.clone() });
    });
    select("compare-b", options, onchange)
}

/// Lists the executions of the statement. A chosen execution that is not among them comes first.
fn executions(found: &Compare, chosen: &Execution) -> Vec<Html> {
    let mut options: Vec<Html> =
        found.executions.iter().map(|of| listed(found, of, of.item == chosen.item)).collect();
    if !found.executions.iter().any(|of| of.item == chosen.item) {
        let title = text::shortened(&one_line(&chosen.title), TITLE);
        let text = format!("{} · {title}", text::duration(chosen.duration));
        options.insert(0, option(chosen.item.to_string(), true, text));
    }
    let hidden = (found.n_executions as usize).saturating_sub(found.executions.len());
    if hidden > 0 {
        options.push(
            html! { <option key="more" disabled=true>{ words::compare::more_executions(hidden) }</option> },
        );
    }
    options
}

fn listed(found: &Compare, of: &Execution, selected: bool) -> Html {
    let several = found.executions.iter().any(|other| other.run != of.run);
    let mut parts = vec![text::duration(of.duration), words::common::at(of.start)];
    if several {
        parts.push(of.run.clone());
    }
    if !of.query.is_empty() {
        parts.push(of.query.clone());
    }
    option(of.item.to_string(), selected, text::shortened(&parts.join(" · "), 2 * TITLE))
}

/// Renders the button that swaps base and new.
fn swap(props: &PanelProps, found: &Compare) -> Html {
    let Some((a, b)) = found.a.as_ref().zip(found.b.as_ref()) else { return Html::default() };
    let view =
        CompareView { a: Some(b.item), b: CompareWith::Item(a.item), ..props.state.nav.compare.clone() };
    let onclick = props.dispatch_of(Action::Compare).reform(move |_: MouseEvent| view.clone());
    html! { <button type="button" class="btn small" title={words::compare::SWAP_SIDES} {onclick}>{ words::compare::SWAP }</button> }
}
