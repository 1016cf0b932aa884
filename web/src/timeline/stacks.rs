//! The controls of call stacks in the merged flame graph: form of the stacks, hidden calls, and commands for the
//! focused call.

use queryscope::internal::word_hash::{hash, is_hash};
use queryscope::protocol::{MergedFrame, MergedFrameRequest, MergedSpec, StackForm};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::use_query::{Answer, use_query};
use crate::input::Command;
use crate::state::{Action, Dispatch};
use crate::ui::{Chip, segment, segments};
use crate::words;

/// Commands for a call, each with name and tooltip.
const CALL_COMMANDS: [(Command, &str, &str); 3] = [
    (Command::Callers, words::timeline::CALLERS, words::timeline::CALLERS_TITLE),
    (Command::Callees, words::timeline::CALLEES, words::timeline::CALLEES_TITLE),
    (Command::Hide, words::timeline::HIDE, words::timeline::HIDE_TITLE),
];

/// The settings of the call stacks, for a grouping path that has some.
#[component]
pub fn StackTools(props: &PanelProps) -> Html {
    let (spec, dispatch) = (&props.state.grouping(), &props.dispatch);
    let request = MergedFrameRequest { spec: spec.clone(), frame: None, step: None };
    let request = spec.has_stacks().then_some(request);
    let answer = use_query(&props.client, request, props.state.load.info.build);
    if !spec.has_stacks() {
        return Html::default();
    }
    let is_current = |answer: &&Answer<MergedFrameRequest>| {
        answer.request().is_some_and(|asked| asked.spec.focus == spec.focus)
    };
    let call = answer.as_ref().filter(is_current).and_then(Answer::reply).and_then(Option::as_ref);
    let call = call.and_then(|found| found.call.as_deref());
    let found = answer.as_ref().and_then(Answer::reply).and_then(Option::as_ref);
    html! {
        <>
            { forms(spec, dispatch) }
            { chips(spec, found, dispatch) }
            if let Some(name) = call { { commands(spec, name, dispatch) } }
        </>
    }
}

/// The choice between callees and callers, and the button that merges recursive calls.
fn forms(spec: &MergedSpec, dispatch: &Dispatch) -> Html {
    let root = spec.stacks.root().map(str::to_owned);
    let form = |is_inverted: bool, name: &'static str, title: &'static str| {
        let is_chosen = spec.stacks.is_inverted() == is_inverted;
        let stacks = StackForm::new(is_inverted, root.clone());
        segment(name, Some(title), is_chosen, reshape(MergedSpec { stacks, ..spec.clone() }, dispatch))
    };
    let collapse = MergedSpec { collapse_recursion: !spec.collapse_recursion, ..spec.clone() };
    let collapse = reshape(collapse, dispatch);
    let [all, inverted] = if root.is_some() {
        [words::timeline::CALLEES_OF_NAME_TITLE, words::timeline::CALLERS_OF_NAME_TITLE]
    } else {
        [words::timeline::ALL_CALLEES_TITLE, words::timeline::INVERTED_TITLE]
    };
    let callers = if root.is_some() { words::timeline::CALLERS } else { words::timeline::INVERTED };
    html! {
        <>
            { segments(words::timeline::STACKS, [form(false, words::timeline::CALLEES, all), form(true, callers, inverted)].into_iter()) }
            <span class="segments">
                { segment(words::timeline::COLLAPSE_RECURSION, Some(words::timeline::COLLAPSE_RECURSION_TITLE), spec.collapse_recursion, collapse) }
            </span>
        </>
    }
}

/// Chips of the name with which the stacks begin, and of hidden names; each chip can be removed.
fn chips(spec: &MergedSpec, found: Option<&MergedFrame>, dispatch: &Dispatch) -> Html {
    let root = spec.stacks.root().map(|root| {
        let name = shown(root, found);
        let all = MergedSpec { stacks: spec.stacks.rooted(None), ..spec.clone() };
        let remove = Some((words::timeline::SHOW_ALL_CALLS.into(), reshape(all, dispatch)));
        html! { <Chip title={name.clone()} is_listed=true {remove}><span class="foreign">{ words::timeline::only(&name) }</span></Chip> }
    });
    let hidden = spec.hidden.iter().enumerate().map(|(at, asked)| {
        let name = shown(asked, found);
        let mut shows = spec.clone();
        shows.hidden.remove(at);
        let remove = Some((words::timeline::show_again(&name).into(), reshape(shows, dispatch)));
        html! { <Chip title={name.clone()} is_listed=true {remove}><span class="foreign">{ words::timeline::hidden(&name) }</span></Chip> }
    });
    if root.is_none() && spec.hidden.is_empty() {
        return Html::default();
    }
    let all = reshape(MergedSpec { hidden: Vec::new(), ..spec.clone() }, dispatch);
    html! {
        <span class="chips">
            <span class="chips" role="list" aria-label={words::timeline::CALL_FILTERS}>{ for root }{ for hidden }</span>
            if !spec.hidden.is_empty() {
                <button type="button" class="link" onclick={all}>{ words::timeline::SHOW_ALL }</button>
            }
        </span>
    }
}

/// Text of a call's name, which the state stores as text or, from a link, as hash. `found` has the names that may belong to the hash.
fn shown(asked: &str, found: Option<&MergedFrame>) -> String {
    if !is_hash(asked) {
        return asked.to_owned();
    }
    let known = found.map(|found| found.hidden.iter().map(String::as_str).chain(found.stacks.root()));
    let name = known.into_iter().flatten().find(|name| hash(name) == asked);
    name.unwrap_or(words::timeline::UNKNOWN_CALL).to_owned()
}

/// The buttons for the focused call.
fn commands(spec: &MergedSpec, name: &str, dispatch: &Dispatch) -> Html {
    let command = |(command, label, title): (Command, &'static str, &'static str)| {
        let changed = with_call(spec, command, name)?;
        let onclick = reshape(changed, dispatch);
        Some(html! { <button type="button" {title} {onclick}>{ label }</button> })
    };
    html! {
        <span class="choice">{ words::timeline::FOCUSED_CALL }
            <span class="segments" role="group" aria-label={words::timeline::FOCUSED_CALL}>
                { for CALL_COMMANDS.into_iter().filter_map(command) }
            </span>
        </span>
    }
}

/// The graph after a command for the call `name`; `None` for other commands. The focus is reset,
/// because the frames change.
pub(super) fn with_call(spec: &MergedSpec, command: Command, name: &str) -> Option<MergedSpec> {
    let mut changed = MergedSpec { focus: Vec::new(), ..spec.clone() };
    match command {
        Command::Callees => changed.stacks = StackForm::CalleesOf(name.to_owned()),
        Command::Callers => changed.stacks = StackForm::CallersOf(name.to_owned()),
        Command::Hide => {
            if changed.stacks.root().is_some_and(|root| root == name || root == hash(name)) {
                changed.stacks = changed.stacks.rooted(None);
            }
            changed.hidden.push(name.to_owned());
        }
        _ => return None,
    }
    Some(changed)
}

fn reshape(spec: MergedSpec, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let action = Action::Merge(MergedSpec { focus: Vec::new(), ..spec });
    let dispatch = dispatch.clone();
    Callback::from(move |_: MouseEvent| dispatch.dispatch(action.clone()))
}
