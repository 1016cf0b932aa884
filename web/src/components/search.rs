//! The search field. All views highlight the matches.

use queryscope::protocol::{SearchRequest, SearchStepRequest};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::icon::{Icon, icon};
use super::use_query::{Answer, use_query};
use super::{PanelProps, focus_view};
use crate::state::{Action, State};
use crate::words;

/// The search field, with the number of matches and buttons for the previous and next match.
#[component]
pub fn Search(props: &PanelProps) -> Html {
    let state = &props.state;
    use_searched_text(props);
    let dispatch = props.dispatch.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        dispatch.dispatch(Action::Search(input.value()));
    });
    let step = use_callback(props.clone(), |backwards: bool, props| go(props, backwards));
    let (stepping, dispatch) = (step.clone(), props.dispatch.clone());
    let mount = props.mount.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        // Key presses in the field must not trigger the shortcuts of the views.
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => stepping.emit(event.shift_key()),
            "Escape" => {
                dispatch.dispatch(Action::Search(String::new()));
                focus_view(&mount);
            }
            _ => {}
        }
    });
    html! {
        <search class="field search">
            { icon(Icon::Search) }
            <input id="search" type="search" placeholder={words::search::PLACEHOLDER} aria-label={words::search::LABEL}
                autocomplete="off" spellcheck="false" value={state.nav.search.clone()} {oninput} {onkeydown} />
            { hits(state, &step) }
        </search>
    }
}

/// Searches for the text of the state and nothing more, where no search field is shown.
#[component]
pub fn SearchedText(props: &PanelProps) -> Html {
    use_searched_text(props);
    Html::default()
}

/// Searches for the text of the state.
#[hook]
fn use_searched_text(props: &PanelProps) {
    let state = &props.state;
    // After a search, an empty text is sent as well, to remove the highlighting.
    let wanted = !state.nav.search.is_empty() || state.ui.found.is_some();
    let request = wanted.then(|| SearchRequest { text: state.nav.search.clone() });
    let answer = use_query(&props.client, request, state.load.info.clone());
    let dispatch = props.dispatch.clone();
    use_effect_with(answer, move |answer| {
        if let Some(found) = answer.as_ref().and_then(Answer::reply) {
            dispatch.dispatch(Action::SearchFound((!found.text.is_empty()).then(|| found.clone())));
        }
    });
}

fn hits(state: &State, step: &Callback<bool>) -> Html {
    let Some(found) = &state.ui.found else { return html! { <kbd title={words::search::KEY}>{ "/" }</kbd> } };
    let nothing = found.items == 0 && found.tracks == 0;
    let button = |label: &'static str, shown: Icon, backwards: bool| {
        let onclick = step.reform(move |_: MouseEvent| backwards);
        html! {
            <button type="button" class="btn quiet small icon-only" title={label} aria-label={label} disabled={nothing} {onclick}>
                { icon(shown) }
            </button>
        }
    };
    html! {
        <>
            <span class={classes!("hits", nothing.then_some("none"))} role="status">{ words::search::found(found.items, found.queries, found.tracks) }</span>
            { button(words::search::PREVIOUS, Icon::Up, true) }
            { button(words::search::NEXT, Icon::Down, false) }
        </>
    }
}

fn go(props: &PanelProps, backwards: bool) {
    let client = props.client.clone();
    let dispatch = props.dispatch.clone();
    let from = props.state.nav.selection;
    spawn_local(async move {
        if let Some(Some(item)) = client.ask(SearchStepRequest { from, backwards }).await {
            dispatch.dispatch(Action::Reveal(item));
        }
    });
}
