//! Comparison of the selected execution with the other executions of its statement.

use queryscope::protocol::{CompareView, CompareWith, SiblingsRequest, SlowerStep};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::use_query::{Answer, use_query};
use crate::state::{Action, Tab};
use crate::words;

/// Compares the duration of the selection with the median of its statement (of the spans with its name, if it is no statement), and
/// names the step that took longer. Without another execution, it says so.
#[component]
pub fn SiblingsNote(props: &PanelProps) -> Html {
    let state = &props.state;
    let request = state.nav.selection.map(|item| SiblingsRequest { item });
    let answer = use_query(&props.client, request, state.load.info.build);
    let asked = answer.as_ref().and_then(Answer::request).map(|request| request.item);
    let found = answer.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    // A reply to the request for an earlier selection is ignored.
    let Some((found, item)) = found.zip(asked.filter(|asked| Some(*asked) == state.nav.selection)) else {
        return Html::default();
    };
    if found.executions == 1 {
        return html! { <p class="note siblings">{ words::details::times_median(found) }{ "." }</p> };
    }
    let (dispatch, now) = (props.dispatch.clone(), state.nav.compare.clone());
    let b = CompareWith::Item(found.typical);
    let execution = Some(found.execution);
    let timelines = CompareView { a: execution, b, ..now.clone() };
    let timelines = props.dispatch_of(Action::SideBySide).reform(move |_: MouseEvent| timelines.clone());
    let compare = move |_: MouseEvent| {
        dispatch.dispatch(Action::Compare(CompareView { a: Some(item), b, ..now.clone() }));
        dispatch.dispatch(Action::Show(Tab::Compare));
    };
    html! {
        <p class="note siblings">
            { words::details::times_median(found) }
            if let Some(step) = &found.step { { slower(props, step, found.execution) } } else { { "." } }
            if !found.is_of_slices {
                <button type="button" class="btn small" title={words::statements::COMPARE_MEANING} onclick={compare}>{ words::statements::COMPARE }</button>
            }
            <button type="button" class="btn small" title={words::compare::TIMELINES_OF_TYPICAL} onclick={timelines}>{ words::compare::TIMELINES }</button>
        </p>
    }
}

/// Renders the end of the sentence: the step that took longer, as a button unless it is the execution itself.
fn slower(props: &PanelProps, step: &SlowerStep, execution: u32) -> Html {
    let (dispatch, item) = (props.dispatch.clone(), step.item);
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Select(Some(item)));
    let is_itself = step.item == execution;
    html! {
        <>
            { words::details::excess(step, is_itself) }
            if !is_itself {
                <button type="button" class="step foreign" dir="auto" {onclick}>{ &step.name }</button>
            }
            { words::details::excess_reading(step) }
        </>
    }
}
