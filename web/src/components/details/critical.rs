//! The critical path of the selection's query or outermost span: the names with most time on it.

use queryscope::protocol::{CriticalPathRequest, PathName};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::color::swatch;
use crate::components::use_query::{Answer, use_query};
use crate::state::{Action, Tab};
use crate::words;

/// Number of listed names.
const LISTED: usize = 4;

/// The section about the critical path. Empty if the path is in spans of a single name.
#[component]
pub fn PathSection(props: &PanelProps) -> Html {
    let state = &props.state;
    let info = &state.load.info;
    let request = state.nav.selection.map(|item| CriticalPathRequest { range: None, item: Some(item) });
    let answer = use_query(&props.client, request.filter(|_| info.critical), info.build);
    let asked = answer.as_ref().and_then(Answer::request).and_then(|request| request.item);
    let found = answer.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    // The reply to an earlier selection is not about this one.
    let found = found.filter(|path| path.path_names.len() > 1 && asked == state.nav.selection);
    let Some(path) = found else { return Html::default() };
    let name = |of: &PathName| {
        let (dispatch, item) = (props.dispatch.clone(), of.longest.item);
        let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Reveal(item));
        html! {
            <li>
                <button type="button" title={words::critical_path::SHOW_LONGEST} {onclick}>
                    { swatch(of.longest.color) }
                    <span class="foreign clip" dir="auto" title={of.name.clone()}>{ &of.name }</span>
                    <span class="when">{ words::critical_path::step_share(of.time, path.end.saturating_sub(path.start)) }</span>
                </button>
            </li>
        }
    };
    let hidden = path.path_names.len().saturating_sub(LISTED);
    let dispatch = props.dispatch.clone();
    let has_range = state.nav.range.is_some();
    let all = move |_: MouseEvent| {
        // The tab shows a time range rather than the selection.
        if has_range {
            dispatch.dispatch(Action::Range(None));
        }
        dispatch.dispatch(Action::Show(Tab::Parallel));
    };
    html! {
        <section class="critical">
            <h3 class="kicker" title={words::critical_path::rule(path.rule)}>{ words::critical_path::of(path, state.nav.selection) }</h3>
            <ul class="links">{ for path.path_names.iter().take(LISTED).map(name) }</ul>
            <p class="absent">
                <button type="button" class="btn small" title={words::critical_path::ALL_STEPS_MEANING} onclick={all}>{ words::critical_path::ALL_STEPS }</button>
                if hidden > 0 { { " " }{ words::critical_path::more_steps(hidden) } }
            </p>
        </section>
    }
}
