//! The filter of all views: its field, and the bar that shows it above the views.

use queryscope::internal::filter_text;
use queryscope::protocol::{FilterCondition, FilterReply, FilterRequest};
use yew::prelude::*;

use super::filter_completion::use_completion;
use super::icon::{Icon, icon};
use super::use_query::{Answer, use_query};
use super::{PanelProps, typing};
use crate::state::{Action, Flame, Nav, Tab};
use crate::ui::{Chip, chip_button, focus, segment, segments};
use crate::words;

/// Properties of a [`FilterField`].
#[derive(Properties, PartialEq)]
pub struct FilterFieldProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Id of the input, unique in the viewer.
    pub id: &'static str,
    /// Whether the number of matches is shown next to the field.
    #[prop_or_default]
    pub counts: bool,
    /// Whether the input takes the focus when it appears.
    #[prop_or_default]
    pub focused: bool,
}

/// An input for the filter. The views use its text as soon as it is valid and no completion goes on with its last word; until then, they
/// keep the last filter, and a wrong part of the text is marked. Enter, Esc and leaving the field close the completions.
#[component]
pub fn FilterField(props: &FilterFieldProps) -> Html {
    let FilterFieldProps { panel, id, .. } = props;
    let (state, dispatch) = (&panel.state, &panel.dispatch);
    let draft = use_state_eq(|| state.nav.filter.clone());
    // The filter that the field applied last: the user may have typed more since then.
    let own = use_mut_ref(|| state.nav.filter.clone());
    let (setter, known) = (draft.setter(), own.clone());
    use_effect_with(state.nav.filter.clone(), move |filter| {
        if known.replace(filter.clone()) != *filter {
            setter.set(filter.clone());
        }
    });
    let request = (!draft.trim().is_empty()).then(|| FilterRequest { text: (*draft).clone() });
    let answer = use_query(&panel.client, request, state.load.info.build);
    let found = answer.as_ref().and_then(Answer::reply).filter(|found| found.text == *draft).cloned();
    let (typed, setter) = (dispatch.clone(), draft.setter());
    let set = Callback::from(move |text: String| {
        if text.trim().is_empty() {
            typed.dispatch(Action::Filter(String::new()));
        }
        setter.set(text);
    });
    let input = use_node_ref();
    let completion = use_completion(panel, &draft, &input, &set);
    let is_unfinished = completion.is_unfinished();
    let applied = dispatch.clone();
    let is_new = state.nav.filter != *draft;
    use_effect_with((found.clone(), is_unfinished), move |(found, is_unfinished)| {
        if let Some(FilterReply { text, error: None, .. }) = found
            && is_new
            && !is_unfinished
        {
            own.replace(text.clone());
            applied.dispatch(Action::Filter(text.clone()));
        }
    });
    let oninput = completion.oninput(&input, &set);
    let (other_keys, finish) = (typing(&panel.mount), completion.close.clone());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            finish.emit(None);
        }
        other_keys.emit(event);
    });
    let onkeydown = completion.onkeydown(&input, onkeydown);
    let onblur = completion.close.reform(|_: FocusEvent| None);
    use_effect_with((props.focused, input.clone()), |(focused, input)| {
        if *focused {
            focus(input.cast());
        }
    });
    let error = found.as_ref().and_then(|found| found.error.clone());
    let error_id = format!("{id}-error");
    html! {
        <>
            if let Some(error) = &error { { message(&error_id, &draft, error, true) } }
            else if is_unfinished && completion.is_open() { <span class="count" role="status">{ words::filter::UNFINISHED }</span> }
            else if props.counts && !is_unfinished && let Some(found) = &found { { matched(found, &error_id, state.load.info.queries > 0) } }
            <div class={classes!("field", error.is_some().then_some("wrong"))}>
                <input id={*id} ref={input} type="text" role="combobox" aria-autocomplete="list" aria-expanded={completion.is_open().to_string()}
                    aria-controls={format!("{id}-list")} aria-activedescendant={completion.active.map(|at| format!("{id}-{at}"))} aria-label={words::filter::LABEL} aria-invalid={error.is_some().to_string()}
                    aria-describedby={error.is_some().then_some(error_id)} placeholder={words::filter::EXAMPLE} title={words::filter::SYNTAX}
                    autocomplete="off" spellcheck="false" value={(*draft).clone()} {oninput} {onkeydown} {onblur} />
                { completion.list(id, None) }
                if !draft.is_empty() {
                    <button type="button" class="btn quiet small icon-only" aria-label={words::common::CLEAR_FILTER} title={words::common::CLEAR_FILTER}
                        onclick={set.reform(|_: MouseEvent| String::new())}>{ icon(Icon::Close) }</button>
                }
            </div>
        </>
    }
}

/// The number of matches, or what nothing meets.
fn matched(found: &FilterReply, id: &str, has_queries: bool) -> Html {
    match &found.hint {
        Some(hint) => message(id, &found.text, hint, false),
        None => {
            html! { <span class="count" role="status" title={has_queries.then_some(words::filter::WHOLE)}>{ words::filter::matched(found, has_queries) }</span> }
        }
    }
}

/// The error of a filter or a hint, after the filter with the part that it is about marked.
fn message(id: &str, text: &str, (message, from, until): &(String, u32, u32), is_error: bool) -> Html {
    let part = |from: u32, until: u32| text.get(from as usize..until as usize).unwrap_or_default().to_owned();
    let end = text.len() as u32;
    html! {
        <span id={id.to_owned()} class={classes!("clip", "filter-error", is_error.then_some("error"))} role={if is_error { "alert" } else { "status" }} title={message.clone()}>
            <code>{ part(0, *from) }<mark>{ part(*from, *until) }</mark>{ part(*until, end) }</code>{ " " }{ message }
        </span>
    }
}

/// The conditions of a filter, each with a button that turns it into its opposite and one that removes it.
fn conditions(props: &PanelProps, found: &FilterReply) -> Html {
    let chip = |of: &FilterCondition| {
        let place = (of.from as usize, of.until as usize);
        let own = found.text.get(place.0..place.1).unwrap_or_default().to_owned();
        let change = |new: &str| {
            let text = filter_text::replaced(&found.text, place, new);
            props.dispatch_of(Action::Filter).reform(move |_: MouseEvent| text.clone())
        };
        let remove = (words::filter::remove(&own).into(), change(""));
        html! {
            <Chip is_listed=true title={own.clone()} {remove}>
                <span class="clip foreign">{ &own }</span>
                if let Some(opposite) = &of.opposite {
                    { chip_button(html! { "\u{21c4}" }, &words::filter::turn(opposite).into(), false, change(opposite)) }
                }
            </Chip>
        }
    };
    if found.conditions.is_empty() {
        return Html::default();
    }
    html! { <div class="chips" role="list" aria-label={words::filter::CONDITIONS}>{ for found.conditions.iter().map(chip) }</div> }
}

/// In timelines, the choice between dimming and hiding what does not match.
fn rest(props: &PanelProps) -> Html {
    let Nav { tab, flame, hides_rest, .. } = &props.state.nav;
    if *tab != Tab::Gantt && !(*tab == Tab::Flame && matches!(flame, Flame::Time(_))) {
        return Html::default();
    }
    let button = |(name, hides): (&'static str, bool)| {
        let onclick = props.dispatch_of(Action::HideRest).reform(move |_: MouseEvent| hides);
        segment(name, None, *hides_rest == hides, onclick)
    };
    segments(
        words::filter::REST,
        [(words::filter::DIM, false), (words::filter::HIDE, true)].into_iter().map(button),
    )
}

/// The bar below the tabs while a filter is set or about to be typed.
#[component]
pub fn FilterBar(props: &PanelProps) -> Html {
    let (dispatch, mount) = (props.dispatch.clone(), props.mount.clone());
    let close = move |_: MouseEvent| {
        dispatch.dispatch(Action::Filter(String::new()));
        dispatch.dispatch(Action::ShowFilter(false));
        super::focus_view(&mount);
    };
    let Nav { filter, tab, flame, .. } = &props.state.nav;
    let scope = words::filter::scope(*tab, *flame);
    let request = (!filter.trim().is_empty()).then(|| FilterRequest { text: filter.clone() });
    let answer = use_query(&props.client, request, props.state.load.info.build);
    let found = answer.as_ref().and_then(Answer::reply).filter(|found| found.text == *filter);
    html! {
        <section class="filter-bar" aria-label={words::filter::FILTER}>
            <FilterField panel={props.clone()} id="page-filter" counts=true focused={props.state.ui.shows_filter} />
            <span class="muted" title={scope}>{ scope }</span>
            { rest(props) }
            <button type="button" class="btn quiet small" onclick={close}>{ words::filter::CLOSE }</button>
            { found.map_or_else(Html::default, |found| conditions(props, found)) }
        </section>
    }
}
