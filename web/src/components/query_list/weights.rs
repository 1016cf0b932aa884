//! The weights of the column of scores: number fields in a popover.

use queryscope::protocol::{QueryList, ScoreWeights};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::typing;
use crate::ui::{TermHelp, hang};
use crate::words;
use crate::words::glossary::Term;

/// Properties of [`Weights`].
#[derive(Properties, PartialEq)]
pub struct WeightsProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The list with its weights.
    pub list: QueryList,
    /// Called with the list and its new weights.
    pub onchange: Callback<QueryList>,
}

/// The button that opens the weights, and the popover with their fields.
#[component]
pub fn Weights(props: &WeightsProps) -> Html {
    let (popover, refused) = (use_node_ref(), use_state_eq(|| None::<(usize, String)>));
    let now = props.list.weights;
    let values = [now.latency, now.io, now.buffer];
    let set = {
        let (list, onchange) = (props.list.clone(), props.onchange.clone());
        move |[latency, io, buffer]: [u32; 3]| {
            onchange.emit(QueryList { weights: ScoreWeights { latency, io, buffer }, ..list.clone() });
        }
    };
    let onkeydown = typing(&props.panel.mount);
    let field = |at: usize| {
        let (name, meaning) = words::query_list::WEIGHTS[at];
        let (set, refused) = (set.clone(), refused.clone());
        let is_wrong = refused.as_ref().is_some_and(|(wrong, _)| *wrong == at);
        let onchange = move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            // The value of a number field that holds something else is empty; its text is not.
            let Some(weight) = ScoreWeights::parse(&input.value()) else {
                refused.set(Some((at, words::query_list::no_weight(&input.value()))));
                return input.set_value(&ScoreWeights::number(values[at]).to_string());
            };
            refused.set(None);
            let mut values = values;
            values[at] = weight;
            set(values);
        };
        html! {
            <label title={meaning}>{ name }
                <input type="text" inputmode="decimal" size="6" autocomplete="off" aria-invalid={is_wrong.to_string()} value={ScoreWeights::number(values[at]).to_string()}
                    {onchange} onkeydown={onkeydown.clone()} />
            </label>
        }
    };
    let fields = [field(0), field(1), field(2)];
    let reset = {
        let (list, onchange) = (props.list.clone(), props.onchange.clone());
        let refused = refused.clone();
        move |_: MouseEvent| {
            refused.set(None);
            onchange.emit(QueryList { weights: ScoreWeights::default(), ..list.clone() });
        }
    };
    let opener = popover.clone();
    let onclick = Callback::from(move |event: MouseEvent| hang(&opener, &event));
    html! {
        <>
            <button type="button" id="weights-button" class="btn quiet small" popovertarget="score-weights" {onclick}>{ words::query_list::SCORE_WEIGHTS }</button>
            <div id="score-weights" ref={popover} popover="auto" role="group" aria-label={words::query_list::SCORE_WEIGHTS}>
                <span class="headed"><b>{ words::query_list::SCORE_WEIGHTS }</b><TermHelp term={Term::Score} /></span>
                { for fields }
                if values == [0; 3] { <p>{ words::query_list::NO_WEIGHTS }</p> }
                if let Some((_, error)) = &*refused { <p class="error" role="alert">{ error }</p> }
                <button type="button" class="btn small" onclick={reset} disabled={now == ScoreWeights::default()}>{ words::query_list::RESET_WEIGHTS }</button>
            </div>
        </>
    }
}
